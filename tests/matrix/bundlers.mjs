// An application for each bundler: made, served, and run in Chromium.

import { startSite } from '../demo/site.mjs';
import { tryInPage } from './browsers.mjs';
import { makeProject, shippedBytes } from './project.mjs';

/**
 * The trial of one bundler.
 *
 * @param {object} sample
 * @param {string} sample.name
 * @param {string} [sample.from] what the application imports the package as
 * @param {string} [sample.page] the script of index.html, for a bundler that begins there
 * @param {string} [sample.kind] of worker, when the page starts one that it was not bundled with
 * @param {(folder: string, life: any) => Promise<{ out?: string, url?: string, entry?: string, version: string }>} sample.make
 */
export const trialOf = ({ name, from = 'regate', page, kind, make }) => ({
  name,
  async run(bench, life) {
    const folder = makeProject(life, { name: from, page });
    const made = await make(folder, life);
    const url = made.url ?? (await startSite(life, { folders: { '/': made.out } }));
    const tried = await tryInPage(
      await bench.chromium(),
      await bench.cluster(),
      kind ? `${url}?kind=${kind}` : url,
    );
    const entry = made.entry ?? tried.entry;
    if (entry !== entryOf(from)) throw new Error(`it took the entry ${entry}, not ${entryOf(from)}`);
    return { ...tried, entry, version: made.version, bytes: made.out && shippedBytes(made.out) };
  },
});

const entryOf = (from) => (from.endsWith('/inline') ? 'index.inline' : 'index.web');
