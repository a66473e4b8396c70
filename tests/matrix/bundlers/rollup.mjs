// Rollup finds packages by a plugin, and files that `new URL` names by another.

import { join } from 'node:path';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import { importMetaAssets } from '@web/rollup-plugin-import-meta-assets';
import { transform } from 'esbuild';
import { rollup as bundle, VERSION } from 'rollup';
import { entryAmong, writePage } from '../project.mjs';

const minifier = {
  name: 'minifier',
  renderChunk: (code) => transform(code, { format: 'esm', minify: true }),
};

async function make(folder, plugins) {
  const bundled = await bundle({
    input: join(folder, 'src/page.js'),
    plugins: [nodeResolve({ browser: true, rootDir: folder }), ...plugins, minifier],
    onwarn(warning) {
      throw new Error(warning.message);
    },
  });
  const out = join(folder, 'out');
  const { output } = await bundled.write({ dir: out, format: 'es' });
  await bundled.close();
  writePage(out, './page.js');
  const modules = output.flatMap((file) => Object.keys(file.modules ?? {}));
  return { out, entry: entryAmong(modules), version: VERSION };
}

export const rollup = [
  { name: 'Rollup, import-meta-assets', make: (folder) => make(folder, [importMetaAssets()]) },
  { name: 'Rollup, /inline', from: 'regate/inline', make: (folder) => make(folder, []) },
];
