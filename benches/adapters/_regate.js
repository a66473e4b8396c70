// regate as an adapter, whatever entry of the package its client comes from.
import { states } from './_util.js';

/** Each state of the client in the words of the bench; the others mean that it goes on trying. */
const MEANING = { connected: 'open', closed: 'failed', reconnecting: 'closed' };

/** A module that exports all of the package's web entry, and its wasm. */
export const webEntry = "export * from 'regate'; export { default as wasm } from 'regate/regate_bg.wasm'";

/** Makes `connect` over the class of a client; the list in its order and waits without chance, so that runs can be compared. */
export const connectWith =
  (ClusterClient, { messaging, ...more } = {}) =>
  (urls, { timeout, staggerMilliseconds, WebSocket, memoryBytes } = {}) => {
    const state = states();
    const client = new ClusterClient({
      ...more,
      gateways: urls,
      ...(WebSocket && { WebSocket }),
      networking: {
        shuffleAddresses: false,
        jitter: 0,
        firstConnect: 'always',
        ...(staggerMilliseconds && { dialStaggerMilliseconds: staggerMilliseconds }),
      },
      messaging: { ...messaging, ...(timeout && { waitForResponseMilliseconds: timeout }) },
    });
    client.addEventListener('statechange', ({ detail: { to, reason } }) => {
      if (Object.hasOwn(MEANING, to)) state.set(MEANING[to], to === 'closed' ? reason : '');
    });
    client.connect().catch(() => {});
    return {
      request: (method, params) => client.invoke(method, params),
      completion: (error) => error.completion,
      onState: state.onState,
      close: () => client.close(),
      memory: () => memoryBytes?.() ?? 0,
    };
  };
