// Connects at the first request, so the page probes it. One URL is webSocket(), several are fallback([...]).
import { createClient, fallback, webSocket } from 'viem';

export const meta = {
  pkg: 'viem',
  server: 'jsonrpc',
  rpc: 'own',
  list: 'native',
  reconnects: true,
  timeouts: 'always',
  isLazy: true,
  entry: "export { createClient, fallback, webSocket } from 'viem'",
};

export function connect(urls, { timeout } = {}) {
  const transports = urls.map((url) => webSocket(url, timeout ? { timeout } : {}));
  const client = createClient({ transport: transports.length > 1 ? fallback(transports) : transports[0] });
  return {
    request: (method, params) => client.request({ method, params }),
    onState() {},
    async close() {
      for (const transport of transports) {
        const socket = transport({}).value.getRpcClient();
        socket.then(
          (open) => open.close(),
          () => {},
        );
      }
    },
  };
}
