// Libraries that open the next socket in the close handler, where none can open: they wait, and starve nobody.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle, virtualClock } from './support/clock.mjs';
import { fakeSockets } from './support/fake_ws.mjs';
import { importEntry, packageFolder, ready } from './support/installed.mjs';
import { A, exact, opening, watch } from './support/socket_world.mjs';

/** When the default schedule tries, from the first time on. */
const TRIES = [0, 250, 750, 1750, 3750, 7750, 12750, 17750];
const LAST = TRIES.at(-1);

/** Opens the next socket in the close handler; says when each ended. */
function again(make, clock) {
  const began = clock.now;
  const ended = [];
  const next = () => {
    const socket = make();
    socket.onerror = ({ error }) => ended.push([clock.now - began, error?.code ?? error?.message]);
    socket.onclose = () => ended.length < 10_000 && next();
  };
  next();
  return ended;
}

/** What makes `GatewaySocket`, with an `init` that fails until it is told otherwise. */
async function broken(t) {
  const { init } = await ready();
  const { makeGatewaySocket } = await importEntry(packageFolder(), 'gateway_socket.js');
  const clock = virtualClock(t);
  const fake = fakeSockets(opening);
  const world = { clock, fake, tries: [], fails: true };
  const began = clock.now;
  world.GatewaySocket = makeGatewaySocket(async () => {
    world.tries.push(clock.now - began);
    if (world.fails) throw new Error('no wasm');
    await init();
  });
  world.options = { ...exact, WebSocket: fake.WebSocket };
  return world;
}

/** Takes the platform's class away until the test ends. */
function withoutWebSocket(t) {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'WebSocket');
  delete globalThis.WebSocket;
  t.after(() => {
    delete globalThis.WebSocket;
    if (before) Object.defineProperty(globalThis, 'WebSocket', before);
  });
}

for (const kind of ['a class', 'sockets of their own']) {
  test(`an init() that fails is tried again as the schedule says: ${kind}`, async (t) => {
    const { GatewaySocket, clock, options, tries } = await broken(t);
    const Over = GatewaySocket.over([A], options);
    const make = kind === 'a class' ? () => new Over() : () => new GatewaySocket([A], null, options);
    const ended = again(make, clock);
    await clock.advance(LAST);
    assert.deepEqual(tries, TRIES);
    assert.deepEqual(
      ended,
      TRIES.map((at) => [at, 'no wasm']),
    );
  });

  test(`a platform without WebSocket is looked at again as the schedule says: ${kind}`, async (t) => {
    withoutWebSocket(t);
    const { GatewaySocket } = await ready();
    const clock = virtualClock(t);
    const Over = GatewaySocket.over([A], exact);
    const make = kind === 'a class' ? () => new Over() : () => new GatewaySocket([A], null, exact);
    await clock.advance(10_000); // what other tests owe is over
    const ended = again(make, clock);
    await clock.advance(60_000);
    assert.ok(ended.length >= 12 && ended.length <= 17, `${ended.length} sockets in a minute`);
    const fake = fakeSockets(opening);
    globalThis.WebSocket = fake.WebSocket; // a polyfill that came late
    await clock.advance(5000);
    assert.deepEqual(
      fake.sockets.map(({ url }) => url),
      [A],
    );
  });
}

test('a socket that cannot begin ends in a turn of its own', async (t) => {
  const { GatewaySocket, clock, options } = await broken(t);
  const socket = new GatewaySocket([A], null, options);
  const seen = watch(socket);
  await settle();
  assert.deepEqual([seen, socket.readyState], [[], 0]);
  await clock.advance(0);
  assert.deepEqual(seen, ['error in 3', 'close 1006 in 3']);
});

test('sockets that wait together count once, one that is closed opens nothing, a success resets the wait', async (t) => {
  const world = await broken(t);
  const { GatewaySocket, clock, fake, options, tries } = world;
  const make = () => new GatewaySocket([A], null, options);
  make();
  await clock.advance(100);
  const waiting = [make(), make(), make()];
  waiting[0].close();
  await clock.advance(150);
  assert.equal(tries.filter((at) => at === 250).length, 3);
  world.fails = false;
  const late = make();
  await clock.advance(500);
  assert.deepEqual([late.readyState, tries.at(-1), fake.sockets.length], [1, 750, 1]);
  world.fails = true;
  make();
  await clock.advance(0);
  const next = make();
  world.fails = false;
  await clock.advance(249);
  assert.equal(next.readyState, 0);
  await clock.advance(1);
  assert.equal(next.readyState, 1);
  for (const socket of [late, next]) socket.close();
});

test('reconnect: a class that gives up at once is held back too', async (t) => {
  const { GatewaySocket } = await ready();
  const clock = virtualClock(t);
  const fake = fakeSockets({ made: (socket) => queueMicrotask(() => socket.drop(4404)) });
  const Over = GatewaySocket.over([A], { ...exact, WebSocket: fake.WebSocket, reconnect: true });
  const ended = again(() => new Over(), clock);
  await clock.advance(LAST);
  assert.deepEqual(
    ended,
    TRIES.map((at) => [at, 'NO_GATEWAY']),
  );
});
