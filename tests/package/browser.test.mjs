// What only a browser does: caches pages, freezes them, takes their network away, and guards what they may open.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Chromium } from '../demo/chromium.mjs';
import { Lifetime } from '../demo/lifetime.mjs';
import { startCluster } from '../gateways/cluster.mjs';
import { packageFolder } from './support/installed.mjs';
import { startPages } from './support/page.mjs';

let cluster;
let pages;
before(async () => {
  [cluster, pages] = await Promise.all([startCluster({ count: 2 }), startPages({ withCache: true })]);
});
after(async () => {
  await pages?.end();
  await cluster?.stop();
});

/** A page whose client is connected to the real gateways; it keeps what it was told. */
async function connectedPage(t, options = {}, changes = {}) {
  const opened = await pages.open(t, changes);
  await opened.page.evaluate(
    async ([gateways, more]) => {
      const { connect } = await import('/index.web.js');
      globalThis.told = [];
      globalThis.client = await connect({ gateways, networking: { shuffleAddresses: false }, ...more });
      globalThis.client.addEventListener('statechange', ({ detail }) =>
        globalThis.told.push(`${detail.to}: ${detail.reason}`),
      );
    },
    [cluster.urls, options],
  );
  return opened;
}

test('a page that really goes into the back/forward cache comes back connected', async (t) => {
  const { page } = await connectedPage(t);
  await page.goto(`${pages.origin}/?other`);
  await page.goBack({ waitUntil: 'commit' });
  const { told, isSame, answer } = await page.evaluate(async () => {
    const isSame = globalThis.client !== undefined;
    if (!isSame) return { isSame };
    await globalThis.client.connect();
    const answer = await globalThis.client.invoke('echo', [1], { readOnly: true });
    return { isSame, answer, told: globalThis.told };
  });
  assert.ok(isSame, 'it was not kept in the cache');
  assert.deepEqual(told, ['reconnecting: page hidden', 'connected: opened']);
  assert.deepEqual(answer, [1]);
});

/** Not by Playwright, which keeps its pages in the foreground. */
test('a page that is frozen, whose sockets Chromium kills, is connected soon after it wakes', async (t) => {
  const life = new Lifetime();
  t.after(() => life.end());
  const browser = await Chromium.launch(life);
  const page = await browser.open(pages.origin);
  await page.evaluate(async (gateways) => {
    const { connect } = await import('/index.web.js');
    const told = [];
    for (const name of ['freeze', 'resume']) document.addEventListener(name, () => told.push(name));
    const client = await connect({ gateways, logger: null, networking: { shuffleAddresses: false } });
    client.addEventListener('statechange', ({ detail }) => told.push(detail.to));
    Object.assign(globalThis, { client, told });
  }, cluster.urls);
  await page.freeze(500);
  const [answer, told] = await page.evaluate(async () => {
    const { client } = globalThis;
    const given = await client.invoke('echo', [2], { readOnly: true });
    return [given, [...globalThis.told, client.state]];
  });
  assert.deepEqual(answer, [2]);
  assert.deepEqual(told.slice(0, 2), ['freeze', 'resume']);
  assert.equal(told.at(-1), 'connected');
});

test('offline: the line stalls, is found dead, and the next one is there soon after online', async (t) => {
  const options = { logger: null, heartbeat: { periodMilliseconds: 200 } };
  options.networking = {
    readTimeouts: '100:200:10',
    shuffleAddresses: false,
    connectTimeouts: '500:60000:3000',
  };
  const { page, context } = await connectedPage(t, options);
  await context.setOffline(true);
  const waiting = await page.evaluate(async () => {
    const { client } = globalThis;
    const detail = await new Promise((resolve) => {
      client.addEventListener(
        'waiting',
        (event) => event.detail.milliseconds > 5000 && resolve(event.detail),
      );
    });
    globalThis.parked = client.invoke('echo', [3], { readOnly: true });
    return [client.state, client.stats().pendingOperations, detail.milliseconds > 10_000];
  });
  assert.deepEqual(waiting, ['reconnecting', 1, true]);
  await context.setOffline(false);
  const [answer, told] = await page.evaluate(async () => [await globalThis.parked, globalThis.told]);
  assert.deepEqual(answer, [3]);
  assert.deepEqual(told, ['reconnecting: heartbeat lost', 'connected: opened']);
});

