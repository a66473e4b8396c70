// Its server is a stand-in that speaks the JSON protocol: servers/centrifuge.mjs.
import { Centrifuge } from 'centrifuge';
import { states } from './_util.js';

export const meta = {
  pkg: 'centrifuge',
  server: 'centrifuge',
  rpc: 'own',
  list: 'native',
  reconnects: true,
  timeouts: 'always',
  entry: "export { Centrifuge } from 'centrifuge'",
};

export function connect(urls, { timeout } = {}) {
  const state = states();
  const list = urls.map((endpoint) => ({ transport: 'websocket', endpoint }));
  const client = new Centrifuge(urls.length > 1 ? list : urls[0], timeout ? { timeout } : {});
  client.on('connected', () => state.set('open', ''));
  client.on('connecting', () => state.set('closed'));
  client.on('disconnected', ({ reason }) => state.set('failed', reason));
  client.on('error', () => {});
  client.connect();
  return {
    request: async (method, params) => (await client.rpc(method, params)).data,
    onState: state.onState,
    close: () => client.disconnect(),
  };
}
