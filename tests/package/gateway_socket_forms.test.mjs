// How sockets that go round are made: what their constructors take, options, init(), and the platform's own class.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from './support/clock.mjs';
import { fakeSockets } from './support/fake_ws.mjs';
import { freshPackage, importEntry, ready } from './support/installed.mjs';
import { A, B, exact, opening, watch, world } from './support/socket_world.mjs';

test('protocols are an argument only where there are any, and those of the list win', async (t) => {
  const rows = [
    [[], undefined],
    [[undefined], undefined],
    [[null], undefined],
    [[[]], undefined],
    [['a'], ['a']],
    [[['a', 'b']], ['a', 'b']],
  ];
  const { GatewaySocket, fake } = await world(t);
  const options = { ...exact, WebSocket: fake.WebSocket };
  for (const [given, expected] of rows) {
    const Over = GatewaySocket.over([A, { url: B, protocols: 'own' }], options);
    const makers = [() => new Over('ws://x', ...given), () => new GatewaySocket([A], given[0], options)];
    for (const make of makers) {
      const socket = make();
      await settle();
      assert.deepEqual(fake.last.args, expected === undefined ? [A] : [A, expected]);
      if (!(socket instanceof Over)) continue;
      fake.last.fail();
      assert.deepEqual(fake.last.args, [B, 'own']);
    }
  }
});

test('url is what the library passed, and the gateway stands elsewhere', async (t) => {
  const { open, fake } = await world(t, { script: opening });
  const { socket } = await open('ws://elsewhere.example/');
  assert.deepEqual([socket.url, socket.gateway], ['ws://elsewhere.example/', A]);
  assert.equal((await open()).socket.url, '');
  fake.sockets[0].drop();
  assert.equal(socket.gateway, undefined);
});

test('a URL, a list, or a function: each is a constructor form', async (t) => {
  const { GatewaySocket, fake, dialled } = await world(t, { script: opening });
  const options = { ...exact, WebSocket: fake.WebSocket };
  for (const [given, shown] of [
    [A, A],
    [new URL(B), B],
    ['http://c.example/x', 'ws://c.example/x'],
    [[A, B], ''],
    [async () => [B], ''],
  ]) {
    const socket = new GatewaySocket(given, undefined, options);
    assert.equal(socket.url, shown);
    await settle();
    assert.equal(socket.readyState, 1);
    assert.ok(socket instanceof GatewaySocket && socket instanceof EventTarget);
  }
  assert.equal(dialled(), 'abcab');
});

test('a class keeps the list and the options that it was made of', async (t) => {
  const { GatewaySocket, fake } = await world(t, { script: opening });
  const entry = { url: B, protocols: 'own' };
  const list = [entry];
  const options = { ...exact, networking: { ...exact.networking }, WebSocket: fake.WebSocket };
  const Over = GatewaySocket.over(list, options);
  entry.url = A;
  list.push('nonsense');
  options.networking.jitter = 'nonsense';
  for (const socket of [new Over(), new Over()]) {
    await settle();
    assert.deepEqual([socket.readyState, fake.last.args], [1, [B, 'own']]);
  }
});

const useless = {
  'what it throws': [
    () => {
      throw new Error('no tokens');
    },
    /^no tokens$/,
  ],
  'what is wrong with what it gives': [() => ['http://a.example'], /gateways\[0\].* must have the scheme/],
};
for (const [name, [fails, cause]] of Object.entries(useless)) {
  test(`a list function is asked for each socket; ${name} is the cause of giving up`, (t) =>
    askedForEach(t, fails, cause));
}

async function askedForEach(t, fails, cause) {
  let number = 0;
  const gateways = () => {
    number += 1;
    return number > 2 ? fails() : [`ws://a.example/?token=${number}`];
  };
  const networking = { ...exact.networking, connectTimeouts: '100:100:100' };
  const { clock, fake, open } = await world(t, { gateways, networking, script: opening });
  await open();
  await clock.advance(6000);
  fake.last.drop(1006);
  await open();
  await clock.advance(6000);
  assert.deepEqual(
    fake.sockets.map(({ url }) => url.at(-1)),
    ['1', '2'],
  );
  fake.last.drop(1006);
  const { socket, seen } = await open();
  let error;
  socket.onerror = (event) => {
    error = event.error;
  };
  await clock.advance(1000);
  assert.deepEqual(seen, ['error CONNECT_TIMEOUT in 3', 'close 1006 in 3']);
  assert.match(error.cause.message, cause);
}

