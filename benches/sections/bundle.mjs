// Bytes of a client that works: the adapter (a list of gateways, request and response, closing) and all it pulls in; and of
// everything the library exports. regate's wasm counts.
import { adapterSize, bundleSize, versionOf } from '../lib/bundle.mjs';
import { kib } from '../lib/stats.mjs';

export const title = 'Bytes that a user downloads';

export async function run(names, { browser, progress }) {
  const result = {};
  for (const [at, name] of names.entries()) {
    progress(at / names.length, name);
    const page = await browser.open(name);
    const { pkg, rpc, entry, exported } = page.meta;
    await page.close();
    result[name] = {
      version: versionOf(pkg),
      rpc,
      client: await adapterSize(name, exported),
      library: entry === undefined ? null : await bundleSize(entry),
    };
  }
  return result;
}

const sizes = (size) => (size === null ? '–' : [size.minified, size.gzip, size.brotli].map(kib).join(' / '));

const byBrotli = ([, a], [, b]) => a.client.brotli - b.client.brotli;

export const tables = (result) => [
  {
    note: 'KiB: minified / `gzip -9` / brotli 11. For regate, "all it exports" is `export *` of the web entry and the wasm.',
    head: ['client', 'version', 'request and response by', 'a client that works', 'all it exports'],
    rows: Object.entries(result)
      .sort(byBrotli)
      .map(([name, { version, rpc, client, library }]) => [
        name,
        version,
        rpc === 'own' ? 'library' : 'adapter',
        sizes(client),
        sizes(library),
      ]),
  },
];

export const charts = (result) => [
  {
    name: 'bundle',
    title: 'A client that works, KiB minified and gzipped',
    points: Object.entries(result).map(([label, { client }]) => ({ label, value: client.gzip / 1024 })),
  },
];
