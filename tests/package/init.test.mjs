// Loading the wasm: once, from whatever it is given, and with an error that helps.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { fakeSockets } from './support/fake_ws.mjs';
import { freshPackage, importEntry, packageFolder } from './support/installed.mjs';

const bytes = () => readFileSync(join(packageFolder(), 'regate_bg.wasm'));
const withCode = (code, text) => (error) =>
  error.name === 'RegateError' && error.code === code && text.test(error.message);
const options = () => ({ gateways: ['ws://a.example'], WebSocket: fakeSockets().WebSocket });

/** Serves one answer to everything until the test ends. */
async function serve(t, status, headers, body) {
  const server = createServer((_, response) => response.writeHead(status, headers).end(body));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}/regate_bg.wasm`;
}

test('what needs wasm says NOT_INITIALISED before', async () => {
  const { ClusterClient, RegateError, tcpTimeouts } = await importEntry(freshPackage());
  assert.throws(() => new ClusterClient(options()), withCode('NOT_INITIALISED', /init\(\)/));
  assert.throws(() => tcpTimeouts('250:60000:100'), withCode('NOT_INITIALISED', /init\(\)/));
  assert.ok(new RegateError('CLIENT_CLOSED') instanceof Error);
});

test('init is idempotent, concurrent calls share it, and a client made before goes on', async () => {
  const { init, ClusterClient } = await importEntry(freshPackage());
  const compile = WebAssembly.instantiate;
  let compiled = 0;
  WebAssembly.instantiate = (...args) => {
    if (args[1]?.a) compiled += 1; // Node's own fetch has a wasm too
    return compile.apply(WebAssembly, args);
  };
  try {
    const [first, second] = [init(), init()];
    assert.equal(first, second);
    await first;
    const client = new ClusterClient(options());
    await init();
    await init(bytes());
    assert.equal(client.state, 'idle');
    assert.equal(client.stats().dials, 0);
    assert.equal(compiled, 1);
  } finally {
    WebAssembly.instantiate = compile;
  }
});

test('init takes bytes, a Module, a Response, a URL and a promise of one', async (t) => {
  const url = await serve(t, 200, { 'content-type': 'application/wasm' }, bytes());
  const sources = {
    bytes: bytes(),
    buffer: new Uint8Array(bytes()).buffer,
    module: new WebAssembly.Module(bytes()),
    response: new Response(bytes(), { headers: { 'content-type': 'application/wasm' } }),
    url: new URL(url),
    text: url,
    promise: Promise.resolve(bytes()),
  };
  for (const [name, source] of Object.entries(sources)) {
    const { init, tcpTimeouts } = await importEntry(freshPackage(), 'index.web.js');
    await init(source);
    assert.deepEqual(tcpTimeouts('1:3:100').waits(), [1, 2], name);
  }
});

test('a wrong MIME type of the right bytes does no harm', async (t) => {
  const warn = t.mock.method(console, 'warn', () => {});
  const url = await serve(t, 200, { 'content-type': 'text/plain' }, bytes());
  const { init, tcpTimeouts } = await importEntry(freshPackage(), 'index.web.js');
  await init(url);
  assert.equal(tcpTimeouts('1:3:100').waits().length, 2);
  assert.ok(warn.mock.callCount() <= 1);
});

test('INIT_FAILED says what is wrong, and a later init may succeed', async (t) => {
  t.mock.method(console, 'warn', () => {});
  const html = { 'content-type': 'text/html' };
  const dead = await serve(t, 200, {}, '');
  const cases = [
    ['404', await serve(t, 404, html, '<!doctype html>'), /could not be fetched: copy it beside the script/],
    ['a page for everything', await serve(t, 200, html, '<!doctype html>'), /no wasm: serve regate_bg\.wasm/],
    ['garbage', new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]), /no wasm/],
    ['nothing', new Uint8Array(), /no wasm/],
    ['a dead port', dead.replace(/:\d+\//, ':1/'), /could not be fetched/],
    ['a number', 5, /pass init\(\) the URL/],
    ['a rejected promise', () => Promise.reject(new Error('mine')), /pass init\(\) the URL/],
  ];
  for (const [name, given, text] of cases) {
    const { init, tcpTimeouts, ClusterClient } = await importEntry(freshPackage(), 'index.web.js');
    const source = typeof given === 'function' ? given() : given;
    await assert.rejects(init(source), withCode('INIT_FAILED', text), name);
    await assert.rejects(
      init(source),
      (error) => error.cause !== undefined && error.completion === 'no',
      name,
    );
    assert.throws(() => new ClusterClient(options()), withCode('NOT_INITIALISED', /./), name);
    await init(bytes());
    assert.equal(tcpTimeouts('1:3:100').waits().length, 2, name);
  }
});

/** The bytes of a module with so many exports of an empty function, which have such names as ours. */
function moduleWith(names) {
  const section = (id, bytes) => [id, ...leb(bytes.length), ...bytes];
  const leb = (number) =>
    number < 128 ? [number] : [(number % 128) + 128, ...leb(Math.floor(number / 128))];
  const exported = names.flatMap((name) => [name.length, ...Buffer.from(name), 0, 0]);
  const sections = [
    section(1, [1, 0x60, 0, 0]),
    section(3, [1, 0]),
    section(7, [...leb(names.length), ...exported]),
    section(10, [1, 2, 0, 0x0b]),
  ];
  return new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...(names.length > 0 ? sections.flat() : [])]);
}

test('a module that is another is INIT_FAILED, and none of it is kept', async () => {
  const own = WebAssembly.Module.exports(new WebAssembly.Module(bytes())).map(({ name }) => name);
  const importing = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 2, 8, 1, 1, 0x62, 1, 0x63, 2, 0, 0]; // b.c, a memory
  const others = {
    'without exports': moduleWith([]),
    'with some names of ours': moduleWith(own.slice(0, -1)),
    'with one more': moduleWith([...own, 'other']),
    'with as many others': moduleWith(own.map((name) => `${name}_`)),
    'with imports that nobody has': new Uint8Array(importing),
  };
  for (const [name, other] of Object.entries(others)) {
    const { init, tcpTimeouts } = await importEntry(freshPackage());
    for (const source of [other, new WebAssembly.Module(other)])
      await assert.rejects(init(source), withCode('INIT_FAILED', /this is another wasm: pass/), name);
    assert.throws(() => tcpTimeouts('1:3:100'), withCode('NOT_INITIALISED', /./), name);
    await init();
    assert.deepEqual(tcpTimeouts('1:3:100').waits(), [1, 2], name);
  }
});

test('connect() says INIT_FAILED too', async () => {
  const { connect } = await importEntry(freshPackage(), 'index.web.js');
  // Node fetches no file: URL.
  await assert.rejects(connect(options()), withCode('INIT_FAILED', /could not be fetched|pass init/));
});
