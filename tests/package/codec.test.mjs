// A codec of the application's own: texts and bytes, in order, and every fault of it contained.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle, virtualClock } from './support/clock.mjs';
import { echoing, fakeSockets } from './support/fake_ws.mjs';
import { endOf } from './support/gateway_script.mjs';
import { importEntry, packageFolder, ready } from './support/installed.mjs';
import { reports } from './support/reports.mjs';

const { ClusterClient, completionOf } = await ready();
const utf8 = {
  encode: (text) => new TextEncoder().encode(text),
  decode: (bytes) => new TextDecoder().decode(bytes),
};
const asText = (frame) => (typeof frame === 'string' ? frame : utf8.decode(frame));

/** Requests as `id method params`, answers as `id result`; `shape` says what a frame is made of. */
const spaced = (shape = (text) => text) => ({
  encode: ({ id, method, params, meta }) =>
    shape(`${id ?? '-'} ${method} ${JSON.stringify(params ?? null)} ${meta?.operationKey ?? ''}`.trim()),
  decode(frame) {
    const [, id, kind, rest] = /^(\S+) (=|!|\w+) (.*)$/s.exec(asText(frame));
    if (id === '-') return { method: kind, params: JSON.parse(rest) };
    return { id: Number(id), [kind === '!' ? 'error' : 'result']: JSON.parse(rest) };
  },
});

/** A connected client with this codec. The gateway echoes the params, in the shape that it got. */
async function speaking(codec, { respond, ...more } = {}) {
  const answer = (socket, frame) => {
    if (frame instanceof Blob) return;
    const [id, , params] = asText(frame).split(' ');
    const text = `${id} = ${params}`;
    if (id !== '-')
      queueMicrotask(() => socket.message(typeof frame === 'string' ? text : utf8.encode(text).buffer));
  };
  const fake = fakeSockets({ made: echoing.made, sent: respond ?? answer });
  const options = { gateways: ['ws://a.example', 'ws://b.example'], logger: null, WebSocket: fake.WebSocket };
  const networking = { jitter: 0, shuffleAddresses: false };
  const client = new ClusterClient({ ...options, networking, codec, ...more });
  const rubbish = [];
  const notifications = [];
  client.addEventListener('protocolerror', ({ detail }) => rubbish.push(detail.reason));
  client.addEventListener('notification', ({ detail }) => notifications.push(detail));
  await client.connect();
  return { client, fake, socket: fake.last, rubbish, notifications };
}

const SHAPES = {
  text: (text) => text,
  Uint8Array: (text) => utf8.encode(text),
  ArrayBuffer: (text) => utf8.encode(text).buffer,
  DataView: (text) => new DataView(utf8.encode(text).buffer),
  'a view into a larger buffer': (text) => {
    const bytes = utf8.encode(text);
    const larger = new Uint8Array(bytes.length + 20);
    larger.set(bytes, 10);
    return larger.subarray(10, 10 + bytes.length);
  },
};

for (const [name, shape] of Object.entries(SHAPES)) {
  test(`frames of ${name}: requests, answers, a notification, a retry under another id`, async (t) => {
    virtualClock(t);
    const { client, fake, socket } = await speaking(spaced(shape));
    assert.deepEqual(await client.invoke('m', ['ä', 1], { operationKey: 'key' }), ['ä', 1]);
    assert.equal(client.notify('note', [2]), 'sent');
    assert.deepEqual(socket.sent.map(asText), ['1 m ["ä",1] key', '- note [2]']);
    assert.equal(typeof socket.sent[0] === 'string', name === 'text');
    const again = client.invoke('again', [3], { readOnly: true, operationKey: 'same' });
    socket.drop();
    await settle();
    assert.deepEqual(await again, [3]);
    const [first, second] = [socket, fake.last].map(({ sent }) => asText(sent.at(-1)).split(' '));
    assert.notEqual(first[0], second[0]);
    assert.deepEqual(first.slice(1), second.slice(1));
    client.close();
  });
}

