// Builds the page into www/dist, a folder for any file host: no path in it is absolute, nothing is loaded from elsewhere.
//   node www/build.mjs            compiles what changed, bundles, prints the bytes
//   ... --quiet                   says nothing
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import esbuild from 'esbuild';

const www = dirname(fileURLToPath(import.meta.url));
const page = join(www, 'explorer/page');
const wasm = join(www, 'explorer/dist');
const dist = join(www, 'dist');
const quiet = process.argv.includes('--quiet');

const made = spawnSync(process.execPath, [join(www, 'explorer/build.mjs'), '--quiet'], {
  stdio: ['ignore', quiet ? 'ignore' : 'inherit', 'inherit'],
});
if (made.status !== 0) process.exit(1);

// The form is made of the engine's own table; as a file it is there before the engine is.
const engine = await import(pathToFileURL(join(wasm, 'explorer.js')).href);
await engine.default({ module_or_path: readFileSync(join(wasm, 'explorer_bg.wasm')) });
writeFileSync(join(wasm, 'table.json'), engine.optionsTable());

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
await esbuild.build({
  entryPoints: [join(page, 'main.jsx'), join(page, 'worker.js'), join(page, 'style.css')],
  outdir: dist,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  logLevel: 'warning',
});
cpSync(join(wasm, 'explorer_bg.wasm'), join(dist, 'explorer_bg.wasm'));
cpSync(join(page, 'index.html'), join(dist, 'index.html'));
cpSync(join(www, 'live/icon.svg'), join(dist, 'icon.svg'));
// A file host has no gateways to break: a note stands where `make www` serves the live page.
mkdirSync(join(dist, 'live'));
cpSync(join(page, 'live.html'), join(dist, 'live/index.html'));

if (!quiet) {
  let total = 0;
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = gzipSync(readFileSync(path), { level: 9 }).length;
    total += bytes;
    console.log(`${path.slice(www.length + 1).padEnd(32)}${String(bytes).padStart(8)} gzip`);
  }
  console.log(`${'in all'.padEnd(32)}${String(total).padStart(8)} gzip`);
}
