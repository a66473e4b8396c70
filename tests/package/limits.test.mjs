// Limits: what is too much is refused at once, what was taken in never is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle, virtualClock } from './support/clock.mjs';
import { connected } from './support/connected.mjs';
import { echoing, fakeSockets } from './support/fake_ws.mjs';
import { calls, endOf } from './support/gateway_script.mjs';
import { ready } from './support/installed.mjs';

const { ClusterClient, completionOf } = await ready();
const readOnly = { readOnly: true };

/** A client that is connecting to a gateway that never opens. */
function parking(limits, more = {}) {
  const fake = fakeSockets({ sent: echoing.sent });
  const options = { gateways: ['ws://a.example'], logger: null, WebSocket: fake.WebSocket, limits, ...more };
  const client = new ClusterClient(options);
  client.connect().catch(() => {});
  return { client, fake };
}

const OVERLOADED = { code: 'OVERLOADED', completion: 'no', attempts: 0 };

/** B040: the fourth is refused at once, the first three go out. */
test('maxPendingOperations', async () => {
  const { client, fake } = parking({ maxPendingOperations: 3 });
  const taken = [1, 2, 3].map((n) => client.invoke('m', [n]));
  const refused = client.invoke('m', [4]);
  await assert.rejects(refused, OVERLOADED);
  assert.equal(completionOf(refused), 'no');
  fake.last.open();
  assert.deepEqual(await Promise.all(taken), [[1], [2], [3]]);
  assert.deepEqual(calls(fake.last), ['m 1', 'm 2', 'm 3']);
  assert.equal(client.stats().overloaded, 1);
  client.close();
});

test('maxPendingOperations 0: nothing may wait, what can be sent is', async () => {
  const { client, fake } = parking({ maxPendingOperations: 0 });
  await assert.rejects(client.invoke('m'), OVERLOADED);
  await settle();
  fake.last.open();
  assert.deepEqual(await client.invoke('m', [1]), [1]);
  client.close();
});

test('maxBufferedBytes counts UTF-8 of what waits; 0: nothing may wait', async () => {
  const frame = (text) => Buffer.byteLength(`{"jsonrpc":"2.0","id":1,"method":"m","params":["${text}"]}`);
  const text = 'é'.repeat(10);
  assert.equal(frame(text) - frame(''), 20);
  for (const [most, fits] of [
    [frame(text), true],
    [frame(text) - 1, false],
    [0, false],
  ]) {
    const { client, fake } = parking({ maxBufferedBytes: most });
    const promise = client.invoke('m', [text]);
    if (fits) await assert.rejects(client.invoke('m'), OVERLOADED);
    else await assert.rejects(promise, OVERLOADED);
    await settle();
    fake.last.open();
    if (fits) assert.deepEqual(await promise, [text]);
    assert.equal(fake.last.sent.length, fits ? 1 : 0);
    client.close();
  }
});

test('notify: what is over a limit is dropped, as it has nobody to tell', async () => {
  const message = `{"jsonrpc":"2.0","method":"n","params":["é"]}`;
  const bytes = Buffer.byteLength(message);
  const limits = { maxMessageBytes: bytes, maxBufferedBytes: 1000 };
  const { client, socket } = await connected(echoing, { limits });
  assert.equal(client.notify('n', ['é']), 'sent');
  assert.equal(client.notify('n', ['éé']), 'dropped', 'too long');
  socket.bufferedAmount = 1000 - bytes;
  assert.equal(client.notify('n', ['é']), 'sent');
  socket.bufferedAmount += 1;
  assert.equal(client.notify('n', ['é']), 'dropped', 'does not fit');
  assert.deepEqual(socket.sent, [message, message]);
  client.close();
});

test('maxBufferedBytes counts what the platform still has to send', async () => {
  const { client, socket } = await connected(echoing, { limits: { maxBufferedBytes: 1000 } });
  const large = ['x'.repeat(5000)];
  assert.deepEqual(await client.invoke('m', large), large, 'alone it may be larger');
  socket.bufferedAmount = 990;
  await assert.rejects(client.invoke('m', [1]), OVERLOADED);
  socket.bufferedAmount = 0;
  assert.deepEqual(await client.invoke('m', [1]), [1]);
  delete socket.bufferedAmount;
  assert.deepEqual(await client.invoke('m', [2]), [2], 'a platform that does not tell');
  client.close();
});

