// What is in the tarball, what it exports, and that importing it starts nothing.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  freshPackage,
  importEntry,
  packageFolder,
  project,
  runModule,
  tarball,
} from './support/installed.mjs';

const EXPECTED = [
  'CHANGELOG.md',
  'LICENSE-APACHE',
  'LICENSE-MIT',
  'README.md',
  'arguments.js',
  'client.js',
  'codec.js',
  'core.js',
  'error.js',
  'events.js',
  'exchange.js',
  'fetch_socket.js',
  'gateway_socket.js',
  'index.d.ts',
  'index.inline.js',
  'index.web.js',
  'index.workerd.js',
  'init.js',
  'json_rpc.js',
  'judge.js',
  'lane.js',
  'lister.js',
  'log.js',
  'notice.js',
  'options.js',
  'package.json',
  'patience.js',
  'regate.js',
  'regate_bg.inline.js',
  'regate_bg.wasm',
  'regate_bg.wasm.d.ts',
  'report.js',
  'retry.js',
  'schedule.js',
  'subscription.js',
  'turn.js',
  'wake.js',
  'wasm.js',
];

test('the tarball holds what it should, one wasm, and nothing else', () => {
  const listed = execFileSync('tar', ['tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
  const names = listed.map((path) => path.replace(/^package\//, '')).sort();
  assert.deepEqual(names, EXPECTED);
  assert.equal(names.filter((name) => name.endsWith('.wasm')).length, 1);
});

test('the text of the inline entry is the wasm file', async () => {
  const { default: base64 } = await importEntry(packageFolder(), 'regate_bg.inline.js');
  const wasm = readFileSync(join(packageFolder(), 'regate_bg.wasm'));
  assert.ok(Buffer.from(base64, 'base64').equals(wasm));
});

test('no file names the machine it was built on', () => {
  for (const name of readdirSync(packageFolder())) {
    const text = readFileSync(join(packageFolder(), name), 'latin1');
    assert.ok(!text.includes(project), `${name} has the path of the project`);
    assert.doesNotMatch(text, /\/home\/\w+\/|\/root\//, name);
  }
});

test('each entry exports the names that the types promise', async () => {
  const types = readFileSync(join(packageFolder(), 'index.d.ts'), 'utf8');
  const declared = [...types.matchAll(/^export (?:declare )?(?:class|function|const) (\w+)/gm)].map(
    ([, name]) => name,
  );
  const promised = [...new Set(declared)].sort(); // overloads have one name
  assert.ok(promised.length > 0);
  for (const entry of ['index.inline.js', 'index.web.js']) {
    assert.deepEqual(Object.keys(await importEntry(freshPackage(), entry)).sort(), promised, entry);
  }
  // Node imports no wasm: this entry is read, and run in the test of workerd.
  const workerd = readFileSync(join(packageFolder(), 'index.workerd.js'), 'utf8');
  const names = [...workerd.matchAll(/^export (?:\{ (\w+) \}|(?:class|const) (\w+))/gm)].map(
    ([, a, b]) => a ?? b,
  );
  assert.deepEqual(names.sort(), promised, 'index.workerd.js');
});

const TRAPS = `
const used = [];
const trap = (owner, name) => {
  const original = owner[name];
  Object.defineProperty(owner, name, { configurable: true, writable: true, value: function (...args) {
    used.push(name);
    return new.target ? Reflect.construct(original ?? Object, args) : original?.apply(this, args);
  } });
};
for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest', 'Worker', 'BroadcastChannel', 'MessageChannel', 'addEventListener']) trap(globalThis, name);
for (const name of ['getRandomValues', 'randomUUID']) trap(crypto, name);
for (const name of ['instantiate', 'compile', 'instantiateStreaming', 'compileStreaming', 'Module', 'Instance']) trap(WebAssembly, name);
for (const name of ['random']) trap(Math, name);
for (const name of ['now']) { trap(Date, name); trap(performance, name); }
trap(EventTarget.prototype, 'addEventListener');
trap(process, 'on');
`;

for (const entry of ['regate', 'regate/inline', './node_modules/regate/index.web.js']) {
  test(`importing ${entry} starts nothing`, async () => {
    const { code, stdout, stderr } = await runModule(`${TRAPS}
      const before = used.length;
      const resources = String(process.getActiveResourcesInfo());
      await import('${entry}');
      console.log(JSON.stringify(used.slice(before)), String(process.getActiveResourcesInfo()) === resources);`);
    assert.equal(stderr, '');
    assert.equal(code, 0);
    assert.equal(stdout, '[] true\n');
  });
}

test('it works without FinalizationRegistry and WeakRef', async () => {
  const { code, stdout, stderr } = await runModule(`
    void globalThis.Request; // Node's own fetch, loaded at first sight, cannot do without
    delete globalThis.FinalizationRegistry;
    delete globalThis.WeakRef;
    const { init, ClusterClient } = await import('regate');
    await init();
    class Socket { readyState = 0; constructor() { queueMicrotask(() => { this.readyState = 1; this.onopen({ type: 'open' }); }); }
      send(frame) { queueMicrotask(() => this.onmessage({ type: 'message', data: JSON.stringify({ id: JSON.parse(frame).id, result: 7 }) })); } close() {} }
    const client = new ClusterClient({ gateways: ['ws://a.example'], WebSocket: Socket });
    await client.connect();
    console.log(await client.invoke('m'));
    client.close();`);
  assert.equal(stderr, '');
  assert.equal(code, 0);
  assert.equal(stdout, '7\n');
});
