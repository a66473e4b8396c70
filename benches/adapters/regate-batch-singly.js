// regate as set for batches, at a gateway that answers each request of one by itself: what that costs.
import { meta as ours } from './regate.js';

export { ready } from './regate.js';
export { connect } from './regate-batch.js';

export const meta = { ...ours, server: 'jsonrpc_singly' };
