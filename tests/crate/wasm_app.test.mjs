// examples/wasm-app: a page whose own code is Rust, in Chromium, through the kill of its gateway, judged by the journal.
import assert from 'node:assert/strict';
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { startCluster } from '../gateways/cluster.mjs';
import { bindgen, cargoBuild, project } from './support/cargo.mjs';

const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html' };
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'];
const WASM = 'wasm32-unknown-unknown';

let built;
let cluster;
let browser;
let server;

before(async () => {
  const target = await cargoBuild('wasm-app', '--target', WASM);
  built = await bindgen(join(target, WASM, 'debug/regate_wasm_app.wasm'));
  cluster = await startCluster({ count: 2, latencyMilliseconds: 50 });
  server = createServer((request, response) => {
    const path = new URL(request.url, 'http://x').pathname;
    const page = join(project, 'examples/wasm-app/index.html');
    const file = path === '/' ? page : join(built, path.replace(/^\/pkg\//, ''));
    if (!existsSync(file)) return response.writeHead(404).end();
    createReadStream(file).pipe(response.writeHead(200, { 'content-type': TYPES[extname(file)] }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS });
});

after(async () => {
  await browser?.close();
  server?.close();
  await cluster?.stop();
});

test('it shows its state, says of every write what is known, and its news go on over the next gateway', async (t) => {
  const page = await browser.newPage();
  t.after(() => page.close());
  const troubles = [];
  page.on('pageerror', (error) => troubles.push(error.message));
  const query = cluster.urls.map((url) => `gateway=${encodeURIComponent(url)}`).join('&');
  await page.goto(`http://127.0.0.1:${server.address().port}/?${query}`);
  await page.getByText('connected (opened)').waitFor();

  const offer = async (text) => {
    await page.fill('#item', text);
    await page.click('button');
  };
  const became = async (text) => {
    const line = page.locator('#outcomes li', { hasText: `${text}: ` });
    return (await line.textContent()).slice(text.length + 2);
  };
  const news = (text) => page.locator('#news li', { hasText: text }).textContent();
  const isSubscribed = async () => {
    while ((await cluster.subscriptions()).length !== 1) await cluster.stats();
  };

  await offer('w1');
  assert.equal(await became('w1'), 'performed: the queue has 1 items');
  await isSubscribed();
  await cluster.publish('news', 'first');
  assert.equal(await news('first'), 'first (resumed 0 times)');

  const { gateways } = await cluster.until(({ gateways }) => gateways.some(({ open }) => open === 1));
  const connected = gateways.findIndex(({ open }) => open === 1);
  const before = gateways[connected].messages;
  await offer('w2');
  await cluster.until((stats) => stats.gateways[connected].messages > before);
  await cluster.gateways[connected].kill(); // the answer is 50 ms away
  assert.equal(await became('w2'), 'may have been performed: look before you offer it again');

  await page.getByText('connected (opened)').waitFor();
  await offer('w3');
  assert.match(await became('w3'), /^performed: the queue has [23] items$/);
  await isSubscribed();
  await cluster.publish('news', 'second');
  assert.equal(await news('second'), 'second (resumed 1 times)');

  await page.goto('about:blank');
  await cluster.heal();
  await cluster.quiet();
  const outcomes = [
    { id: 'w1', kind: 'write', outcome: 'ok' },
    { id: 'w2', kind: 'write', outcome: 'error', completion: 'maybe' },
    { id: 'w3', kind: 'write', outcome: 'ok' },
  ];
  const { clean, findings } = await cluster.audit(outcomes);
  assert.ok(clean, JSON.stringify(findings));
  assert.deepEqual(troubles, []);
});

test('what its documentation has one build is ignored by git', () => {
  const source = readFileSync(join(project, 'examples/wasm-app/src/lib.rs'), 'utf8');
  const [, folder] = /--out-dir (\S+) target\//.exec(source);
  const ignored = readFileSync(join(project, '.gitignore'), 'utf8').split('\n');
  assert.ok(ignored.includes('target/') && ignored.includes(`/examples/wasm-app/${folder}/`), folder);
});

test('nothing of what the npm package wraps is in it', () => {
  const wasm = readdirSync(built).find((name) => name.endsWith('.wasm'));
  const names = WebAssembly.Module.exports(new WebAssembly.Module(readFileSync(join(built, wasm))))
    .map(({ name }) => name)
    .filter((name) => /core|retry|schedule/i.test(name));
  assert.deepEqual(names, []);
});
