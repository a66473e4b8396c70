// graphql-ws set as its recipes say for a client that never gives up.
import { meta as byDefault, connect as connectByDefault } from './graphql-ws.js';

export const meta = { ...byDefault, entry: undefined };

export const connect = (urls, options) =>
  connectByDefault(urls, options, { shouldRetry: () => true, retryAttempts: Number.POSITIVE_INFINITY });
