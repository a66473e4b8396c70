// Adapters and what they need, bundled by esbuild as an application would, and their sizes.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { installedProject } from '../../tests/package/support/installed.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const packages = () => [join(root, 'node_modules'), join(installedProject(), 'node_modules')];

const fileOf = (name) => join(root, 'adapters', `${name}.js`);

/** The names of all adapters: raw first, as all are held against it, then regate. */
export function adapterNames() {
  const files = readdirSync(join(root, 'adapters')).filter((file) => !file.startsWith('_'));
  const names = files.map((file) => basename(file, '.js'));
  return ['raw', 'regate', ...names.filter((name) => name !== 'raw' && name !== 'regate')];
}

const settings = () => ({
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  write: false,
  outdir: '/',
  publicPath: '/',
  loader: { '.wasm': 'file' },
  assetNames: '[name]-[hash]',
  logLevel: 'error',
  absWorkingDir: root,
  nodePaths: packages(),
});

/** Served paths and their bytes: `/NAME.js` is page/driver.js around the adapter, or the adapter alone. */
export async function pageFiles(name, isAlone = false) {
  const entry = isAlone ? fileOf(name) : join(root, 'page/driver.js');
  const { outputFiles } = await build({
    ...settings(),
    entryPoints: { [pageName(name, isAlone)]: entry },
    alias: { 'bench-adapter': fileOf(name) },
  });
  return outputFiles.map(({ path, contents }) => [path, Buffer.from(contents)]);
}

export const pageName = (name, isAlone) => (isAlone ? `${name}-alone` : name);

/** The script of page/policy.js. */
export async function policyScript() {
  const entryPoints = [join(root, 'page/policy.js')];
  const { outputFiles } = await build({ ...settings(), entryPoints, format: 'iife' });
  return outputFiles[0].text;
}

/** The files of a bundle. */
export async function bundleFiles(contents) {
  const { outputFiles } = await build({ ...settings(), stdin: { contents, resolveDir: root } });
  return outputFiles.map(({ path, contents: bytes }) => ({ path, bytes }));
}

/** Bytes of a bundle, each of its files compressed by itself, as it is sent. */
export async function bundleSize(contents) {
  const sum = { minified: 0, gzip: 0, brotli: 0 };
  for (const { bytes } of await bundleFiles(contents)) {
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
    sum.minified += bytes.length;
    sum.gzip += gzipSync(bytes, { level: 9 }).length;
    sum.brotli += brotliCompressSync(bytes, quality).length;
  }
  return sum;
}

/** Bytes of what the adapter uses of its library. */
export const adapterSize = (name, exported) =>
  bundleSize(`export { ${exported.join(', ')} } from ${JSON.stringify(fileOf(name))}`);

/** The version of an installed package; nothing for what is written by hand. */
export function versionOf(name) {
  const files = packages().map((folder) => join(folder, name, 'package.json'));
  const file = files.find((path) => existsSync(path));
  return file ? JSON.parse(readFileSync(file, 'utf8')).version : '';
}
