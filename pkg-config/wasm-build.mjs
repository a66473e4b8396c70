// From a crate to wasm and its glue, by the settings of ../wasm-pack.toml: cargo, wasm-bindgen, wasm-opt. What build.mjs makes the
// package of, and www/explorer/build.mjs the explorer.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'smol-toml';
import { withoutCustomSections } from './wasm-file.mjs';

const project = dirname(dirname(fileURLToPath(import.meta.url)));

export const settings = readToml('wasm-pack.toml');

export class BuildError extends Error {}

/** From a crate to a folder: NAME_bg.wasm, NAME_bg.named.wasm (the same with the names of its functions), NAME.js. */
export function compile({ crate, outName, folder }) {
  const { cargo, 'wasm-bindgen': bindgen, 'wasm-opt': opt } = settings;
  const wasmBindgen = join(project, '.tools/bin/wasm-bindgen');
  const wasmOpt = join(project, 'node_modules/binaryen/bin/wasm-opt');
  const tools = [
    run('rustc', ['-vV']),
    readFileSync(join(project, '.ci/wasm-bindgen/Cargo.lock')),
    readFileSync(join(project, 'node_modules/binaryen/package.json')),
  ];
  const inputs = ['Cargo.toml', 'Cargo.lock', 'wasm-pack.toml', 'src', crate, 'pkg-config/wasm-build.mjs'];
  const stamp = hash([
    ...tools,
    process.env.RUSTFLAGS ?? '',
    ...inputs.flatMap((path) => tree(join(project, path))),
  ]);
  if (upToDate(join(folder, '.stamp'), stamp)) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });

  const built = cargoBuild(crate, cargo);
  const bindgenFlags = [
    '--target',
    bindgen.target,
    '--out-name',
    outName,
    '--out-dir',
    folder,
    ...bindgen.flags,
  ];
  run(wasmBindgen, [built, ...bindgenFlags]);
  const wasm = join(folder, `${outName}_bg.wasm`);
  const named = join(folder, `${outName}_bg.named.wasm`);
  // -g keeps the names of functions, which say whose bytes they are; the file that ships goes without.
  say(`wasm-opt ${opt.flags.join(' ')}`);
  run(wasmOpt, [wasm, ...opt.flags, '-g', '-o', named]);
  const renamed = JSON.parse(run(wasmOpt, [named, ...opt.shorten, '-g', '-o', named]));
  renameInGlue(join(folder, `${outName}.js`), renamed);
  writeFileSync(wasm, withoutCustomSections(readFileSync(named)));
  checkPaths(wasm);
  writeFileSync(join(folder, '.stamp'), stamp);
}

function cargoBuild(crate, { profile, target, 'remap-path-prefix': remap }) {
  const places = builderPaths();
  const rustflags = (process.env.RUSTFLAGS ?? '').split(' ').filter(Boolean);
  for (const [from, to] of Object.entries(remap)) {
    const path = from.replace(/\$([A-Z_]+)/g, (_, name) => places[name]);
    for (const each of folders(path)) rustflags.push(`--remap-path-prefix=${each}=${to}`);
  }
  say(`cargo build --profile ${profile} --target ${target} (${crate})`);
  const args = ['build', '--locked', '--lib', '--profile', profile, '--target', target];
  args.push(
    '--manifest-path',
    join(project, crate, 'Cargo.toml'),
    '--message-format',
    'json-render-diagnostics',
  );
  const messages = run('cargo', args, { CARGO_ENCODED_RUSTFLAGS: rustflags.join('\x1f') });
  for (const line of messages.split('\n').filter((line) => line.startsWith('{'))) {
    const wasm = JSON.parse(line).filenames?.find((path) => path.endsWith('.wasm'));
    if (wasm) return wasm;
  }
  throw new BuildError('cargo named no wasm file');
}

/** The path itself, or for `path/*` every folder there is in it. */
function folders(path) {
  if (!path.endsWith('/*')) return [path];
  const parent = path.slice(0, -2);
  return existsSync(parent) ? readdirSync(parent).map((name) => join(parent, name)) : [];
}

function builderPaths() {
  const home = homedir();
  return {
    HOME: home,
    CARGO_HOME: process.env.CARGO_HOME ?? join(home, '.cargo'),
    RUSTUP_HOME: process.env.RUSTUP_HOME ?? join(home, '.rustup'),
    SYSROOT: run('rustc', ['--print', 'sysroot']).trim(),
    PROJECT: project,
  };
}

