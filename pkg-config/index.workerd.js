// The entry for Cloudflare Workers, which compile wasm when a Worker is deployed and at no other time.

import { makeGatewaySocket } from './gateway_socket.js';
import { makeConnect, makeInit } from './init.js';
import module from './regate_bg.wasm';

export { ClusterClient } from './client.js';
export { RegateError } from './error.js';
export { completionOf } from './exchange.js';
export { retry } from './retry.js';
export { tcpTimeouts } from './schedule.js';

export const init = /* @__PURE__ */ makeInit(() => module);
export const connect = /* @__PURE__ */ makeConnect(init);
export const GatewaySocket = /* @__PURE__ */ makeGatewaySocket(init);
