// What `make fuzz` does: each target for DURATION seconds (60), one after the other, and a line for each.
//
//   make fuzz DURATION=600              every target for ten minutes
//   make fuzz TARGET=engine,frames      some of them
//   make fuzz TARGET=calls SEED=7       the JavaScript ones from a seed that was printed
//
// Native targets (tests/fuzz/src) get their bytes from libFuzzer; what it has found interesting is kept in .tools/fuzz/corpus, and what
// broke a promise in .tools/fuzz/artifacts: `TRACE=1 <binary> <artifact>` prints what happened. JavaScript ones are fast-check's, run in
// Node and in Chromium against the packed package.
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ready } from '../package/support/installed.mjs';
import { openPage } from './page.mjs';
import { names, run } from './run.mjs';

const NATIVE = ['schedule', 'options', 'engine'];
/** Longer inputs only repeat themselves. */
const MOST_BYTES = 2048;

process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
const KEPT = join(process.cwd(), '.tools/fuzz');
const seconds = Number(process.env.DURATION ?? 60);
const seed = process.env.SEED ? Number(process.env.SEED) : undefined;
const only = process.env.TARGET?.split(',');
const wanted = (name) => !only || only.includes(name);
if (!(seconds > 0)) throw new Error(`DURATION is in seconds, not ${process.env.DURATION}`);

let broken = 0;
let done = 0;
for (const name of NATIVE) if (wanted(name)) tell(`native   ${name}`, await runNative(name));
if (names.some(wanted)) {
  const regate = await ready();
  for (const name of names)
    if (wanted(name))
      tell(`Node     ${name}`, await run(name, regate, { milliseconds: seconds * 1000, seed }));
  const page = await openPage();
  for (const name of names)
    if (wanted(name)) tell(`Chromium ${name}`, await page.run(name, { milliseconds: seconds * 1000, seed }));
  await page.close();
}
console.log(`${done - broken} targets clean, ${broken} broken`);
process.exit(broken > 0 || done === 0 ? 1 : 0);

function tell(name, result) {
  done += 1;
  const number = `${String(result.runs).padStart(10)} runs in ${seconds} s`;
  console.log(`${name.padEnd(20)}${number}${result.broken ? '  BROKEN' : '  clean'}`);
  if (!result.broken) return;
  broken += 1;
  console.log(result.broken);
}

/**
 * Runs one target under libFuzzer. Without a sanitizer: the core forbids unsafe code, so that what these look for cannot be there, and
 * without them three times as much is tried. Overflow and debug assertions are checked.
 */
async function runNative(name) {
  const corpus = join(KEPT, 'corpus', name);
  const artifacts = join(KEPT, 'artifacts', name, '/');
  const log = join(KEPT, `${name}.log`);
  for (const folder of [corpus, artifacts]) mkdirSync(folder, { recursive: true });
  const code = await execute(log, [
    ...['+nightly', 'fuzz', 'run', '--fuzz-dir', 'tests/fuzz', '--target-dir', join(KEPT, 'target')],
    ...['--sanitizer', 'none', name, corpus, '--', `-max_total_time=${seconds}`, `-max_len=${MOST_BYTES}`],
    ...['-len_control=20', '-timeout=20', '-rss_limit_mb=4096', `-artifact_prefix=${artifacts}`],
  ]);
  const output = readFileSync(log, 'utf8');
  const runs = Number(/^Done (\d+) runs/m.exec(output)?.[1] ?? 0);
  if (code === 0 && runs > 0) return { runs };
  const panic = /^thread .* panicked at [\s\S]*?(?=^stack backtrace|^note:)/m.exec(output)?.[0];
  const artifact = /Test unit written to (\S+)/.exec(output)?.[1];
  const how = artifact
    ? `TRACE=1 .tools/fuzz/target/x86_64-unknown-linux-gnu/release/${name} ${artifact}`
    : '';
  return { runs, broken: [panic ?? output.slice(-2_000), how, `all of it: ${log}`].join('\n') };
}

function execute(log, args) {
  const file = createWriteStream(log);
  const environment = { ...process.env, PATH: `${join(process.cwd(), '.tools/bin')}:${process.env.PATH}` };
  return new Promise((resolve, reject) => {
    const child = spawn('cargo', args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.pipe(file, { end: false });
    child.stderr.pipe(file, { end: false });
    child.once('error', reject);
    child.once('close', (code) => file.end(() => resolve(code)));
  });
}
