// For cluster.test.mjs: starts a cluster, tells its process ids, and waits to be killed.

import { startCluster } from './cluster.mjs';

const cluster = await startCluster({ count: 2 });
process.send?.(cluster.pids);
