// Sockets that go round gateways which do what a test says, on a clock that it moves.
import { settle, virtualClock } from './clock.mjs';
import { fakeSockets } from './fake_ws.mjs';
import { ready } from './installed.mjs';

export const A = 'ws://a.example/?token=secret';
export const B = 'ws://b.example/';
export const exact = { logger: null, networking: { jitter: 0, shuffleAddresses: false } };

/** The events of a socket as text, with the state that each finds. */
export function watch(socket) {
  const seen = [];
  for (const type of ['open', 'message', 'error', 'close']) {
    socket.addEventListener(type, (event) => {
      const more = { message: event.data, error: event.error?.code, close: event.code }[type];
      seen.push([type, more, `in ${socket.readyState}`].filter((part) => part !== undefined).join(' '));
    });
  }
  return seen;
}

/** A class over two gateways whose sockets do what `script` says. */
export async function world(t, { gateways = [A, B], script, ...options } = {}) {
  const { GatewaySocket } = await ready();
  const clock = virtualClock(t);
  const fake = fakeSockets(script);
  const Over = GatewaySocket.over(gateways, { ...exact, WebSocket: fake.WebSocket, ...options });
  const open = async (...args) => {
    const socket = new Over(...args);
    const seen = watch(socket);
    await settle();
    return { socket, seen };
  };
  const dialled = () => fake.sockets.map(({ url }) => new URL(url).hostname[0]).join('');
  return { GatewaySocket, Over, clock, fake, open, dialled };
}

/** Opens what is dialled, at once. */
export const opening = { made: (socket) => queueMicrotask(() => socket.readyState === 0 && socket.open()) };
export const refusing = { made: (socket) => queueMicrotask(() => socket.readyState === 0 && socket.fail()) };
