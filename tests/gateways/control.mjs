// HTTP control of a cluster, on 127.0.0.1, for the buttons of a page.
//
//   POST /gateways/0/kill            body: the method's arguments as a JSON array, or nothing
//   POST /gateways/all/heal
//   GET  /gateways                   names and URLs
//   GET  /stats
//   GET  /journal                    the entries
//   POST /journal/audit              body: outcomes as a JSON array

import { once } from 'node:events';
import http from 'node:http';

const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** The methods of a gateway that can be called. */
const ACTIONS = new Set([
  'kill',
  'restart',
  'refuse',
  'hang',
  'rejectUpgrade',
  'closeAtOnce',
  'closeAll',
  'dropAll',
  'stall',
  'resume',
  'dropAfter',
  'answerError',
  'answerLate',
  'answerTwice',
  'answerRubbish',
  'resetMidFrame',
  'heal',
  'state',
]);

/** A request that cannot be served, with its HTTP status. */
class Refusal extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * Starts the endpoint.
 *
 * @param {import('./cluster.mjs').Cluster} cluster
 * @param {{ origin?: string | null, port?: number }} [options] the page's origin, the only one that browsers may send from; the port, chosen by the system unless given
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function startControl(cluster, { origin = null, port = 0 } = {}) {
  const server = http.createServer(async (request, response) => {
    /** @type {Record<string, string>} */
    const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', Vary: 'Origin' };
    const answer = (/** @type {number} */ status, /** @type {unknown} */ body) => {
      response.writeHead(status, headers).end(body === undefined ? '' : JSON.stringify(body));
    };
    try {
      const { host, origin: from } = request.headers;
      const at = /** @type {import('node:net').AddressInfo} */ (server.address()).port;
      const isOurs = host === `127.0.0.1:${at}` || host === `localhost:${at}`; // another name is a rebound one
      if (!isOurs || (from !== undefined && from !== origin)) throw new Refusal(403, 'not from here');
      if (from !== undefined) headers['Access-Control-Allow-Origin'] = from;
      if (request.method === 'OPTIONS') {
        headers['Access-Control-Allow-Methods'] = 'GET, POST';
        headers['Access-Control-Allow-Headers'] = 'Content-Type';
        return answer(204, undefined);
      }
      answer(200, (await serve(cluster, request)) ?? null);
    } catch (error) {
      const { status, message } = /** @type {Refusal} */ (error);
      answer(status ?? 500, { error: message });
    }
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${address.port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/**
 * @param {import('./cluster.mjs').Cluster} cluster
 * @param {http.IncomingMessage} request
 * @returns {Promise<unknown>}
 */
async function serve(cluster, request) {
  const path = String(request.url).split('?', 1)[0];
  const [, which, action] = /^\/gateways\/(\d+|all)\/(\w+)$/.exec(path) ?? [];
  switch (`${request.method} ${which === undefined ? path : '/gateways/…'}`) {
    case 'GET /gateways':
      return cluster.gateways.map(({ name, url, up }) => ({ name, url, up }));
    case 'GET /stats':
      return cluster.stats();
    case 'GET /journal':
      return cluster.journal();
    case 'POST /journal/audit':
      return cluster.audit(await bodyOf(request));
    case 'POST /gateways/…': {
      if (!ACTIONS.has(action)) throw new Refusal(404, `no action ${action}`);
      const chosen =
        which === 'all' ? cluster.gateways : cluster.gateways.slice(Number(which), Number(which) + 1);
      if (chosen.length === 0) throw new Refusal(404, `no gateway ${which}`);
      const args = await bodyOf(request);
      const results = await Promise.all(chosen.map((/** @type {any} */ gateway) => gateway[action](...args)));
      return which === 'all' ? results : results[0];
    }
    default:
      throw new Refusal(404, 'no such thing');
  }
}

/**
 * @param {http.IncomingMessage} request
 * @returns {Promise<any[]>} empty when there is no body
 */
async function bodyOf(request) {
  let text = '';
  request.setEncoding('utf8');
  for await (const chunk of request) {
    text += chunk;
    if (text.length > MAX_BODY_BYTES) throw new Refusal(413, 'too long');
  }
  if (text === '') return [];
  try {
    const body = JSON.parse(text);
    if (Array.isArray(body)) return body;
  } catch {
    // the same answer
  }
  throw new Refusal(400, 'the body is no JSON array');
}
