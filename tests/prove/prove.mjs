// `make prove`: the longer proofs, with their numbers.
//   node tests/prove/prove.mjs                          all of them, a quarter of an hour
//   node tests/prove/prove.mjs --only failover,reads    some of them
//   REGATE_CASES=100000 node tests/prove/prove.mjs --only properties

import { run } from '../demo/lifetime.mjs';
import { table } from '../demo/table.mjs';
import { Terminal } from '../demo/terminal.mjs';
import { startBench } from './bench.mjs';
import { proveDead } from './dead.mjs';
import { measureFailovers, proveFailover } from './failover.mjs';
import { proveKills, runThroughKills } from './kills.mjs';
import { proveLeaks } from './leaks.mjs';
import { proveProperties } from './properties.mjs';

const OPERATIONS = 10_000;
const KILLS = 20;
const RUNS = 20;
const LIMIT_MILLISECONDS = 30 * 60 * 1000;

/** @type {Record<string, (bench: import('./bench.mjs').Bench, progress: any, life: any) => Promise<import('./bench.mjs').Proof[]>>} */
const SECTIONS = {
  failover: async (bench, progress) => proveFailover(await measureFailovers(bench, { runs: RUNS, progress })),
  reads: async (bench, progress) =>
    proveKills(
      await runThroughKills(bench, { kind: 'read', operations: OPERATIONS, kills: KILLS, progress }),
    ),
  writes: async (bench, progress) =>
    proveKills(
      await runThroughKills(bench, { kind: 'write', operations: OPERATIONS, kills: KILLS, progress }),
    ),
  dead: (bench, progress) => proveDead(bench, { progress }),
  leaks: (_bench, progress, life) => proveLeaks(life, { progress }),
  properties: (_bench, progress, life) => proveProperties(life, { progress }),
};

const terminal = new Terminal();

async function main(life) {
  const at = process.argv.indexOf('--only');
  const chosen = at < 0 ? Object.keys(SECTIONS) : (process.argv[at + 1] ?? '').split(',');
  const unknown = chosen.filter((name) => !Object.hasOwn(SECTIONS, name));
  if (unknown.length > 0) {
    process.stderr.write(
      `no section "${unknown.join(', ')}"; there are ${Object.keys(SECTIONS).join(', ')}\n`,
    );
    return 2;
  }
  let bench;
  if (chosen.some((name) => name !== 'properties' && name !== 'leaks')) {
    bench = await startBench(life);
    terminal.line(`regate ${bench.version}, packed, in Chromium ${bench.browser.version}`);
  }
  const rows = [];
  let failed = 0;
  for (const name of chosen) {
    const began = performance.now();
    const progress = (fraction, text) => terminal.progress(fraction, `${name}: ${text}`);
    const proofs = await SECTIONS[name](bench, progress, life).catch((error) => {
      terminal.line(error.stack);
      return [{ check: name, wanted: 'to run', found: error.message, passed: false }];
    });
    terminal.endProgress();
    const wrong = proofs.filter(({ passed }) => !passed).length;
    failed += wrong;
    const took = ((performance.now() - began) / 1000).toFixed(1);
    terminal.line(`${wrong === 0 ? 'ok  ' : 'FAIL'} ${name.padEnd(12)} ${took} s`);
    for (const { check, wanted, found, passed } of proofs) {
      rows.push([passed ? 'ok' : 'FAIL', check, wanted, found]);
    }
  }
  terminal.line(`\n${table([{ head: ['', 'proof', 'wanted', 'found'], rows }], 'left')}`);
  terminal.line(`${rows.length - failed} passed, ${failed} failed`);
  return failed === 0 && rows.length > 0 ? 0 : 1;
}

await run(main, { limitMilliseconds: LIMIT_MILLISECONDS });
