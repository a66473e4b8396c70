// React's StrictMode in Chromium: a component that mounts, unmounts and mounts has one socket, and none when it has gone.

import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSite } from '../demo/site.mjs';
import { bundle } from './bundlers/esbuild.mjs';
import { makeProject } from './project.mjs';
import { openedBy, optionsFor } from './trial.mjs';

const APPLICATION = fileURLToPath(new URL('react/app.jsx', import.meta.url));
const MODULES = fileURLToPath(new URL('node_modules', import.meta.url));

export const react = {
  name: 'React, StrictMode',
  async run(bench, life) {
    const folder = makeProject(life, { name: 'regate' });
    cpSync(APPLICATION, join(folder, 'src/app.jsx'));
    const { out, entry } = await bundle(folder, {
      alias: { regate: 'regate/inline' },
      define: { 'process.env.NODE_ENV': '"development"' }, // in production StrictMode does nothing
      jsx: 'automatic',
      nodePaths: [MODULES],
      page: 'app.jsx',
    });
    const url = await startSite(life, { folders: { '/': out } });
    const cluster = await bench.cluster();
    const opened = await openedBy(cluster);
    const browser = await bench.chromium();
    const page = await browser.open(url);
    life.defer(() => page.close());

    const seen = await page.evaluate((options) => globalThis.mount(options), {
      logger: null,
      ...optionsFor(cluster),
    });
    assert.deepEqual(seen, { answer: 'answered', mounts: 2, unmounts: 1, errors: [] });
    const { gateways } = await cluster.stats();
    assert.equal(
      gateways.reduce((sum, { open }) => sum + open, 0),
      1,
      'one socket is open',
    );
    assert.equal((await openedBy(cluster)) - opened, 1, 'and no other one was');
    await page.evaluate(() => globalThis.unmount());
    await cluster.quiet();
    assert.deepEqual(page.troubles, []);
    const { version } = JSON.parse(readFileSync(join(MODULES, 'react-dom/package.json'), 'utf8'));
    return { entry, version, passed: 1 };
  },
};
