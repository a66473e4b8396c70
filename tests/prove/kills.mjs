// Operations of one kind through kills, with the journal as the judge.

import { setTimeout as after } from 'node:timers/promises';
import { FINDINGS } from '../demo/verdict.mjs';
import { connectedOf } from './bench.mjs';

/** So late gateways answer, that something is in flight when they die. */
const ROUND_TRIP_MILLISECONDS = 15;
/** The operations of one kill are made in this time; the kill comes after a part of it. */
const BATCH_MILLISECONDS = 500;
const KILL_AFTER_MILLISECONDS = 300;
const SETTLE_WITHIN_MILLISECONDS = 60_000;
/** Less than lies between two kills, so that each is the loss of a steady connection. */
const NETWORKING = { steadyMilliseconds: 200 };

/**
 * Makes the operations in batches, with a kill of the connected gateway in the midst of each.
 *
 * @param {import('./bench.mjs').Bench} bench
 * @param {{ kind: 'read' | 'write', operations: number, kills: number, progress?: (fraction: number, text: string) => void }} options
 */
export async function runThroughKills(bench, { kind, operations, kills, progress = () => {} }) {
  const { cluster, stop } = await bench.cluster();
  const makeLate = (gateway) => gateway.answerLate(ROUND_TRIP_MILLISECONDS);
  await Promise.all(cluster.gateways.map(makeLate));
  const page = await bench.page();
  await page.evaluate((options) => globalThis.prove.connect(options), {
    urls: cluster.urls,
    networking: NETWORKING,
  });
  const batch = operations / kills;
  let struck = 0;
  for (let kill = 1; kill <= kills; kill += 1) {
    const make = (...args) => globalThis.prove.make(...args);
    const making = page.evaluate(make, kind, batch, BATCH_MILLISECONDS);
    await after(KILL_AFTER_MILLISECONDS);
    const gateway = await connectedOf(cluster);
    const { connections } = await gateway.kill();
    if (connections > 0) struck += 1;
    await making;
    await gateway.restart();
    await makeLate(gateway);
    await connectedOf(cluster);
    progress(kill / kills, `${kill * batch} ${kind}s, ${kill} kills`);
  }
  const end = (within) => globalThis.prove.end(within);
  const { outcomes, lost } = await page.evaluate(end, SETTLE_WITHIN_MILLISECONDS);
  await cluster.quiet();
  const audit = await cluster.audit(outcomes);
  await page.close();
  await stop();
  return { kind, kills, struck, outcomes, lost, audit, troubles: page.troubles };
}

/**
 * @param {Awaited<ReturnType<typeof runThroughKills>>} run
 * @returns {import('./bench.mjs').Proof[]}
 */
export function proveKills({ kind, kills, struck, outcomes, lost, audit, troubles }) {
  const what = `${outcomes.length} ${kind}s, ${kills} kills`;
  const of = (wanted) => outcomes.filter(({ outcome, completion }) => wanted === (completion ?? outcome));
  const retried = outcomes.filter(({ handedToSocket }) => handedToSocket > 1).length;
  const accused = Object.entries(FINDINGS).filter(([name]) => audit.findings[name].count > 0);
  const withSome = lost.filter((ids) => ids.length > 0).length;
  const common = [
    proof(`${what}: each took a connection, most with operations in flight`, kills, struck, {
      passed: struck === kills && withSome > kills / 2,
      found: `${struck}, ${withSome} of them with some in flight`,
    }),
    proof(`${what}: true to the journal`, 'no finding', 'no finding', {
      passed: accused.length === 0 && audit.numbers.handed === outcomes.length,
      found:
        accused.length === 0
          ? 'no finding'
          : accused.map(([name, words]) => `${words}: ${audit.findings[name].ids.join(' ')}`).join('; '),
    }),
    proof(`${what}: nothing uncaught in the page`, 0, troubles.length, { found: troubles[0] }),
  ];
  if (kind === 'read') {
    return [
      proof(`${what}: answered`, outcomes.length, of('ok').length, {
        found: `${of('ok').length}, ${retried} of them retried`,
      }),
      ...common,
    ];
  }
  const inFlight = new Set(lost.flat());
  const maybe = of('maybe');
  return [
    proof(`${what}: executed twice`, 0, audit.findings.executedTwiceWithoutRedo.count),
    proof(`${what}: said "maybe"`, `at most the ${inFlight.size} in flight at the kills, and only those`, 0, {
      passed: maybe.length <= inFlight.size && maybe.every(({ id }) => inFlight.has(id)),
      found: `${maybe.length}; ok ${of('ok').length}, no ${of('no').length}, yes ${of('yes').length}`,
    }),
    ...common,
  ];
}

function proof(check, wanted, value, { passed = value === wanted, found } = {}) {
  return { check, wanted: String(wanted), found: found ?? String(value), passed };
}
