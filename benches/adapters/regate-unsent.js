// regate as set for an application that wants writes which were never sent to wait for the next connection.
import { connectAs } from './regate.js';

export { meta, ready } from './regate.js';

export const connect = connectAs({ messaging: { retryUnsentOperations: true } });
