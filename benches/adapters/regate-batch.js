// regate as set for a gateway that answers a batch with a batch.
import { connectAs } from './regate.js';

export { meta, ready } from './regate.js';

export const connect = connectAs({ batch: 'turn' });
