// The package in workerd: it imports, connects out, and answers through a gateway. One client per request.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { build } from 'esbuild';
import { startCluster } from '../gateways/cluster.mjs';
import { emptyFolder, installedProject } from './support/installed.mjs';

Object.assign(process.env, {
  CI: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  NO_COLOR: '1',
  WRANGLER_SEND_METRICS: 'false',
});
const { Miniflare } = await import('miniflare');

const WORKER = `
import * as regate from 'regate';
const { ClusterClient, GatewaySocket, connect, init, tcpTimeouts } = regate;
let kept;
const paths = {
  async '/exports'() { return Object.keys(regate).sort(); },
  async '/schedule'() { await init(); return tcpTimeouts('2000:6000:20').waits(); },
  async '/call'(gateways) {
    const client = await connect({ gateways, logger: null });
    try { return await client.invoke('echo', ['from a worker'], { readOnly: true }); } finally { client.close(); }
  },
  async '/socket'(gateways) {
    const Gateways = GatewaySocket.over(['ws://127.0.0.1:1/', ...gateways], { logger: null, buffer: true, networking: { shuffleAddresses: false } });
    const socket = new Gateways();
    const seen = [];
    for (const type of ['open', 'message', 'error', 'close'])
      socket.addEventListener(type, (event) => seen.push([type, event.data ?? event.code ?? ''].join(' ').trim()));
    const next = (type) => new Promise((resolve) => socket.addEventListener(type, resolve));
    socket.send('{"jsonrpc":"2.0","id":1,"method":"echo","params":["from a socket"]}');
    await next('message');
    socket.close(4000, 'done');
    await next('close');
    const left = new Gateways();
    left.onerror = ({ target }) => { seen.push(['handler', target === left].join(' ')); throw new Error('of the application'); };
    left.addEventListener('error', { handleEvent: () => seen.push('object') }, { once: true });
    left.close();
    await new Promise((resolve) => { left.onclose = resolve; });
    return [...seen, socket.readyState, socket.protocol, left.readyState];
  },
  async '/dead'(gateways) {
    const networking = { connectTimeouts: '1:3:100', connectionTimeoutMilliseconds: 2000 };
    return connect({ gateways: ['ws://127.0.0.1:1/'], networking, logger: null }).then(() => 'connected', (error) => [error.code, error.failures.length]);
  },
  async '/keep'(gateways) { kept = await connect({ gateways, logger: null }); return kept.invoke('echo', ['kept']); },
  async '/again'() { kept.close(); await kept.connect(); const value = await kept.invoke('echo', ['again']); kept.close(); return value; },
  async '/other'() {
    return kept.invoke('echo', ['other'], { timeoutMilliseconds: 2000 }).then((value) => ['answered', value], (error) => [error.code, error.completion]);
  },
};
export default {
  async fetch(request) {
    try {
      return Response.json(await paths[new URL(request.url).pathname](await request.json()));
    } catch (error) {
      return Response.json({ thrown: String(error?.stack ?? error) }, { status: 500 });
    }
  },
};`;

/** A running Worker. */
async function start(t, compatibilityDate) {
  const folder = emptyFolder();
  const entry = join(installedProject(), 'worker.js');
  writeFileSync(entry, WORKER);
  await build({
    bundle: true,
    conditions: ['workerd', 'worker', 'browser'],
    entryPoints: [entry],
    external: ['cloudflare:*'],
    format: 'esm',
    loader: { '.wasm': 'copy' },
    logLevel: 'error',
    outdir: folder,
  });
  assert.match(readFileSync(join(folder, 'worker.js'), 'utf8'), /import \w+ from "\.\/regate_bg[^"]*\.wasm"/);
  const miniflare = new Miniflare({
    compatibilityDate,
    modules: true,
    modulesRoot: folder,
    modulesRules: [
      { type: 'ESModule', include: ['**/*.js'] },
      { type: 'CompiledWasm', include: ['**/*.wasm'] },
    ],
    scriptPath: join(folder, 'worker.js'),
  });
  t.after(() => miniflare.dispose());
  await miniflare.ready;
  return async (path, body = []) => {
    const response = await miniflare.dispatchFetch(`http://worker${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    const value = await response.json();
    assert.equal(value?.thrown, undefined);
    return value;
  };
}

for (const date of ['2024-09-01', '2026-04-20']) {
  test(`with compatibility date ${date}`, async (t) => {
    const cluster = await startCluster({ count: 2 });
    t.after(() => cluster.stop());
    const ask = await start(t, date);
    assert.deepEqual(await ask('/exports'), [
      'ClusterClient',
      'GatewaySocket',
      'RegateError',
      'completionOf',
      'connect',
      'init',
      'retry',
      'tcpTimeouts',
    ]);
    assert.deepEqual(await ask('/schedule'), [2000, 2400, 2880]);
    assert.deepEqual(await ask('/call', cluster.urls), ['from a worker']);
    assert.deepEqual(await ask('/call', cluster.urls), ['from a worker']);
    const answer = 'message {"jsonrpc":"2.0","id":1,"result":["from a socket"]}';
    assert.deepEqual(await ask('/socket', cluster.urls), [
      'open',
      answer,
      'close 4000',
      'handler true',
      3,
      '',
      3,
    ]);
    assert.deepEqual(await ask('/dead'), ['CONNECT_TIMEOUT', 1]);
  });
}

test('a client of another request is a fast, typed error', async (t) => {
  const cluster = await startCluster({ count: 1 });
  t.after(() => cluster.stop());
  const ask = await start(t, '2026-04-20');
  assert.deepEqual(await ask('/keep', cluster.urls), ['kept']);
  assert.deepEqual(await ask('/other'), ['WRONG_CONTEXT', 'no']);
  assert.deepEqual(await ask('/again'), ['again']);
});
