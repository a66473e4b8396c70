// The pages of the documents, in Chromium, from a server that has the package in `node_modules`.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { after, test } from 'node:test';
import { startCluster } from '../gateways/cluster.mjs';
import { installedProject } from '../package/support/installed.mjs';
import { startPages } from '../package/support/page.mjs';
import { blocksIn } from './support/blocks.mjs';

const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };
const LIMIT_MILLISECONDS = 60_000;

const { browser, end } = await startPages();
after(end);

/** The address of a page. */
async function serve(t, html) {
  const root = installedProject();
  const server = createServer(({ url }, response) => {
    if (url === '/') return response.writeHead(200, { 'content-type': 'text/html' }).end(html);
    if (url === '/favicon.ico') return response.writeHead(204).end();
    const file = join(root, url);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[extname(file)] }).end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${server.address().port}/`;
}

for (const { title, text } of blocksIn('html')) {
  test(`${title} shows a value`, { timeout: LIMIT_MILLISECONDS }, async (t) => {
    const cluster = await startCluster({ count: 2 });
    t.after(() => cluster.stop());
    // As it stands there, but for where the gateways are.
    const placed = text.replace(
      /wss:\/\/([ab])\.example\/ws/g,
      (_, name) => cluster.urls['ab'.indexOf(name)],
    );
    const page = await browser.newPage();
    t.after(() => page.close());
    const troubles = [];
    page.on('pageerror', ({ message }) => troubles.push(message));
    page.on('console', (message) => troubles.push(message.text()));
    await page.goto(await serve(t, `<!doctype html><body>${placed}`));
    // A key that nobody has put has the value null.
    await page.waitForFunction(() => document.body.lastChild.textContent === 'null');
    assert.deepEqual(troubles, []);
  });
}
