// The entry for browsers and their bundlers: fetches the wasm that lies beside it.
import { makeGatewaySocket } from './gateway_socket.js';
import { makeConnect, makeInit } from './init.js';

export { ClusterClient } from './client.js';
export { RegateError } from './error.js';
export { completionOf } from './exchange.js';
export { retry } from './retry.js';
export { tcpTimeouts } from './schedule.js';

export const init = /* @__PURE__ */ makeInit(() => new URL('./regate_bg.wasm', import.meta.url));
export const connect = /* @__PURE__ */ makeConnect(init);
export const GatewaySocket = /* @__PURE__ */ makeGatewaySocket(init);
