// From the import of the client to its first dial, in a fresh page each time; beside a page that only instantiates the same wasm
// and dials by hand, and one that has no wasm.
import { freePort } from '../lib/free_port.mjs';
import { median, spread, summary } from '../lib/stats.mjs';

export const title = 'Import to first dial';
export const isAlone = true;

const RUNS = 20;
const CLIENTS = ['_instantiate', '_instantiate again', 'regate', 'raw'];
const NAMES = { _instantiate: 'the same wasm, nothing else', '_instantiate again': 'the same again' };

export async function run(_names, bench) {
  const runs = bench.isQuick ? 3 : RUNS;
  const url = `ws://127.0.0.1:${await freePort()}`;
  const times = Object.fromEntries(CLIENTS.map((client) => [client, []]));
  for (let run = 0; run < runs; run += 1) {
    bench.progress(run / runs, `run ${run + 1} of ${runs}`);
    for (let turn = 0; turn < CLIENTS.length; turn += 1) {
      const client = CLIENTS[(run + turn) % CLIENTS.length];
      times[client].push(await once(client.replace(' again', ''), url, bench));
    }
  }
  return times;
}

async function once(name, url, { browser }) {
  const script = await browser.provide(name, true);
  const page = await browser.blank({ isWatched: true });
  const milliseconds = await page.evaluate(importAndDial, script, url);
  await page.close();
  return milliseconds;
}

async function importAndDial(script, url) {
  const began = performance.timeOrigin + performance.now();
  const adapter = await import(script);
  await adapter.ready?.();
  await adapter.connect([url]);
  while (globalThis.watched.dials.length === 0) await Promise.resolve();
  return globalThis.watched.dials[0].at - began;
}

export const tables = (times) => [
  {
    note: 'ms, median [least–most], each in a fresh page.',
    head: ['page', 'runs', 'ms', 'of the wasm alone'],
    rows: CLIENTS.map((client) => [
      NAMES[client] ?? client,
      times[client].length,
      spread(summary(times[client]), 1),
      client === '_instantiate' ? '' : (median(times[client]) / median(times._instantiate)).toFixed(2),
    ]),
  },
];

export const charts = (times) => [
  {
    name: 'first-dial',
    title: 'Import to first dial, ms',
    points: CLIENTS.map((client) => {
      const { median: value, range: ends } = summary(times[client]);
      return { label: NAMES[client] ?? client, value, low: ends[0], high: ends[1] };
    }),
  },
];
