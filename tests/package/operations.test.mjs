// Requests and answers: JSON-RPC's corners, rubbish, aborts, and what an error says.
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { settle, virtualClock } from './support/clock.mjs';
import { connected } from './support/connected.mjs';
import { echoing } from './support/fake_ws.mjs';
import { ready } from './support/installed.mjs';

const { RegateError } = await ready();

test('requests are JSON-RPC 2.0, with ids that are never falsy and never used again', async () => {
  const { client, socket } = await connected(echoing);
  await Promise.all([
    client.invoke('a'),
    client.invoke('b', [1]),
    client.invoke('c', { x: 1 }),
    client.invoke('d'),
  ]);
  assert.equal(client.notify('n', [2]), 'sent');
  const [a, b, c, d, n] = socket.requests;
  assert.deepEqual(a, { jsonrpc: '2.0', id: a.id, method: 'a' });
  assert.deepEqual(b, { jsonrpc: '2.0', id: b.id, method: 'b', params: [1] });
  assert.deepEqual(c.params, { x: 1 });
  assert.deepEqual(n, { jsonrpc: '2.0', method: 'n', params: [2] });
  const ids = [a.id, b.id, c.id, d.id];
  assert.ok(ids.every((id) => Number.isSafeInteger(id) && id > 0));
  assert.equal(new Set(ids).size, 4);
  client.close();
});

test('answers of every shape', async () => {
  const { client, socket } = await connected();
  const ask = () => {
    const promise = client.invoke('m');
    return [promise, socket.requests.at(-1).id];
  };
  const good = [
    [(id) => ({ id, result: 5 }), 5],
    [(id) => ({ id, result: null }), null],
    [(id) => ({ id, result: 0 }), 0],
    [(id) => ({ id, result: false }), false],
    [(id) => ({ id, result: 5, error: null }), 5],
    [(id) => ({ id: String(id), result: 6 }), 6],
    [(id) => [{ id, result: 7 }], 7],
    [(id) => ({ jsonrpc: '1.0', extra: [], id, result: 8 }), 8],
  ];
  for (const [frame, value] of good) {
    const [promise, id] = ask();
    socket.message(frame(id));
    assert.equal(await promise, value);
  }
  const bad = [
    [(id) => ({ id }), { code: 'PROTOCOL_ERROR', completion: 'maybe', attempts: 1 }],
    [
      (id) => ({ id, error: { code: -32601, message: 'x' } }),
      { code: 'REMOTE_ERROR', completion: 'no', attempts: 1 },
    ],
    [
      (id) => ({ id, error: { code: 5, message: 'x' } }),
      { code: 'REMOTE_ERROR', completion: 'yes', attempts: 1 },
    ],
    [(id) => ({ id, result: 5, error: { code: 5 } }), { code: 'REMOTE_ERROR', completion: 'yes' }],
    [(id) => ({ id, error: 'text' }), { code: 'REMOTE_ERROR', completion: 'yes', cause: 'text' }],
    [(id) => ({ id, error: 0 }), { code: 'REMOTE_ERROR', completion: 'yes', cause: 0 }],
    [(id) => ({ id, error: [] }), { code: 'REMOTE_ERROR', completion: 'yes' }],
    [(id) => ({ id, error: { code: 'x', data: null } }), { code: 'REMOTE_ERROR', completion: 'yes' }],
    [(id) => ({ id, error: { code: 1e300 } }), { code: 'REMOTE_ERROR', completion: 'yes' }],
  ];
  for (const [frame, expected] of bad) {
    const [promise, id] = ask();
    socket.message(frame(id));
    await assert.rejects(promise, expected);
  }
  client.close();
});

test('a remote error is the cause, and only there', async () => {
  const { client, socket } = await connected();
  const promise = client.invoke('m');
  const error = { code: 7, message: 's3cret', data: { deep: ['s3cret'] } };
  socket.message({ id: socket.requests[0].id, error });
  await assert.rejects(promise, (thrown) => {
    assert.ok(thrown instanceof RegateError && thrown instanceof Error);
    assert.equal(thrown.name, 'RegateError');
    assert.equal(thrown.code, 'REMOTE_ERROR');
    assert.equal(thrown.completion, 'yes');
    assert.equal(thrown.attempts, 1);
    assert.ok(thrown.elapsedMilliseconds >= 0);
    assert.match(thrown.gateway, /^ws:\/\/[ab]\.example \[[01]\]$/);
    assert.deepEqual(thrown.cause, error);
    assert.ok(!thrown.message.includes('s3cret') && !thrown.stack.includes('s3cret'));
    return true;
  });
  client.close();
});

