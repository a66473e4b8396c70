// What the platform calls of the application's own, where nobody expects a call: it harms nobody else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle, virtualClock } from './support/clock.mjs';
import { connected } from './support/connected.mjs';
import { echoing } from './support/fake_ws.mjs';
import { endOf } from './support/gateway_script.mjs';
import { ready } from './support/installed.mjs';

const { ClusterClient, completionOf } = await ready();

/** Runs something once inside a function of the platform. */
function inside(t, name, run) {
  const real = globalThis[name];
  t.after(() => {
    globalThis[name] = real;
  });
  let isFirst = true;
  globalThis[name] = (...given) => {
    if (isFirst) {
      isFirst = false;
      run();
    }
    return real(...given);
  };
}

for (const name of ['setTimeout', 'clearTimeout']) {
  test(`an operation made inside ${name}`, async (t) => {
    const clock = virtualClock(t);
    const { client } = await connected(echoing);
    await clock.advance(10); // what was armed while it connected is over
    let inner;
    inside(t, name, () => {
      inner = client.invoke('inner', [1]);
    });
    assert.deepEqual(await client.invoke('m', [2], { timeoutMilliseconds: 500 }), [2]);
    assert.deepEqual(await inner, [1]);
    client.close();
    assert.equal(client.state, 'closed');
  });
}

test('a bufferedAmount that closes the client, and one that loses the socket', async () => {
  for (const end of ['close', 'drop']) {
    const { client, socket } = await connected(echoing, { limits: { maxBufferedBytes: 100 } });
    await client.invoke('m', ['x'.repeat(60)]);
    let isFirst = true;
    Object.defineProperty(socket, 'bufferedAmount', {
      get() {
        if (isFirst) {
          isFirst = false;
          if (end === 'close') client.close();
          else socket.drop();
        }
        return 0;
      },
    });
    const told = await endOf(client.invoke('m', ['x'.repeat(60)], { timeoutMilliseconds: 100 }));
    assert.ok(['CLIENT_CLOSED', 'CLIENT_RECONNECTING', 'CONNECTION_LOST'].includes(told), told);
    assert.equal(client.state, end === 'close' ? 'closed' : client.stats().state);
    client.close();
    assert.equal(client.state, 'closed');
  }
});

test('a busy gateway that answers one by one is alive: silence begins with its last answer', async (t) => {
  const clock = virtualClock(t);
  const { client, socket } = await connected({}, { networking: { jitter: 0 } });
  const began = clock.now;
  const pings = [];
  socket.send = (frame) => {
    socket.sent.push(frame);
    if (JSON.parse(frame).method === 'ping') pings.push(clock.now - began);
  };
  const [first, second] = [client.invoke('slow', [1]), client.invoke('slow', [2])];
  const lost = endOf(second);
  await clock.advance(16_000);
  socket.answer(socket.sent[0], 1);
  assert.equal(await first, 1);
  await clock.advance(14_000);
  assert.deepEqual(pings, [15_000], 'the answer at 16 s came after the ping');
  assert.equal(client.state, 'connected');
  await clock.advance(9_000);
  assert.deepEqual(pings, [15_000, 31_000, 33_000, 35_400]);
  assert.equal(await lost, 'CONNECTION_LOST', 'dead 7.28 s after that ping');
  client.close();
});

test('answers to operations that were made long ago are life', async (t) => {
  const clock = virtualClock(t);
  const { client, socket } = await connected({}, { limits: { maxInFlightOperations: 0 } });
  const ends = Array.from({ length: 60 }, (_, n) => client.invoke('slow', [n]));
  for (const frame of [...socket.sent]) {
    await clock.advance(1_000);
    socket.answer(frame, 'done');
  }
  assert.deepEqual(new Set(await Promise.all(ends)), new Set(['done']));
  assert.equal(socket.requests.filter(({ method }) => method === 'ping').length, 0);
  client.close();
});

test('a signal that only looks like one cannot keep an operation from its end', async () => {
  const signal = {
    aborted: false,
    addEventListener() {},
    removeEventListener() {
      throw new Error('no');
    },
  };
  const { client } = await connected(echoing);
  assert.deepEqual(await client.invoke('m', [1], { signal }), [1]);
  assert.equal(client.stats().inFlightOperations, 0);
  client.close();
});

test('what a getter among the options throws is the cause, whatever it is', () => {
  for (const thrown of [['a'], [], new Error('no'), undefined]) {
    const options = {
      gateways: ['ws://a.example'],
      get seed() {
        throw thrown;
      },
    };
    assert.throws(() => new ClusterClient(options), {
      code: 'INVALID_OPTION',
      message: /reading the options failed/,
    });
  }
});

test('a list that is too long is refused, and a long one is quick', () => {
  const urls = (count) => Array.from({ length: count }, (_, n) => `ws://g${n}.example`);
  assert.throws(() => new ClusterClient({ gateways: urls(1_001) }), {
    code: 'INVALID_OPTION',
    message: /gateways is a list of 1001: it must have at most 1000 gateways$/,
  });
  assert.equal(new ClusterClient({ gateways: urls(1_000) }).state, 'idle');
});

test('what was never made has no completion', async () => {
  await settle();
  assert.equal(completionOf(Promise.resolve()), undefined);
});
