// Workers in a real workerd, bundled as wrangler does it, with the packed package as it is installed.
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { emptyFolder, installedProject } from '../../package/support/installed.mjs';

Object.assign(process.env, {
  CI: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  NO_COLOR: '1',
  WRANGLER_SEND_METRICS: 'false',
});
const { Miniflare } = await import('miniflare');

/** Before and after workerd answers the close of a peer by itself, and has Blob as the default of binaryType. */
export const DATES = ['2024-09-01', '2026-04-20'];

/** Bundles the module at `path` beside the installed package; says where Miniflare finds it. */
async function bundle(path) {
  const [source, outdir] = [join(installedProject(), 'workers', path.replaceAll('/', '-')), emptyFolder()];
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
  return {
    modules: true,
    modulesRoot: outdir,
    modulesRules: [
      { type: 'ESModule', include: ['**/*.js'] },
      { type: 'CompiledWasm', include: ['**/*.wasm'] },
    ],
    scriptPath: join(outdir, 'worker.js'),
  };
}

/** A running Worker; `ask` posts JSON to a path of it, and gives the JSON that it answers. */
export async function startWorker(t, path, options) {
  const lines = [];
  const handleRuntimeStdio = (...streams) => {
    for (const stream of streams) stream.on('data', (data) => lines.push(String(data)));
  };
  const miniflare = new Miniflare({ ...(await bundle(path)), handleRuntimeStdio, ...options });
  t.after(() => miniflare.dispose());
  await miniflare.ready;
  const ask = async (to, body = {}) => {
    const init = { method: 'POST', body: JSON.stringify(body) };
    const response = await miniflare.dispatchFetch(`http://worker${to}`, init);
    const value = await response.json();
    assert.equal(value?.thrown, undefined, `${to}: ${value?.thrown}`);
    return value;
  };
  return { ask, lines, miniflare };
}
