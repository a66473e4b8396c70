// Bytes of the packed package: what a user downloads, and what npm does.
import { statSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { tarball } from '../../tests/package/support/installed.mjs';
import { webEntry } from '../adapters/_regate.js';
import { bundleFiles } from './bundle.mjs';

const gzipped = (bytes) => gzipSync(bytes, { level: 9 }).length;

/** Rows of name and bytes. */
export async function measureSizes() {
  const files = await bundleFiles(webEntry);
  const wasm = files.find(({ path }) => path.endsWith('.wasm')).bytes;
  const script = files.find(({ path }) => path.endsWith('.js')).bytes;
  const [inline] = await bundleFiles("export * from 'regate/inline'");
  return [
    ['the wasm', wasm.length],
    ['the wasm, gzip', gzipped(wasm)],
    ['JavaScript of the web entry, minified, gzip', gzipped(script)],
    ['JavaScript and wasm, gzip', gzipped(script) + gzipped(wasm)],
    ['the inline entry, minified, gzip', gzipped(inline.bytes)],
    ['the tarball', statSync(tarball).size],
  ];
}
