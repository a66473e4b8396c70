// Connecting, closing and the signal of connect().
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle, virtualClock } from './support/clock.mjs';
import { echoing, fakeSockets } from './support/fake_ws.mjs';
import { ready, runModule } from './support/installed.mjs';

const { ClusterClient, RegateError, connect } = await ready();
const EXACT = { shuffleAddresses: false, jitter: 0 };

/** A client with its sockets. */
function make(script, more = {}) {
  const { networking, gateways = ['ws://a.example', 'ws://b.example'], ...rest } = more;
  const fake = fakeSockets(script);
  const options = {
    gateways,
    logger: null,
    WebSocket: fake.WebSocket,
    networking: { ...EXACT, ...networking },
  };
  const client = new ClusterClient({ ...options, ...rest });
  const states = [];
  client.addEventListener('statechange', ({ detail }) => states.push(detail.to));
  return { client, states, fake, sockets: fake.sockets, options };
}

test('connect() twice is one promise and one dial', async (t) => {
  virtualClock(t);
  const { client, sockets } = make();
  const first = client.connect();
  assert.equal(client.connect(), first);
  await settle();
  assert.equal(client.connect(), first);
  sockets[0].open();
  await first;
  assert.equal(await client.connect(), undefined);
  assert.equal(sockets.length, 1);
  client.close();
});

test('50 callers before the first connection: one dial, then all in their order', async (t) => {
  const clock = virtualClock(t);
  const { client, sockets } = make({ sent: echoing.sent });
  client.connect();
  const answers = Array.from({ length: 50 }, (_, index) => client.invoke('echo', [index]));
  await clock.advance(200);
  assert.equal(sockets.length, 1);
  sockets[0].open();
  assert.deepEqual(
    await Promise.all(answers),
    Array.from({ length: 50 }, (_, index) => [index]),
  );
  assert.deepEqual(
    sockets[0].requests.map(({ params: [index] }) => index),
    Array.from({ length: 50 }, (_, index) => index),
  );
  client.close();
});

test('invoke on an idle client starts nothing', async (t) => {
  const clock = virtualClock(t);
  const { client, sockets, states } = make();
  const waiting = client.invoke('m');
  await clock.advance(1000);
  assert.equal(sockets.length, 0);
  assert.deepEqual(states, []);
  client.close();
  await assert.rejects(waiting, { code: 'CLIENT_CLOSED', completion: 'no', attempts: 0 });
});

test('connect and close in one turn open nothing', async (t) => {
  const clock = virtualClock(t);
  const { client, sockets, states } = make();
  const connecting = client.connect();
  client.close();
  await assert.rejects(connecting, { code: 'CLIENT_CLOSED' });
  await clock.advance(100_000);
  assert.equal(sockets.length, 0);
  assert.deepEqual(states, ['connecting', 'closed']);
  assert.equal(clock.running, 0);
});

test('an effect, its clean-up and the effect again in one tick: one socket', async (t) => {
  const clock = virtualClock(t);
  const error = t.mock.method(console, 'error', () => {});
  const { client, sockets } = make();
  client.connect();
  client.close();
  const again = client.connect();
  await clock.advance(0);
  assert.equal(sockets.length, 1);
  sockets[0].open();
  await again;
  assert.equal(client.state, 'connected');
  assert.equal(error.mock.callCount(), 0);
  client.close();
});

test('close is idempotent and final: nothing runs, nothing is sent, late events change nothing', async (t) => {
  const clock = virtualClock(t);
  const { client, sockets, states } = make();
  client.connect();
  await settle();
  sockets[0].open();
  const flying = client.invoke('m');
  client.close();
  client.close();
  client[Symbol.dispose ?? Symbol.for('Symbol.dispose')]();
  await assert.rejects(flying, { code: 'CLIENT_CLOSED', completion: 'maybe', attempts: 1 });
  assert.equal(clock.running, 0);
  assert.deepEqual(sockets[0].closes, [[1000]]);
  sockets[0].answer(sockets[0].sent[0]);
  sockets[0].fail();
  sockets[0].open();
  await assert.rejects(client.invoke('m'), { code: 'CLIENT_CLOSED', completion: 'no', attempts: 0 });
  assert.equal(client.notify('m'), 'dropped');
  await clock.advance(100_000);
  assert.equal(sockets.length, 1);
  assert.equal(sockets[0].sent.length, 1);
  assert.deepEqual(states, ['connecting', 'connected', 'closed']);
});