test('ws: from an https: page is a clear and permanent error, and wss: beside it is dialled', async (t) => {
  const context = await pages.browser.newContext();
  t.after(() => context.close());
  const types = { js: 'text/javascript', wasm: 'application/wasm' };
  await context.route('https://app.example/**', (route) => {
    const name = new URL(route.request().url()).pathname.slice(1);
    if (name === '') return route.fulfill({ contentType: 'text/html', body: '<!doctype html>' });
    const contentType = types[name.split('.').at(-1)];
    return route.fulfill({ contentType, body: readFileSync(join(packageFolder(), name)) });
  });
  const page = await context.newPage();
  await page.goto('https://app.example/');
  const found = await page.evaluate(async () => {
    const { connect } = await import('/index.web.js');
    const lines = [];
    const logger = { error: (line) => lines.push(line), info() {}, warn: (line) => lines.push(line) };
    const began = performance.now();
    const gateways = ['ws://u:s3cret@gateway.example/s3cret', 'ws://other.example/?s3cret'];
    const networking = { shuffleAddresses: false, connectTimeouts: '50:60:100' };
    const error = await connect({ gateways, logger, networking }).catch((thrown) => thrown);
    const milliseconds = performance.now() - began;
    const mixed = { gateways: ['ws://gateway.example/', 'wss://gateway.invalid/'], logger: null, networking };
    const second = await connect(mixed).catch(({ code, failures }) => ({ code, failures }));
    const { code, message, failures, completion } = error;
    return { code, message, failures, completion, lines, milliseconds, second };
  });
  const cause = 'not allowed from this page (https: needs wss:)';
  assert.deepEqual([found.code, found.completion], ['NO_GATEWAY', 'no']);
  assert.deepEqual(found.failures, [
    { gateway: 'ws://gateway.example [0]', cause },
    { gateway: 'ws://other.example [1]', cause },
  ]);
  assert.ok(found.message.includes(cause));
  assert.ok(found.milliseconds < 2000, 'at once: it would say the same again');
  assert.ok(!JSON.stringify(found).includes('s3cret'));
  assert.equal(found.second.code, 'CONNECT_TIMEOUT');
  assert.deepEqual(
    found.second.failures.map((failure) => failure.cause),
    [cause, 'closed'],
  );
});

test('under the strictest policy nothing is reported as a violation, whatever is used', async (t) => {
  const { page, troubles } = await pages.open(t);
  await page.evaluate(() => {
    globalThis.violations = [];
    addEventListener('securitypolicyviolation', (event) =>
      globalThis.violations.push(event.violatedDirective),
    );
  });
  const answers = await page.evaluate(async (gateways) => {
    const { connect, retry, tcpTimeouts } = await import('/index.web.js');
    const client = await connect({ gateways });
    const heard = new Promise((resolve) => client.subscribe('subscribe', { topic: 'csp' }, resolve));
    const key = await client.invoke('echo', ['key'], { operationKey: true });
    await client.invoke('publish', [{ id: 'csp', topic: 'csp', value: 1 }]);
    const retried = await retry(({ attempt }) => attempt, { readOnly: true });
    const waits = tcpTimeouts('1:2:3').waits().length;
    await heard;
    await client.drain();
    return [key, retried, waits, client.state, globalThis.violations];
  }, cluster.urls);
  assert.deepEqual(answers, [['key'], 1, 2, 'closed', []]);
  assert.deepEqual(troubles, []);
});

test('no file of the package makes code of texts', () => {
  for (const name of readdirSync(packageFolder()).filter((file) => file.endsWith('.js'))) {
    const text = readFileSync(join(packageFolder(), name), 'utf8');
    assert.doesNotMatch(text, /\beval\s*\(|new Function\b|document\.write|innerHTML|importScripts/, name);
    if (name !== 'wake.js') assert.doesNotMatch(text, /beforeunload|['"]unload['"]/, name);
  }
});
