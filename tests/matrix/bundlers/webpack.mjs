// webpack as it comes: no loader, no experiment.

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import bundle from 'webpack';
import { entryAmong, writePage } from '../project.mjs';

async function make(folder, { target, script }) {
  const out = join(folder, 'out');
  const compiler = bundle({
    context: folder,
    devtool: false,
    entry: `./src/${script}`,
    mode: 'production',
    output: { filename: script, path: out },
    performance: false,
    target,
  });
  const stats = await promisify(compiler.run.bind(compiler))();
  await promisify(compiler.close.bind(compiler))();
  const { errors, warnings, modules } = stats.toJson({
    all: false,
    errors: true,
    warnings: true,
    modules: true,
    nestedModules: true,
  });
  for (const { message } of [...errors, ...warnings]) throw new Error(message);
  const names = modules.flatMap((module) => [module, ...(module.modules ?? [])]).map(({ name }) => name);
  writePage(out, `./${script}`);
  return { out, entry: entryAmong(names), version: bundle.version };
}

export const webpack = [
  { name: 'webpack 5, web', make: (folder) => make(folder, { target: 'web', script: 'page.js' }) },
  {
    name: 'webpack 5, web with a worker',
    make: (folder) => make(folder, { target: 'web', script: 'bundled_worker.js' }),
  },
  {
    name: 'webpack 5, webworker',
    kind: 'classic',
    async make(folder) {
      const bundled = await make(folder, { target: 'webworker', script: 'worker.js' });
      for (const file of ['workers.js', 'start_in.js', 'told.js'])
        copyFileSync(join(folder, 'src', file), join(bundled.out, file));
      writePage(bundled.out, './workers.js');
      return bundled;
    },
  },
];
