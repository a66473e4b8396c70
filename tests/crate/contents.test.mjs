// What `cargo package` would publish: the sources and what explains them, nothing else, and it builds by itself.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'smol-toml';
import { project } from './support/cargo.mjs';

const OFFLINE = ['--locked', '--offline', '--allow-dirty'];
const BESIDE_THE_SOURCES = [
  '.cargo_vcs_info.json',
  'CHANGELOG.md',
  'Cargo.lock',
  'Cargo.toml',
  'Cargo.toml.orig',
  'LICENSE-APACHE',
  'LICENSE-MIT',
  'README.md',
];

const run = (command, ...args) =>
  execFileSync(command, args, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const lines = (text) => text.trim().split('\n').sort();

test('the crate holds its sources, what explains them, and nothing else', () => {
  const listed = lines(run('cargo', 'package', '--package', 'regate', '--list', ...OFFLINE));
  const isSource = (path) => path.startsWith('src/');
  assert.deepEqual(
    listed.filter((path) => !isSource(path)),
    BESIDE_THE_SOURCES,
  );
  const sources = listed.filter(isSource);
  assert.deepEqual(
    sources,
    lines(run('git', 'ls-files', '--cached', '--others', '--exclude-standard', 'src')),
  );
  assert.ok(sources.includes('src/lib.rs') && sources.includes('src/docs/design.md'));
  assert.deepEqual(
    sources.filter((path) => !/^src\/[\w/]+\.(rs|md)$/.test(path)),
    [],
  );
});

test('what is packaged builds by itself, as the core alone and for the web', () => {
  run('cargo', 'package', '--package', 'regate', ...OFFLINE);
  const web = ['--features', 'web', '--target', 'wasm32-unknown-unknown'];
  run('cargo', 'package', '--package', 'regate', ...OFFLINE, ...web);
});

test('the core alone depends on one crate', () => {
  const tree = run(
    'cargo',
    'tree',
    '--package',
    'regate',
    '--edges',
    'normal',
    '--depth',
    '1',
    ...OFFLINE.slice(0, 2),
  );
  assert.match(tree, /^regate v[\d.]+ \([^)]*\)\n└── thiserror v[\d.]+\n$/);
});

test('the documentation is built of features that there are', () => {
  const { features, package: settings } = parse(readFileSync(join(project, 'Cargo.toml'), 'utf8'));
  for (const name of settings.metadata.docs.rs.features) assert.ok(name in features, name);
});
