// What an application is told when the wasm does not load, in each browser's words: the advice has to fit all of them.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { extname, join } from 'node:path';
import { packageFolder } from '../package/support/installed.mjs';

const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };
const ALLOWED = "script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

/** How the wasm is kept from loading, and what is advised. */
const CASES = [
  { name: 'is missing', wasm: [404, 'text/html'], advice: /could not be fetched: copy it beside the script/ },
  { name: 'is a page', wasm: [200, 'text/html'], advice: /is no wasm: serve regate_bg\.wasm/ },
  { name: 'may not be compiled', policy: "script-src 'self'", advice: /needs script-src 'wasm-unsafe-eval'/ },
  {
    name: 'may not be fetched',
    policy: "script-src 'self' 'wasm-unsafe-eval'; connect-src 'none'",
    advice: /allow it in connect-src/,
  },
];

/** `start` names the function of the bench that starts the browser. */
export const failures = (label, start) => ({
  name: `INIT_FAILED, ${label}`,
  async run(bench, life) {
    const browser = await bench[start]();
    for (const each of CASES) {
      const page = await browser.open(await serve(life, each));
      const { code, message } = await page.evaluate(async () => {
        const { init } = await import('/index.web.js');
        const error = await init().catch((thrown) => thrown);
        return { code: error?.code, message: error?.message };
      });
      assert.equal(code, 'INIT_FAILED', each.name);
      assert.match(message, each.advice, each.name);
      await page.close();
    }
    return { entry: 'index.web', version: browser.version, passed: CASES.length };
  },
});

/** Serves the package as a case wants it. */
async function serve(life, { policy = ALLOWED, wasm }) {
  const server = http.createServer(({ url }, response) => {
    const headers = { 'content-security-policy': policy, 'content-type': TYPES[extname(url)] ?? 'text/html' };
    if (wasm !== undefined && url.endsWith('.wasm')) {
      const [status, type] = wasm;
      return response.writeHead(status, { ...headers, 'content-type': type }).end('<!doctype html>');
    }
    const isFile = extname(url) in TYPES;
    return response
      .writeHead(200, headers)
      .end(isFile ? readFileSync(join(packageFolder(), url)) : '<!doctype html>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  life.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${server.address().port}/`;
}
