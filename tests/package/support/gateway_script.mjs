// A gateway that a socket plays: it names subscriptions, ends them, and echoes everything else.

import { connected } from './connected.mjs';
import { echoing } from './fake_ws.mjs';

/** `refuses(method, socket)` gives the error to answer with, if any; `ignores(method, socket)` says what gets no answer. */
export function naming({ refuses = () => undefined, ignores = () => false } = {}) {
  let names = 0;
  return {
    made: echoing.made,
    sent(socket, frame) {
      const { id, method, params } = JSON.parse(frame);
      if (id === undefined || ignores(method, socket)) return;
      const error = refuses(method, socket, params);
      const isSubscription = /(?<!un)subscribe$/i.test(method);
      socket.names ??= new Map();
      if (isSubscription && error === undefined) {
        names += 1;
        socket.names.set(params?.[0] ?? method, `name ${names}`);
      }
      const result = isSubscription ? `name ${names}` : (params ?? null);
      queueMicrotask(() => socket.message(error === undefined ? { id, result } : { id, error }));
    },
  };
}

/** A connected client of such gateways; jitter and shuffling are off, so that each step is known. */
export async function withGateway(rules, more = {}) {
  const networking = { jitter: 0, shuffleAddresses: false, ...more.networking };
  return connected(naming(rules), { heartbeat: { periodMilliseconds: 0 }, ...more, networking });
}

/** Tells what belongs to a topic, under the name that this socket gave it. */
export function publish(socket, topic, result) {
  const params = { subscription: socket.names.get(topic), result };
  socket.message({ jsonrpc: '2.0', method: 'eth_subscription', params });
}

/** The methods of what went out, with the first of their params. */
export const calls = (socket) =>
  socket.requests.map(({ method, params }) => `${method} ${params?.[0] ?? ''}`.trim());

/** How a promise ends: `done`, or the code of the error. */
export const endOf = (promise) =>
  promise.then(
    () => 'done',
    (error) => error?.code ?? String(error),
  );
