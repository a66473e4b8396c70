// The Worker of README.md, as it stands there.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startCluster } from '../gateways/cluster.mjs';
import { emptyFolder, project } from '../package/support/installed.mjs';
import { bundle, DATES, startMiniflare } from './support/worker.mjs';

const [, section] = readFileSync(join(project, 'README.md'), 'utf8').split('## In a Worker\n');
const [, code] = section.split('```js\n');
const path = join(emptyFolder(), 'readme.js');
writeFileSync(path, code.split('```')[0]);

test('it reads through one connection, and through the next when its gateway is gone', async (t) => {
  const cluster = await startCluster({ count: 2 });
  t.after(() => cluster.stop());
  const { lines, miniflare } = await startMiniflare(t, await bundle(path), 'worker.js', {
    bindings: { GATEWAYS: cluster.urls, TOKEN: 's3cret' },
    compatibilityDate: DATES[1],
    durableObjects: { CLUSTER: 'Cluster' },
  });
  const read = async () => (await miniflare.dispatchFetch('http://worker/')).json();
  await Promise.all(cluster.gateways.map((gateway) => gateway.rejectUpgrade(403)));
  for (let request = 0; request < 3; request += 1)
    await assert.rejects(read(), /no gateway is left|not valid JSON/);
  assert.match(lines.splice(0).join(''), /gave up with NO_GATEWAY/);
  await cluster.heal();
  assert.equal(await read(), null);
  assert.equal(await read(), null);
  const { gateways } = await cluster.stats();
  const open = gateways.map((gateway) => gateway.open);
  assert.deepEqual([...open].sort(), [0, 1]);
  await cluster.gateways[open.indexOf(1)].kill();
  assert.equal(await read(), null);
  assert.doesNotMatch(lines.join(''), /s3cret|error/i);
});
