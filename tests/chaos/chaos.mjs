// `make chaos SEED=7 DURATION=600`: clients in Chromium and in Node under faults of every kind, with the journal as the
// judge. Exits with 0 only if every promise held; verdict.mjs says which.
//
//   SEED      the plan of faults and operations follows from it; drawn and printed where left out
//   DURATION  seconds
//   RECORD    a file for all that is known of a run that failed
//   ONLY      kinds of faults, such as kill,stall: to find what a failure needs

import { writeFileSync } from 'node:fs';
import { run } from '../demo/lifetime.mjs';
import { Terminal } from '../demo/terminal.mjs';
import { KINDS } from './faults.mjs';
import { report } from './report.mjs';
import { runChaos } from './run.mjs';
import { checksOf } from './verdict.mjs';

/** Starting, settling and judging take no longer. */
const MORE_SECONDS = 180;

const terminal = new Terminal();
const number = (/** @type {string} */ name, /** @type {number} */ otherwise) => {
  const given = process.env[name];
  if (given === undefined || given === '') return otherwise;
  if (!/^\d{1,9}$/.test(given)) throw new Error(`${name} is ${given}; it must be a whole number`);
  return Number(given);
};
const seed = number('SEED', Math.floor(Math.random() * 1e9));
const seconds = number('DURATION', 600);
const only = process.env.ONLY?.split(',');
for (const kind of only ?? []) if (!Object.hasOwn(KINDS, kind)) throw new Error(`no fault ${kind}`);

async function main(life) {
  const began = performance.now();
  const say = (text) =>
    terminal.line(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${text}`);
  const progress = (fraction, text) => terminal.progress(fraction, text);
  const result = await runChaos(life, { seed, seconds, progress, say, only });
  terminal.endProgress();
  const checks = checksOf(result);
  terminal.line(`\n${report(result, checks)}`);
  const failed = checks.filter(({ passed }) => !passed);
  for (const { check, wanted, found } of failed)
    terminal.line(`FAILED: ${check}: ${found}, wanted ${wanted}`);
  if (failed.length > 0 && process.env.RECORD) writeFileSync(process.env.RECORD, JSON.stringify(result));
  const { outcomes, plan } = result;
  terminal.line(
    `${failed.length === 0 ? 'passed' : 'FAILED'}: ${outcomes.length} operations, ${plan.length} faults in ${seconds} s; to repeat: make chaos SEED=${seed} DURATION=${seconds}`,
  );
  return failed.length === 0 ? 0 : 1;
}

await run(main, { limitMilliseconds: (seconds + MORE_SECONDS) * 1000 });