test('close settles what is in flight, delayed and parked, in the same turn', async (t) => {
  const clock = virtualClock(t);
  const { client, sockets } = make();
  client.connect();
  await settle();
  sockets[0].open();
  await settle();
  const call = { readOnly: true, maxFastInvocationCount: 0 };
  const delayed = client.invoke('delayed', [], call);
  sockets[0].message({
    id: sockets[0].requests[0].id,
    error: { code: 1, message: '', data: { retryable: true } },
  });
  const flying = client.invoke('flying');
  let settled = 0;
  for (const promise of [delayed, flying]) promise.catch(() => (settled += 1));
  client.close();
  await null;
  await null;
  assert.equal(settled, 2);
  assert.equal(clock.running, 0);
  await assert.rejects(delayed, { code: 'CLIENT_CLOSED', completion: 'no', attempts: 1 });
  await assert.rejects(flying, { code: 'CLIENT_CLOSED', completion: 'maybe' });
});

test('a closed client can be connected again', async (t) => {
  virtualClock(t);
  const { client, sockets } = make(echoing);
  await client.connect();
  client.close();
  await client.connect();
  assert.deepEqual(await client.invoke('m', [1]), [1]);
  assert.equal(sockets.length, 2);
  client.close();
  client.reconnect();
  await settle();
  assert.equal(client.state, 'connected');
  client.close();
});

test('signal: aborted before, nothing is dialled', async () => {
  const { client, sockets, states, options } = make();
  const reason = new Error('mine');
  const signal = AbortSignal.abort(reason);
  await assert.rejects(client.connect({ signal }), (error) => error === reason);
  await assert.rejects(connect({ ...options, signal }), (error) => error === reason);
  assert.equal(sockets.length, 0);
  assert.equal(client.state, 'closed');
  assert.deepEqual(states, ['closed']);
});

for (const when of ['at once', 'in the dial', 'in a wait']) {
  test(`signal: aborted ${when}, connecting ends with its reason`, async (t) => {
    const clock = virtualClock(t);
    const { client, sockets } = make(
      when === 'in a wait' ? { made: (socket) => queueMicrotask(() => socket.fail()) } : {},
    );
    const abort = new AbortController();
    const reason = new Error('mine');
    const connecting = client.connect({ signal: abort.signal });
    const parked = client.invoke('m');
    if (when !== 'at once') await clock.advance(10);
    const dials = sockets.length;
    abort.abort(reason);
    await assert.rejects(connecting, (error) => error === reason);
    await assert.rejects(parked, { code: 'CLIENT_CLOSED', completion: 'no' });
    assert.equal(client.state, 'closed');
    await clock.advance(100_000);
    assert.equal(sockets.length, dials);
    assert.equal(clock.running, 0);
    if (when === 'in the dial') {
      sockets[0].open(); // late: closed silently
      assert.equal(sockets[0].closes.length, 2);
      assert.equal(client.state, 'closed');
    }
  });
}

test('signal: governs connecting only', async (t) => {
  virtualClock(t);
  const { client, fake, states } = make();
  const abort = new AbortController();
  client.addEventListener('statechange', ({ detail }) => detail.to === 'connected' && abort.abort());
  const connecting = client.connect({ signal: abort.signal });
  await settle();
  fake.last.open();
  await connecting;
  assert.equal(client.state, 'connected');

  // While reconnecting it gives up the promise, not the client.
  fake.last.drop();
  const second = new AbortController();
  const waiting = client.connect({ signal: second.signal });
  second.abort(new Error('mine'));
  await assert.rejects(waiting, { message: 'mine' });
  await assert.rejects(client.connect({ signal: second.signal }), { message: 'mine' });
  assert.equal(client.state, 'reconnecting');
  const joined = client.connect();
  fake.last.open();
  await joined;
  assert.deepEqual(states, ['connecting', 'connected', 'reconnecting', 'connected']);
  client.close();
});

test('signal: a second caller of a connect() that is under way may end it', async (t) => {
  virtualClock(t);
  const { client } = make();
  const abort = new AbortController();
  const first = client.connect();
  const second = client.connect({ signal: abort.signal });
  assert.equal(first, second);
  abort.abort(new Error('mine'));
  await assert.rejects(first, { message: 'mine' });
  assert.equal(client.state, 'closed');
});

