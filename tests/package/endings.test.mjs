// How a client ends: drain(), client.closed, and what each call that is still open is told.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle, virtualClock } from './support/clock.mjs';
import { connected } from './support/connected.mjs';
import { fakeSockets } from './support/fake_ws.mjs';
import { endOf, naming, withGateway } from './support/gateway_script.mjs';
import { ready } from './support/installed.mjs';

const { ClusterClient, completionOf } = await ready();

/** A client that is made and not connected. */
function idle(more = {}) {
  const fake = fakeSockets(naming());
  const options = { gateways: ['ws://a.example', 'ws://b.example'], logger: null, WebSocket: fake.WebSocket };
  return { fake, client: new ClusterClient({ ...options, networking: { jitter: 0 }, ...more }) };
}

/** Whether a promise is settled by now. */
async function isSettled(promise) {
  await settle();
  return Promise.race([
    promise.then(
      () => true,
      () => true,
    ),
    false,
  ]);
}

test('drain finishes what is in flight and what waits, refuses what is new, then closes', async (t) => {
  const clock = virtualClock(t);
  const { client, socket } = await connected();
  const flying = client.invoke('flying');
  const delayed = client.invoke('delayed', [], { maxFastInvocationCount: 0 });
  socket.message({ id: socket.requests[1].id, error: { code: 1, data: { retryable: true } } });
  const drained = client.drain();
  assert.equal(client.drain(), drained);
  const refused = client.invoke('new');
  await assert.rejects(refused, { code: 'CLIENT_CLOSED', completion: 'no', attempts: 0 });
  assert.equal(completionOf(refused), 'no');
  assert.equal(await endOf(client.subscribe('new.subscribe', [], () => {}).ended), 'CLIENT_CLOSED');
  assert.equal(client.state, 'connected');
  socket.answer(socket.sent[0], 1);
  assert.equal(await flying, 1);
  assert.equal(await isSettled(drained), false);
  await clock.advance(1000);
  socket.answer(socket.sent.at(-1), 2);
  assert.equal(await delayed, 2);
  assert.equal(await drained, 'closed');
  assert.deepEqual([client.state, socket.closes], ['closed', [[1000]]]);
  assert.equal(clock.running, 0);
});

test('drain goes on over a loss: what may be redone is redone on the next connection', async (t) => {
  const clock = virtualClock(t);
  const { client, socket, fake } = await connected();
  const read = client.invoke('read', [1], { readOnly: true });
  const write = client.invoke('write', [2]);
  const drained = client.drain();
  socket.drop();
  await assert.rejects(write, { code: 'CONNECTION_LOST', completion: 'maybe' });
  await clock.advance(1000);
  fake.last.answer(fake.last.sent[0], 'read');
  assert.equal(await read, 'read');
  assert.equal(await drained, 'closed');
});

test('drain with nothing to finish closes in every state, subscriptions or not', async (t) => {
  const clock = virtualClock(t);
  for (const state of ['idle', 'connecting', 'connected', 'reconnecting', 'closed']) {
    const { client, fake } = idle();
    const subscription = client.subscribe('eth_subscribe', ['a'], () => {});
    if (state !== 'idle') client.connect().catch(() => {});
    if (state === 'connected' || state === 'reconnecting') await clock.advance(6000);
    if (state === 'reconnecting') fake.last.drop();
    if (state === 'closed') client.close();
    assert.equal(client.state, state);
    const drained = client.drain();
    assert.equal(client.state, 'closed', state);
    assert.equal(await drained, 'closed');
    assert.equal(await endOf(subscription.ended), 'CLIENT_CLOSED');
    assert.equal(clock.running, 0);
    await client.connect();
    assert.deepEqual(await client.invoke('m', [1]), [1], 'the drain is over with its end');
    client.close();
  }
});

test('drain with parked operations before the first connection waits for them', async (t) => {
  const clock = virtualClock(t);
  const { client } = idle();
  const parked = client.invoke('m', [1]);
  const drained = client.drain();
  assert.equal(client.state, 'idle');
  client.connect();
  await clock.advance(10);
  assert.deepEqual(await parked, [1]);
  assert.equal(await drained, 'closed');
});

