// Wake signals and the back/forward cache in Chromium: what is listened to, when, and what comes of it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { STRICT, startPages } from './support/page.mjs';

const WORLD = readFileSync(new URL('support/page_world.js', import.meta.url), 'utf8');
let pages;
before(async () => {
  pages = await startPages();
});
after(() => pages?.end());

/** What `use` gives in a fresh page, where the time stands still. Nothing may go wrong there. */
async function inPage(t, use, argument) {
  const { page, troubles } = await pages.open(t, { scripts: { '/world.js': WORLD } });
  await page.evaluate(() => import('/world.js').then(({ stopClock }) => stopClock()));
  const answer = await page.evaluate(use, argument);
  assert.deepEqual(troubles, []);
  return answer;
}

/** B051, B052: as many removed as added, none before connect(), and never one that keeps a page out of the cache. */
test('listeners: none before connect(), balanced after every end, never unload or beforeunload', async (t) => {
  const counts = await inPage(t, async () => {
    const { make, balance, listened, world, advance, running } = await import('/world.js');
    const found = { imported: listened.length };
    const { client } = make();
    client.addEventListener('dial', () => {});
    client.invoke('parked').catch(() => {});
    client.subscribe('m', [], () => {});
    found.made = listened.length;
    for (let times = 0; times < 5; times += 1) {
      await client.connect();
      found.connected = balance();
      client.reconnect();
      world.sockets.at(-1).drop(1006);
      await advance(1000);
      found.reconnected = balance();
      client.close();
      found.closed = balance();
    }
    const abort = new AbortController();
    const aborted = client.connect({ signal: abort.signal }).catch(() => {});
    abort.abort();
    await aborted;
    world.up = false;
    const failing = make({ networking: { connectTimeouts: '10:15:100' } }).client;
    const end = failing.connect().catch(({ code }) => code);
    await advance(1000);
    found.end = [await end, balance(), running()];
    found.types = [...new Set(listened.map(([, type]) => type))].sort();
    return found;
  });
  assert.deepEqual(counts, {
    imported: 0,
    made: 0,
    connected: 5,
    reconnected: 5,
    closed: 0,
    end: ['CONNECT_TIMEOUT', 0, 0],
    types: ['online', 'pagehide', 'pageshow', 'resume', 'visibilitychange'],
  });
});

/** B012: a signal starts nothing that the application did not start. */
test('no signal starts a client that is idle or closed', async (t) => {
  const sockets = await inPage(t, async () => {
    const { make, signals, page, world, advance } = await import('/world.js');
    const idle = make().client;
    const closed = make().client;
    await closed.connect();
    closed.close();
    for (const signal of Object.values(signals)) signal();
    dispatchEvent(new Event('focus'));
    page('pagehide', true);
    page('pageshow', true);
    await advance(600_000);
    return [world.sockets.length, idle.state, closed.state];
  });
  assert.deepEqual(sockets, [1, 'idle', 'closed']);
});

/** B051, B012: a wake ends a wait, but two rounds begin at least `initial` apart. */
test('each signal ends a running wait: at once, or at the floor', async (t) => {
  const ends = await inPage(t, async () => {
    const { make, signals, world, dials, advance, running } = await import('/world.js');
    const found = {};
    for (const [name, signal] of Object.entries(signals)) {
      world.up = true;
      const { client, told } = make();
      await client.connect();
      await advance(6000);
      world.up = false;
      world.sockets.at(-1).drop(1006);
      while (told.at(-1) !== 'waiting 5000') await advance(100);
      const before = dials().length;
      const [began] = dials().slice(-2);
      await advance(begins(300, began));
      signal();
      await advance(0);
      const after300 = dials()
        .slice(before)
        .map((at) => at - began);
      const second = dials().at(-2);
      await advance(begins(100, second));
      signal();
      await advance(200);
      const after100 = dials()
        .slice(before + 2)
        .map((at) => at - second);
      found[name] = [after300, after100];
      client.close();
      found.running = running();

      /** How long until `milliseconds` after a round began. */
      function begins(milliseconds, at) {
        return Math.max(0, at + milliseconds - (performance.now() - 1000));
      }
    }
    return found;
  });
  const expected = [
    [300, 300],
    [250, 250],
  ];
  assert.deepEqual(ends, {
    online: expected,
    visible: expected,
    pageshow: expected,
    resume: expected,
    running: 0,
  });
});

/** B087: a hint, no more: what fails after it makes the waits no shorter. */
test('a signal whose dials fail resets nothing; onLine false keeps nobody from dialling', async (t) => {
  const found = await inPage(t, async () => {
    const { make, signals, world, advance } = await import('/world.js');
    Object.defineProperty(navigator, 'onLine', { get: () => false });
    const { client, told } = make();
    await client.connect();
    await advance(6000);
    world.up = false;
    world.sockets.at(-1).drop(1006);
    while (told.at(-1) !== 'waiting 2000') await advance(50);
    await advance(600);
    signals.online();
    await advance(0);
    const after = told.at(-1);
    world.up = true;
    await advance(4000);
    const { state } = client;
    client.close();
    return [after, state];
  });
  assert.deepEqual(found, ['waiting 4000', 'connected']);
});

test('a signal while connected asks for a sign of life, and a line that gives none is left', async (t) => {
  const found = await inPage(t, async () => {
    const { make, signals, world, advance } = await import('/world.js');
    const { client } = make();
    await client.connect();
    await advance(1000);
    const [socket] = world.sockets;
    for (const signal of Object.values(signals)) {
      signal();
      await advance(0);
    }
    const pings = socket.sent.map((frame) => JSON.parse(frame).method);
    world.mute = true;
    signals.online();
    signals.online();
    const once = socket.sent.length;
    await advance(7279);
    const still = client.state;
    await advance(1);
    const sockets = world.sockets.length;
    world.mute = false;
    client.close();
    return [pings, once, still, sockets, socket.closes];
  });
  assert.deepEqual(found, [['ping', 'ping', 'ping', 'ping'], 5, 'connected', 2, [[1000]]]);
});

