// A raw socket kept alive by a policy of retries: for libraries that are policies and nothing more.
import { rpc, states } from './_util.js';

const dial = (url) =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    socket.onopen = () => resolve(socket);
    socket.onclose = () => reject(new Error('the dial failed'));
  });

/** `retry(work)` runs work until it succeeds, or rejects. */
export function policyClient(urls, retry) {
  const state = states();
  let dials = 0;
  let socket;
  let isClosed = false;
  const layer = rpc((text) => socket.send(text));
  const keepAlive = async () => {
    while (!isClosed) {
      socket = await retry(() => dial(urls[dials++ % urls.length]));
      socket.onmessage = ({ data }) => layer.receive(data);
      const lost = new Promise((resolve) => {
        socket.onclose = resolve;
      });
      state.set('open', socket.url);
      await lost;
      layer.rejectAll(new Error('closed'));
      state.set('closed');
    }
  };
  keepAlive().catch((error) => state.set('failed', String(error)));
  return {
    request: (method, params) =>
      socket?.readyState === 1 ? layer.request(method, params) : Promise.reject(new Error('not connected')),
    onState: state.onState,
    close() {
      isClosed = true;
      socket?.close();
    },
  };
}