test('close during a drain ends it at once; drain inside a listener does no harm', async (t) => {
  const clock = virtualClock(t);
  const { client } = await connected();
  const flying = endOf(client.invoke('m'));
  const drained = client.drain();
  client.close();
  assert.equal(await drained, 'closed');
  assert.equal(await flying, 'CLIENT_CLOSED');
  for (const name of ['statechange', 'dial']) {
    const other = idle();
    other.client.addEventListener(name, () => other.client.drain());
    const end = endOf(other.client.connect());
    await clock.advance(100);
    assert.equal(await end, 'CLIENT_CLOSED');
    assert.equal(other.client.state, 'closed');
  }
  assert.equal(clock.running, 0);
});

test('closed is one promise of one end, by whomever, and another one after the next connect()', async (t) => {
  const clock = virtualClock(t);
  const { client, fake } = idle({ networking: { connectTimeouts: '10:15:100', jitter: 0 } });
  const { closed } = client;
  assert.equal(client.closed, closed);
  assert.equal(await isSettled(closed), false);
  await client.connect();
  assert.equal(client.closed, closed);
  assert.equal(await isSettled(closed), false);
  client.close();
  assert.equal(await closed, 'closed');
  assert.equal(client.closed, closed);
  const connecting = client.connect();
  const second = client.closed;
  assert.notEqual(second, closed);
  await connecting;
  fake.WebSocket.prototype.open = function open() {
    this.fail();
  };
  const abort = new AbortController();
  fake.last.drop();
  assert.equal(await isSettled(second), false, 'a loss is no end');
  client.close();
  assert.equal(await second, 'closed');
  const failing = endOf(client.connect());
  const third = client.closed;
  await clock.advance(1000);
  assert.deepEqual([await failing, await third], ['CONNECT_TIMEOUT', 'closed']);
  const aborted = client.connect({ signal: abort.signal }).catch((error) => error);
  abort.abort('mine');
  assert.equal(await aborted, 'mine');
  assert.equal(await client.closed, 'closed');
  const never = idle().client;
  never.close();
  assert.equal(await never.closed, 'closed');
});

/** B031: it makes sense on its connection only, whatever else may be redone. */
test('boundToConnection: fails with its connection, and is never on another one', async (t) => {
  const clock = virtualClock(t);
  const { client, fake, socket } = await withGateway({ ignores: (method) => method === 'bound' });
  const bound = { boundToConnection: true, readOnly: true, redoOperations: true };
  const flying = client.invoke('bound', [1], bound);
  socket.drop(1012);
  const away = client.invoke('bound', [2], bound);
  assert.equal(client.state, 'reconnecting');
  await assert.rejects(flying, {
    code: 'CONNECTION_LOST',
    completion: 'maybe',
    attempts: 1,
    closeCode: 1012,
  });
  await assert.rejects(away, { code: 'CONNECTION_LOST', completion: 'no', attempts: 0 });
  await clock.advance(1000);
  assert.deepEqual(fake.last.sent, []);
  assert.deepEqual(await client.invoke('m', [3], bound), [3]);
  client.close();
  await assert.rejects(client.invoke('bound', [4], bound), { code: 'CLIENT_CLOSED', completion: 'no' });
  const other = idle().client;
  await assert.rejects(other.invoke('bound', [5], bound), { code: 'CONNECTION_LOST', completion: 'no' });
});

test('a bound operation is tried again on its own connection, not while it waits and that is lost', async (t) => {
  const clock = virtualClock(t);
  const busy = { code: 1, data: { retryable: true } };
  let times = 2;
  const { client, fake, socket } = await withGateway({ refuses: () => (times-- > 0 ? busy : undefined) });
  assert.deepEqual(await client.invoke('m', [1], { boundToConnection: true }), [1]);
  assert.equal(socket.sent.length, 3);
  times = 1;
  const delayed = client.invoke('m', [2], { boundToConnection: true, maxFastInvocationCount: 0 });
  await clock.advance(500);
  socket.drop();
  await assert.rejects(delayed, { code: 'CONNECTION_LOST', completion: 'no', attempts: 1 });
  await clock.advance(5000);
  assert.deepEqual(fake.last.sent, []);
  client.close();
});

