import { Client } from 'rpc-websockets';
import { states } from './_util.js';

export const meta = {
  pkg: 'rpc-websockets',
  server: 'jsonrpc',
  rpc: 'own',
  list: 'none',
  reconnects: true,
  timeouts: 'option',
  entry: "export { Client } from 'rpc-websockets'",
};

export function connect(urls, { timeout } = {}) {
  const state = states();
  const client = new Client(urls[0]);
  client.on('open', () => state.set('open', urls[0]));
  client.on('close', () => state.set('closed'));
  client.on('error', () => {});
  client.on('max_reconnects_reached', () => state.set('failed', 'max_reconnects'));
  return {
    request: (method, params) => client.call(method, params, timeout),
    onState: state.onState,
    close() {
      client.setAutoReconnect(false);
      client.close();
    },
  };
}
