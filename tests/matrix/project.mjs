// A project of a user: the application, and the package from its tarball.

import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { packageFolder } from '../package/support/installed.mjs';

const APPLICATION = fileURLToPath(new URL('app', import.meta.url));
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

/**
 * Makes one in a new folder, with the application in src/.
 *
 * @param {import('../demo/lifetime.mjs').Lifetime} life
 * @param {{ name?: string, page?: string, modules?: string[] }} [options] what the application imports the package as; the
 *   script of index.html; modules of this project that it has too
 */
export function makeProject(life, { name = 'regate', page, modules = [] } = {}) {
  const folder = life.temporaryFolder('regate-matrix');
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  cpSync(packageFolder(), join(folder, 'node_modules/regate'), { recursive: true });
  for (const module of modules)
    cpSync(join(MODULES, module), join(folder, 'node_modules', module), { recursive: true });
  mkdirSync(join(folder, 'src'));
  for (const file of readdirSync(APPLICATION)) {
    const text = readFileSync(join(APPLICATION, file), 'utf8');
    writeFileSync(join(folder, 'src', file), text.replaceAll("'regate'", `'${name}'`));
  }
  if (page !== undefined) writePage(folder, `./src/${page}`);
  return folder;
}

/** An index.html that runs one script. */
export function writePage(folder, script) {
  writeFileSync(
    join(folder, 'index.html'),
    `<!doctype html>\n<script type="module" src="${script}"></script>\n`,
  );
}

/** What the scripts and the wasm below a folder weigh when they are compressed, each by itself. */
export function shippedBytes(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  const shipped = files.filter((entry) => entry.isFile() && /\.(js|wasm)$/.test(entry.name));
  return gzipBytes(shipped.map((entry) => join(entry.parentPath ?? entry.path, entry.name)));
}

/** The same of a list of files. */
export const gzipBytes = (paths) =>
  paths.reduce((sum, path) => sum + gzipSync(readFileSync(path), { level: 9 }).length, 0);

/** The entry of the package among the modules that a tool has loaded, by the names of their files. */
export function entryAmong(modules) {
  const entries = modules.flatMap((path) => /regate\/(index\.\w+)\.js/.exec(path)?.[1] ?? []);
  return [...new Set(entries)].join(' ');
}
