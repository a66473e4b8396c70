// The hot paths of the core: instructions per step by callgrind, ns beside them (../instructions).
import { buildPaths, countInstructions, growths, timePaths } from '../lib/instructions.mjs';
import { number, spread, summary } from '../lib/stats.mjs';

export const title = 'Instructions of the hot paths';

const ROUNDS = 5;

export async function run(_names, { progress }) {
  progress(0, 'cargo build --release');
  const program = await buildPaths();
  progress(0.3, 'ns by the clock');
  const times = await timePaths(program, ROUNDS);
  progress(0.5, 'instructions by callgrind');
  const counts = await countInstructions(program);
  return counts.map((row, at) => ({ ...row, nanoseconds: summary(times[at]) }));
}

export const tables = (rows) => [
  {
    note: `Per step, of a native build for size, as the wasm is built; ns are the median [least–most] of ${ROUNDS} rounds. What a wait costs in a build for speed, beside libraries for it, stands under one step of a backoff.`,
    head: ['path', 'pending', 'instructions', 'ns'],
    rows: rows.map(({ name, pending, instructions, nanoseconds }) => [
      name,
      pending === 0 ? '' : number(pending),
      number(instructions, 1),
      spread(nanoseconds, 1),
    ]),
  },
  {
    note: 'What is pending costs O(log n) at most: instructions more for each tenfold of it.',
    head: ['path', 'from', 'to', 'more for a tenfold'],
    rows: growths(rows).map(({ name, from, to, perTenfold }) => [
      name,
      number(from),
      number(to),
      number(perTenfold, 1),
    ]),
  },
];

export const charts = () => [];
