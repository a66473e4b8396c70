// What partysocket and reconnecting-websocket have in common: a socket that comes back, its URL from a function.
import { rpc, states } from './_util.js';

export const connectWith = (Socket) => (urls) => {
  const state = states();
  let dials = 0;
  const socket = new Socket(() => urls[dials++ % urls.length]);
  const layer = rpc((text) => socket.send(text));
  socket.addEventListener('open', () => state.set('open', socket.url));
  socket.addEventListener('message', ({ data }) => layer.receive(data));
  socket.addEventListener('close', () => {
    layer.rejectAll(new Error('closed'));
    state.set('closed');
  });
  return { request: layer.request, onState: state.onState, close: () => socket.close() };
};
