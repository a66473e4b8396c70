// The example as a reader has it: made ready by wrangler for deployment, with the packed package, and run in workerd.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startCluster } from '../gateways/cluster.mjs';
import { emptyFolder, project } from '../package/support/installed.mjs';
import { unpackFor } from './support/unpacked.mjs';
import { startMiniflare } from './support/worker.mjs';

const example = join(project, 'examples/worker');
const wrangler = join(import.meta.dirname, 'node_modules/wrangler/bin/wrangler.js');
const manifest = JSON.parse(readFileSync(join(example, 'package.json'), 'utf8'));

/** The folder of what wrangler would deploy. */
function deployed() {
  const folder = emptyFolder();
  cpSync(example, folder, { recursive: true });
  unpackFor(folder);
  const env = { ...process.env, CI: 'true', HOME: folder, NO_COLOR: '1', WRANGLER_SEND_METRICS: 'false' };
  execFileSync(process.execPath, [wrangler, 'deploy', '--dry-run', '--outdir', 'out'], { cwd: folder, env });
  return join(folder, 'out');
}

/** Its settings, as Miniflare takes them. */
function settings() {
  const text = readFileSync(join(example, 'wrangler.jsonc'), 'utf8').replace(/^ *\/\/.*$/gm, '');
  const { compatibility_date: compatibilityDate, durable_objects: objects, migrations } = JSON.parse(text);
  const classes = objects.bindings.map(({ name, class_name: className }) => [
    name,
    { className, useSQLite: true },
  ]);
  assert.deepEqual(migrations[0].new_sqlite_classes, [classes[0][1].className]);
  return { compatibilityDate, durableObjects: Object.fromEntries(classes) };
}

test('the example depends on this version', () => {
  const { version } = JSON.parse(readFileSync(join(unpackFor(emptyFolder()), 'package.json'), 'utf8'));
  assert.equal(manifest.dependencies.regate, version);
});

test('the example serves a map of the cluster, through the death of gateways, with its token', async (t) => {
  const cluster = await startCluster({ count: 3 });
  t.after(() => cluster.stop());
  const { lines, miniflare } = await startMiniflare(t, deployed(), 'index.js', {
    ...settings(),
    bindings: { GATEWAYS: cluster.urls, TOKEN: 's3cret' },
  });
  const ask = async (path, init) => {
    const response = await miniflare.dispatchFetch(`http://example.com${path}`, init);
    return [response.status, await response.json()];
  };
  const put = (key, value) => ask(`/map/${key}`, { method: 'PUT', body: JSON.stringify(value) });

  await Promise.all(cluster.gateways.map((gateway) => gateway.rejectUpgrade(403)));
  const [status, { code, message }] = await ask('/map/a%20b');
  assert.deepEqual([status, code], [503, 'NO_GATEWAY']);
  assert.match(message, /refused with HTTP status 403/);
  await cluster.heal();

  assert.deepEqual(await put('a%20b', 1), [200, { value: null }]);
  assert.deepEqual(await put('a%20b', 2), [200, { value: 1 }]);
  assert.equal((await ask('/status'))[1].state, 'connected');
  const { gateways } = await cluster.stats();
  const at = gateways.findIndex(({ open }) => open === 1);
  await cluster.gateways[at].kill();
  assert.deepEqual(await ask('/map/a%20b'), [200, { value: 2 }]);

  // Nobody is there any more: a write that was not sent says so, at once.
  for (const gateway of cluster.gateways.filter(({ up }) => up)) await gateway.kill();
  let answer;
  do answer = await put('a%20b', 3);
  while (answer[0] === 504); // that one was on its way when the gateway died
  assert.equal(answer[0], 503);
  assert.equal(answer[1].completion, 'no');
  await cluster.heal();
  assert.deepEqual(await ask('/map/a%20b'), [200, { value: 2 }]);
  for (const [status, path, init] of [
    [400, '/map/%zz'],
    [400, '/map/a', { method: 'PUT', body: 'no JSON' }],
    [404, '/map/a', { method: 'DELETE' }],
    [404, '/status', { method: 'DELETE' }],
    [404, '/map/'],
  ]) {
    const response = await miniflare.dispatchFetch(`http://example.com${path}`, init);
    assert.equal(response.status, status, path);
    await response.text();
  }
  assert.doesNotMatch(lines.join(''), /s3cret|uncaught/i);
});
