// What the trials share, each started when the first one needs it.

import { Chromium } from '../demo/chromium.mjs';
import { startCluster } from '../gateways/cluster.mjs';
import { buildWebSuite } from './suites.mjs';

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
    webSuite: once(buildWebSuite),
    chromium: once(() => Chromium.launch(life)),
    async firefox() {
      const { Firefox } = await import('./firefox.mjs'); // not installed where only quick trials run
      this.firefox = once(() => Firefox.launch(life));
      return this.firefox();
    },
    cluster: once(async () => {
      const cluster = await startCluster({ count: 2 });
      life.defer(() => cluster.stop().catch(() => {})); // a signal reaches the gateways too: they may have ended
      return cluster;
    }),
  };
}
