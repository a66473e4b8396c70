// esbuild leaves `new URL("./file", import.meta.url)` as it stands: the wasm has to be copied, or carried by `/inline`.

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, version } from 'esbuild';
import { entryAmong, writePage } from '../project.mjs';

/** Bundles the page of a project into its folder out/. */
export async function bundle(folder, { page = 'page.js', ...more } = {}) {
  const { metafile } = await build({
    absWorkingDir: folder,
    bundle: true,
    entryPoints: [`src/${page}`],
    format: 'esm',
    logLevel: 'error',
    metafile: true,
    minify: true,
    outfile: 'out/page.js',
    ...more,
  });
  writePage(join(folder, 'out'), './page.js');
  return { out: join(folder, 'out'), entry: entryAmong(Object.keys(metafile.inputs)), version };
}

export const esbuild = [
  { name: 'esbuild, /inline', from: 'regate/inline', make: (folder) => bundle(folder) },
  {
    name: 'esbuild, wasm copied',
    async make(folder) {
      const bundled = await bundle(folder);
      copyFileSync(join(folder, 'node_modules/regate/regate_bg.wasm'), join(bundled.out, 'regate_bg.wasm'));
      return bundled;
    },
  },
];
