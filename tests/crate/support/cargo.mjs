// Building the examples: crates of their own, in the target folder of the project, which has most of what they need.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
export const project = fileURLToPath(new URL('../../../', import.meta.url));
const target = resolve(project, process.env.CARGO_TARGET_DIR ?? 'target');
const tools = join(project, '.tools/bin');

/** Builds an example by its own lock file; says where cargo put what it made. */
export async function cargoBuild(example, ...flags) {
  const manifest = join(project, 'examples', example, 'Cargo.toml');
  await run('cargo', ['build', '--locked', '--manifest-path', manifest, '--target-dir', target, ...flags]);
  return target;
}

/** A folder that is removed when the test file ends. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'regate-crate-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Makes of a wasm what a page can load; says in which folder. */
export async function bindgen(wasm) {
  const folder = join(temporaryFolder(), 'pkg');
  mkdirSync(folder);
  const bin = existsSync(join(tools, 'wasm-bindgen')) ? join(tools, 'wasm-bindgen') : 'wasm-bindgen';
  await run(bin, ['--target', 'web', '--no-typescript', '--out-dir', folder, wasm]);
  return folder;
}
