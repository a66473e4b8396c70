// Clients of requests and of a Durable Object, for tests: each path takes options and says what came of it.
import { DurableObject } from 'cloudflare:workers';
import * as regate from 'regate';

const { ClusterClient, connect, GatewaySocket, init, tcpTimeouts } = regate;

const ending = (promise) =>
  promise.then(
    (value) => ({ value }),
    ({ code, completion, message, failures }) => ({ code, completion, message, failures }),
  );

/** Frames are numbers: a byte of the id and one of the value. */
const bytes = {
  encode: ({ id, params }) => new Uint8Array([id, ...(params ?? [])]),
  decode: (frame) => ({ id: new Uint8Array(frame)[0], result: Object.prototype.toString.call(frame) }),
};

/** A client and what it told. */
async function make(options, told = []) {
  await init();
  const logger = Object.fromEntries(
    ['error', 'info', 'warn'].map((level) => [level, (text) => told.push(`${level}: ${text}`)]),
  );
  const closePolicy = ({ code, status, verdict }) => void told.push(`judged ${code} ${status} ${verdict}`);
  const client = new ClusterClient({ logger, closePolicy, ...options });
  client.addEventListener('dialfailed', ({ detail }) =>
    told.push(`dialfailed ${detail.cause} ${detail.status}`),
  );
  return client;
}

const paths = {
  async '/exports'() {
    return Object.keys(regate).sort();
  },
  async '/schedule'() {
    await init();
    return tcpTimeouts('2000:6000:20').waits();
  },
  /** Events as listeners and handlers hear them, of a socket that opens and of one that is closed before. */
  async '/socket'({ gateways, ...options }) {
    const networking = { shuffleAddresses: false };
    const Gateways = GatewaySocket.over(gateways, { logger: null, buffer: true, networking, ...options });
    const socket = new Gateways();
    const seen = [];
    for (const type of ['open', 'message', 'error', 'close'])
      socket.addEventListener(type, ({ data, code }) => seen.push(`${type} ${data ?? code ?? ''}`.trim()));
    const next = (type) => new Promise((resolve) => socket.addEventListener(type, resolve));
    socket.send('{"jsonrpc":"2.0","id":1,"method":"echo","params":["from a socket"]}');
    await next('message');
    socket.close(4000, 'done');
    await next('close');
    const left = new Gateways();
    left.onerror = ({ target }) => {
      seen.push(`handler ${target === left}`);
      throw new Error('of the application');
    };
    left.addEventListener('error', { handleEvent: () => seen.push('object') }, { once: true });
    left.close();
    await new Promise((resolve) => {
      left.onclose = resolve;
    });
    return [...seen, socket.readyState, socket.protocol, left.readyState];
  },
  /** A socket that says hello in text and bytes, and closes when both are answered. */
  async '/gateway-socket'({ gateways, ...options }) {
    const told = [];
    const Socket = GatewaySocket.over(gateways, { ...options, logger: null });
    const socket = new Socket('ws://cluster', 'p');
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      told.push(`open ${socket.protocol}`);
      try {
        socket.send(new Blob(['x']));
      } catch ({ name }) {
        told.push(`Blob ${name}`);
      }
      socket.send(JSON.stringify({ id: 1, method: 'ping' }));
    };
    socket.onmessage = ({ data }) => {
      told.push(`message ${typeof data === 'string' ? JSON.parse(data).result : data.constructor.name}`);
      if (typeof data === 'string') socket.send(new Uint8Array([1, 2]));
      else socket.close(1000, 'done');
    };
    await new Promise((resolve) => {
      socket.onclose = resolve;
    }).then(({ code, wasClean }) => told.push(`close ${code} ${wasClean}`));
    return told;
  },
  /** Everything a request does with a client of its own. */
  async '/request'(options, ctx) {
    const client = await connect({ ...options, logger: null });
    ctx.waitUntil(client.closed);
    const value = await client.invoke('echo', ['text'], { readOnly: true });
    const left = client.invoke('echo', ['left']);
    return { value, drained: await client.drain(), left: await left, state: client.state };
  },
  async '/bytes'(options) {
    const client = await connect({ ...options, codec: bytes, logger: null });
    try {
      return await client.invoke('any', [7]);
    } finally {
      client.close();
    }
  },
  async '/connect'(options) {
    const told = [];
    const client = await make(options, told);
    const ended = await ending(client.connect());
    client.close();
    return { ...ended, told };
  },
  /** Headers that are made for each dial, or that are wrong only then. */
  async '/headers'({ made, ...options }) {
    const asked = [];
    const headers = async (url) => {
      asked.push(url);
      const given = made[Math.min(asked.length, made.length) - 1];
      if (given?.throws) throw new Error(given.throws);
      return given;
    };
    const reported = [];
    const keep = (event) => {
      reported.push(event.error.message);
      event.preventDefault();
    };
    addEventListener('error', keep);
    const client = await make({ ...options, headers });
    const connecting = client.connect();
    const ended = await ending(connecting);
    const cause = await connecting.catch((error) => error.cause?.message);
    client.close();
    removeEventListener('error', keep);
    return { ...ended, cause, asked, reported };
  },
  async '/wrong'({ also, ...options }) {
    await init();
    const more = also === 'WebSocket' ? { WebSocket } : {};
    return ending((async () => new ClusterClient({ ...options, ...more }))());
  },
};

let kept;
const shared = {
  async '/keep'(options, ctx) {
    kept = await connect({ ...options, logger: null });
    ctx.waitUntil(kept.closed);
    return kept.invoke('echo', ['kept']);
  },
  async '/other'() {
    const began = Date.now();
    const ended = await ending(kept.invoke('echo', ['other']));
    return { ...ended, milliseconds: Date.now() - began };
  },
  async '/again'() {
    kept.close();
    await kept.connect();
    const value = await kept.invoke('echo', ['again']);
    kept.close();
    return value;
  },
};

/** Keeps one client across its requests. */
export class Keeper extends DurableObject {
  #client;

  async fetch(request) {
    const what = new URL(request.url).pathname.split('/').at(-1);
    const body = await request.json();
    if (what === 'make') {
      this.#client = await connect({ ...body, logger: null });
      return Response.json(this.#client.state);
    }
    if (what === 'close') this.#client.close();
    else return Response.json(await ending(this.#client.invoke('echo', body, { readOnly: true })));
    return Response.json(this.#client.state);
  }
}

export default {
  async fetch(request, env, ctx) {
    const { pathname } = new URL(request.url);
    try {
      const [, kind, name] = pathname.split('/');
      if (kind === 'object') return await env.KEEPER.get(env.KEEPER.idFromName(name)).fetch(request);
      const path = paths[pathname] ?? shared[pathname];
      return Response.json((await path(await request.json(), ctx)) ?? null);
    } catch (error) {
      return Response.json({ thrown: String(error?.stack ?? error) }, { status: 500 });
    }
  },
};
