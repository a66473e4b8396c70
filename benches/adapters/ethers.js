import { WebSocketProvider } from 'ethers';
import { states } from './_util.js';

export const meta = {
  pkg: 'ethers',
  server: 'jsonrpc',
  rpc: 'own',
  list: 'none',
  reconnects: false,
  timeouts: 'none',
  entry: "export { WebSocketProvider } from 'ethers'",
};

export function connect(urls) {
  const state = states();
  const provider = new WebSocketProvider(urls[0], 1);
  provider.websocket.addEventListener('open', () => state.set('open', urls[0]));
  provider.websocket.addEventListener('close', () => state.set('failed'));
  return {
    request: (method, params) => provider.send(method, params),
    onState: state.onState,
    close: () => provider.destroy(),
  };
}
