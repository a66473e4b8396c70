// What the proofs in a browser share: gateways, a site with the packed package, Chromium.

import { fileURLToPath } from 'node:url';
import { Chromium } from '../demo/chromium.mjs';
import { siteFolders, startSite, unpackPackage } from '../demo/site.mjs';
import { startCluster } from '../gateways/cluster.mjs';

/** @typedef {Awaited<ReturnType<typeof startBench>>} Bench */

/**
 * One thing that was to be proved.
 *
 * @typedef {{ check: string, wanted: string, found: string, passed: boolean }} Proof
 */

/**
 * Starts the browser and the site; they end with the lifetime.
 *
 * @param {import('../demo/lifetime.mjs').Lifetime} life
 */
export async function startBench(life) {
  const { folder, version } = unpackPackage(life);
  const folders = { ...siteFolders(folder), '/prove/': fileURLToPath(new URL('page', import.meta.url)) };
  const site = await startSite(life, { folders });
  const browser = await Chromium.launch(life);
  return {
    version,
    browser,
    /** A fresh cluster of three; it ends with the lifetime, or by `stop()`. */
    async cluster() {
      const cluster = await startCluster({ count: 3 });
      let stopped;
      const stop = () => {
        stopped ??= cluster.stop();
        return stopped;
      };
      life.defer(() => stop().catch(() => {})); // a signal reaches the gateways too: they may have ended
      return { cluster, stop };
    },
    /** A fresh page, in a renderer process of its own. */
    async page() {
      const page = await browser.open(`${site}prove/`);
      await page.evaluate(async () => {
        while (globalThis.prove === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
      });
      return page;
    },
  };
}

/**
 * The gateway that a client is connected to; waits until there is one.
 *
 * @param {import('../gateways/cluster.mjs').Cluster} cluster
 */
export async function connectedOf(cluster) {
  const isHeld = ({ up, open }) => up && open > 0;
  const stats = await cluster.until(({ gateways }) => gateways.some(isHeld), { withinMilliseconds: 20_000 });
  return cluster.gateways[stats.gateways.findIndex(isHeld)];
}

export const wallClock = () => performance.timeOrigin + performance.now();
