// Several messages in a frame: each finds what the one before it has made true.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle, virtualClock } from './support/clock.mjs';
import { connected } from './support/connected.mjs';
import { calls, endOf } from './support/gateway_script.mjs';

const answerLast = (socket, result) => socket.answer(socket.sent.at(-1), result);
const news = (subscription, result) => ({ method: 'news', params: { subscription, result } });

test('an answer and what it is about: the subscription hears it', async () => {
  const { client, socket, notifications } = await connected();
  const heard = [];
  const subscription = client.subscribe('news.subscribe', ['a'], (value) => heard.push(value));
  await settle();
  const [{ id }] = socket.requests;
  socket.message([{ id, result: 'a1' }, news('a1', 1), news('a1', 2)]);
  assert.deepEqual([heard, notifications, subscription.isLive], [[1, 2], [], true]);
  client.close();
});

test('an answer, and a message by which the listener gives that subscription up: the gateway is told', async () => {
  const { client, socket } = await connected();
  let second;
  client.subscribe('news.subscribe', ['a'], () => second.unsubscribe());
  await settle();
  answerLast(socket, 'a1');
  second = client.subscribe('news.subscribe', ['b'], () => {});
  await settle();
  socket.message([{ id: socket.requests.at(-1).id, result: 'b1' }, news('a1', 1)]);
  assert.equal(calls(socket).at(-1), 'news.unsubscribe b1');
  client.close();
});

test('what ends the connection ends the frame: nothing is told of the rest', async () => {
  const ends = {
    close: (client) => client.close(),
    reconnect: (client) => client.reconnect(),
    drain: (client) => client.drain(),
  };
  for (const [name, end] of Object.entries(ends)) {
    const { client, socket, rubbish, notifications } = await connected();
    client.addEventListener('notification', () => end(client), { once: true });
    socket.message([{ method: 'one' }, { method: 'two' }, 5, { method: 'three' }]);
    assert.deepEqual([notifications.map(({ method }) => method), rubbish], [['one'], []], name);
    client.close();
  }
});

test('a codec that closes the client and throws has nothing told of it', async () => {
  const made = {};
  const codec = {
    encode: JSON.stringify,
    decode() {
      made.client.close();
      throw new Error('nonsense');
    },
  };
  const { client, socket, rubbish } = await connected({}, { codec });
  made.client = client;
  socket.message('x');
  assert.deepEqual([client.state, rubbish], ['closed', []]);
});

test('nothing keeps the gateway from hearing that a subscription is over', async (t) => {
  const clock = virtualClock(t);
  const hindrances = {
    'operations in flight': { more: { limits: { maxInFlightOperations: 1 } } },
    bytes: { more: { limits: { maxBufferedBytes: 50 } }, full: 50 },
    drain: { more: {}, drains: true },
  };
  for (const [name, { more, full, drains = false }] of Object.entries(hindrances)) {
    const { client, socket } = await connected({}, more);
    const subscription = client.subscribe('news.subscribe', ['a'], () => {});
    await settle();
    answerLast(socket, 'a1');
    const slow = endOf(client.invoke('slow'));
    const drained = drains ? client.drain() : undefined;
    if (full !== undefined) socket.bufferedAmount = full;
    subscription.unsubscribe();
    assert.equal(calls(socket).at(-1), 'news.unsubscribe a1', name);
    // A gateway that is busy is asked again.
    const busy = { code: -1, message: 'busy', data: { retryable: true } };
    socket.bufferedAmount = 0;
    socket.message({ id: socket.requests.at(-1).id, error: busy });
    await clock.advance(2_000);
    assert.equal(calls(socket).filter((call) => call === 'news.unsubscribe a1').length, 2, name);
    answerLast(socket, true);
    socket.message({ id: socket.requests.find(({ method }) => method === 'slow').id, result: 1 });
    assert.equal(await slow, 'done');
    if (drains) assert.equal(await drained, 'closed');
    const { failedNo, overloaded, succeeded } = client.stats();
    assert.deepEqual([failedNo, overloaded, succeeded], [0, 0, 1], `${name}: it counts nowhere`);
    client.close();
  }
});

test('while it drains, a message without an answer is dropped as any other is refused', async () => {
  const { client, socket } = await connected();
  const slow = endOf(client.invoke('slow'));
  client.drain();
  assert.equal(client.notify('n'), 'dropped');
  answerLast(socket, 1);
  assert.equal(await slow, 'done');
});

test('what is written anew for a retry, and settled by that, does not go out', async (t) => {
  const clock = virtualClock(t);
  const made = {};
  const codec = {
    decode: JSON.parse,
    encode(request) {
      if (made.again) made.client.close();
      return JSON.stringify(request);
    },
  };
  const { client, socket } = await connected({}, { codec });
  made.client = client;
  const end = endOf(client.invoke('m'));
  made.again = true;
  socket.message({ id: 1, error: { code: 1, data: { retryable: true } } });
  await clock.advance(5_000);
  assert.equal(await end, 'CLIENT_CLOSED');
  assert.equal(socket.sent.length, 1);
});

test('a message that is too big says whose limit that is', async () => {
  const { client, socket } = await connected({}, { limits: { maxMessageBytes: 100 } });
  const long = client.invoke('m', ['x'.repeat(100)]);
  await assert.rejects(long, { code: 'MESSAGE_TOO_BIG', message: /longer than limits\.maxMessageBytes/ });
  const sent = client.invoke('m');
  const rejected = assert.rejects(sent, { code: 'MESSAGE_TOO_BIG', message: /the gateway closed with 1009/ });
  socket.drop(1009);
  await rejected;
  client.close();
});

test('bytes are those of UTF-8 while connected too', async () => {
  const { client, socket } = await connected({}, { limits: { maxBufferedBytes: 200 } });
  const held = endOf(client.invoke('held', ['x'.repeat(60)]));
  socket.bufferedAmount = 60; // of what it was handed
  const text = '漢'.repeat(30);
  assert.equal(await endOf(client.invoke('m', [text], { timeoutMilliseconds: 1 })), 'OVERLOADED');
  assert.equal(client.notify('m', [text]), 'sent', 'it is 38 bytes shorter');
  client.close();
  assert.equal(await held, 'CLIENT_CLOSED');
});