test('operationKey: one key for all attempts of an operation, drawn or given, and only on request', async (t) => {
  virtualClock(t);
  const { client, fake, socket } = await withGateway({ ignores: () => true });
  const redo = { redoOperations: true };
  const open = [
    client.invoke('drawn', [], { ...redo, operationKey: true }),
    client.invoke('other', [], { ...redo, operationKey: true }),
    client.invoke('given', undefined, { ...redo, operationKey: 'my "key" é' }),
    client.invoke('none', [], { ...redo, operationKey: false }),
    client.invoke('left out', [], { ...redo, operationKey: undefined }),
  ];
  socket.drop();
  await settle();
  const keys = (of) => of.requests.map(({ meta }) => meta?.operationKey);
  assert.deepEqual(keys(fake.last), keys(socket));
  const [drawn, other, given, ...none] = keys(socket);
  assert.match(drawn, /^[0-9a-f-]{32,36}$/);
  assert.notEqual(drawn, other);
  assert.equal(given, 'my "key" é');
  assert.deepEqual(none, [undefined, undefined]);
  assert.ok(socket.sent.slice(3).every((frame) => !frame.includes('meta')));
  for (const wrong of ['', 5, null, {}, []]) {
    await assert.rejects(client.invoke('m', [], { operationKey: wrong }), {
      code: 'INVALID_OPTION',
      message: /operationKey .*must be a text of at least one character, or true/,
    });
  }
  client.close();
  await Promise.allSettled(open);
});

test('keys are drawn where randomUUID is missing: a page that is not secure', async (t) => {
  t.mock.getter(globalThis, 'crypto', () => ({ getRandomValues: (words) => words.fill(0xabcdef01) }));
  const { client, socket } = await withGateway();
  await client.invoke('m', [], { operationKey: true });
  assert.equal(socket.requests[0].meta.operationKey, 'abcdef01'.repeat(4));
  client.close();
});

test('completionOf tells of every failed promise, also where the error is the signal’s own', async (t) => {
  const clock = virtualClock(t);
  const { client, socket } = await connected();
  const abort = new AbortController();
  const { signal } = abort;
  const ask = (...args) => {
    const promise = client.invoke(...args);
    promise.catch(() => {});
    return promise;
  };
  const promises = {
    wrong: ask('m', 5),
    'before it was sent': ask('m', [], { signal: AbortSignal.abort() }),
    aborted: ask('m', [], { signal }),
    timed: ask('m', [], { timeoutMilliseconds: 10 }),
    refused: ask('m'),
    rejected: ask('m'),
    busy: ask('m', [], { retryTimeoutSeconds: 0 }),
    done: ask('m'),
    open: ask('m'),
  };
  assert.equal(completionOf(promises.aborted), undefined);
  const ids = socket.requests.map(({ id }) => id);
  abort.abort();
  await clock.advance(10);
  socket.message({ id: ids[2], error: { code: 5 } });
  socket.message({ id: ids[3], error: { code: -32601 } });
  socket.message({ id: ids[4], error: { code: 1, data: { retryable: true } } });
  socket.message({ id: ids[5], result: 1 });
  await settle();
  const known = Object.fromEntries(Object.entries(promises).map(([name, one]) => [name, completionOf(one)]));
  assert.deepEqual(known, {
    wrong: 'no',
    'before it was sent': 'no',
    aborted: 'maybe',
    timed: 'maybe',
    refused: 'yes',
    rejected: 'no',
    busy: 'no',
    done: undefined,
    open: undefined,
  });
  client.close();
  await settle();
  assert.equal(completionOf(promises.open), 'maybe');
  assert.equal(completionOf(Promise.resolve()), undefined);
  assert.equal(completionOf(5), undefined);
});

