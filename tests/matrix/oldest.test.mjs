// The oldest browsers that the README names have all that the package uses, and it uses no more than what was looked up.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { packageFolder, project } from '../package/support/installed.mjs';
import { NEEDED, oldest, WASM_FEATURES } from './oldest.mjs';

test('the wasm uses no feature but those that are recorded', () => {
  const script = fileURLToPath(new URL('wasm_features.mjs', import.meta.url));
  const wasm = join(packageFolder(), 'regate_bg.wasm');
  const used = execFileSync(process.execPath, [script, wasm], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  // Which of them the compiler has a use for changes with the code.
  assert.deepEqual(
    JSON.parse(used).filter((feature) => !(feature in WASM_FEATURES)),
    [],
  );
  for (const place of Object.values(WASM_FEATURES)) assert.ok(place in NEEDED, place);
});

test('no script uses syntax that is newer than those browsers', async () => {
  const target = ['chrome', 'firefox', 'safari'].map((browser) => `${browser}${oldest(browser)}`);
  const scripts = readdirSync(packageFolder()).filter((name) => name.endsWith('.js'));
  assert.ok(scripts.length > 0);
  for (const name of scripts) {
    const text = readFileSync(join(packageFolder(), name), 'utf8');
    const [lowered, kept] = await Promise.all([
      transform(text, { logLevel: 'silent', target }),
      transform(text, { target: 'esnext' }),
    ]);
    assert.equal(lowered.code, kept.code, name);
  }
});

test('the README names them', () => {
  const readme = readFileSync(join(project, 'README.md'), 'utf8');
  const sentence = `Chrome and Edge ${oldest('chrome')}, Firefox ${oldest('firefox')} and Safari ${oldest('safari')}`;
  assert.ok(readme.replaceAll(/\s+/g, ' ').includes(sentence), `"${sentence}" is not in it`);
});
