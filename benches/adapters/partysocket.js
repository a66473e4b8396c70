import Socket from 'partysocket/ws';
import { connectWith } from './_reconnecting.js';

export const meta = {
  pkg: 'partysocket',
  server: 'jsonrpc',
  rpc: 'ours',
  list: 'url-fn',
  reconnects: true,
  timeouts: 'none',
  entry: "export { default } from 'partysocket/ws'",
};

export const connect = connectWith(Socket);
