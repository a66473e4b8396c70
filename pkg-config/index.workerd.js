// The entry for Cloudflare Workers, which compile wasm when a Worker is deployed and at no other time.
import { ClusterClient as Client } from './client.js';
import { withTransport } from './fetch_socket.js';
import { makeGatewaySocket } from './gateway_socket.js';
import { makeConnect, makeInit } from './init.js';
import module from './regate_bg.wasm';

export { RegateError } from './error.js';
export { completionOf } from './exchange.js';
export { retry } from './retry.js';
export { tcpTimeouts } from './schedule.js';

/** The client, with a transport that only Workers have. */
export class ClusterClient extends Client {
  constructor(options) {
    super(withTransport(options));
  }
}

export const init = /* @__PURE__ */ makeInit(() => module);
export const connect = /* @__PURE__ */ makeConnect(init, ClusterClient);
export const GatewaySocket = /* @__PURE__ */ makeGatewaySocket(init, withTransport);
