// A map in a cluster, over HTTP: GET and PUT /map/KEY, and GET /status.
import { DurableObject } from 'cloudflare:workers';
import { ClusterClient, init, RegateError } from 'regate';

/** What a failure is over HTTP, by what is known of the operation. */
const STATUS = {
  no: 503, // not performed: ask again
  maybe: 504, // may have been performed: look before you ask again
  yes: 502, // performed, and answered with an error
};

/** Keeps one connection to the cluster, across the requests of all visitors. */
export class Cluster extends DurableObject {
  #client;

  constructor(ctx, env) {
    super(ctx, env);
    ctx.blockConcurrencyWhile(async () => {
      await init();
      this.#client = new ClusterClient({
        gateways: env.GATEWAYS,
        transport: 'fetch', // sends headers, and sees why a gateway refuses
        headers: env.TOKEN === undefined ? {} : { authorization: `Bearer ${env.TOKEN}` },
        messaging: { retryTimeoutSeconds: 10 }, // longer than that nobody waits for a response
      });
    });
  }

  async fetch(request) {
    // Dials on the first request, and again on the first one after the client gave up; else it changes nothing.
    const connecting = this.#client.connect();
    connecting.catch(() => {}); // the operation itself says what became of it
    const [, what, key] = new URL(request.url).pathname.split('/');
    if (what === 'status') return Response.json({ state: this.#client.state, ...this.#client.stats() });
    const call = await readCall(request, key);
    if (call === undefined) return new Response('the key or the body cannot be read\n', { status: 400 });
    try {
      return Response.json({ value: await this.#client.invoke(...call) });
    } catch (error) {
      if (!(error instanceof RegateError)) throw error;
      const { code, completion, message } = error;
      return Response.json({ code, completion, message }, { status: STATUS[completion] });
    }
  }
}

/** What the cluster is asked for, or `undefined` where nobody can tell. */
async function readCall(request, text) {
  try {
    const key = decodeURIComponent(text);
    if (request.method === 'GET') return ['map.get', [key], { readOnly: true }];
    return ['map.put', [key, await request.json()]];
  } catch {
    return undefined;
  }
}

export default {
  async fetch(request, env) {
    const asked = `${request.method} ${new URL(request.url).pathname}`;
    if (!/^(GET \/status|(GET|PUT) \/map\/[^/]+)$/.test(asked))
      return new Response('GET or PUT /map/KEY, or GET /status\n', { status: 404 });
    return env.CLUSTER.getByName('main').fetch(request);
  },
};
