// One dead gateway, the default schedule, a real Chromium: how often it is dialled in the first minute.

import { setTimeout as after } from 'node:timers/promises';
import { wallClock } from './bench.mjs';

const MINUTE_MILLISECONDS = 60_000;
const AT_MOST_DIALS = 16;
const AT_MOST_LINES = 3;

/**
 * @param {import('./bench.mjs').Bench} bench
 * @param {{ progress?: (fraction: number, text: string) => void }} options
 * @returns {Promise<import('./bench.mjs').Proof[]>}
 */
export async function proveDead(bench, { progress = () => {} }) {
  const { cluster, stop } = await bench.cluster();
  await cluster.gateways[0].kill();
  const page = await bench.page();
  await page.evaluate((urls) => globalThis.prove.connect({ urls, wait: false }), [cluster.urls[0]]);
  for (const began = wallClock(); wallClock() - began < MINUTE_MILLISECONDS + 500; await after(500)) {
    const passed = wallClock() - began;
    progress(passed / MINUTE_MILLISECONDS, `${Math.round(passed / 1000)} s of 60 s`);
  }
  const dials = await page.evaluate(() => globalThis.prove.dials());
  const lines = await page.evaluate(() => globalThis.prove.log());
  await page.evaluate(() => globalThis.prove.close());
  await page.close();
  await stop();
  const first = dials.filter((at) => at - dials[0] < MINUTE_MILLISECONDS);
  const seconds = first.map((at) => ((at - dials[0]) / 1000).toFixed(1));
  return [
    {
      check: 'one dead gateway: dials in the first minute',
      wanted: `at most ${AT_MOST_DIALS}`,
      found: `${first.length}, at ${seconds.join(' ')} s`,
      passed: first.length > 5 && first.length <= AT_MOST_DIALS,
    },
    {
      check: 'one dead gateway: log lines',
      wanted: `at most ${AT_MOST_LINES}`,
      found: String(lines.length),
      passed: lines.length > 0 && lines.length <= AT_MOST_LINES,
    },
  ];
}
