// Whether anything grows in Chromium over thousands of connections and operations: the leak tests of the package, whole.

import { run } from 'node:test';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('../package/chromium_leaks.test.mjs', import.meta.url));

/**
 * @param {import('../demo/lifetime.mjs').Lifetime} life
 * @param {{ progress?: (fraction: number, text: string) => void }} options
 * @returns {Promise<import('./bench.mjs').Proof[]>}
 */
export async function proveLeaks(life, { progress = () => {} } = {}) {
  const abort = new AbortController();
  life.defer(() => abort.abort());
  progress(0, 'some minutes');
  process.env.REGATE_LEAKS = 'whole'; // for the process of the file
  const tests = run({ files: [FILE], signal: abort.signal });
  const proofs = [];
  for await (const { type, data } of tests) {
    if ((type !== 'test:pass' && type !== 'test:fail') || data.name.endsWith('.mjs')) continue;
    const passed = type === 'test:pass';
    const found = passed ? 'level' : String(data.details.error?.cause?.message ?? data.details.error);
    proofs.push({ check: `leaks: ${data.name}`, wanted: 'level', found, passed });
  }
  if (proofs.length === 0) throw new Error('no leak test ran');
  return proofs;
}
