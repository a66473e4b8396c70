// The packed package in Chromium: a server of its files, and fresh pages under a strict Content-Security-Policy.
import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { chromium } from 'playwright-core';
import { packageFolder } from './installed.mjs';

const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];
FLAGS.push('--disable-background-networking', '--disable-component-update', '--disable-sync');
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html' };

/** All that the package needs: its scripts, its wasm, its gateways. */
export const STRICT =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' ws://127.0.0.1:*";

/** A browser and a server of the package's files; `end()` ends both. */
export async function startPages({ flags = [], withCache = false } = {}) {
  let twist = {};
  const server = createServer((request, response) => {
    const path = new URL(request.url, 'http://x').pathname;
    const headers = { 'content-security-policy': twist.policy ?? STRICT };
    if (path === '/')
      return response.writeHead(200, { ...headers, 'content-type': 'text/html' }).end('<!doctype html>');
    const instead = twist.instead?.[path];
    if (instead) return response.writeHead(...instead).end('<!doctype html>');
    const extra = twist.scripts?.[path];
    if (extra) return response.writeHead(200, { ...headers, 'content-type': 'text/javascript' }).end(extra);
    const file = join(packageFolder(), path);
    if (!existsSync(file)) return response.writeHead(404).end();
    const type = twist.types?.[extname(file)] ?? TYPES[extname(file)];
    createReadStream(file).pipe(response.writeHead(200, { ...headers, 'content-type': type }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [...FLAGS, ...flags],
    // Playwright keeps pages out of the back/forward cache unless it is told not to.
    ignoreDefaultArgs: withCache ? ['--disable-back-forward-cache'] : [],
  });
  return {
    browser,
    origin,
    /** What the server does otherwise than usual from now on. */
    twist(changes) {
      twist = changes;
    },
    /** A fresh page, and all that went wrong in it. `changes` is what the server does otherwise than usual. */
    async open(t, changes = {}) {
      twist = changes;
      const context = await browser.newContext();
      t.after(() => context.close());
      const page = await context.newPage();
      const troubles = [];
      page.on('pageerror', (error) => troubles.push(error.message));
      page.on('console', (message) => message.type() === 'error' && troubles.push(message.text()));
      await page.goto(origin);
      return { page, troubles, context };
    },
    async end() {
      await browser.close();
      server.close();
      server.closeAllConnections();
    },
  };
}
