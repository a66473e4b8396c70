// `batch: 'turn'`: what is made in one turn goes out as one JSON-RPC batch, and each operation has a fate of its own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle, virtualClock } from './support/clock.mjs';
import { connected } from './support/connected.mjs';
import { fakeSockets } from './support/fake_ws.mjs';
import { ready } from './support/installed.mjs';

const { ClusterClient, completionOf } = await ready();
const turn = { batch: 'turn' };
const readOnly = { readOnly: true };

const batched = (script, more) =>
  connected(script, { ...turn, heartbeat: { periodMilliseconds: 0 }, ...more });

/** The methods of what went out: a list for each batch. */
const methods = ({ requests }) =>
  requests.map((request) => (Array.isArray(request) ? request.map(({ method }) => method) : request.method));

/** Answers all of a batch with one, by what `to` gives of each request. */
const answerBatch = (socket, frame, to) =>
  socket.message(frame.map(({ id, method, params }) => ({ jsonrpc: '2.0', id, ...to(method, params) })));

const echo = (_method, params) => ({ result: params });

const failureOf = (promise) =>
  promise.then(
    () => assert.fail('it was to fail'),
    ({ code, completion, name }) => ({ code: code ?? name, completion: completion ?? completionOf(promise) }),
  );

test('operations of one turn are one batch, each answered by its own; one alone is a plain object', async () => {
  const { client, socket } = await batched();
  const three = ['a', 'b', 'c'].map((method, place) => client.invoke(method, [place]));
  assert.deepEqual(socket.sent, [], 'not before the turn is over');
  assert.equal(client.stats().attempts, 0);
  await settle();
  assert.deepEqual(methods(socket), [['a', 'b', 'c']]);
  assert.equal(client.stats().inFlightOperations, 3);
  answerBatch(socket, socket.requests[0].reverse(), echo); // in any order
  assert.deepEqual(await Promise.all(three), [[0], [1], [2]]);
  const alone = client.invoke('d', [3]);
  await settle();
  assert.deepEqual(methods(socket)[1], 'd');
  socket.answer(socket.sent[1], 'done');
  assert.equal(await alone, 'done');
  const { succeeded, messagesReceived, attempts } = client.stats();
  assert.deepEqual(
    { succeeded, messagesReceived, attempts },
    { succeeded: 4, messagesReceived: 2, attempts: 4 },
  );
  client.close();
});

test('a gateway that answers one by one is understood', async () => {
  const { client, socket } = await batched();
  const both = ['a', 'b'].map((method) => client.invoke(method, [method]));
  await settle();
  for (const { id, params } of socket.requests[0]) socket.message({ id, result: params });
  assert.deepEqual(await Promise.all(both), [['a'], ['b']]);
  client.close();
});

test('texts over 4,096 characters go alone, and the order stays', async () => {
  const { client, socket } = await batched();
  const long = 'x'.repeat(4_096);
  for (const [method, params] of [['a'], ['b'], ['c', [long]], ['d'], ['e', [long]], ['f'], ['g']])
    client.invoke(method, params).catch(() => {});
  await settle();
  assert.deepEqual(methods(socket), [['a', 'b'], 'c', 'd', 'e', ['f', 'g']]);
  client.close();
});

test('what is bound, or has settings of its own, goes alone, and the order stays', async () => {
  const { client, socket } = await batched();
  const ignore = (promise) => promise.catch(() => {});
  ignore(client.invoke('a'));
  ignore(client.invoke('b', [], { boundToConnection: true }));
  ignore(client.invoke('c', [], readOnly));
  ignore(client.invoke('d', [], { timeoutMilliseconds: 1000, operationKey: 'k' }));
  ignore(client.invoke('e', [], { retryTimeoutSeconds: 1 }));
  await settle();
  assert.deepEqual(methods(socket), ['a', 'b', ['c', 'd'], 'e']);
  client.close();
});

test('a message without an answer, and a subscription, do not go before what was made before them', async () => {
  const { client, socket } = await batched();
  for (const method of ['a', 'b']) client.invoke(method).catch(() => {});
  assert.equal(client.notify('note'), 'sent');
  client.invoke('c').catch(() => {});
  client.subscribe('watch', [], () => {});
  client.invoke('d').catch(() => {});
  await settle();
  assert.deepEqual(methods(socket), [['a', 'b'], 'note', 'c', 'watch', 'd']);
  client.close();
});

test('aborted in its turn it is never sent; aborted later it may have been performed', async () => {
  const { client, socket } = await batched();
  const [early, late] = [new AbortController(), new AbortController()];
  const first = client.invoke('a', [], { signal: early.signal });
  const second = client.invoke('b', [], { signal: late.signal });
  const third = client.invoke('c', ['c']);
  early.abort();
  assert.deepEqual(await failureOf(first), { code: 20, completion: 'no' });
  await settle();
  assert.deepEqual(methods(socket), [['b', 'c']]);
  late.abort();
  assert.deepEqual(await failureOf(second), { code: 20, completion: 'maybe' });
  answerBatch(socket, socket.requests[0], echo);
  assert.deepEqual(await third, ['c']);
  assert.equal(client.stats().pendingOperations + client.stats().inFlightOperations, 0);
  client.close();
});

