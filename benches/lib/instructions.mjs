// The hot paths of the core: instructions by callgrind, ns by the clock (../instructions).
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const call = promisify(execFile);
const folder = fileURLToPath(new URL('../instructions', import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? fileURLToPath(new URL('../../target', import.meta.url));

/** The function of the program that callgrind counts in, and after each call of which it writes a part. */
const COUNTED = 'regate_instructions::counted';

/** Builds the program; gives its path. */
export async function buildPaths() {
  await call('cargo', ['build', '--quiet', '--release', '--locked', '--target-dir', target], { cwd: folder });
  return join(target, 'release/regate-instructions');
}

/** Each path: its name, how much is pending, instructions per step. */
export async function countInstructions(program) {
  const scratch = mkdtempSync(join(tmpdir(), 'regate-instructions-'));
  try {
    const out = join(scratch, 'callgrind.out');
    const flags = [
      '--tool=callgrind',
      `--toggle-collect=${COUNTED}`,
      `--dump-after=${COUNTED}`,
      '--combine-dumps=yes',
      `--callgrind-out-file=${out}`,
    ];
    const { stdout } = await call('valgrind', [...flags, program]);
    return perStep(readLines(stdout), readTotals(readFileSync(out, 'utf8')));
  } catch (error) {
    if (error.code === 'ENOENT' && error.path === 'valgrind')
      throw new Error('valgrind is missing: `make setup` installs it, or `apt-get install valgrind`');
    throw error;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Each path: ns per step in each of so many rounds. */
export async function timePaths(program, rounds) {
  const { stdout } = await call(program, [String(rounds)]);
  return readLines(stdout).map(({ times }) => times);
}

/** What the program has printed: a line for each path. */
export function readLines(text) {
  const lines = text.trimEnd().split('\n');
  return lines.map((line) => {
    const [name, pending, steps, times] = line.split('\t');
    return { name, pending: Number(pending), steps: Number(steps), times: times.split(',').map(Number) };
  });
}

/** The sums of callgrind's parts, of which the last is what came after the last path. */
export function readTotals(text) {
  const totals = [...text.matchAll(/^totals: (\d+)$/gm)].map(([, total]) => Number(total));
  return totals.slice(0, -1);
}

export function perStep(paths, totals) {
  if (paths.length !== totals.length || totals.includes(0))
    throw new Error(`callgrind counted ${totals.join(', ')} in ${paths.length} paths`);
  return paths.map(({ name, pending, steps }, at) => ({ name, pending, instructions: totals[at] / steps }));
}

export const labelOf = ({ name, pending }) =>
  pending === 0 ? name : `${name}, ${pending.toLocaleString('en-US')} pending`;

/** How many instructions more each tenfold of what is pending may cost: some levels of a heap, up and down. */
export const MOST_PER_TENFOLD = 200;

/** Of each path with several sizes, from one to the next: what a tenfold of what is pending costs. */
export function growths(counts) {
  return counts.flatMap((larger, at) => {
    const smaller = counts[at - 1];
    if (smaller?.name !== larger.name) return [];
    const tenfolds = Math.log10(larger.pending / smaller.pending);
    const perTenfold = (larger.instructions - smaller.instructions) / tenfolds;
    return [{ name: larger.name, from: smaller.pending, to: larger.pending, perTenfold }];
  });
}