test('blobs go out as they are, and count their bytes', async () => {
  const codec = { ...spaced(), encode: ({ method }) => new Blob([method]) };
  const { client, socket } = await speaking(codec, { limits: { maxMessageBytes: 5 } });
  const small = client.invoke('small');
  assert.ok(socket.sent[0] instanceof Blob);
  assert.equal(await endOf(client.invoke('larger')), 'MESSAGE_TOO_BIG');
  socket.message('1 = "done"');
  assert.equal(await small, 'done');
  client.close();
});

test('texts and bytes that come mixed are heard in their order', async () => {
  const { client, socket, notifications } = await speaking(spaced());
  assert.equal(socket.binaryType, 'arraybuffer');
  for (let n = 0; n < 10; n += 1) socket.message(n % 2 ? `- news ${n}` : utf8.encode(`- news ${n}`).buffer);
  assert.deepEqual(
    notifications.map(({ params }) => params),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  );
  client.close();
});

test('decode may give several messages, an error, a retryable one, or nonsense', async () => {
  const { client, socket, rubbish, notifications } = await speaking(
    { encode: ({ id }) => String(id), decode: (frame) => JSON.parse(asText(frame)) },
    { respond: () => {} },
  );
  const calls = Array.from({ length: 4 }, (_, n) => endOf(client.invoke(`m${n}`)));
  socket.message([{ id: '1', result: 1 }, { method: 'news' }, { id: 2, error: { code: 7 } }, 5, null, []]);
  socket.message({ id: 3, error: { data: { retryable: true } } });
  socket.message({ id: Number(socket.sent.at(-1)), result: null });
  socket.message({ id: 4 });
  assert.deepEqual(await Promise.all(calls), ['done', 'REMOTE_ERROR', 'done', 'PROTOCOL_ERROR']);
  assert.deepEqual([rubbish.length, notifications.length], [3, 1]);
  client.close();
});

test('what decode throws or gives that is no message is a protocol error, and the connection lives', async (t) => {
  const reported = reports(t);
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const given = [undefined, null, 5, 'text', Symbol('x'), () => {}, [[]], proxy];
  given.push(Object.defineProperty({}, 'id', { get: () => thrower() }));
  function thrower() {
    throw new Error('mine');
  }
  let next;
  const plain = spaced();
  const decode = (frame) => (asText(frame) === 'rubbish' ? next() : plain.decode(frame));
  const { client, socket, rubbish } = await speaking({ ...plain, decode });
  for (const value of [...given, thrower]) {
    next = value === thrower ? thrower : () => value;
    socket.message('rubbish');
    assert.deepEqual(await client.invoke('m', [1]), [1], typeof value);
  }
  await settle();
  assert.equal(rubbish.length + reported.length, given.length + 1);
  assert.equal(client.state, 'connected');
  client.close();
});

test('a Blob is no frame where a WebSocket sends none', async (t) => {
  const { client } = await speaking({ ...spaced(), encode: () => new Blob(['x']) });
  globalThis.WebSocketPair = class {}; // as in Workers
  t.after(() => delete globalThis.WebSocketPair);
  await assert.rejects(client.invoke('m'), (error) => {
    assert.deepEqual([error.code, error.completion], ['ENCODE_FAILED', 'no']);
    return /arrayBuffer/.test(error.cause.message);
  });
  client.close();
});

test('what encode throws, or gives that is no frame, is ENCODE_FAILED and was never sent', async () => {
  const mine = new Error('mine');
  for (const value of [undefined, null, 5, {}, [], true, Symbol('x'), () => {}, mine]) {
    const encode = () => {
      if (value === mine) throw mine;
      return value;
    };
    const { client, socket } = await speaking({ ...spaced(), encode });
    const promise = client.invoke('m');
    await assert.rejects(promise, (error) => {
      assert.deepEqual([error.code, error.completion, error.attempts], ['ENCODE_FAILED', 'no', 0]);
      assert.ok(value === mine ? error.cause === mine : error.cause instanceof TypeError);
      assert.ok(!error.message.includes('mine'));
      return true;
    });
    assert.equal(completionOf(promise), 'no');
    assert.throws(() => client.notify('m'), { code: 'ENCODE_FAILED' });
    assert.throws(() => client.subscribe('m', [], () => {}), { code: 'ENCODE_FAILED' });
    assert.deepEqual(socket.sent, []);
    client.close();
  }
});

