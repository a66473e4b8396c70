// The package in a page and in every kind of worker, without any bundler.

import { join } from 'node:path';
import { startSite } from '../demo/site.mjs';
import { gzipBytes, makeProject, writePage } from './project.mjs';
import { optionsFor, tryOut } from './trial.mjs';

const KINDS = {
  page: 'a page',
  dedicated: 'a dedicated worker',
  shared: 'a shared worker',
  service: 'a service worker',
};

/** Has the application of a page go through the trial. The entry is known by whether the page fetched a wasm. */
export async function tryInPage(browser, cluster, url) {
  const page = await browser.open(url);
  try {
    const steps = await tryOut(cluster, {
      start: () => page.evaluate((options) => globalThis.start(options), optionsFor(cluster)),
      next: () => page.evaluate(() => globalThis.next()),
    });
    if (page.troubles.length > 0) throw new Error(`nobody caught: ${page.troubles.join('; ')}`);
    const loaded = await page.evaluate(() =>
      performance.getEntriesByType('resource').map(({ name }) => name),
    );
    const hasWasm = loaded.some((name) => name.endsWith('.wasm'));
    return { steps, entry: hasWasm ? 'index.web' : 'index.inline', loaded };
  } finally {
    await page.close();
  }
}

/** The trials in one browser; `start` names the function of the bench that starts it. */
export const browserTrials = (label, start) =>
  Object.entries(KINDS).map(([kind, place]) => ({
    name: `${label}, ${place}`,
    async run(bench, life) {
      const folder = makeProject(life, { name: '/regate/index.web.js' });
      const [source, regate] = [join(folder, 'src'), join(folder, 'node_modules/regate')];
      writePage(source, kind === 'page' ? './page.js' : './workers.js');
      const site = await startSite(life, { folders: { '/': source, '/regate/': regate } });
      const browser = await bench[start]();
      const { steps, loaded } = await tryInPage(browser, await bench.cluster(), `${site}?kind=${kind}`);
      const paths = loaded.map((url) => new URL(url).pathname).filter((path) => path.startsWith('/regate/'));
      // What a worker loads is not among what its page has loaded.
      const bytes =
        kind === 'page' ? gzipBytes(paths.map((path) => join(folder, 'node_modules', path))) : undefined;
      return { steps, entry: 'index.web', version: browser.version, bytes };
    },
  }));
