// Proves what the frame promises: runners are counted rightly, settings stand in one place, versions that must be equal are.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'smol-toml';
import { counts } from './counts.mjs';

const toml = (path) => parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'));
const json = (path) => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'));
const locked = (path, name) => toml(path).package.find((row) => row.name === name)?.version;

test('cargo: results are summed, a runner of its own is counted apart', () => {
  const output = `
     Running unittests src/lib.rs (target/debug/deps/regate-1)
test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s
     Running tests/vectors.rs (target/debug/deps/vectors-2)
12 left out: cycling with iors
100 passed, 2 failed, 12 skipped
   Doc-tests regate
test result: FAILED. 4 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s
`;
  assert.deepEqual(counts.cargo(output), {
    '': { passed: 7, failed: 1 },
    vectors: { passed: 100, failed: 2 },
  });
});

test('cargo: a wasm suite that runs nothing counts nothing', () => {
  assert.deepEqual(counts.cargo('     Running tests/web.rs (x.wasm)\nno tests to run!\n'), {});
});

test('node: both reporters are read, a cancelled test has failed', () => {
  assert.deepEqual(counts.node('# pass 5\n# fail 1\n# cancelled 1\n'), { '': { passed: 5, failed: 2 } });
  assert.deepEqual(counts.node('ℹ pass 5\nℹ fail 0\nℹ cancelled 0\n'), { '': { passed: 5, failed: 0 } });
  assert.deepEqual(counts.node('SyntaxError\n'), {});
});

test('plain: only the line by itself counts', () => {
  assert.deepEqual(counts.plain('5 passed, 1 failed\n'), { '': { passed: 5, failed: 1 } });
  assert.deepEqual(counts.plain('so far 5 passed, 1 failed\n'), {});
});

test('whole: one test, by its exit code', () => {
  assert.deepEqual(counts.whole('', true), { '': { passed: 1, failed: 0 } });
  assert.deepEqual(counts.whole('', false), { '': { passed: 0, failed: 1 } });
});

test('build settings stand in wasm-pack.toml or in Cargo.toml, none in both', () => {
  const settings = toml('wasm-pack.toml');
  for (const path of ['Cargo.toml', 'pkg-config/wasm/Cargo.toml'])
    assert.equal(
      toml(path).package?.metadata?.['wasm-pack'],
      undefined,
      `${path} has metadata for wasm-pack`,
    );
  const profile = toml('Cargo.toml').profile[settings.cargo.profile];
  for (const section of Object.values(settings))
    for (const name of Object.keys(section)) assert.equal(profile[name], undefined, `${name} stands in both`);
  assert.equal(profile.strip, undefined, 'strip would drop the section that tells wasm-opt the features');
});

test('instructions are counted in a build by the settings of the wasm', () => {
  const { profile } = toml('benches/instructions/Cargo.toml');
  const shipped = toml('wasm-pack.toml').cargo.profile;
  assert.deepEqual(profile.release, toml('Cargo.toml').profile[shipped]);
});

test('the first line of wasm-pack.toml names the script that reads it', () => {
  const [first] = readFileSync(new URL('../wasm-pack.toml', import.meta.url), 'utf8').split('\n');
  assert.match(first, /pkg-config\/build\.mjs/);
});

test("wasm-bindgen's tools are of the version of the library", () => {
  const version = locked('Cargo.lock', 'wasm-bindgen');
  assert.equal(locked('.ci/wasm-bindgen/Cargo.lock', 'wasm-bindgen-cli'), version);
  assert.equal(locked('.ci/wasm-bindgen/Cargo.lock', 'wasm-bindgen-tools'), version);
});

test('crate, package and changelog have one version', () => {
  const { version } = json('pkg-config/package.json');
  assert.equal(version, toml('Cargo.toml').workspace.package.version);
  for (const crate of ['regate', 'regate-wasm']) assert.equal(locked('Cargo.lock', crate), version, crate);
  const changelog = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8');
  assert.equal(/^## (\d+\.\d+\.\d+)\b/m.exec(changelog)?.[1], version, 'the newest entry of CHANGELOG.md');
});
