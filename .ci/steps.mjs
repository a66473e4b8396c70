// The table of what `make test` runs, in this order. A new kind of test is a new row here.
//
//   name    of the step, of its log, and of its line in .ci/floor
//   group   `lint` or `test`: `make lint` runs the first only
//   run     the command
//   count   how the number of tests is read (.ci/counts.mjs); `whole` counts the step as one
//   needs   a path without which there is nothing to run yet; .ci/floor makes sure that what once ran still does
//   env     variables for this step
//   shows   how lines of the output begin that are shown though the step has passed
//   uses    what only one step at a time can use; cargo locks its folders anyway, and would hold up a lane
//   after   the step that must be over before, where it is among those that run
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const WASM = ['--target', 'wasm32-unknown-unknown'];
const bin = (name) => `node_modules/.bin/${name}`;
/** Folders below tests/ whose tests compile Rust. */
const USE_CARGO = new Set(['crate', 'fuzz', 'page', 'prove']);
const denyWarnings = { RUSTDOCFLAGS: '-D warnings' };

/** Browser suites: tests/web.rs, tests/web/main.rs. */
const webSuites = ['tests/web.rs', 'tests/web/main.rs'].some((path) => existsSync(path))
  ? ['--test', 'web']
  : [];
const version = JSON.parse(readFileSync('pkg-config/package.json', 'utf8')).version;
const tarball = `pkg-config/dist/regate-${version}.tgz`;

const target = process.env.CARGO_TARGET_DIR ?? 'target';
/** A crate of its own, as the examples are. */
const storm = ['--manifest-path', 'benches/storm/Cargo.toml', '--target-dir', target];
const instructions = ['--manifest-path', 'benches/instructions/Cargo.toml', '--target-dir', target];