test('each is retried by itself, where its own answer says so or its own call allows it', async (t) => {
  const clock = virtualClock(t);
  const { client, fake, socket } = await batched({}, { networking: { jitter: 0, shuffleAddresses: false } });
  const busy = client.invoke('busy', [1]);
  const read = client.invoke('read', [2], readOnly);
  const write = failureOf(client.invoke('write', [3]));
  await clock.advance(0);
  const [of] = socket.requests;
  socket.message([{ id: of[0].id, error: { code: 1, message: '', data: { retryable: true } } }]);
  await clock.advance(0);
  assert.deepEqual(methods(socket), [['busy', 'read', 'write'], 'busy']);
  socket.answer(socket.sent[1], 'again');
  assert.equal(await busy, 'again');
  socket.drop();
  assert.deepEqual(await write, { code: 'CONNECTION_LOST', completion: 'maybe' });
  await clock.advance(10);
  assert.deepEqual(methods(fake.last), ['read']);
  fake.last.answer(fake.last.sent[0], 'read');
  assert.equal(await read, 'read');
  client.close();
});

test('a socket that is not open takes none of them: none was performed', async () => {
  const { client, socket } = await batched();
  const both = ['a', 'b'].map((method) => failureOf(client.invoke(method)));
  socket.readyState = 2;
  assert.deepEqual(await Promise.all(both), Array(2).fill({ code: 'CLIENT_RECONNECTING', completion: 'no' }));
  assert.deepEqual(socket.sent, []);
  assert.equal(client.stats().attempts, 0);
  client.close();
});

test('a send that throws has sent none of them', async () => {
  const thrower = {
    sent() {
      throw new Error('no');
    },
  };
  const { client } = await batched(thrower);
  const both = ['a', 'b'].map((method) => failureOf(client.invoke(method)));
  assert.deepEqual(await Promise.all(both), Array(2).fill({ code: 'CONNECTION_LOST', completion: 'no' }));
  client.close();
});

test('a batch that does not go out is told of at once, and what ends with it', async (t) => {
  virtualClock(t);
  let isDead = false;
  const dying = {
    sent() {
      if (isDead) throw new Error('no');
    },
  };
  const { client } = await batched(dying, { networking: { reconnect: 'never' } });
  const states = [];
  client.addEventListener('statechange', ({ detail }) => states.push(detail.to));
  isDead = true;
  const both = ['a', 'b'].map((method) => failureOf(client.invoke(method)));
  await settle();
  assert.deepEqual(states, ['closed']);
  assert.deepEqual(await Promise.all(both), Array(2).fill({ code: 'CONNECTION_LOST', completion: 'no' }));
  assert.equal(await client.closed, 'closed');
});

test('aborted while its turn is handed over it is never sent', async (t) => {
  const clock = virtualClock(t);
  let isBroken = true;
  const broken = {
    sent() {
      if (!isBroken) return;
      isBroken = false;
      throw new Error('no');
    },
  };
  const { client, fake } = await batched(broken);
  const stop = new AbortController();
  client.addEventListener('statechange', ({ detail }) => detail.to === 'reconnecting' && stop.abort());
  const ends = [
    client.invoke('long', ['x'.repeat(5_000)]),
    client.invoke('a', [], { readOnly: true, signal: stop.signal }),
    client.invoke('b', [], { readOnly: true, signal: stop.signal }),
  ].map(failureOf);
  await clock.advance(1_000);
  const aborted = { code: 20, completion: 'no' };
  assert.deepEqual((await Promise.all(ends)).slice(1), [aborted, aborted]);
  assert.deepEqual(methods(fake.last), []);
  client.close();
});

test('aborted while what was made before it goes out it is never sent', async (t) => {
  const clock = virtualClock(t);
  let isBroken = true;
  const broken = {
    sent() {
      if (!isBroken) return;
      isBroken = false;
      throw new Error('no');
    },
  };
  const { client, fake } = await batched(broken);
  const stop = new AbortController();
  client.addEventListener('statechange', ({ detail }) => detail.to === 'reconnecting' && stop.abort());
  for (const method of ['a', 'b']) client.invoke(method).catch(() => {});
  const options = { readOnly: true, signal: stop.signal };
  const long = failureOf(client.invoke('long', ['x'.repeat(5_000)], options));
  await clock.advance(1_000);
  assert.deepEqual(await long, { code: 20, completion: 'no' });
  assert.deepEqual(methods(fake.last), []);
  client.close();
});

