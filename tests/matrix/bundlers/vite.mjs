// Vite, the newest one as it comes, and one whose dev server moves the package away from its wasm.

import { join } from 'node:path';
import * as vite8 from 'vite';
import * as vite5 from 'vite5';
import { entryAmong } from '../project.mjs';

const settings = (folder) => ({
  cacheDir: join(folder, '.cache'),
  configFile: false,
  logLevel: 'error',
  root: folder,
});

async function build(vite, folder) {
  const modules = [];
  const watcher = {
    name: 'watcher',
    moduleParsed: ({ id }) => {
      modules.push(id);
    },
  };
  await vite.build({
    ...settings(folder),
    build: { assetsInlineLimit: 0, outDir: 'out' },
    plugins: [watcher],
    worker: { plugins: () => [watcher] },
  });
  return { out: join(folder, 'out'), entry: entryAmong(modules), version: vite.version };
}

/** Starts the dev server; it ends with the lifetime. */
async function serve(vite, folder, life) {
  const server = await vite.createServer({ ...settings(folder), server: { host: '127.0.0.1', port: 0 } });
  life.defer(() => server.close());
  await server.listen();
  const { port } = server.httpServer.address();
  return { url: `http://127.0.0.1:${port}/`, version: vite.version };
}

export const vite = [
  { name: 'Vite 8, dev server', page: 'page.js', make: (folder, life) => serve(vite8, folder, life) },
  { name: 'Vite 8, build', page: 'page.js', make: (folder) => build(vite8, folder) },
  {
    name: 'Vite 8, build with a worker',
    page: 'bundled_worker.js',
    make: (folder) => build(vite8, folder),
  },
  {
    name: 'Vite 5, dev server, /inline',
    from: 'regate/inline',
    page: 'page.js',
    make: (folder, life) => serve(vite5, folder, life),
  },
  {
    name: 'Vite 5, build, /inline',
    from: 'regate/inline',
    page: 'page.js',
    make: (folder) => build(vite5, folder),
  },
  { name: 'Vite 5, build', page: 'page.js', make: (folder) => build(vite5, folder) },
];
