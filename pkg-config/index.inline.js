// The entry that carries its wasm as text: for Node, and for bundlers that lose the file.
import { makeGatewaySocket } from './gateway_socket.js';
import { makeConnect, makeInit } from './init.js';
import base64 from './regate_bg.inline.js';

export { ClusterClient } from './client.js';
export { RegateError } from './error.js';
export { completionOf } from './exchange.js';
export { retry } from './retry.js';
export { tcpTimeouts } from './schedule.js';

export const init = /* @__PURE__ */ makeInit(() =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)),
);
export const connect = /* @__PURE__ */ makeConnect(init);
export const GatewaySocket = /* @__PURE__ */ makeGatewaySocket(init);
