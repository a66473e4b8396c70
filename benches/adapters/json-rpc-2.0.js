// The recipe of its README for a WebSocket: it is protocol only, and does not connect.
import { JSONRPCClient } from 'json-rpc-2.0';
import { states } from './_util.js';

export const meta = {
  pkg: 'json-rpc-2.0',
  server: 'jsonrpc',
  rpc: 'own',
  list: 'none',
  reconnects: false,
  timeouts: 'option',
  entry: "export { JSONRPCClient } from 'json-rpc-2.0'",
};

export function connect(urls, { timeout } = {}) {
  const state = states();
  const socket = new WebSocket(urls[0]);
  const client = new JSONRPCClient(async (request) => socket.send(JSON.stringify(request)));
  socket.onopen = () => state.set('open', socket.url);
  socket.onmessage = ({ data }) => client.receive(JSON.parse(data));
  socket.onclose = ({ reason }) => {
    client.rejectAllPendingRequests(`Connection is closed (${reason}).`);
    state.set('failed');
  };
  const timed = timeout ? client.timeout(timeout) : client;
  return {
    request: (method, params) =>
      socket.readyState === 1 ? timed.request(method, params) : Promise.reject(new Error('not open')),
    onState: state.onState,
    close: () => socket.close(),
  };
}
