// `make www`: the demo's page for your own browser, with three gateways to break.
// PORT fixes the port, which the system chooses otherwise. Ctrl-C ends everything.

import { startCluster } from '../gateways/cluster.mjs';
import { startControl } from '../gateways/control.mjs';
import { run } from './lifetime.mjs';
import { siteFolders, startSite, unpackPackage } from './site.mjs';

await run(async (life) => {
  const port = Number(process.env.PORT ?? 0);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    process.stderr.write(`PORT is ${process.env.PORT}; it must be a number of 0 to 65535\n`);
    return 1;
  }
  const { folder, version } = unpackPackage(life);
  const cluster = await startCluster({ count: 3 });
  life.defer(() => cluster.stop().catch(() => {})); // Ctrl-C reaches the gateways too: they may have ended
  const control = await startControl(cluster);
  life.defer(() => control.stop());
  const url = await startSite(life, { folders: siteFolders(folder), control: control.url, port });
  process.stdout.write(`regate ${version} and three gateways: ${url}\nCtrl-C ends them\n`);
  return new Promise(() => {});
});
