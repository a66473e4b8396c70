// The short form of what `make fuzz` does for long: frames, options and calls in Node and in Chromium, from a seed that stays.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ready } from '../package/support/installed.mjs';
import { openPage } from './page.mjs';
import { names, run } from './run.mjs';

const SHORT = { frames: 300, options: 1_000, calls: 200 };

for (const name of names) {
  test(`in Node: ${name}`, async () => {
    const { runs, broken } = await run(name, await ready(), { runs: SHORT[name], seed: 1 });
    assert.equal(broken, undefined, broken);
    assert.equal(runs, SHORT[name]);
  });
}

test('in Chromium: the same', async (t) => {
  const page = await openPage();
  t.after(() => page.close());
  for (const name of names) {
    const { runs, broken } = await page.run(name, { runs: SHORT[name], seed: 2 });
    assert.equal(broken, undefined, broken);
    assert.equal(runs, SHORT[name]);
  }
});