test('batches: each answer finds its operation, whatever stands beside it', async () => {
  const { client, socket, rubbish, notifications } = await connected();
  const promises = [client.invoke('a'), client.invoke('b'), client.invoke('c')];
  const [a, b, c] = socket.requests.map(({ id }) => id);
  socket.message([
    { id: c, result: 'c' },
    { method: 'news', params: [1] },
    { id: 999, result: 0 },
    5,
    null,
    { id: a, result: 'a' },
    { id: a, result: 'again' },
    { id: b, error: { code: 1 } },
  ]);
  assert.equal(await promises[0], 'a');
  await assert.rejects(promises[1], { code: 'REMOTE_ERROR' });
  assert.equal(await promises[2], 'c');
  assert.deepEqual(notifications, [{ method: 'news', params: [1] }]);
  assert.equal(rubbish.length, 2);
  assert.equal(client.stats().unmatchedAnswers, 2);
  client.close();
});

test('a text of 64 MB goes out and comes back', async () => {
  const { client } = await connected(echoing);
  const text = 'x'.repeat(64 * 2 ** 20);
  const [back] = await client.invoke('m', [text]);
  assert.ok(back === text);
  client.close();
});

test('what cannot be encoded is ENCODE_FAILED, and nothing is sent', async () => {
  const { client, socket } = await connected(echoing);
  const cyclic = {};
  cyclic.self = cyclic;
  let deep = [];
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
  const mine = new Error('mine');
  const rows = [
    cyclic,
    [1n],
    deep,
    {
      get x() {
        throw mine;
      },
    },
    {
      toJSON() {
        throw mine;
      },
    },
  ];
  for (const params of rows) {
    await assert.rejects(client.invoke('m', params), (error) => {
      assert.equal(error.code, 'ENCODE_FAILED');
      assert.equal(error.completion, 'no');
      assert.equal(error.attempts, 0);
      assert.ok(error.cause instanceof Error);
      return true;
    });
    assert.throws(() => client.notify('m', params), { code: 'ENCODE_FAILED' });
  }
  assert.equal(socket.sent.length, 0);
  assert.deepEqual(await client.invoke('m', [1]), [1]);
  client.close();
});

test('an answer that is late, twice or of nobody is dropped', async (t) => {
  const clock = virtualClock(t);
  const { client, socket } = await connected();
  const first = client.invoke('first', [], { timeoutMilliseconds: 100 });
  const check = assert.rejects(first, {
    code: 'TIMEOUT',
    completion: 'maybe',
    attempts: 1,
    elapsedMilliseconds: 100,
  });
  await clock.advance(110);
  await check;
  const second = client.invoke('second');
  const [a, b] = socket.requests.map(({ id }) => id);
  assert.notEqual(a, b);
  socket.message({ id: a, result: 'first' });
  socket.message({ id: b, result: 'second' });
  socket.message({ id: b, result: 'again' });
  assert.equal(await second, 'second');
  assert.equal(client.stats().unmatchedAnswers, 2);
  client.close();
});

test('a half-open connection: the limit of a call and its signal work, the next call is not affected', async (t) => {
  const clock = virtualClock(t);
  const { client, socket } = await connected();
  const abort = new AbortController();
  const reason = { any: 'thing' };
  const limited = assert.rejects(client.invoke('a', [], { timeoutMilliseconds: 2000 }), {
    code: 'TIMEOUT',
    elapsedMilliseconds: 2000,
  });
  const aborted = assert.rejects(
    client.invoke('b', [], { signal: abort.signal }),
    (error) => error === reason,
  );
  await clock.advance(500);
  abort.abort(reason);
  await aborted;
  await clock.advance(1500);
  await limited;
  const next = client.invoke('c');
  socket.answer(socket.sent.at(-1), 1);
  assert.equal(await next, 1);
  client.close();
});

