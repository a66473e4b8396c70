// Workers in a real workerd, bundled as wrangler does it, with the packed package.
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { emptyFolder } from '../../package/support/installed.mjs';
import { unpackFor } from './unpacked.mjs';

Object.assign(process.env, {
  CI: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  NO_COLOR: '1',
  WRANGLER_SEND_METRICS: 'false',
});
const { Miniflare } = await import('miniflare');

/** Before and after workerd answers the close of a peer by itself, and has Blob as the default of binaryType. */
export const DATES = ['2024-09-01', '2026-04-20'];

/** Bundles the module at `path` with the package; says in which folder. */
export async function bundle(path) {
  const [folder, outdir] = [emptyFolder(), emptyFolder()];
  const source = join(folder, basename(path));
  unpackFor(folder);
  cpSync(path, source);
  await build({
    bundle: true,
    conditions: ['workerd', 'worker', 'browser'],
    entryPoints: { worker: source },
    external: ['cloudflare:*'],
    format: 'esm',
    loader: { '.wasm': 'copy' },
    logLevel: 'error',
    outdir,
  });
  return outdir;
}

/** A running workerd of what was bundled into a folder, and all that it printed. */
export async function startMiniflare(t, folder, main, options) {
  const lines = [];
  const handleRuntimeStdio = (...streams) => {
    for (const stream of streams) stream.on('data', (data) => lines.push(String(data)));
  };
  const miniflare = new Miniflare({
    handleRuntimeStdio,
    modules: true,
    modulesRoot: folder,
    modulesRules: [
      { type: 'ESModule', include: ['**/*.js'] },
      { type: 'CompiledWasm', include: ['**/*.wasm'] },
    ],
    scriptPath: join(folder, main),
    ...options,
  });
  t.after(() => miniflare.dispose());
  await miniflare.ready;
  return { lines, miniflare };
}

/** A running Worker; `ask` posts JSON to a path of it, and gives the JSON that it answers. */
export async function startWorker(t, path, options) {
  const { lines, miniflare } = await startMiniflare(t, await bundle(path), 'worker.js', options);
  const ask = async (to, body = {}) => {
    const init = { method: 'POST', body: JSON.stringify(body) };
    const response = await miniflare.dispatchFetch(`http://worker${to}`, init);
    const value = await response.json();
    assert.equal(value?.thrown, undefined, `${to}: ${value?.thrown}`);
    return value;
  };
  return { ask, lines };
}
