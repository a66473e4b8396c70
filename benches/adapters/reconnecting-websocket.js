import Socket from 'reconnecting-websocket';
import { connectWith } from './_reconnecting.js';

export const meta = {
  pkg: 'reconnecting-websocket',
  server: 'jsonrpc',
  rpc: 'ours',
  list: 'url-fn',
  reconnects: true,
  timeouts: 'none',
  entry: "export { default } from 'reconnecting-websocket'",
};

export const connect = connectWith(Socket);