test('limits.maxBufferedBytes counts what is gathered', async () => {
  const slow = {
    sent(socket, frame) {
      socket.bufferedAmount += frame.length;
    },
  };
  const { client, socket } = await batched(slow, { limits: { maxBufferedBytes: 1_000 } });
  const ends = Array.from({ length: 100 }, () => client.invoke('m', ['x'.repeat(50)]));
  for (const end of ends) end.catch(() => {});
  await settle();
  assert.equal(socket.sent.length, 1);
  assert.ok(socket.sent[0].length > 500 && socket.sent[0].length < 1_100, `${socket.sent[0].length}`);
  assert.equal(client.stats().overloaded, 100 - socket.requests[0].length);
  client.close();
});

test('a gateway that refuses batches is heard', async () => {
  const { client, socket, rubbish } = await batched();
  const both = ['a', 'b'].map((method) => failureOf(client.invoke(method)));
  await settle();
  socket.message({ jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'Invalid Request' } });
  assert.deepEqual(rubbish, ['an error without an id: the gateway understood nothing of a frame']);
  client.close();
  await Promise.all(both);
});

test('close and drain in the turn come after what was made in it', async () => {
  const { client, socket } = await batched();
  const ends = ['a', 'b'].map((method) => failureOf(client.invoke(method)));
  client.close();
  assert.deepEqual(methods(socket), [['a', 'b']]);
  assert.deepEqual(await Promise.all(ends), Array(2).fill({ code: 'CLIENT_CLOSED', completion: 'maybe' }));

  const other = await batched();
  const done = ['a', 'b'].map((method) => other.client.invoke(method, [method]));
  const drained = other.client.drain();
  answerBatch(other.socket, other.socket.requests[0], echo);
  assert.deepEqual(await Promise.all(done), [['a'], ['b']]);
  await drained;
});

test('while nothing is connected they wait, each by itself, and go out in their order', async () => {
  const fake = fakeSockets();
  const client = new ClusterClient({
    gateways: ['ws://a.example'],
    logger: null,
    WebSocket: fake.WebSocket,
    limits: { maxPendingOperations: 2 },
    ...turn,
  });
  client.connect().catch(() => {});
  const made = ['a', 'b', 'c'].map((method) => client.invoke(method));
  const refused = failureOf(made[2]);
  await settle();
  assert.deepEqual(await refused, { code: 'OVERLOADED', completion: 'no' });
  fake.last.open();
  assert.deepEqual(methods(fake.last), ['a', 'b']);
  for (const frame of fake.last.sent) fake.last.answer(frame, 'ok');
  assert.deepEqual(await Promise.all(made.slice(0, 2)), ['ok', 'ok']);
  client.close();
});

test('limits hold for each, and no batch is longer than a message may be', async () => {
  const { client, socket } = await batched(
    {},
    { limits: { maxMessageBytes: 1_000, maxInFlightOperations: 9 } },
  );
  const made = Array.from({ length: 10 }, (_, n) => client.invoke('m', [n]));
  const refused = failureOf(made[9]);
  await settle();
  assert.deepEqual(await refused, { code: 'OVERLOADED', completion: 'no' });
  assert.ok(socket.sent.length > 1);
  for (const frame of socket.sent) assert.ok(frame.length <= 1_000, `${frame.length}`);
  for (const frame of socket.requests) answerBatch(socket, [frame].flat(), echo);
  assert.deepEqual(
    await Promise.all(made.slice(0, 9)),
    [0, 1, 2, 3, 4, 5, 6, 7, 8].map((n) => [n]),
  );
  client.close();
});

test('what the answer to one leads the application to do may end the connection that the rest came on', async () => {
  const { client, socket } = await batched();
  client.addEventListener('notification', () => client.close());
  const [first, second] = ['a', 'b'].map((method) => client.invoke(method, [method]));
  const lost = failureOf(second);
  await settle();
  const [a, b] = socket.requests[0];
  socket.message([{ id: a.id, result: 1 }, { method: 'news' }, { id: b.id, result: 2 }]);
  assert.equal(await first, 1);
  assert.deepEqual(await lost, { code: 'CLIENT_CLOSED', completion: 'maybe' });
});

test('wrong values are named, and so is a codec beside it', () => {
  const gateways = ['ws://a.example'];
  const codec = { encode: JSON.stringify, decode: JSON.parse };
  for (const [options, text] of [
    [{ batch: 'always' }, /batch is "always": it must be one of "turn"$/],
    [{ batch: true }, /batch is true: it must be one of "turn"$/],
    [{ ...turn, codec }, /batch must be left out where there is a codec/],
  ])
    assert.throws(() => new ClusterClient({ gateways, ...options }), {
      code: 'INVALID_OPTION',
      message: text,
    });
});
