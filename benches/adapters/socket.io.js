// WebSocket alone, where the default begins by polling and upgrades; everything else is the default.
import { io } from 'socket.io-client';
import { states } from './_util.js';

export const meta = {
  pkg: 'socket.io-client',
  server: 'socketio',
  rpc: 'own',
  list: 'none',
  reconnects: true,
  timeouts: 'option',
  entry: "export { io } from 'socket.io-client'",
};

export function connect(urls, { timeout } = {}) {
  const state = states();
  const socket = io(urls[0], { transports: ['websocket'], forceNew: true });
  socket.on('connect', () => state.set('open', urls[0]));
  socket.on('disconnect', () => state.set('closed'));
  socket.io.on('reconnect_failed', () => state.set('failed'));
  const emitter = () => (timeout ? socket.timeout(timeout) : socket);
  return {
    request: (method, params) => emitter().emitWithAck('call', method, params),
    onState: state.onState,
    close: () => socket.close(),
  };
}