test('abort at each stage rejects with the reason, and no frame follows', async (t) => {
  const clock = virtualClock(t);
  const { client, socket, fake } = await connected();
  const reason = new Error('mine');
  const is = (error) => error === reason;
  const sent = () => socket.sent.length;

  await assert.rejects(client.invoke('before', [], { signal: AbortSignal.abort(reason) }), is);
  assert.equal(sent(), 0);

  const whileEncoded = new AbortController();
  const params = { toJSON: () => void whileEncoded.abort(reason) };
  await assert.rejects(client.invoke('encoding', params, { signal: whileEncoded.signal }), is);

  const flying = new AbortController();
  const inFlight = client.invoke('flying', [], { signal: flying.signal });
  flying.abort(reason);
  await assert.rejects(inFlight, is);
  socket.answer(socket.sent.at(-1), 'late');

  const before = sent();
  const delayed = new AbortController();
  const inDelay = client.invoke('delayed', [], { signal: delayed.signal, maxFastInvocationCount: 0 });
  socket.message({ id: socket.requests.at(-1).id, error: { code: 1, data: { retryable: true } } });
  await clock.advance(10);
  delayed.abort(reason);
  await assert.rejects(inDelay, is);
  await clock.advance(5000);
  assert.equal(sent(), before + 1);

  const done = new AbortController();
  const settled = client.invoke('done', [], { signal: done.signal });
  socket.answer(socket.sent.at(-1), 1);
  assert.equal(await settled, 1);
  done.abort(reason);
  assert.equal(await settled, 1);

  client.close();
  const parked = new AbortController();
  client.connect();
  const waiting = client.invoke('parked', [], { signal: parked.signal });
  parked.abort(reason);
  await assert.rejects(waiting, is);
  await settle();
  assert.deepEqual(fake.last.sent, []);
  client.close();
  for (const { signal } of [flying, delayed, done, parked, whileEncoded])
    assert.deepEqual(getEventListeners(signal, 'abort'), []);
});

test('one signal for 10,000 requests keeps no listener', async () => {
  const { client } = await connected(echoing);
  const { signal } = new AbortController();
  let most = 0;
  for (let hundred = 0; hundred < 100; hundred += 1) {
    const answers = Array.from({ length: 100 }, () => client.invoke('m', [1], { signal }));
    if (hundred === 0) most = getEventListeners(signal, 'abort').length;
    await Promise.all(answers);
  }
  assert.equal(most, 100);
  assert.deepEqual(getEventListeners(signal, 'abort'), []);
  client.close();
});

test('requests need no timer to go out or to be answered', async (t) => {
  const clock = virtualClock(t);
  const { client } = await connected(echoing);
  const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => client.invoke('m', [index])));
  assert.deepEqual(
    answers,
    Array.from({ length: 100 }, (_, index) => [index]),
  );
  assert.equal(clock.now, 1000);
  client.close();
});

test('one failure that is told thrice is one retry', async (t) => {
  virtualClock(t);
  const { client, fake, socket } = await connected({}, { networking: { jitter: 0 } });
  const answer = client.invoke('m', [], { readOnly: true });
  socket.emit('error');
  socket.drop();
  socket.emit('close', { code: 1006 });
  socket.emit('error');
  await settle();
  assert.equal(fake.sockets.length, 2);
  assert.equal(fake.last.sent.length, 1);
  assert.notEqual(fake.last.requests[0].id, socket.requests[0].id);
  fake.last.answer(fake.last.sent[0], 1);
  assert.equal(await answer, 1);
  assert.equal(client.stats().retries, 1);
  client.close();
});

test('send that throws of another request is WRONG_CONTEXT, and the next request dials anew', async (t) => {
  virtualClock(t);
  const throwing = () => {
    throw new Error('Cannot perform I/O on behalf of a different request. …');
  };
  const { client, fake, socket } = await connected({
    sent: (from, frame) => (from === fake?.sockets[0] ? throwing() : echoing.sent(from, frame)),
  });
  socket.send = throwing;
  const other = client.invoke('m', [1]);
  await assert.rejects(other, { code: 'WRONG_CONTEXT', completion: 'no' });
  await client.connect();
  assert.equal(fake.sockets.length, 2);
  assert.deepEqual(await client.invoke('m', [2]), [2]);
  client.close();
});
