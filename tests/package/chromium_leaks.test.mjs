// Nothing grows in Chromium, with real sockets and real gateways. REGATE_LEAKS=whole (`make prove`) looks between reconnect 1,000 and
// 5,000 and between operation 20,000 and 100,000; else a fifth of that has to do.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startCluster } from '../gateways/cluster.mjs';
import { startPages } from './support/page.mjs';

/** Counts what runs and what listens, and catches the wasm's memory. */
const COUNTS = `
export const counts = { timers: new Set(), listeners: 0, memory: undefined };
const { setTimeout, clearTimeout } = globalThis;
globalThis.setTimeout = (callback, ...rest) => {
  const id = setTimeout((...args) => { counts.timers.delete(id); callback(...args); }, ...rest);
  counts.timers.add(id);
  return id;
};
globalThis.clearTimeout = (id) => { counts.timers.delete(id); clearTimeout(id); };
for (const [name, one] of [['addEventListener', 1], ['removeEventListener', -1]]) {
  const original = EventTarget.prototype[name];
  EventTarget.prototype[name] = function counted(...args) {
    counts.listeners += one;
    return original.apply(this ?? globalThis, args);
  };
}
for (const name of ['instantiate', 'instantiateStreaming']) {
  const original = WebAssembly[name];
  WebAssembly[name] = async (...args) => {
    const made = await original.apply(WebAssembly, args);
    counts.memory = Object.values(made.instance?.exports ?? {}).find((it) => it instanceof WebAssembly.Memory) ?? counts.memory;
    return made;
  };
}
export const found = () => ({ pages: counts.memory.buffer.byteLength / 65536, timers: counts.timers.size, listeners: counts.listeners });
`;

/** Code that V8 makes of functions is on the heap too, and comes and goes whenever it likes. */
const STEADY_CODE = ['--js-flags=--no-opt --no-maglev --no-sparkplug --no-flush-bytecode'];

const SHARE = process.env.REGATE_LEAKS === 'whole' ? 1 : 5;
const [RECONNECTS, OPERATIONS] = [1_000 / SHARE, 20_000 / SHARE];

let cluster;
let pages;
before(async () => {
  [cluster, pages] = await Promise.all([startCluster({ count: 2 }), startPages({ flags: STEADY_CODE })]);
});
after(async () => {
  await pages?.end();
  await cluster?.stop();
});

/** A page with a connected client, and a way to weigh it: the heap after collection, and what is counted. */
async function weighed(t, use, warmUp) {
  const { page, context, troubles } = await pages.open(t, { scripts: { '/counts.js': COUNTS } });
  const devtools = await context.newCDPSession(page);
  const connect = () =>
    page.evaluate(async (gateways) => {
      globalThis.found = (await import('/counts.js')).found;
      const regate = await import('/index.web.js');
      globalThis.client?.close();
      globalThis.client = await regate.connect({ gateways, logger: null });
    }, cluster.urls);
  // What V8 learns of the code in its first rounds stays on the heap: it learns it of a client before.
  await page.evaluate(`globalThis.use = ${use}`); // compiled once
  const run = (times) => page.evaluate((n) => globalThis.use(n), times);
  await connect();
  await run(warmUp);
  await connect();
  const weigh = async () => {
    let heap = Number.POSITIVE_INFINITY;
    for (let times = 0; times < 5; times += 1) {
      await devtools.send('HeapProfiler.collectGarbage');
      heap = Math.min(heap, (await devtools.send('Runtime.getHeapUsage')).usedSize);
    }
    return { heap, ...(await page.evaluate(() => globalThis.found())) };
  };
  return { page, troubles, weigh, run };
}

/** That the second weight is the first one: the wasm's pages exactly, the heap within 1 %. */
function isLevel(before, later) {
  assert.equal(later.pages, before.pages, 'pages of wasm');
  const growth = (later.heap - before.heap) / before.heap;
  assert.ok(
    growth < 0.01,
    `the heap grew by ${(growth * 100).toFixed(2)} %: ${before.heap} to ${later.heap}`,
  );
}

test('reconnects', async (t) => {
  const { page, troubles, weigh, run } = await weighed(
    t,
    async (most) => {
      const { client } = globalThis;
      for (let n = 0; n < most; n += 1) {
        client.reconnect();
        await client.connect();
        if (n % 10 === 0) await client.invoke('echo', [n], { readOnly: true });
      }
    },
    2 * RECONNECTS,
  );
  await run(RECONNECTS);
  const before = await weigh();
  await run(4 * RECONNECTS);
  isLevel(before, await weigh());
  await page.evaluate(() => globalThis.client.close());
  const { timers, listeners } = await weigh();
  assert.deepEqual([timers, listeners, troubles], [0, 0, []]);
});

test('operations, with subscriptions, aborts, keys and failures among them', async (t) => {
  const { page, troubles, weigh, run } = await weighed(
    t,
    async (most) => {
      const { client } = globalThis;
      const { signal } = new AbortController();
      for (let n = 0; n < most; n += 100) {
        const hundred = Array.from({ length: 94 }, (_, place) =>
          client.invoke('echo', [n + place], { signal }),
        );
        const abort = new AbortController();
        hundred.push(client.invoke('echo', ['aborted'], { signal: abort.signal }).catch(() => {}));
        abort.abort();
        hundred.push(client.invoke('no such method').catch(() => {}));
        hundred.push(client.invoke('echo', [], { timeoutMilliseconds: 0 }).catch(() => {}));
        hundred.push(client.invoke('echo', [], { operationKey: true, timeoutMilliseconds: 60_000 }));
        const subscription = client.subscribe('subscribe', { topic: String(n) }, () => {});
        hundred.push(client.invoke('echo'));
        hundred.push(subscription.unsubscribe());
        await Promise.all(hundred);
      }
    },
    OPERATIONS,
  );
  await run(OPERATIONS);
  const before = await weigh();
  await run(4 * OPERATIONS);
  isLevel(before, await weigh());
  await page.evaluate(() => globalThis.client.close());
  const { timers, listeners } = await weigh();
  assert.deepEqual([timers, listeners, troubles], [0, 0, []]);
});
