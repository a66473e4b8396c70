// The properties in Chromium: the package as it is published, the properties bundled with fast-check beside it.
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { packageFolder } from '../package/support/installed.mjs';

const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];
FLAGS.push('--disable-background-networking', '--disable-component-update', '--disable-sync');
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };

/** A page in which properties can be run. */
export async function openPage() {
  const entry = fileURLToPath(new URL('run.mjs', import.meta.url));
  const bundled = await build({ entryPoints: [entry], bundle: true, format: 'esm', write: false });
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://x');
    if (pathname === '/')
      return response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>');
    const type = { 'content-type': TYPES[extname(pathname)] ?? 'text/plain' };
    if (pathname === '/run.js') return response.writeHead(200, type).end(bundled.outputFiles[0].text);
    const file = createReadStream(join(packageFolder(), pathname));
    file.once('error', () => response.writeHead(404).end());
    file.once('open', () => file.pipe(response.writeHead(200, type)));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS });
  const page = await browser.newPage();
  const troubles = [];
  page.on('pageerror', (error) => troubles.push(error.stack ?? error.message));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  return {
    async run(name, parameters) {
      const result = await page.evaluate(
        async ([name, parameters]) => {
          const regate = await import('/index.web.js');
          await regate.init();
          const { run } = await import('/run.js');
          return run(name, regate, parameters);
        },
        [name, parameters],
      );
      const faults = troubles.splice(0);
      if (faults.length > 0)
        result.broken ??= `the page met errors (seed ${result.seed}):\n${faults.join('\n')}`;
      return result;
    },
    async close() {
      await browser.close();
      server.close();
      server.closeAllConnections();
    },
  };
}