test('a flush pauses while the platform has enough to send, and keeps the order', async (t) => {
  const clock = virtualClock(t);
  const { client, fake, socket: first } = await connected({}, { limits: { maxBufferedBytes: 10_000 } });
  const text = 'x'.repeat(900);
  const numbers = Array.from({ length: 30 }, (_, n) => n);
  const promises = numbers.map((n) => client.invoke('m', [n, text], readOnly));
  first.drop(); // which takes back more than may wait, but is never refused
  let buffered = 0;
  Object.defineProperty(fake.WebSocket.prototype, 'send', {
    value(frame) {
      buffered += frame.length;
      this.sent.push(frame);
    },
  });
  await settle();
  const socket = fake.last;
  Object.defineProperty(socket, 'bufferedAmount', { get: () => buffered });
  await clock.advance(1000);
  const before = socket.sent.length;
  assert.ok(before >= 5 && before <= 15, `${before} of 30 went out`);
  for (let times = 0; times < 10; times += 1) {
    buffered = 0;
    await clock.advance(100);
  }
  const sent = socket.requests.filter(({ method }) => method === 'm').map(({ params }) => params[0]);
  assert.deepEqual(sent, numbers);
  for (const frame of socket.sent) socket.answer(frame, 1);
  await Promise.all(promises);
  client.close();
});

test('maxInFlightOperations bounds what is sent and unanswered', async () => {
  const { client, socket } = await connected({}, { limits: { maxInFlightOperations: 2 } });
  const first = client.invoke('m', [1]);
  const second = client.invoke('m', [2]);
  await assert.rejects(client.invoke('m', [3]), OVERLOADED);
  socket.answer(socket.sent[0], 'one');
  assert.equal(await first, 'one');
  const third = client.invoke('m', [4]);
  socket.answer(socket.sent[2], 'four');
  socket.answer(socket.sent[1], 'two');
  assert.deepEqual(await Promise.all([second, third]), ['two', 'four']);
  assert.equal(client.stats().overloaded, 1);
  client.close();
});

test('maxMessageBytes refuses what is longer, connected or not, subscriptions too', async () => {
  const bytes = Buffer.byteLength('{"jsonrpc":"2.0","id":1,"method":"m","params":["éé"]}');
  for (const spelled of [{ limits: { maxMessageBytes: bytes } }, { 'limits.maxMessageBytes': bytes }]) {
    const { client, socket } = await connected(echoing, spelled);
    assert.deepEqual(await client.invoke('m', ['éé']), ['éé']);
    await assert.rejects(client.invoke('m', ['ééé']), {
      code: 'MESSAGE_TOO_BIG',
      completion: 'no',
      attempts: 0,
    });
    await assert.rejects(client.invoke('m', ['xxxxx'], readOnly), { code: 'MESSAGE_TOO_BIG' });
    assert.equal(await endOf(client.subscribe('m', ['ééé'], () => {}).ended), 'MESSAGE_TOO_BIG');
    assert.equal(socket.sent.length, 1);
    client.close();
  }
  const { client } = parking({ maxMessageBytes: 10 });
  await assert.rejects(client.invoke('m'), { code: 'MESSAGE_TOO_BIG', completion: 'no' });
  client.close();
});

test('what was taken in is never refused later, however full it is by then', async (t) => {
  const clock = virtualClock(t);
  const limits = { maxPendingOperations: 2, maxInFlightOperations: 4 };
  const { client, socket, fake } = await connected({}, { limits, networking: { jitter: 0 } });
  const flying = [1, 2, 3, 4].map((n) => client.invoke('m', [n], readOnly));
  socket.drop();
  assert.equal(client.stats().pendingOperations, 4);
  await assert.rejects(client.invoke('m', [5], readOnly), OVERLOADED);
  await clock.advance(1000);
  assert.deepEqual(calls(fake.last), ['m 1', 'm 2', 'm 3', 'm 4']);
  for (const frame of fake.last.sent) fake.last.answer(frame, 1);
  assert.deepEqual(await Promise.all(flying), [1, 1, 1, 1]);
  client.close();
});

test('settling gives the room back: ten thousand aborted, then one more', async () => {
  const { client } = parking({ maxPendingOperations: 10, maxBufferedBytes: 10_000 });
  for (let times = 0; times < 1000; times += 1) {
    const abort = new AbortController();
    const ten = Array.from({ length: 10 }, () => endOf(client.invoke('m', [1], { signal: abort.signal })));
    abort.abort();
    await Promise.all(ten);
  }
  assert.deepEqual([client.stats().pendingOperations, client.stats().overloaded], [0, 0]);
  client.close();
});