test('wrong options are errors at once, by name', async (t) => {
  const { GatewaySocket, fake } = await world(t);
  const rows = [
    [[], {}, /gateways is a list of 0/],
    [['http://x'], {}, /gateways\[0\]/],
    [[A], { reconnect: 1 }, /reconnect is 1/],
    [[A], { buffer: null }, /buffer is null/],
    [[A], { session: () => {} }, /session/],
    [[A], { 'heartbeat.periodMilliseconds': 5 }, /heartbeat/],
    [[A], { nonsense: 1 }, /nonsense/],
    [[A], { WebSocket: {} }, /WebSocket/],
    [[A], { closePolicy: 5 }, /closePolicy/],
    [[A], { limits: { maxBufferedBytes: -1 } }, /maxBufferedBytes/],
    [[A], { limits: { maxMessageBytes: 5 } }, /limits\.maxMessageBytes/],
    [[A], { 'limits.maxInFlightOperations': 5 }, /limits\.maxInFlightOperations/],
    [[A], { networking: { redoOperations: true } }, /networking\.redoOperations/],
    [[A], { 'networking.sessionTimeoutMilliseconds': 5 }, /networking\.sessionTimeoutMilliseconds/],
    [[A], null, /options is null/],
    [[A], [], /options is/],
  ];
  for (const [gateways, options, text] of rows) {
    const attempts = [() => GatewaySocket.over(gateways, options)];
    attempts.push(() => new GatewaySocket(gateways, undefined, options));
    for (const attempt of attempts) {
      assert.throws(
        attempt,
        (error) => error.code === 'INVALID_OPTION' && text.test(error.message),
        String(text),
      );
    }
  }
  assert.throws(() => new GatewaySocket('no url'), { name: 'SyntaxError' });
  assert.throws(() => new GatewaySocket([A], 'a b'), { name: 'SyntaxError' });
  const own = {
    toString() {
      throw new RangeError('of the application');
    },
  };
  for (const [given, name] of [
    [Symbol('x'), 'TypeError'],
    [own, 'RangeError'],
  ]) {
    assert.throws(() => new GatewaySocket(given), { name });
    assert.throws(() => new (GatewaySocket.over([A]))(given), { name });
  }
  assert.equal(fake.sockets.length, 0);
});

test('a socket made before init() starts it, and stays CONNECTING meanwhile', async () => {
  const { GatewaySocket } = await importEntry(freshPackage());
  const fake = fakeSockets(opening);
  const socket = new GatewaySocket([A], undefined, { ...exact, WebSocket: fake.WebSocket });
  assert.equal(socket.readyState, 0);
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  assert.equal(fake.sockets.length, 1);
  socket.close();
});

test('close() while init() is pending, and options that turn out wrong after it', async () => {
  const { GatewaySocket, init } = await importEntry(freshPackage());
  const fake = fakeSockets(opening);
  const ended = (socket) => new Promise((resolve) => socket.addEventListener('close', resolve));
  const left = new GatewaySocket([A], undefined, { WebSocket: fake.WebSocket });
  const wrong = new GatewaySocket([], undefined, { WebSocket: fake.WebSocket });
  const [seen, errors] = [watch(left), watch(wrong)];
  left.close();
  await Promise.all([ended(left), ended(wrong), init()]);
  assert.deepEqual(seen, ['error in 3', 'close 1006 in 3']);
  assert.deepEqual(errors, ['error INVALID_OPTION in 3', 'close 1006 in 3']);
  await settle();
  assert.equal(fake.sockets.length, 0);
});