export const steps = [
  // The package, built and packed: much needs it, so it comes first.
  test('package', 'whole', ['node', 'pkg-config/build.mjs', '--pack'], {
    needs: 'pkg-config/index.web.js',
    uses: 'cargo',
  }),
  // Is everything formatted?
  lint('rustfmt', ['cargo', 'fmt', '--all', '--check', '--', '--color=never']),
  // Not of the workspace, as it needs a compiler of its own.
  lint('rustfmt-fuzz', ['cargo', 'fmt', '--manifest-path', 'tests/fuzz/Cargo.toml', '--check']),
  // The examples are crates of their own.
  ...['native', 'wasm-app'].map((name) =>
    lint(`rustfmt-${name}`, ['cargo', 'fmt', '--manifest-path', `examples/${name}/Cargo.toml`, '--check']),
  ),
  // So is the storm.
  lint('rustfmt-storm', ['cargo', 'fmt', '--manifest-path', 'benches/storm/Cargo.toml', '--check']),
  // What is measured natively is a crate of its own, too.
  lint('rustfmt-backoff', ['cargo', 'fmt', '--manifest-path', 'benches/backoff/Cargo.toml', '--check']),
  // So are the paths whose instructions are counted.
  lint('rustfmt-instructions', [
    ...['cargo', 'fmt', '--manifest-path', 'benches/instructions/Cargo.toml', '--check'],
  ]),
  // JavaScript, TypeScript, JSON: formatting and lints.
  lint('biome', [bin('biome'), 'ci', '--colors=off', '--error-on-warnings']),
  // The denied lints, on the host (core alone, tests and benches too) and on wasm (with what JavaScript sees).
  lint('clippy', ['cargo', 'clippy', '--locked', '--all-targets', '--', '-D', 'warnings']),
  lint('clippy-wasm', [
    ...['cargo', 'clippy', '--locked', '--features', 'npm,web', ...WASM],
    ...['--lib', ...webSuites, '--', '-D', 'warnings'],
  ]),
  // The cdylib has no std, so it is not built with a feature that needs one.
  lint('clippy-cdylib', [
    'cargo',
    'clippy',
    '--locked',
    '-p',
    'regate-wasm',
    ...WASM,
    '--',
    '-D',
    'warnings',
  ]),
  // What Rust apps for the web see, without what is JavaScript's.
  lint('clippy-web', [
    ...['cargo', 'clippy', '--locked', '-p', 'regate', '--features', 'web'],
    ...[...WASM, '--lib', '--', '-D', 'warnings'],
  ]),
  ...[
    ['native', []],
    ['wasm-app', WASM],
  ].map(([name, platform]) =>
    lint(`clippy-${name}`, [
      ...['cargo', 'clippy', '--locked', '--manifest-path', `examples/${name}/Cargo.toml`],
      ...['--target-dir', target, ...platform, '--', '-D', 'warnings'],
    ]),
  ),
  lint('clippy-storm', [
    ...['cargo', 'clippy', '--locked', ...storm, '--all-targets', '--all-features'],
    ...['--', '-D', 'warnings'],
  ]),
  lint('clippy-instructions', [...['cargo', 'clippy', '--locked', ...instructions, '--', '-D', 'warnings']]),
  // The explorer of www: natively, and what becomes of it for a page.
  lint('clippy-explorer', [
    'cargo',
    'clippy',
    '--locked',
    '-p',
    'regate-explorer',
    '--all-targets',
    '--',
    '-D',
    'warnings',
  ]),
  lint('clippy-explorer-wasm', [
    ...['cargo', 'clippy', '--locked', '-p', 'regate-explorer', '--lib', ...WASM, '--', '-D', 'warnings'],
  ]),
  // Every public item is documented, no link is broken.
  lint('docs', ['cargo', 'doc', '--locked', '--no-deps'], { env: denyWarnings }),
  lint('docs-web', ['cargo', 'doc', '--locked', '--no-deps', '--features', 'web', '-p', 'regate', ...WASM], {
    env: denyWarnings,
  }),
  // The core needs no operating system: this target has none. Its own folder, as a shared one hides a failure.
  lint('no-std', [
    ...[
      'cargo',
      'build',
      '--locked',
      '--lib',
      '--target',
      'thumbv7em-none-eabi',
      '--target-dir',
      'target/no-std',
    ],
  ]),
  // Dependencies: each in one version, under a licence that allows what ours does, from crates.io.
  lint('deny', [
    ...['.tools/bin/cargo-deny', '--locked', '--offline', '--config', '.deny.toml'],
    ...['check', 'bans', 'licenses', 'sources'],
  ]),
  // A plain #[test] on wasm is never run, and nobody says so.
  lint('web-suites', ['node', '.ci/web-suites.mjs']),

  // What the frame itself promises: counting, settings in one place, equal versions.
  test('frame', 'node', ['node', '--test', '.ci/frame.test.mjs']),
  // Unit tests, scenarios, properties, documentation examples, vectors.
  test('rust', 'cargo', ['cargo', 'test', '--locked', '--no-fail-fast']),
  // How a fleet of 100,000 simulated clients treats its gateways; a million in `make storm`.
  test('storm', 'cargo', ['cargo', 'test', '--locked', ...storm]),
  // The engine on a virtual clock: whatever it is asked, it agrees with itself and with the truth.
  test('explorer', 'cargo', ['cargo', 'test', '--locked', '-p', 'regate-explorer']),
  // The same as wasm, byte for byte, and what its stories claim.
  test('explorer-stories', 'node', ['node', '--test', 'www/explorer/explorer.test.mjs'], { uses: 'cargo' }),
  // The documentation examples of the client for Rust apps, and those of README.md.
  test('doc-web', 'cargo', ['cargo', 'test', '--locked', '--features', 'web', '--doc']),
  // src/web in headless Chromium.
  test(
    'web',
    'cargo',
    ['cargo', 'test', '--locked', '--features', 'npm,web', ...WASM, '--no-fail-fast', ...webSuites],
    {
      needs: webSuites.length > 0 ? 'tests' : 'tests/web.rs',
    },
  ),

  // The package: of the right shape, its types as promised.
  lint('publint', [bin('publint'), '--strict', tarball], {
    needs: 'pkg-config/index.web.js',
    group: 'test',
    after: 'package',
  }),
  lint('attw', [bin('attw'), '--profile', 'esm-only', tarball], {
    needs: 'pkg-config/index.web.js',
    group: 'test',
    after: 'package',
  }),
  lint('types', [bin('tsc'), '--noEmit', '-p', 'tests/types'], {
    needs: 'tests/types/tsconfig.json',
    group: 'test',
    after: 'package',
  }),

  // The bench measures what it says, with the adapters that need no library of others.
  test('benches', 'node', ['node', '--test', 'benches/bench.test.mjs', 'benches/recorded.test.mjs'], {
    after: 'package',
  }),
  // Nothing grows unseen: instructions of the hot paths, bytes of the package.
  test('recorded', 'plain', ['node', 'benches/recorded.mjs'], {
    after: 'package',
    uses: 'cargo',
    shows: 'note: ',
  }),

  // Every *.test.mjs below tests/, a step for each folder there.
  ...nodeSuites(),
];

function nodeSuites() {
  const folders = readdirSync('tests', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.flatMap(({ name }) => {
    const files = testFiles(join('tests', name));
    const more = { after: 'package', ...(USE_CARGO.has(name) && { uses: 'cargo' }) };
    return files.length > 0 ? [test(`tests-${name}`, 'node', ['node', '--test', ...files], more)] : [];
  });
}

function testFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : testFiles(path);
    return entry.name.endsWith('.test.mjs') ? [path] : [];
  });
}

function lint(name, command, more = {}) {
  return { name, group: 'lint', run: command, count: 'whole', ...useOf(command), ...more };
}

function test(name, count, command, more = {}) {
  return { name, group: 'test', run: command, count, ...useOf(command), ...more };
}

function useOf([command]) {
  return command === 'cargo' ? { uses: 'cargo' } : {};
}
