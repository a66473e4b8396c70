// GatewaySocket beside the platform's own WebSocket in Chromium: the same calls, the same events, in the same order.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { startLineServer } from './support/line_server.mjs';
import { startPages } from './support/page.mjs';
import { scenarios } from './support/socket_scenarios.js';

let server;
let pages;
let page;
before(async () => {
  [server, pages] = await Promise.all([startLineServer(), startPages()]);
  const context = await pages.browser.newContext();
  page = await context.newPage();
  const script = readFileSync(new URL('support/socket_scenarios.js', import.meta.url), 'utf8');
  pages.twist({ scripts: { '/scenarios.js': script } });
  await page.goto(pages.origin);
});
after(async () => {
  await pages?.end();
  server?.stop();
});

/** What the platform cannot do on a refusal, to try once more, ends at once here too. */
const OPTIONS = { logger: null, networking: { connectTimeouts: '1:1:1' } };

for (const name of Object.keys(scenarios)) {
  test(`the same trace: ${name}`, async () => {
    const traces = await page.evaluate(
      async ([scenario, base, options]) => {
        const { run } = await import('/scenarios.js');
        const { GatewaySocket, init } = await import('/index.web.js');
        await init();
        const limit = new Promise((_, reject) => setTimeout(reject, 10_000, new Error('no end in 10 s')));
        const native = await Promise.race([run(scenario, WebSocket, base, []), limit]);
        const ours = await Promise.race([run(scenario, GatewaySocket, base, [options]), limit]);
        return { native, ours };
      },
      [name, server.url, OPTIONS],
    );
    assert.ok(traces.native.length > 2, 'nothing was seen');
    assert.deepEqual(traces.ours, traces.native);
  });
}
