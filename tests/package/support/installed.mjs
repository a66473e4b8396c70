// The packed package, installed as a user installs it: into an empty project, from the tarball.

import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const project = fileURLToPath(new URL('../../..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(project, 'pkg-config/package.json'), 'utf8'));
export const tarball = join(project, `pkg-config/dist/regate-${version}.tgz`);

let installed;
const folders = [];
process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A new empty folder, removed when this process ends. */
export function emptyFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'regate-package-'));
  folders.push(folder);
  return folder;
}

/** The folder of a project that has the package and nothing else. Made once for this process. */
export function installedProject() {
  if (installed === undefined) {
    installed = emptyFolder();
    writeFileSync(join(installed, 'package.json'), '{"name":"empty","private":true,"type":"module"}\n');
    const flags = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
    execFileSync('npm', ['install', ...flags, tarball], { cwd: installed });
  }
  return installed;
}

/** The folder of the package in that project. */
export const packageFolder = () => join(installedProject(), 'node_modules/regate');

/** The package under new addresses, so that nothing of it has run yet. */
export function freshPackage() {
  const folder = join(emptyFolder(), 'node_modules/regate');
  mkdirSync(dirname(folder), { recursive: true });
  cpSync(packageFolder(), folder, { recursive: true });
  return folder;
}

/** Imports an entry of a package's folder. */
export const importEntry = (folder, entry = 'index.inline.js') =>
  import(pathToFileURL(join(folder, entry)).href);

/** The package, ready for use, with its wasm loaded. */
export async function ready() {
  const regate = await importEntry(packageFolder());
  await regate.init();
  return regate;
}

/** Runs the text of a module in a new Node process beside the installed package. */
export function runModule(text, { flags = [], env = {}, limitMilliseconds = 30_000 } = {}) {
  const file = join(installedProject(), `script-${process.hrtime.bigint()}.mjs`);
  writeFileSync(file, text);
  const options = { env: { ...process.env, ...env }, timeout: limitMilliseconds, maxBuffer: 2 ** 24 };
  delete options.env.NODE_TEST_CONTEXT; // this is a program, not a test
  return new Promise((resolve) => {
    execFile(process.execPath, [...flags, file], options, (error, stdout, stderr) => {
      resolve({ code: error ? (error.code ?? error.signal) : 0, stdout, stderr });
    });
  });
}
