// Nothing is left behind: no heap, no wasm memory, no client that nobody has, no handle that keeps a process alive.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCluster } from '../gateways/cluster.mjs';
import { project, runModule } from './support/installed.mjs';

/** What the scripts below begin with: sockets that open, answer and close; the wasm's memory; a way to collect all that can be. */
const PRELUDE = `
import { setImmediate as turn } from 'node:timers/promises';
let memory;
const instantiate = WebAssembly.instantiate;
WebAssembly.instantiate = async (...args) => {
  const made = await instantiate.apply(WebAssembly, args);
  memory = Object.values(made.instance?.exports ?? {}).find((it) => it instanceof WebAssembly.Memory) ?? memory;
  return made;
};
class Socket {
  readyState = 0;
  onopen = null;
  constructor() { queueMicrotask(() => { if (this.readyState === 0) { this.readyState = 1; this.onopen?.({ type: 'open', target: this }); } }); }
  send(frame) { const { id, params } = JSON.parse(frame); queueMicrotask(() => this.onmessage?.({ type: 'message', data: JSON.stringify({ id, result: params ?? null }) })); }
  close() {
    this.readyState = 2;
    queueMicrotask(() => {
      this.readyState = 3;
      const event = { type: 'close', code: 1000, reason: '', wasClean: true, target: this };
      this.onclose?.(event);
      for (const [type, listener] of this.listeners) if (type === event.type) listener(event);
    });
  }
  listeners = [];
  addEventListener(...listener) { this.listeners.push(listener); }
}
const options = { gateways: ['ws://a.example', 'ws://b.example'], WebSocket: Socket, logger: null };
const { init, ClusterClient, GatewaySocket } = await import('regate');
await init();
// What each of five batches adds to the heap, least first: a leak adds to every one, a compiler now and then to one.
async function growths(cycle) {
  const added = [];
  for (let batch = 0; batch < 5; batch += 1) {
    await collect();
    const before = process.memoryUsage().heapUsed;
    for (let n = 0; n < 200; n += 1) await cycle();
    await collect();
    added.push(process.memoryUsage().heapUsed - before);
  }
  return added.sort((a, b) => a - b);
}
async function collect() { for (let times = 0; times < 10; times += 1) { await turn(); globalThis.gc(); } }
`;
const GC = { flags: ['--expose-gc'] };

/** That heap and wasm are level over 1,000 runs of a `cycle` that the script defines. */
async function isLevel(script) {
  const { code, stdout, stderr } = await runModule(
    `${PRELUDE}
    ${script}
    for (let n = 0; n < 300; n += 1) await cycle();
    const pages = memory.buffer.byteLength;
    console.log(JSON.stringify({ heap: (await growths(cycle))[0], wasm: memory.buffer.byteLength - pages }));`,
    GC,
  );
  assert.equal(stderr, '');
  assert.equal(code, 0);
  const { heap, wasm } = JSON.parse(stdout);
  assert.equal(wasm, 0);
  assert.ok(heap < 20_000, `${heap} bytes more`); // 100 a cycle would be one small object kept
}

test('1,000 connect and close cycles leave heap and wasm memory flat', async () => {
  await isLevel(`async function cycle() {
      const client = new ClusterClient(options);
      client.addEventListener('statechange', () => {});
      await client.connect();
      await client.invoke('m', [1]);
      client.close();
    }`);
});

test('1,000 sockets with a way of their own leave heap and wasm memory flat', async () => {
  await isLevel(`const next = (socket, type) => new Promise((resolve) => socket.addEventListener(type, resolve, { once: true }));
    async function cycle() {
      const socket = new GatewaySocket(options.gateways, undefined, { WebSocket: Socket, logger: null });
      socket.onclose = () => {};
      await next(socket, 'open');
      socket.send('{}');
      socket.close(3000, 'done');
      await next(socket, 'close');
    }`);
});

test('one client, 1,000 connect and close cycles: the same', async () => {
  await isLevel(`const client = new ClusterClient(options);
    async function cycle() { await client.connect(); await client.invoke('m', [1]); client.close(); await turn(); }`);
});

test('a client that nobody has is collected: closed, given up or never connected; one that is connected stays', async () => {
  const { code, stdout, stderr } = await runModule(
    `${PRELUDE}
    const made = {};
    async function make(name, use, more = {}) {
      const client = new ClusterClient({ ...options, ...more });
      await use(client);
      made[name] = new WeakRef(client);
    }
    class Dead { readyState = 0; constructor() { queueMicrotask(() => this.onclose?.({ type: 'close', code: 1006, target: this })); } close() {} }
    await make('idle', () => {});
    await make('closed', async (client) => { await client.connect(); await client.invoke('m'); client.close(); });
    await make('closed in flight', async (client) => { await client.connect(); client.invoke('m').catch(() => {}); client.close(); });
    await make('closed in the dial', (client) => { client.connect(); client.close(); });
    await make('gave up', (client) => client.connect().catch(() => {}), { WebSocket: Dead, networking: { connectTimeouts: '1:3:100' } });
    await make('aborted', async (client) => { const abort = new AbortController(); const done = client.connect({ signal: abort.signal }).catch(() => {}); abort.abort(); await done; });
    await make('connected', (client) => client.connect());
    await collect();
    console.log(Object.keys(made).filter((name) => made[name].deref() !== undefined).join());
    process.exit();`,
    GC,
  );
  assert.equal(stderr, '');
  assert.equal(code, 0);
  assert.equal(stdout, 'connected\n');
});

/** A program that uses a real cluster by `ws`, then closes at a time that it prints. */
const program = (urls, use) => `
import { createRequire } from 'node:module';
const { WebSocket } = createRequire('${project}/package.json')('ws');
const { connect } = await import('regate');
const client = await connect({ gateways: ${JSON.stringify(urls)}, WebSocket, logger: null, networking: { shuffleAddresses: false } });
${use}
client.close();
const closedAt = performance.now();
process.on('exit', () => console.log(Math.round(performance.now() - closedAt)));`;

test('a process ends by itself within a second of close', async (t) => {
  const cluster = await startCluster({ count: 2 });
  t.after(() => cluster.stop());
  const uses = {
    connected: `if (await client.invoke('whoami') === undefined) throw new Error();`,
    'with operations in flight': `client.invoke('slow', [{ id: 1, milliseconds: 60_000 }]).catch(() => {});`,
    'with an operation delayed': `client.invoke('busy', { id: 2, times: 99 }, { maxFastInvocationCount: 0 }).catch(() => {}); await new Promise((resolve) => setTimeout(resolve, 50));`,
  };
  for (const [name, use] of Object.entries(uses)) {
    const { code, stdout, stderr } = await runModule(program(cluster.urls, use));
    assert.equal(stderr, '', name);
    assert.equal(code, 0, name);
    assert.ok(Number(stdout) < 1000, `${name}: ${stdout}`);
  }
});

test('a program that ignores what is rejected at close ends without an error', async (t) => {
  const cluster = await startCluster({ count: 1 });
  t.after(() => cluster.stop());
  const { code, stdout, stderr } = await runModule(
    program(
      cluster.urls,
      `client.invoke('slow', [{ id: 1, milliseconds: 60_000 }]); client.close(); client.connect(); client.invoke('echo');`,
    ),
  );
  assert.equal(stderr, '');
  assert.equal(code, 0);
  assert.ok(Number(stdout) < 1000);
});
