// The Workers of the documents, as they stand there.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { blocksIn } from '../documents/support/blocks.mjs';
import { startCluster } from '../gateways/cluster.mjs';
import { emptyFolder } from '../package/support/installed.mjs';
import { bundle, DATES, startMiniflare } from './support/worker.mjs';

/** Longer than any test. */
const LATE_MILLISECONDS = 600_000;

const workers = blocksIn('js', 'ts').filter(({ fixture }) => fixture?.startsWith('worker'));

/** A running Worker of a block, before a cluster. */
async function start(t, { language, text }) {
  const path = join(emptyFolder(), `worker.${language}`);
  writeFileSync(path, text);
  const cluster = await startCluster({ count: 2 });
  t.after(() => cluster.stop());
  const { lines, miniflare } = await startMiniflare(t, await bundle(path), 'worker.js', {
    bindings: { GATEWAYS: cluster.urls, TOKEN: 's3cret' },
    compatibilityDate: DATES[1],
    ...(text.includes('class Cluster') && { durableObjects: { CLUSTER: 'Cluster' } }),
  });
  return { cluster, lines, fetch: () => miniflare.dispatchFetch('http://worker/') };
}

for (const block of workers) {
  test(`${block.title} answers`, async (t) => {
    const { fetch, lines } = await start(t, block);
    for (let request = 0; request < 2; request += 1) {
      const response = await fetch();
      assert.equal(response.status, 200, await response.text());
    }
    assert.doesNotMatch(lines.join(''), /s3cret|error/i);
  });
}

test('that of the README reads through one connection, and through the next when its gateway is gone', async (t) => {
  const { cluster, lines, fetch } = await start(
    t,
    workers.find(({ document }) => document === 'README.md'),
  );
  const read = async () => (await fetch()).json();
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

test('that of the guide leaves no connection of a request, and tells what became of a write', async (t) => {
  const [object, request] = workers.filter(({ document }) => document === 'www/guides/workers.md');
  const one = await start(t, request);
  assert.equal(await (await one.fetch()).json(), null);
  await one.cluster.until(({ gateways }) => gateways.every(({ open }) => open === 0));
  const { cluster, fetch } = await start(t, object);
  assert.deepEqual(await (await fetch()).json(), { before: null });
  assert.deepEqual(await (await fetch()).json(), { before: 'v' });
  await Promise.all(cluster.gateways.map((gateway) => gateway.answerLate(LATE_MILLISECONDS)));
  const write = fetch();
  await cluster.until(({ gateways }) => gateways.some(({ struck }) => struck.answerLate?.messages > 0));
  await Promise.all(cluster.gateways.map((gateway) => gateway.kill()));
  const response = await write;
  assert.equal(response.status, 503);
  assert.deepEqual(await response.json(), { code: 'CONNECTION_LOST', completion: 'maybe' });
});
