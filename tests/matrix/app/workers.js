// The page of a worker of the kind that the address names; what it loads lies beside it, bundled or not.
import { startIn, watched } from './start_in.js';

const script = './worker.js';
const open = {
  classic: () => watched(new Worker(script)),
  dedicated: () => watched(new Worker(script, { type: 'module' })),
  shared: () => watched(new SharedWorker(script, { type: 'module' })).port,
  async service() {
    await navigator.serviceWorker.register(script, { type: 'module' });
    return (await navigator.serviceWorker.ready).active;
  },
};

startIn(open[new URL(location).searchParams.get('kind')]);
