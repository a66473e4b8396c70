// 10,000 requests that the gateway holds: bytes for each after a collection, CPU of the main thread to issue, settle and expire.
// Each repetition in a fresh page, as a second one there finds memory that the first has left.
import { setTimeout as after } from 'node:timers/promises';
import { median, number, range, spread, summary } from '../lib/stats.mjs';

export const title = 'Pending requests';
export const leftOut = ['p-retry', 'cockatiel', 'raw-orb', 'reconnecting-websocket'];

const COUNT = 10_000;
const REPETITIONS = 3;
const WARM_UP = { inFlight: 64, bytes: 36, milliseconds: 150 };
const LIMIT_MILLISECONDS = 8000;
const LONG_TIMEOUT_MILLISECONDS = 120_000;
const SHORT_TIMEOUT_MILLISECONDS = 2000;

export async function run(names, bench) {
  const result = {};
  for (const [at, name] of names.entries()) {
    bench.progress(at / names.length, name);
    result[name] = await measure(name, bench).catch(({ message }) => ({ failure: message }));
  }
  return result;
}

async function measure(name, bench) {
  const { timeouts } = await metaOf(name, bench);
  const repetitions = bench.isQuick ? 1 : REPETITIONS;
  const found = { timeouts };
  if (timeouts !== 'always') found.plain = await repeat(repetitions, () => hold(name, undefined, bench));
  if (timeouts === 'none') return found;
  found.timed = await repeat(repetitions, () => hold(name, LONG_TIMEOUT_MILLISECONDS, bench));
  found.expired = await expire(name, bench);
  return found;
}

async function metaOf(name, { browser }) {
  const page = await browser.open(name);
  await page.close();
  return page.meta;
}

async function repeat(times, act) {
  const all = [];
  for (let run = 0; run < times; run += 1) all.push(await act());
  return {
    bytes: summary(all.map(({ bytes }) => bytes)),
    issue: median(all.map(({ issue }) => issue)),
    settle: median(all.map(({ settle }) => settle)),
  };
}

async function begin(name, timeout, { browser, gateways }) {
  const page = await browser.open(name);
  const gateway = await gateways.start(page.meta.server, { direct: true });
  const began = await page.call('connect', [gateway.url], { timeout, isProbed: false });
  if (!page.meta.isLazy && (await page.call('until', 'open', began, LIMIT_MILLISECONDS))?.state !== 'open')
    throw new Error('did not connect');
  await page.call('burst', WARM_UP);
  return { page, gateway };
}

async function allHeld(gateway, limitMilliseconds = LIMIT_MILLISECONDS) {
  for (const end = Date.now() + limitMilliseconds; Date.now() < end; await after(25))
    if ((await gateway.ask('held')).held >= COUNT) return true;
  return false;
}

const microseconds = (before, later) => ((later - before) / COUNT) * 1e6;

async function hold(name, timeout, bench) {
  const { page, gateway } = await begin(name, timeout, bench);
  try {
    const bytesBefore = await page.bytes();
    const before = await page.cpuSeconds();
    await page.call('hold', COUNT);
    if (!(await allHeld(gateway))) throw new Error(`not all of ${COUNT} arrived`);
    const issued = await page.cpuSeconds();
    const bytes = ((await page.bytes()) - bytesBefore) / COUNT;
    const collected = await page.cpuSeconds();
    await gateway.ask('release');
    const { resolved } = await page.call('heldEnd', LIMIT_MILLISECONDS);
    if (resolved !== COUNT) throw new Error(`${resolved} of ${COUNT} resolved`);
    const settled = await page.cpuSeconds();
    return { bytes, issue: microseconds(before, issued), settle: microseconds(collected, settled) };
  } finally {
    await page.close();
    await gateway.kill();
  }
}

/** All time out: what that costs, and over how long it happens. */
async function expire(name, bench) {
  const { page, gateway } = await begin(name, SHORT_TIMEOUT_MILLISECONDS, bench);
  try {
    await page.call('hold', COUNT);
    const began = Date.now();
    await allHeld(gateway, SHORT_TIMEOUT_MILLISECONDS * 0.8);
    await after(Math.max(0, began + SHORT_TIMEOUT_MILLISECONDS - 100 - Date.now()));
    const before = await page.cpuSeconds();
    const { rejected, firstAt, lastAt } = await page.call('heldEnd', LIMIT_MILLISECONDS);
    return {
      cpu: microseconds(before, await page.cpuSeconds()),
      milliseconds: rejected > 0 ? lastAt - firstAt : null,
      rejected,
    };
  } finally {
    await page.close();
    await gateway.kill();
  }
}

const bytesOf = (measured) => (measured ? spread(measured.bytes) : '–');
const either = (found, field) => found.timed?.[field] ?? found.plain?.[field];

const row = ([name, found]) =>
  found.failure
    ? [name, '', found.failure]
    : [
        name,
        { none: 'none', option: 'optional', always: 'always' }[found.timeouts],
        bytesOf(found.plain),
        bytesOf(found.timed),
        number(either(found, 'issue'), 1),
        number(either(found, 'settle'), 1),
        number(found.expired?.cpu, 1),
        number(found.expired?.milliseconds),
        number(found.expired?.rejected),
      ];

export const tables = (result) => [
  {
    note: `${number(COUNT)} requests that the gateway holds: bytes each (JavaScript heap, and for regate its wasm memory), µs of main-thread CPU each, with a timeout where there is one; then all time out.`,
    head: [
      'client',
      'timeouts',
      'bytes without',
      'bytes with',
      'issue µs',
      'settle µs',
      'expire µs',
      'over ms',
      'timed out',
    ],
    rows: Object.entries(result).map(row),
  },
];

export const charts = (result) => [
  {
    name: 'pending',
    title: 'Bytes for each pending request, with a timeout where there is one',
    isLog: true,
    points: Object.entries(result)
      .filter(([, { failure }]) => !failure)
      .map(([label, found]) => pointOf(label, either(found, 'bytes'))),
  },
];

function pointOf(label, { median: value, range: ends }) {
  const [low, high] = range(ends);
  return { label, value, low, high };
}
