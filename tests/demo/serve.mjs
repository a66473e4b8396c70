// `make www`: the explorer, and the live page with three gateways to break, for your own browser.
// PORT fixes the port, which the system chooses otherwise. Ctrl-C ends everything.

import { fileURLToPath } from 'node:url';
import { startCluster } from '../gateways/cluster.mjs';
import { startControl } from '../gateways/control.mjs';
import { run } from './lifetime.mjs';
import { siteFolders, startSite, unpackPackage } from './site.mjs';

/** What `node www/build.mjs` has made. */
const EXPLORER = fileURLToPath(new URL('../../www/dist', import.meta.url));

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
  // The live page takes the place of the note that a file host has there.
  const folders = { '/': EXPLORER, ...siteFolders(folder) };
  const url = await startSite(life, { folders, control: control.url, port });
  process.stdout.write(`regate ${version}, the explorer: ${url}\n`);
  process.stdout.write(`the client live with three gateways to break: ${url}live/\nCtrl-C ends them\n`);
  return new Promise(() => {});
});
