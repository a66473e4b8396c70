// What the trials share, each started when the first one needs it.

import { Chromium } from '../demo/chromium.mjs';
import { startCluster } from '../gateways/cluster.mjs';

/**
 * All of it ends with the lifetime.
 *
 * @param {import('../demo/lifetime.mjs').Lifetime} life
 */
export function makeBench(life) {
  const once = (make) => {
    let made;
    return () => {
      made ??= make();
      return made;
    };
  };
  return {
    chromium: once(() => Chromium.launch(life)),
    // Loaded only when wanted: the quick trials run where the packages of this folder are not installed.
    firefox: once(async () => (await import('./firefox.mjs')).Firefox.launch(life)),
    webSuite: once(async () => (await import('./suites.mjs')).buildWebSuite()),
    cluster: once(async () => {
      const cluster = await startCluster({ count: 2 });
      life.defer(() => cluster.stop().catch(() => {})); // a signal reaches the gateways too: they may have ended
      return cluster;
    }),
  };
}
