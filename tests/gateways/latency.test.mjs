import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCluster } from './cluster.mjs';
import { PlainClient } from './plain_client.mjs';

const LATENCY_MILLISECONDS = 100;

test('frames take their time both ways, in their order', async () => {
  await using(async (cluster, client) => {
    const began = performance.now();
    await Promise.all([1, 2, 3].map((id) => client.call('queue.offer', [`item ${id}`, id])));
    assert.ok(performance.now() - began > 1.9 * LATENCY_MILLISECONDS);
    assert.deepEqual(
      client.frames.map((frame) => JSON.parse(frame).result),
      [1, 2, 3],
    );
    assert.deepEqual(
      (await cluster.journal()).map(({ id }) => id),
      [1, 2, 3],
    );
  });
});

test('what is under way is executed before the cluster is quiet', async () => {
  await using(async (cluster, client) => {
    void client.call('queue.offer', ['item', 'last']);
    await client.close();
    await cluster.quiet();
    assert.equal(await cluster.executed('last'), 1);
  });
});

/** @param {(cluster: import('./cluster.mjs').Cluster, client: PlainClient) => Promise<void>} act */
async function using(act) {
  const cluster = await startCluster({ count: 1, latencyMilliseconds: LATENCY_MILLISECONDS });
  try {
    await act(cluster, await PlainClient.open(cluster.urls[0]));
  } finally {
    await cluster.stop();
  }
}