test('an encoding that fails the second time: maybe, as the first attempt was sent', async (t) => {
  virtualClock(t);
  let times = 0;
  const plain = spaced();
  const encode = (request) => (times++ === 0 ? plain.encode(request) : undefined);
  const { client, socket, fake } = await speaking({ ...plain, encode }, { respond: () => {} });
  const promise = client.invoke('m', [], { readOnly: true });
  socket.drop();
  await assert.rejects(promise, { code: 'ENCODE_FAILED', completion: 'maybe' });
  assert.equal(completionOf(promise), 'maybe');
  await settle();
  assert.deepEqual(fake.last.sent, []);
  assert.equal(client.stats().inFlightOperations, 0);
  client.close();
});

test('without ping there is no heartbeat; with one it is sent as it is, and any frame answers', async (t) => {
  const clock = virtualClock(t);
  const silent = await speaking(spaced(), { respond: () => {} });
  await clock.advance(200_000);
  assert.deepEqual([silent.client.state, silent.socket.sent], ['connected', []]);
  silent.client.close();
  const ping = (id) => utf8.encode(`ping ${id}`);
  const pinging = await speaking({ ...spaced(), ping }, { respond: () => {} });
  await clock.advance(15_000);
  assert.match(asText(pinging.socket.sent[0]), /^ping \d+$/);
  pinging.socket.message('rubbish');
  await clock.advance(15_000);
  assert.equal(pinging.socket.sent.length, 2);
  assert.equal(pinging.client.stats().attempts, 0);
  await clock.advance(8000);
  assert.equal(pinging.fake.sockets.length, 2, 'nothing answered: the line is dead');
  pinging.client.close();
});

test('a ping that throws is reported; no answer is owed to what was never sent', async (t) => {
  const reported = reports(t);
  const clock = virtualClock(t);
  const ping = () => {
    throw new Error('mine');
  };
  for (const [name, make, reports] of [
    ['throws', ping, 'mine,mine,mine,mine'],
    ['gives nothing', () => undefined, ''],
  ]) {
    reported.length = 0;
    const { client, fake } = await speaking({ ...spaced(), ping: make }, { respond: () => {} });
    await clock.advance(60_000);
    assert.deepEqual([client.state, fake.sockets.length], ['connected', 1], name);
    assert.equal(reported.join(), reports);
    client.close();
  }
});

test('a codec without encode or decode is named', () => {
  for (const codec of [null, 5, 'json', {}, { encode() {} }, { encode: 1, decode() {} }])
    assert.throws(() => new ClusterClient({ gateways: ['ws://a.example'], codec }), {
      code: 'INVALID_OPTION',
      message: /codec .*must have the methods encode and decode/,
    });
});

test('bytes are those that go out, whatever the text', async () => {
  const { byteLength } = await importEntry(packageFolder(), 'codec.js');
  const units = [
    'a',
    '\u007f',
    '\u0080',
    'é',
    '\u07ff',
    '\u0800',
    '€',
    '\ud7ff',
    '\ud800',
    '\udbff',
    '\udc00',
  ];
  units.push('\udfff', '\ue000', '\uffff', '😀', '\u{10ffff}');
  for (const a of units) {
    for (const b of units) {
      for (const c of units) {
        const text = a + b + c;
        assert.equal(byteLength(text), new TextEncoder().encode(text).length, JSON.stringify(text));
      }
    }
  }
  assert.equal(byteLength(''), 0);
  assert.equal(byteLength(new Uint16Array(5)), 10);
  assert.equal(byteLength(new ArrayBuffer(7)), 7);
  assert.equal(byteLength(new Blob(['é'])), 2);
});
