// Not shuffled, so that the first gateway is the first of the list; everything else is the default.
import { wsconnect } from '@nats-io/nats-core';
import { states } from './_util.js';

export const meta = {
  pkg: '@nats-io/nats-core',
  server: 'nats',
  rpc: 'own',
  list: 'native',
  reconnects: true,
  timeouts: 'always',
  entry: "export { wsconnect } from '@nats-io/nats-core'",
};

export function connect(urls, { timeout } = {}) {
  const state = states();
  let connection;
  const follow = async () => {
    connection = await wsconnect({ servers: urls, noRandomize: true });
    connection.closed().then((error) => state.set('failed', String(error ?? '')));
    state.set('open', connection.getServer());
    for await (const { type, server } of connection.status()) {
      if (type === 'disconnect') state.set('closed');
      if (type === 'reconnect') state.set('open', server);
    }
  };
  follow().catch((error) => state.set('failed', String(error)));
  const request = async (method, params) => {
    if (!connection) throw new Error('not connected');
    const limits = timeout ? { timeout } : undefined;
    return (await connection.request(method, JSON.stringify(params), limits)).json();
  };
  return { request, onState: state.onState, close: () => connection?.close() };
}
