// Builds the npm package by the settings of ../wasm-pack.toml: cargo, wasm-bindgen, wasm-opt, then the package folder dist/package.
//   node pkg-config/build.mjs           compiles what changed, prints the sizes of wasm and glue with the share of each part
//   node pkg-config/build.mjs --pack    also packs dist/regate-<version>.tgz
//   ... --functions                     lists the largest functions too
//   ... --quiet                         says only what it does, not the sizes
// Fails if a path of the builder's machine is left in the wasm, if the versions differ, or if the package lacks a file it exports.
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
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { printSizes } from './sizes.mjs';
import { BuildError, compile, hash, readToml, run, settings, tree, upToDate } from './wasm-build.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const project = dirname(here);
const dist = join(here, 'dist');
const compiled = join(dist, 'wasm');
const assembled = join(dist, 'package');
const flags = new Set(process.argv.slice(2));

const manifest = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const outName = settings['wasm-bindgen']['out-name'];

try {
  checkVersions();
  compile({ crate: settings.cargo.crate, outName, folder: compiled });
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
