// The package in Chromium, without a bundler, under a strict Content-Security-Policy, against real gateways.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startCluster } from '../gateways/cluster.mjs';
import { STRICT, startPages } from './support/page.mjs';

let cluster;
let pages;

before(async () => {
  [cluster, pages] = await Promise.all([startCluster({ count: 2 }), startPages()]);
});

after(async () => {
  await pages?.end();
  await cluster?.stop();
});

const page = (t, changes) => pages.open(t, changes);

test('it loads by itself under a strict policy, connects, and answers', async (t) => {
  const { page: opened, troubles } = await page(t);
  const answer = await opened.evaluate(async (gateways) => {
    const { connect, RegateError } = await import('/index.web.js');
    const client = await connect({ gateways, networking: { shuffleAddresses: false } });
    const states = [];
    client.addEventListener('statechange', ({ detail }) => states.push(detail.to));
    await client.invoke('map.put', [{ id: 'c', key: 'browser', value: 'ä' }]);
    const value = await client.invoke('map.get', [{ id: 'd', key: 'browser' }], { readOnly: true });
    const many = await Promise.all(Array.from({ length: 100 }, (_, index) => client.invoke('echo', [index])));
    const flying = client.invoke('slow', [{ id: 'e', milliseconds: 60_000 }]).catch((error) => error);
    await client.invoke('echo');
    client.close();
    const error = await flying;
    return [
      value,
      many.flat().join(),
      states.join(),
      error instanceof RegateError,
      error.code,
      error.completion,
    ];
  }, cluster.urls);
  const numbers = Array.from({ length: 100 }, (_, index) => index).join();
  assert.deepEqual(answer, ['ä', numbers, 'closed', true, 'CLIENT_CLOSED', 'maybe']);
  assert.deepEqual(troubles, []);
});

test('the inline entry works there too', async (t) => {
  const { page: opened, troubles } = await page(t);
  const answer = await opened.evaluate(async (gateways) => {
    const { connect } = await import('/index.inline.js');
    const client = await connect({ gateways });
    const value = await client.invoke('echo', [1]);
    client.close();
    return value;
  }, cluster.urls);
  assert.deepEqual(answer, [1]);
  assert.deepEqual(troubles, []);
});

test('importing starts nothing: no fetch, no timer, no random number, no socket', async (t) => {
  const { page: opened } = await page(t);
  const used = await opened.evaluate(async () => {
    const seen = [];
    const trap = (owner, name) => {
      const original = owner[name];
      owner[name] = function (...args) {
        seen.push(name);
        return new.target ? Reflect.construct(original, args) : original.apply(this, args);
      };
    };
    for (const name of [
      'setTimeout',
      'setInterval',
      'fetch',
      'WebSocket',
      'Worker',
      'XMLHttpRequest',
      'queueMicrotask',
      'requestAnimationFrame',
    ])
      trap(globalThis, name);
    trap(Crypto.prototype, 'getRandomValues');
    trap(Math, 'random');
    trap(EventTarget.prototype, 'addEventListener');
    for (const name of ['compile', 'instantiate', 'instantiateStreaming', 'compileStreaming'])
      trap(WebAssembly, name);
    await import('/index.web.js');
    await import('/index.inline.js');
    const wasm = performance.getEntriesByType('resource').filter((entry) => entry.name.endsWith('.wasm'));
    return [...seen, ...wasm.map((entry) => entry.name)];
  });
  assert.deepEqual(used, []);
});

for (const [name, changes, text] of [
  [
    'is missing',
    { instead: { '/regate_bg.wasm': [404, { 'content-type': 'text/html' }] } },
    /could not be fetched: copy it beside the script/,
  ],
  [
    'is a page',
    { instead: { '/regate_bg.wasm': [200, { 'content-type': 'text/html' }] } },
    /is no wasm: serve regate_bg\.wasm/,
  ],
  [
    'may not be compiled',
    { policy: "script-src 'self'" },
    /Content-Security-Policy needs script-src 'wasm-unsafe-eval'/,
  ],
  [
    'may not be fetched',
    { policy: "script-src 'self' 'wasm-unsafe-eval'; connect-src 'none'" },
    /allow it in connect-src/,
  ],
]) {
  test(`INIT_FAILED says what to do when the wasm ${name}`, async (t) => {
    const { page: opened } = await page(t, changes);
    const [code, message] = await opened.evaluate(async () => {
      const { init } = await import('/index.web.js');
      return init().then(
        () => ['none', ''],
        (error) => [error.code, error.message],
      );
    });
    assert.equal(code, 'INIT_FAILED');
    assert.match(message, text);
  });
}

test('a wrong MIME type of the right file does no harm', async (t) => {
  const { page: opened } = await page(t, { types: { '.wasm': 'application/octet-stream' } });
  assert.equal(
    await opened.evaluate(() => import('/index.web.js').then(({ init }) => init().then(() => 'done'))),
    'done',
  );
});

test('a gateway that the policy forbids fails like any other, and the next one is taken', async (t) => {
  const { page: opened } = await page(t, { policy: STRICT });
  const [url, failed] = await opened.evaluate(async (gateways) => {
    const { ClusterClient, init } = await import('/index.web.js');
    await init();
    const client = new ClusterClient({
      gateways: ['ws://forbidden.example/', ...gateways],
      networking: { shuffleAddresses: false },
      logger: null,
    });
    const failures = [];
    client.addEventListener('dialfailed', ({ detail }) => failures.push(detail.cause));
    await client.connect();
    const { gateway } = client;
    client.close();
    return [gateway, failures];
  }, cluster.urls);
  assert.equal(url, cluster.urls[0]);
  assert.equal(failed.length, 1);
});

test('a listener that throws is reported to the page, and nothing else happens', async (t) => {
  const { page: opened, troubles } = await page(t);
  const value = await opened.evaluate(async (gateways) => {
    const { ClusterClient, init } = await import('/index.web.js');
    await init();
    const client = new ClusterClient({ gateways });
    client.addEventListener('statechange', () => {
      throw new Error('mine');
    });
    await client.connect();
    const answer = await client.invoke('echo', [1]);
    client.close();
    return answer;
  }, cluster.urls);
  assert.deepEqual(value, [1]);
  assert.equal(troubles.filter((text) => text.includes('mine')).length, 3);
});