test('messaging options of one call hold for that call, and wrong ones are named', async (t) => {
  const clock = virtualClock(t);
  const { client, socket } = await connected();
  const busy = (place) =>
    socket.message({ id: socket.requests[place].id, error: { code: 1, data: { retryable: true } } });
  const quick = endOf(client.invoke('m', [], { waitForResponseMilliseconds: 5 }));
  const slow = client.invoke('m', [], { waitForResponseMilliseconds: 0 });
  await clock.advance(5);
  assert.equal(await quick, 'RESPONSE_TIMEOUT');
  assert.equal(await isSettled(slow), false);
  const custom = client.invoke('m', [], {
    isRetryable: ({ code }) => code === 42,
    maxFastInvocationCount: 2,
  });
  socket.message({ id: socket.requests.at(-1).id, error: { code: 42 } });
  await settle();
  socket.answer(socket.sent.at(-1), 'done');
  assert.equal(await custom, 'done');
  const delay = client.invoke('m', [], {
    maxFastInvocationCount: 0,
    minRetryDelayMilliseconds: 7,
    jitter: 0,
  });
  const before = socket.sent.length;
  busy(before - 1);
  await clock.advance(6);
  assert.equal(socket.sent.length, before);
  await clock.advance(1);
  assert.equal(socket.sent.length, before + 1);
  for (const [options, text] of [
    [{ retryTimeoutSeconds: -1 }, /retryTimeoutSeconds is -1/],
    [{ jitter: 2 }, /jitter is 2/],
    [{ isRetryable: 5 }, /isRetryable is 5/],
    [{ connectTimeouts: '1:2:3' }, /connectTimeouts.* is no option of regate/],
    [{ boundToConnection: 1 }, /boundToConnection is 1/],
  ]) {
    await assert.rejects(client.invoke('m', [], options), {
      code: 'INVALID_OPTION',
      completion: 'no',
      message: text,
    });
  }
  client.close();
  await Promise.allSettled([slow, delay]);
});

test('isRetryable of the client, nested or dotted; one that throws has not said so', async (t) => {
  virtualClock(t);
  const isRetryable = ({ code }) => code === 42;
  for (const options of [{ messaging: { isRetryable } }, { 'messaging.isRetryable': isRetryable }]) {
    const { client, socket } = await connected({}, options);
    const promise = client.invoke('m');
    socket.message({ id: socket.requests[0].id, error: { code: 42 } });
    await settle();
    socket.answer(socket.sent[1], 'done');
    assert.equal(await promise, 'done');
    const other = client.invoke('m');
    socket.message({ id: socket.requests[2].id, error: { code: 1, data: { retryable: true } } });
    await assert.rejects(other, { code: 'REMOTE_ERROR', completion: 'yes' });
    client.close();
  }
});

test('heartbeat.method, nested or dotted', async (t) => {
  const clock = virtualClock(t);
  for (const options of [{ heartbeat: { method: 'hello?' } }, { 'heartbeat.method': 'hello?' }]) {
    const { client, socket } = await connected({}, options);
    await clock.advance(15_000);
    assert.deepEqual(
      socket.requests.map(({ method, params }) => [method, params]),
      [['hello?', undefined]],
    );
    client.close();
  }
});

test('what is refused after the client gave up says why, until it is connected anew or closed', async (t) => {
  const clock = virtualClock(t);
  for (const [closePolicy, code] of [
    [() => 'stop', 'NO_GATEWAY'],
    [undefined, 'CONNECT_TIMEOUT'],
  ]) {
    let isUp = false;
    const made = (socket) => queueMicrotask(() => (isUp ? socket.open() : socket.fail()));
    const { WebSocket } = fakeSockets({ made });
    const client = new ClusterClient({ gateways: ['ws://a.example'], logger: null, WebSocket, closePolicy });
    const connecting = assert.rejects(client.connect(), { code });
    await clock.advance(100_000);
    await connecting;
    const refusals = async () => {
      const subscription = client.subscribe('a.subscribe', [], () => {});
      const errors = [];
      for (const promise of [
        client.invoke('m'),
        client.invoke('m', [], { readOnly: true }),
        subscription.ended,
      ])
        await promise.catch((error) => errors.push(error));
      assert.deepEqual(
        errors.map((error) => error.code),
        Array(3).fill('CLIENT_CLOSED'),
      );
      return errors.map(({ cause }) => cause);
    };
    for (const cause of await refusals()) {
      assert.equal(cause.code, code);
      assert.deepEqual(
        cause.failures.map(({ gateway, closeCode }) => [gateway, closeCode]),
        [['ws://a.example [0]', 1006]],
      );
    }
    client.close();
    assert.equal((await refusals())[0].code, code, 'closing what is closed changes nothing');
    isUp = true;
    const again = client.connect();
    await clock.advance(1);
    await again;
    client.close();
    assert.deepEqual(await refusals(), [undefined, undefined, undefined]);
  }
});
