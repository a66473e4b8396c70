// The short form of what `make prove` proves in a browser.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Lifetime } from '../demo/lifetime.mjs';
import { median } from '../demo/table.mjs';
import { startBench } from './bench.mjs';
import { measureFailovers } from './failover.mjs';
import { proveKills, runThroughKills } from './kills.mjs';

/** A few runs on a busy machine say less than the long form: so much is let pass. */
const NOISE_MILLISECONDS = 50;

const LIMIT = { timeout: 60_000 };

const life = new Lifetime();
let bench;
before(async () => {
  bench = await startBench(life);
});
after(() => life.end());

function assertProved(proofs) {
  const wrong = proofs.filter(({ passed }) => !passed);
  assert.deepEqual(wrong, []);
}

test('failover takes at most twice what redialling by hand takes', LIMIT, async () => {
  const times = await measureFailovers(bench, { runs: 3 });
  assert.ok(median(times.regate) <= 2 * median(times['by hand']) + NOISE_MILLISECONDS, JSON.stringify(times));
});

test('reads through kills are all answered', LIMIT, async () => {
  assertProved(proveKills(await runThroughKills(bench, { kind: 'read', operations: 1000, kills: 4 })));
});

test(
  'writes through kills are never executed twice, and say truthfully what became of them',
  LIMIT,
  async () => {
    assertProved(proveKills(await runThroughKills(bench, { kind: 'write', operations: 1000, kills: 4 })));
  },
);
