import pRetry from 'p-retry';
import { policyClient } from './_policy.js';

export const meta = {
  pkg: 'p-retry',
  server: 'jsonrpc',
  rpc: 'ours',
  list: 'policy',
  reconnects: true,
  timeouts: 'none',
  entry: "export { default } from 'p-retry'",
};

export const connect = (urls) => policyClient(urls, (work) => pRetry(work));
