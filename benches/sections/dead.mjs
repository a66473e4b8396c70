// One dead gateway: how often it is dialled. In Chromium for a minute, all clients at once; and in virtual time over five minutes,
// where no browser holds dials back, those that run in Node over a socket that always fails.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../lib/free_port.mjs';
import { number } from '../lib/stats.mjs';

export const title = 'A dead cluster';
export const variants = ['graphql-ws-retry'];

const SECONDS = 60;
const QUICK_SECONDS = 5;
const SHOWN_GAPS = 8;
const LAZY_PAUSE_MILLISECONDS = 1000;

export async function run(names, bench) {
  const seconds = bench.isQuick ? QUICK_SECONDS : SECONDS;
  bench.progress(0, `${seconds} s of dialling`);
  const dialled = names.map(async (name) => [name, await dials(name, seconds, bench)]);
  const [clients, hazelcast, chromium, afterOpen, virtual] = await Promise.all([
    Promise.all(dialled),
    dialsInNode('hazelcast_dead.mjs', seconds),
    held(seconds, bench),
    held(seconds, bench, await bench.gateways.start('jsonrpc')),
    dialsInNode('virtual_dead.mjs'),
  ]);
  const all = Object.fromEntries([...clients, ['hazelcast-client (Node)', hazelcast]]);
  return { seconds, clients: all, virtual, chromium: { alone: chromium, afterOpen } };
}

async function dials(name, seconds, { browser }) {
  const page = await browser.open(name, { isWatched: true });
  for (const lines of Object.values(page.lines)) lines.length = 0;
  await page.call('connect', [`ws://127.0.0.1:${await freePort()}`], { isProbed: false });
  if (page.meta.isLazy) await keepAsking(page);
  await after(seconds * 1000);
  const made = await page.evaluate(() => globalThis.watched.dials);
  const log = await page.call('log');
  const found = {
    at: made.map(({ at }) => Math.round(at - made[0].at)),
    gaveUp: log.some(({ state }) => state === 'failed'),
    lines: { own: page.lines.own.length, browser: page.lines.browser.length, thrown: page.thrown.length },
  };
  await page.close();
  return found;
}

/** One request for what connects when it is used, and another one a second after each that failed. */
const keepAsking = (page) =>
  page.evaluate((pause) => {
    const ask = () => globalThis.bench.request('echo', ['?']).catch(() => setTimeout(ask, pause));
    ask();
  }, LAZY_PAUSE_MILLISECONDS);

/** What Chromium does by itself to a loop without waits: ms that each dial takes to fail. */
async function held(seconds, { browser }, gateway) {
  const page = await browser.blank();
  const took = await page.evaluate(dialWithoutWaits, {
    dead: `ws://127.0.0.1:${await freePort()}`,
    live: gateway?.url,
    milliseconds: Math.max(1, seconds - 6) * 1000,
  });
  await page.close();
  return took;
}

async function dialWithoutWaits({ dead, live, milliseconds }) {
  const closed = (socket) =>
    new Promise((resolve) => {
      socket.onclose = resolve;
    });
  if (live) {
    const socket = new WebSocket(live);
    socket.onopen = () => socket.close();
    await closed(socket);
  }
  const took = [];
  for (const end = performance.now() + milliseconds; took.length < 60 && performance.now() < end; ) {
    const began = performance.now();
    await closed(new WebSocket(dead));
    took.push(Math.round(performance.now() - began));
  }
  return took;
}

async function dialsInNode(script, seconds = 0) {
  const file = fileURLToPath(new URL(`../lib/${script}`, import.meta.url));
  const child = spawn(process.execPath, [file, String(await freePort()), String(seconds)], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let text = '';
  let result;
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      text += data;
    });
  child.on('message', (message) => {
    result = message;
  });
  await once(child, 'close');
  if (result === undefined) throw new Error(`${script}: ${text.slice(-500)}`);
  const own = text.split('\n').filter(Boolean).length;
  return result.at ? { at: result.at, gaveUp: false, lines: { own, browser: 0, thrown: 0 } } : result;
}

const gaps = (at) => at.slice(1).map((time, before) => time - at[before]);

const clientRow = ([name, { at, gaveUp, lines }]) => [
  name,
  at.length,
  gaps(at).slice(0, SHOWN_GAPS).join(' ') || '–',
  gaveUp ? 'yes' : 'no',
  lines.own,
  lines.thrown,
  lines.browser,
];

const byDials = ([, a], [, b]) => b.at.length - a.at.length;

export const tables = ({ seconds, clients, virtual, chromium }) => [
  {
    note: `Dials in ${seconds} s in Chromium, with the defaults (regate: jitter 0), and lines of the console.`,
    head: ['client', 'dials', 'first gaps, ms', 'gave up', 'own lines', 'not caught', "the browser's"],
    rows: Object.entries(clients).sort(byDials).map(clientRow),
  },
  {
    note: 'Dials in each minute, in virtual time, where each fails after 1 ms.',
    head: ['client', ...[1, 2, 3, 4, 5].map((minute) => `minute ${minute}`)],
    rows: Object.entries(virtual).map(([name, minutes]) => [
      name,
      ...minutes.map((dialled) => number(dialled)),
    ]),
  },
  {
    note: 'What Chromium does by itself to dials without waits: how many in that time, and the ms that each takes to fail.',
    head: ['', 'dials', 'ms'],
    rows: [
      ['alone', chromium.alone.length, chromium.alone.join(' ')],
      ['after a connection that had opened', chromium.afterOpen.length, chromium.afterOpen.join(' ')],
    ],
  },
];

export const charts = ({ seconds, clients }) => [
  {
    name: 'dead',
    title: `Dials at one dead gateway in ${seconds} s`,
    isLog: true,
    points: Object.entries(clients)
      .filter(([, { gaveUp }]) => !gaveUp)
      .map(([label, { at }]) => ({ label, value: at.length })),
  },
];
