import { ExponentialBackoff, handleAll, retry } from 'cockatiel';
import { policyClient } from './_policy.js';

export const meta = {
  pkg: 'cockatiel',
  server: 'jsonrpc',
  rpc: 'ours',
  list: 'policy',
  reconnects: true,
  timeouts: 'none',
  entry: "export { retry, handleAll, ExponentialBackoff } from 'cockatiel'",
};

export function connect(urls) {
  const policy = retry(handleAll, { backoff: new ExponentialBackoff() });
  return policyClient(urls, (work) => policy.execute(work));
}