/** Gives the glue the short names that wasm-opt gave to what it and the wasm call each other. */
function renameInGlue(glue, { imports, exports }) {
  const text = readFileSync(glue, 'utf8');
  const functions = new Map(imports.map(([, long, short]) => [long, short]));
  const calls = new Map(exports);
  const missing = new Set(functions.keys());
  const shortOf = (names) => (whole, before, name, after) => {
    if (!names.has(name)) missing.add(whole);
    missing.delete(name);
    return `${before}${names.get(name)}${after}`;
  };
  const shorter = text
    .replaceAll(/^(\s+)(\w+)(: function\()/gm, shortOf(functions))
    .replaceAll(/(\bwasm\.)(\w+)()/g, shortOf(calls))
    .replaceAll(/(")(\.\/\w+\.js)(": import)/g, (_, before, _module, after) => `${before}a${after}`);
  if (missing.size > 0) throw new BuildError(`glue and wasm differ in ${[...missing].join(', ')}`);
  writeFileSync(glue, refusingOthers(catchingInPlace(shorter), exports.length));
}

/** The glue catches what a call throws by a closure and its `arguments`, made anew for each call: a tenth of the time of an operation. */
function catchingInPlace(text) {
  const calls =
    /function\(\) \{ return handleError\(function \(([^)]*)\) \{\n([\s\S]*?)\n( +)\}, arguments\); \}/g;
  const inPlace = text
    .replaceAll(calls, 'function($1) { try {\n$2\n$3} catch (e) { return handleError(e); } }')
    .replace(
      /function handleError\(f, args\) \{\n +try \{\n +return f\.apply\(this, args\);\n +\} catch \(e\) \{\n([\s\S]*?) +\}\n\}/,
      'function handleError(e) {\n$1}',
    );
  if (inPlace.includes('handleError(function') || inPlace.includes('handleError(f,'))
    throw new BuildError('the glue catches what is thrown in a new way');
  return inPlace;
}

/** The glue takes any module whose imports it has, and keeps it for good: ours has so many exports, with a start among them. */
function refusingOthers(glue, count) {
  const [taken, start] = [
    /^( +)wasm = instance\.exports;$/m,
    /\bwasm(\.[\w$]+)\(\);\s+return wasm;/.exec(glue)?.[1],
  ];
  if (!taken.test(glue) || start === undefined) throw new BuildError('the glue takes its wasm in a new way');
  const isOther = `!instance.exports${start} || Object.keys(instance.exports).length !== ${count}`;
  return glue.replaceAll(
    new RegExp(taken, 'gm'),
    (line, indent) => `${indent}if (${isOther}) throw new TypeError("not regate's wasm");\n${line}`,
  );
}

function checkPaths(wasm) {
  const bytes = readFileSync(wasm).toString('latin1');
  for (const path of Object.values(builderPaths()))
    if (path.length > 1 && bytes.includes(`${path}/`))
      throw new BuildError(`${path} is in the wasm: add it to [cargo.remap-path-prefix] in wasm-pack.toml`);
}

/** Names and contents of all files under a path, in a fixed order. */
export function tree(path) {
  if (!statSync(path).isDirectory()) return [path.slice(project.length), readFileSync(path)];
  const names = readdirSync(path).filter((name) => name !== 'pkg');
  return names.sort().flatMap((name) => tree(join(path, name)));
}

export function hash(parts) {
  const sum = createHash('sha256');
  for (const part of parts) sum.update(String(part.length)).update('\0').update(part);
  return sum.digest('hex');
}

export function upToDate(file, stamp) {
  return existsSync(file) && readFileSync(file, 'utf8') === stamp;
}

export function readToml(name) {
  return parse(readFileSync(join(project, name), 'utf8'));
}

export function run(command, args, env = {}, cwd = project) {
  const options = { cwd, env: { ...process.env, ...env }, encoding: 'utf8', maxBuffer: 2 ** 28 };
  const { status, stdout, error } = spawnSync(command, args, {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (error) throw new BuildError(`${command}: ${error.message} (\`make setup\` installs the tools)`);
  if (status !== 0) throw new BuildError(`${command} failed with ${status}`);
  return stdout;
}

function say(text) {
  console.log(`build: ${text}`);
}