test('init() that fails is error and close 1006', async () => {
  const folder = freshPackage();
  const { makeGatewaySocket } = await importEntry(folder, 'gateway_socket.js');
  const { makeInit } = await importEntry(folder, 'init.js');
  const GatewaySocket = makeGatewaySocket(makeInit(() => Uint8Array.of(1, 2, 3)));
  const socket = new GatewaySocket([A]);
  const seen = watch(socket);
  await new Promise((resolve) => socket.addEventListener('close', resolve));
  assert.deepEqual(seen, ['error INIT_FAILED in 3', 'close 1006 in 3']);
});

test('a wake ends a wait; a page that is put away is the business of one that comes back', async (t) => {
  const page = new EventTarget();
  const names = ['addEventListener', 'removeEventListener'];
  for (const name of names) globalThis[name] = page[name].bind(page);
  t.after(() => {
    for (const name of names) delete globalThis[name];
  });
  const tell = (type, fields = {}) => page.dispatchEvent(Object.assign(new Event(type), fields));
  const { GatewaySocket, clock, fake } = await world(t);
  const make = async (more) => {
    const options = { ...exact, WebSocket: fake.WebSocket, ...more };
    const socket = new GatewaySocket([A], undefined, options);
    await settle();
    return { socket, seen: watch(socket), line: fake.last };
  };
  const plain = await make();
  plain.line.fail();
  await clock.advance(250);
  fake.last.fail();
  await clock.advance(400); // of 500
  tell('online');
  await settle();
  assert.equal(fake.sockets.length, 3);
  fake.last.open();
  tell('pagehide', { persisted: true });
  tell('pageshow', { persisted: true });
  await clock.advance(10_000);
  assert.deepEqual([plain.seen, fake.sockets.length], [['open in 1'], 3]);

  const back = await make({ reconnect: true });
  back.line.open();
  await clock.advance(10_000);
  tell('pagehide', { persisted: true });
  await settle();
  assert.deepEqual([back.seen, back.socket.readyState], [['open in 1', 'close 1006 in 0'], 0]);
  tell('pageshow', { persisted: true });
  await settle();
  fake.last.open();
  assert.deepEqual(back.seen.at(-1), 'open in 1');
  plain.socket.close();
  back.socket.close();
});

test('a platform without WebSocket: NO_WEBSOCKET', async (t) => {
  const { GatewaySocket } = await ready();
  const before = Object.getOwnPropertyDescriptor(globalThis, 'WebSocket');
  delete globalThis.WebSocket;
  t.after(() => before && Object.defineProperty(globalThis, 'WebSocket', before));
  const socket = new GatewaySocket([A], undefined, { logger: null });
  const seen = watch(socket);
  await new Promise((resolve) => socket.addEventListener('close', resolve));
  assert.deepEqual(seen, ['error NO_WEBSOCKET in 3', 'close 1006 in 3']);
});

test('a WebSocket that came after the import is the one that was there', async (t) => {
  const fake = fakeSockets(opening);
  const before = Object.getOwnPropertyDescriptor(globalThis, 'WebSocket');
  t.after(() => {
    delete globalThis.WebSocket;
    if (before) Object.defineProperty(globalThis, 'WebSocket', before);
  });
  delete globalThis.WebSocket;
  const { GatewaySocket } = await importEntry(freshPackage());
  globalThis.WebSocket = fake.WebSocket;
  globalThis.WebSocket = GatewaySocket.over([A], { logger: null });
  const socket = new globalThis.WebSocket('ws://elsewhere.example');
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  assert.equal(fake.last.url, A);
  socket.close();
});

test('in the place of the global WebSocket it dials by the one that was there', async (t) => {
  const fake = fakeSockets(opening);
  const before = Object.getOwnPropertyDescriptor(globalThis, 'WebSocket');
  t.after(() => {
    delete globalThis.WebSocket;
    if (before) Object.defineProperty(globalThis, 'WebSocket', before);
  });
  globalThis.WebSocket = fake.WebSocket;
  const { GatewaySocket } = await importEntry(freshPackage());
  globalThis.WebSocket = GatewaySocket.over([A], { logger: null });
  const socket = new globalThis.WebSocket('ws://elsewhere.example');
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  assert.deepEqual(
    fake.sockets.map(({ url }) => url),
    [A],
  );
  socket.close();
});
