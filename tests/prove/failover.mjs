// From the kill of the connected one of three gateways to the next answer, beside a WebSocket that redials by hand.

import { setTimeout as after } from 'node:timers/promises';
import { median, span } from '../demo/table.mjs';
import { wallClock } from './bench.mjs';

const KINDS = ['regate', 'by hand'];
/** So long it asks before the kill. */
const ASKING_MILLISECONDS = 150;
const AT_MOST_TIMES = 2;

/**
 * Both kinds in turn, each time in a fresh page; milliseconds of each run by kind.
 *
 * @param {import('./bench.mjs').Bench} bench
 * @param {{ runs: number, progress?: (fraction: number, text: string) => void }} options
 */
export async function measureFailovers(bench, { runs, progress = () => {} }) {
  const { cluster, stop } = await bench.cluster();
  /** @type {Record<string, number[]>} */
  const times = { regate: [], 'by hand': [] };
  for (let run = 0; run < runs; run += 1) {
    const inTurn = run % 2 === 0 ? KINDS : KINDS.toReversed();
    for (const kind of inTurn) times[kind].push(await once(bench, cluster, kind));
    progress((run + 1) / runs, `run ${run + 1} of ${runs}`);
  }
  await stop();
  return times;
}

async function once(bench, cluster, kind) {
  const page = await bench.page();
  const { name } = await page.evaluate((...args) => globalThis.prove.ask(...args), kind, cluster.urls);
  await after(ASKING_MILLISECONDS);
  const gateway = cluster.gateways.find((one) => one.name === name);
  const answered = page.evaluate((killed) => globalThis.prove.answeredByAnother(killed), name);
  const killedAt = wallClock();
  const { connections } = await gateway.kill();
  if (connections !== 1) throw new Error(`the kill of ${name} took ${connections} connections, not 1`);
  const { at } = await answered;
  await page.close();
  await gateway.restart();
  await cluster.quiet();
  return at - killedAt;
}

/**
 * @param {Record<string, number[]>} times
 * @returns {import('./bench.mjs').Proof[]}
 */
export function proveFailover(times) {
  const ratio = median(times.regate) / median(times['by hand']);
  const range = (list) => `${span(Math.min(...list))} / ${span(median(list))} / ${span(Math.max(...list))}`;
  return [
    {
      check: `failover, ${times.regate.length} runs, min / median / max`,
      wanted: `median at most ${AT_MOST_TIMES} times by hand: ${range(times['by hand'])}`,
      found: `${range(times.regate)}; ${ratio.toFixed(2)} times`,
      passed: ratio <= AT_MOST_TIMES,
    },
  ];
}