test('one dead gateway: 17 dials, then CONNECT_TIMEOUT that names the cause, in at most 3 lines', async (t) => {
  const clock = virtualClock(t);
  const lines = [];
  const log = (text) => lines.push(text);
  const dialled = [];
  const script = {
    made(socket) {
      dialled.push(clock.now - 1000);
      queueMicrotask(() => socket.fail());
    },
  };
  const { client } = make(script, {
    gateways: ['ws://a.example/x?key=secret'],
    logger: { error: log, info: log, warn: log },
  });
  const connecting = client.connect();
  const parked = client.invoke('m');
  const failures = [{ gateway: 'ws://a.example [0]', cause: 'closed', closeCode: 1006 }];
  const ends = [
    assert.rejects(connecting, (error) => {
      assert.ok(error instanceof RegateError && error instanceof Error);
      assert.equal(error.code, 'CONNECT_TIMEOUT');
      assert.match(error.message, /ws:\/\/a\.example \[0\]: closed 1006/);
      assert.deepEqual(error.failures, failures);
      return true;
    }),
    assert.rejects(parked, { code: 'CONNECT_TIMEOUT', completion: 'no', attempts: 0 }),
  ];
  await clock.advance(100_000);
  await Promise.all(ends);
  assert.deepEqual(dialled, [
    0,
    250,
    750,
    1750,
    3750,
    7750,
    ...Array.from({ length: 11 }, (_, n) => 12_750 + n * 5000),
  ]);
  assert.equal(client.state, 'closed');
  assert.equal(clock.running, 0);
  assert.ok(lines.length <= 3, lines.join('\n'));
});

test('a system date that moves changes nothing', async (t) => {
  const clock = virtualClock(t);
  const { client, sockets } = make({ made: (socket) => queueMicrotask(() => socket.fail()) });
  const { now } = Date;
  t.after(() => {
    Date.now = now;
  });
  client.connect().catch(() => {});
  await clock.advance(100);
  Date.now = () => now() - 86_400_000;
  await clock.advance(100);
  Date.now = () => now() + 86_400_000;
  await clock.advance(49);
  assert.equal(sockets.length, 2);
  await clock.advance(1);
  assert.equal(sockets.length, 4);
  client.close();
});

test('no WebSocket: import and construction are fine, connect() rejects, an injected one works', async () => {
  const { code, stdout, stderr } = await runModule(`
    delete globalThis.WebSocket;
    const { init, connect, ClusterClient } = await import('regate');
    await init();
    const client = new ClusterClient({ gateways: ['ws://a.example'] });
    const code = (error) => console.log(error.name, error.code, error.completion, client.state);
    await client.connect().catch(code);
    try { client.reconnect(); } catch (error) { code(error); }
    await connect({ gateways: ['ws://a.example'] }).catch(code);
    class Socket { readyState = 0; constructor() { queueMicrotask(() => this.onopen({ type: 'open' })); } close() {} }
    (await connect({ gateways: ['ws://a.example'], WebSocket: Socket })).close();`);
  assert.equal(stderr, '');
  assert.equal(code, 0);
  assert.equal(stdout, 'RegateError NO_WEBSOCKET no idle\n'.repeat(3));
});

test('a gateway that never says anything fails by the default limit; it is dialled once at a time', async (t) => {
  const clock = virtualClock(t);
  const script = {
    closing: (socket) => {
      socket.emit('error');
      queueMicrotask(() => socket.fail());
    },
  };
  const { client, sockets } = make(script, { networking: { dialStaggerMilliseconds: 0 } });
  const failed = [];
  client.addEventListener('dialfailed', ({ detail }) => failed.push(detail));
  client.connect();
  await clock.advance(9_999);
  assert.equal(sockets.length, 1);
  await clock.advance(1);
  assert.deepEqual(failed, [{ gateway: 'ws://a.example [0]', verdict: 'next', cause: 'dial limit' }]);
  assert.deepEqual(
    sockets.map(({ url }) => url),
    ['ws://a.example/', 'ws://b.example/'],
  );
  assert.deepEqual(sockets[0].closes, [[1000]]);
  client.close();
});

test('by default the next gateway is dialled beside one that hangs for 2 s; the first to open wins', async (t) => {
  const clock = virtualClock(t);
  for (const winner of [0, 1]) {
    const { client, sockets } = make({}, { networking: { dialStaggerMilliseconds: undefined } });
    const connecting = client.connect();
    await clock.advance(1_999);
    assert.equal(sockets.length, 1);
    await clock.advance(1);
    assert.equal(sockets.length, 2);
    sockets[winner].open();
    await connecting;
    assert.equal(client.gateway, sockets[winner].url);
    assert.deepEqual(sockets[1 - winner].closes, [[1000]]);
    await clock.advance(20_000);
    assert.equal(sockets.length, 2);
    client.close();
  }
  assert.equal(clock.running, 0);
});
