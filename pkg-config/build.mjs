// Builds the npm package by the settings of ../wasm-pack.toml: cargo, wasm-bindgen, wasm-opt, then the package folder dist/package.
//   node pkg-config/build.mjs           compiles what changed, prints the sizes of wasm and glue with the share of each part
//   node pkg-config/build.mjs --pack    also packs dist/regate-<version>.tgz
//   ... --functions                     lists the largest functions too
//   ... --quiet                         says only what it does, not the sizes
// Fails if a path of the builder's machine is left in the wasm, if the versions differ, or if the package lacks a file it exports.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'smol-toml';
import { printSizes } from './sizes.mjs';
import { withoutCustomSections } from './wasm-file.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const project = dirname(here);
const dist = join(here, 'dist');
const compiled = join(dist, 'wasm');
const assembled = join(dist, 'package');
const flags = new Set(process.argv.slice(2));

const settings = readToml('wasm-pack.toml');
const manifest = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const outName = settings['wasm-bindgen']['out-name'];

class BuildError extends Error {}

try {
  checkVersions();
  compile();
  assemble();
  if (!flags.has('--quiet')) await printSizes(compiled, outName, flags.has('--functions') ? 40 : 0);
  if (flags.has('--pack')) pack();
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(`build: ${error.message}`);
  process.exit(1);
}

/** Crate and package are released together, under one version. */
function checkVersions() {
  const crate = readToml('Cargo.toml').workspace.package.version;
  if (crate !== manifest.version)
    throw new BuildError(`Cargo.toml has version ${crate}, pkg-config/package.json ${manifest.version}`);
}

/** From Rust to dist/wasm: NAME_bg.wasm, NAME_bg.named.wasm (the same with the names of its functions), NAME.js. */
function compile() {
  const { cargo, 'wasm-bindgen': bindgen, 'wasm-opt': opt } = settings;
  const wasmBindgen = join(project, '.tools/bin/wasm-bindgen');
  const wasmOpt = join(project, 'node_modules/binaryen/bin/wasm-opt');
  const tools = [
    run('rustc', ['-vV']),
    readFileSync(join(project, '.ci/wasm-bindgen/Cargo.lock')),
    readFileSync(join(project, 'node_modules/binaryen/package.json')),
  ];
  const inputs = ['Cargo.toml', 'Cargo.lock', 'wasm-pack.toml', 'src', cargo.crate, 'pkg-config/build.mjs'];
  const stamp = hash([
    ...tools,
    process.env.RUSTFLAGS ?? '',
    ...inputs.flatMap((path) => tree(join(project, path))),
  ]);
  if (upToDate(join(compiled, '.stamp'), stamp)) return;
  rmSync(compiled, { recursive: true, force: true });
  mkdirSync(compiled, { recursive: true });

  const built = cargoBuild(cargo);
  const bindgenFlags = [
    '--target',
    bindgen.target,
    '--out-name',
    outName,
    '--out-dir',
    compiled,
    ...bindgen.flags,
  ];
  run(wasmBindgen, [built, ...bindgenFlags]);
  const wasm = join(compiled, `${outName}_bg.wasm`);
  const named = join(compiled, `${outName}_bg.named.wasm`);
  // -g keeps the names of functions, which say whose bytes they are; the file that ships goes without.
  say(`wasm-opt ${opt.flags.join(' ')}`);
  run(wasmOpt, [wasm, ...opt.flags, '-g', '-o', named]);
  const renamed = JSON.parse(run(wasmOpt, [named, ...opt.shorten, '-g', '-o', named]));
  renameInGlue(join(compiled, `${outName}.js`), renamed);
  writeFileSync(wasm, withoutCustomSections(readFileSync(named)));
  checkPaths(wasm);
  writeFileSync(join(compiled, '.stamp'), stamp);
}

function cargoBuild({ crate, profile, target, 'remap-path-prefix': remap }) {
  const places = builderPaths();
  const rustflags = (process.env.RUSTFLAGS ?? '').split(' ').filter(Boolean);
  for (const [from, to] of Object.entries(remap)) {
    const path = from.replace(/\$([A-Z_]+)/g, (_, name) => places[name]);
    for (const each of folders(path)) rustflags.push(`--remap-path-prefix=${each}=${to}`);
  }
  say(`cargo build --profile ${profile} --target ${target} (${crate})`);
  const args = ['build', '--locked', '--profile', profile, '--target', target];
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
  writeFileSync(glue, refusingOthers(shorter, exports.length));
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

/** dist/package: what `files` of package.json names, from pkg-config, from dist/wasm, or from the top of the project. */
function assemble() {
  rmSync(assembled, { recursive: true, force: true });
  mkdirSync(assembled, { recursive: true });
  const wasm = readFileSync(join(compiled, `${outName}_bg.wasm`));
  cpSync(join(compiled, `${outName}_bg.wasm`), join(assembled, `${outName}_bg.wasm`));
  cpSync(join(compiled, `${outName}.js`), join(assembled, `${outName}.js`));
  const inline = `// The bytes of ${outName}_bg.wasm, for environments that cannot load a file.\nexport default '${wasm.toString('base64')}';\n`;
  writeFileSync(join(assembled, `${outName}_bg.inline.js`), inline);

  for (const pattern of ['package.json', ...manifest.files]) {
    const fits = new RegExp(`^${pattern.replace(/[.]/g, '\\.').replace(/[*]/g, '[^/]*')}$`);
    const from = pattern.includes('*') || existsSync(join(here, pattern)) ? here : project;
    for (const name of readdirSync(from).filter((name) => fits.test(name)))
      cpSync(join(from, name), join(assembled, name), { recursive: true });
  }
}

function pack() {
  const lacking = [...exported(manifest.exports)].filter((path) => !existsSync(join(assembled, path)));
  if (lacking.length > 0)
    throw new BuildError(`package.json exports what is not there: ${lacking.join(', ')}`);
  const tarball = join(dist, `${manifest.name}-${manifest.version}.tgz`);
  const stamp = hash(tree(assembled));
  if (!existsSync(tarball) || !upToDate(join(dist, '.packed'), stamp)) {
    for (const name of readdirSync(dist).filter((name) => name.endsWith('.tgz'))) rmSync(join(dist, name));
    run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', dist], {}, assembled);
    renameSync(
      join(
        dist,
        readdirSync(dist).find((name) => name.endsWith('.tgz')),
      ),
      tarball,
    );
    writeFileSync(join(dist, '.packed'), stamp);
  }
  const size = (statSync(tarball).size / 1024).toFixed(1);
  if (!flags.has('--quiet'))
    console.log(`\npkg-config/dist/${manifest.name}-${manifest.version}.tgz: ${size} KiB`);
}

/** Every file that a tree of export conditions can lead to. */
function* exported(conditions) {
  if (typeof conditions === 'string') yield conditions;
  else for (const inner of Object.values(conditions)) yield* exported(inner);
}

/** Names and contents of all files under a path, in a fixed order. */
function tree(path) {
  if (!statSync(path).isDirectory()) return [path.slice(project.length), readFileSync(path)];
  const names = readdirSync(path).filter((name) => name !== 'pkg');
  return names.sort().flatMap((name) => tree(join(path, name)));
}

function hash(parts) {
  const sum = createHash('sha256');
  for (const part of parts) sum.update(String(part.length)).update('\0').update(part);
  return sum.digest('hex');
}

function upToDate(file, stamp) {
  return existsSync(file) && readFileSync(file, 'utf8') === stamp;
}

function readToml(name) {
  return parse(readFileSync(resolve(project, name), 'utf8'));
}

function run(command, args, env = {}, cwd = project) {
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
