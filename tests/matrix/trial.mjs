// The trial that every environment goes through, and what is wanted of each step.

import assert from 'node:assert/strict';
import { setTimeout as after } from 'node:timers/promises';

const STEP_WITHIN_MILLISECONDS = 30_000;

/** What the application is to be told: it takes the gateways in order, so that each step is known. */
export const optionsFor = (cluster) => ({
  gateways: cluster.urls,
  networking: { shuffleAddresses: false },
});

/**
 * Hears the steps of an application, kills the gateway that it is connected to, and judges where it goes.
 *
 * @param {import('../gateways/cluster.mjs').Cluster} cluster all of it running, and without connections
 * @param {{ start: () => unknown, next: () => Promise<any> }} application starts it; settles with the next step that it tells
 * @returns {Promise<Record<string, number>>} what each step took, in milliseconds
 */
export async function tryOut(cluster, application) {
  const opened = await openedBy(cluster);
  await application.start();
  const loads = await within('loads', application);
  const connects = await within('connects', application);
  assert.equal(connects.answer, 'first');
  assert.equal(connects.gateway, cluster.urls[0]);

  const [lost] = cluster.gateways;
  await lost.kill();
  try {
    const over = await within('fails over', application);
    assert.equal(over.answer, 'second');
    assert.equal(over.left, 'reconnecting');
    assert.equal(over.gateway, cluster.urls[1]);
    await within('closes', application);
    await cluster.quiet();
    assert.equal((await openedBy(cluster)) - opened, 2, 'one connection before, one after');
    return { loads: loads.milliseconds, connects: connects.milliseconds, over: over.milliseconds };
  } finally {
    await lost.restart();
  }
}

/** How many connections the gateways have accepted so far. */
export async function openedBy(cluster) {
  const { gateways } = await cluster.stats();
  return gateways.reduce((sum, { opened }) => sum + opened, 0);
}

async function within(step, application) {
  const limit = new AbortController();
  const late = after(STEP_WITHIN_MILLISECONDS, undefined, { signal: limit.signal }).then(
    () => assert.fail(`"${step}" was not told within ${STEP_WITHIN_MILLISECONDS / 1000} s`),
    () => {},
  );
  try {
    const told = await Promise.race([application.next(), late]);
    assert.equal(told.step, step, told.error ?? `told ${JSON.stringify(told)}`);
    return told;
  } finally {
    limit.abort();
  }
}
