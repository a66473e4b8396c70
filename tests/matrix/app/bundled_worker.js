// The page of a worker that the bundler has to find.
import { startIn, watched } from './start_in.js';

startIn(() => watched(new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })));