/** B052: leaves softly, stands still, and comes back with all that waited. */
test('pagehide into the cache leaves with 1000 and no timer; pageshow dials once and sends what waited', async (t) => {
  const found = await inPage(t, async () => {
    const { make, page, world, advance, running, dials } = await import('/world.js');
    const { client, told } = make();
    await client.connect();
    await advance(6000);
    const heard = [];
    client.subscribe('topic.subscribe', ['x'], () => {}, { route: () => true });
    await advance(0);
    world.mute = true;
    const read = client.invoke('read', [1], { readOnly: true });
    const write = client.invoke('write', [2]).catch(({ code, completion }) => `${code} ${completion}`);
    page('pagehide', false);
    const plain = client.state;
    page('pagehide', true);
    const hidden = [client.state, running(), world.sockets[0].closes.flat()];
    heard.push(await write);
    const away = client.invoke('away', [3], { readOnly: true });
    await advance(100_000);
    const asleep = [dials().length, running(), client.stats().pendingOperations];
    world.mute = false;
    page('pageshow', true);
    await advance(0);
    const back = [dials().length, client.state, await read, await away];
    const frames = world.sockets.at(-1).sent.map((frame) => JSON.parse(frame).method);
    client.close();
    return { plain, hidden, heard, asleep, back, frames, told, after: running() };
  });
  assert.deepEqual(found, {
    plain: 'connected',
    hidden: ['reconnecting', 0, [1000]],
    heard: ['CONNECTION_LOST maybe'],
    asleep: [1, 0, 2],
    back: [2, 'connected', [1], [3]],
    frames: ['topic.subscribe', 'read', 'away'],
    told: [
      'connecting: requested',
      'connected: opened',
      'reconnecting: page hidden',
      'connected: opened',
      'closed: requested',
    ],
    after: 0,
  });
});

test('hidden in every other state, closed and reconnected while hidden', async (t) => {
  const found = await inPage(t, async () => {
    const { make, page, signals, world, advance, running } = await import('/world.js');
    const states = {};
    for (const when of [
      'connecting',
      'waiting',
      'closed while hidden',
      'reconnected while hidden',
      'woken',
    ]) {
      world.up = when !== 'waiting';
      const { client } = make();
      const end = client.connect().then(
        () => 'connected',
        ({ code }) => code,
      );
      if (when === 'waiting') await advance(100);
      page('pagehide', true);
      const timers = running();
      await advance(10_000);
      if (when === 'woken') signals.online();
      if (when === 'closed while hidden') client.close();
      if (when === 'reconnected while hidden') client.reconnect();
      world.up = true;
      page('pageshow', true);
      await advance(1000);
      states[when] = [timers, client.state, await end];
      client.close();
    }
    return { ...states, running: running() };
  });
  assert.deepEqual(found, {
    connecting: [0, 'connected', 'connected'],
    waiting: [0, 'connected', 'connected'],
    'closed while hidden': [0, 'closed', 'CLIENT_CLOSED'],
    'reconnected while hidden': [0, 'connected', 'connected'],
    woken: [0, 'connected', 'connected'],
    running: 0,
  });
});

/** B085: nothing on the way of a request waits for a timer. */
test('timers that are clamped to a minute, or never fire: requests are sent and answered', async (t) => {
  const answers = await inPage(t, async () => {
    const { make, turn } = await import('/world.js');
    const { client } = make();
    await client.connect();
    const given = [];
    for (let n = 0; n < 10; n += 1) given.push(await client.invoke('m', [n]));
    await turn();
    client.close();
    return given.flat();
  });
  assert.deepEqual(answers, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('an hour of sleep: one ping and one wait more, not a verdict of death', async (t) => {
  const found = await inPage(t, async () => {
    const { make, world, advance } = await import('/world.js');
    const { client } = make();
    await client.connect();
    await advance(16_000);
    const before = world.sockets[0].sent.length;
    world.mute = true;
    await advance(15_000);
    await advance(3_600_000, { late: true });
    const asleep = [client.state, world.sockets.length];
    world.mute = false;
    world.sockets[0].onmessage({ type: 'message', data: '{"method":"news"}' });
    await advance(10_000);
    const { state } = client;
    client.close();
    return [before, asleep, state, world.sockets.length];
  });
  assert.deepEqual(found, [1, ['connected', 1], 'connected', 1]);
});

test('a worker has no document: online is heard, and nothing else is missed', async (t) => {
  const { page, troubles } = await pages.open(t, {
    policy: `${STRICT}; worker-src 'self'`,
    scripts: {
      '/worker.js': `
        const { ClusterClient, init } = await import('/index.web.js');
        await init();
        let dials = 0;
        class Dead { constructor() { dials += 1; queueMicrotask(() => this.onclose?.({ type: 'close', code: 1006, target: this })); } close() {} }
        const client = new ClusterClient({ gateways: ['ws://a.example'], WebSocket: Dead, logger: null, networking: { connectTimeouts: '100000:200000:100', jitter: 0 } });
        client.addEventListener('waiting', () => { postMessage([dials, client.state]); client.close(); });
        client.connect().catch(() => {});`,
    },
  });
  const answer = await page.evaluate(
    () =>
      new Promise((resolve) => {
        new Worker('/worker.js', { type: 'module' }).onmessage = ({ data }) => resolve(data);
      }),
  );
  assert.deepEqual(answer, [1, 'connecting']);
  assert.deepEqual(troubles, []);
});
