// The size report of `make build`: what a page loads, and whose bytes the wasm consists of.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { transform } from 'esbuild';
import { functions, sections } from './wasm-file.mjs';

/**
 * Whose a function is: the first group that fits its name. Generic code counts for the type that it was made for, and what the
 * compiler has put into its only caller counts for the caller.
 */
const GROUPS = [
  ['policy', /\bregate::policy\b/],
  ['web', /\bregate::|\bregate_wasm::/],
  [
    'allocator',
    /\bdlmalloc::|\blol_alloc::|__rust_(re|de)?alloc|__rdl_|__rg_|\bstd::alloc|^__wbindgen_(malloc|realloc|free)/,
  ],
  ['serde', /\bserde\w*::/],
  ['wasm-bindgen', /\b(wasm_bindgen|js_sys|web_sys)::|^__wb|^__externref/],
  ['core::fmt', /\b(core|alloc)::fmt\b|\bcore::num::(flt2dec|fmt)|\bcore::str::count/],
  ['core and alloc', /\b(core|alloc|compiler_builtins)::|^mem(cpy|set|move|cmp)$/],
  ['std', /\bstd::|rust_panic|rust_begin_unwind/],
  ['web', /^\w+( externref shim)?( multivalue shim)?$/], // a function exported to JavaScript has its bare name
];

/** Files, their compressed sizes, and the parts of the wasm; with `largest` also that many functions. */
export async function printSizes(folder, name, largest = 0) {
  const wasm = readFileSync(join(folder, `${name}_bg.wasm`));
  const glue = readFileSync(join(folder, `${name}.js`));
  const minified = Buffer.from((await transform(glue, { minify: true, format: 'esm' })).code);
  const files = [
    [`${name}_bg.wasm`, wasm],
    [`${name}.js`, glue],
    [`${name}.js, minified`, minified],
  ];
  row('', 'raw', 'gzip -9', 'brotli');
  for (const [label, bytes] of files) row(label, ...compressions(bytes).map(String));
  const [, zipped, brotli] = compressions(wasm);
  const [, zippedGlue, brotliGlue] = compressions(minified);
  row(
    'a page loads',
    String(wasm.length + minified.length),
    String(zipped + zippedGlue),
    String(brotli + brotliGlue),
  );

  console.log('\nParts of the wasm');
  const rest = sections(wasm).filter(({ name: section }) => section !== 'code');
  const code = sections(wasm).find(({ name: section }) => section === 'code');
  const all = functions(readFileSync(join(folder, `${name}_bg.named.wasm`)));
  const parts = byGroup(all).map(([group, size]) => [`code: ${group}`, size]);
  const bodies = parts.reduce((sum, [, size]) => sum + size, 0);
  parts.push(['code: lengths', code.end - code.start - bodies]);
  for (const { name: section, start, end } of rest) parts.push([section, end - start]);
  for (const [label, size] of parts.sort((a, b) => b[1] - a[1]))
    row(label, String(size), `${((100 * size) / wasm.length).toFixed(1)} %`);

  if (largest > 0) console.log('\nLargest functions');
  const bySize = all.sort((a, b) => b.size - a.size);
  for (const { name: fn, size } of bySize.slice(0, largest))
    console.log(`${String(size).padStart(6)} ${group(fn).padEnd(14)} ${plain(fn)}`);
}

function byGroup(all) {
  const sizes = new Map();
  for (const { name, size } of all) sizes.set(group(name), (sizes.get(group(name)) ?? 0) + size);
  return [...sizes];
}

function group(name) {
  return GROUPS.find(([, fits]) => fits.test(plain(name)))?.[0] ?? 'other';
}

/** A demangled name without its hashes: `core[c5930c85a12de822]::fmt` is `core::fmt`. */
function plain(name) {
  return name.replace(/\[[0-9a-f]{16}\]|::h[0-9a-f]{16}$/g, '');
}

function compressions(bytes) {
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
  return [bytes.length, gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes, quality).length];
}

function row(label, ...columns) {
  console.log(label.padEnd(24) + columns.map((column) => column.padStart(10)).join(''));
}
