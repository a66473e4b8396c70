// In Node, beside workerd: the gateways, and the address that kills and heals them.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const load = (name) => import(pathToFileURL(join(process.env.REGATE_GATEWAYS, name)).href);

export default async function setup({ provide }) {
  const { startCluster } = await load('cluster.mjs');
  const { startControl } = await load('control.mjs');
  const cluster = await startCluster({ count: 3 });
  const control = await startControl(cluster);
  provide('gateways', cluster.urls);
  provide('control', control.url);
  return async () => {
    await control.stop();
    await cluster.stop();
  };
}
