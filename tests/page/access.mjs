// For everyone: themes, narrow screens, no motion, assistive technology; the bytes and the time.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startSite } from '../demo/site.mjs';
import { DIST, life, open, played, violations } from './support.mjs';

const MOST_BYTES = 150 * 1024;
/** For what else the machine does meanwhile. */
const SLACK_MILLISECONDS = 200;
const NARROW = { viewport: { width: 360, height: 760 } };

for (const colorScheme of ['light', 'dark']) {
  test(`axe finds nothing: ${colorScheme}`, async (t) => {
    const page = await open(t, '#story=5', { colorScheme });
    await played(page);
    assert.deepEqual(await violations(page), []);
    // All that can be opened, and a field that is wrong.
    await page.evaluate(() => {
      for (const details of document.querySelectorAll('details')) details.open = true;
    });
    await page.locator('#fleet figure').nth(1).waitFor();
    await page.locator('[id="f-options.networking.jitter"]').fill('7');
    await page.locator('.error').first().waitFor();
    await page.waitForTimeout(300); // what fades has faded
    assert.deepEqual(await violations(page), []);
  });

  test(`axe finds nothing, and nothing is wider than a narrow screen: ${colorScheme}`, async (t) => {
    for (const hash of ['#story=8', '#story=10']) {
      const page = await open(t, hash, { colorScheme, ...NARROW });
      await played(page);
      await page.evaluate(() => {
        for (const details of document.querySelectorAll('details')) details.open = true;
      });
      await page.locator('#fleet figure').nth(1).waitFor();
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
      assert.deepEqual(await violations(page), []);
    }
  });
}

test('the note in place of the live page leads back; axe finds nothing', async (t) => {
  const page = await open(t);
  await played(page);
  await page.getByRole('link', { name: 'Live' }).click();
  await page.getByText('make www').waitFor();
  assert.deepEqual(await violations(page), []);
  await page.getByRole('link', { name: 'Explorer' }).click();
  await played(page);
});

test('the theme is the system’s, or the one that was chosen, which is remembered', async (t) => {
  const page = await open(t, '', { colorScheme: 'dark' });
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await paper();
  await page.getByRole('button', { name: /^Theme: auto/ }).click();
  const light = await paper();
  assert.notEqual(light, dark);
  await page.reload();
  assert.equal(await paper(), light);
  await page.getByRole('button', { name: /^Theme: light/ }).click();
  assert.equal(await paper(), dark);
  await page.getByRole('button', { name: /^Theme: dark/ }).click();
  await page.getByRole('button', { name: /^Theme: auto/ }).waitFor();
});

test('all of it is reached by the Tab key, and what has the focus shows it', async (t) => {
  const page = await open(t, '#story=4');
  await played(page);
  const seen = new Set();
  for (let presses = 0; presses < 120; presses += 1) {
    await page.keyboard.press('Tab');
    const { name, outline } = await page.evaluate(() => {
      const { activeElement: element } = document;
      const name = element.getAttribute('aria-label') ?? element.id ?? '';
      return { name: name || element.textContent, outline: getComputedStyle(element).outlineStyle };
    });
    if (name !== '' && name !== undefined) seen.add(name);
    if (!/regate/.test(name)) assert.notEqual(outline, 'none', name);
    if (/^Copy$/.test(name)) break;
  }
  for (const name of ['Live', 'Rolling restart', 'f-options.networking.connectTimeouts', 'Closer', 'Copy'])
    assert.ok(seen.has(name), name);
  assert.ok([...seen].some((name) => name.startsWith('hang, a.example')));
});

test('no motion where none is wanted', async (t) => {
  const page = await open(t, '', { reducedMotion: 'reduce' });
  await played(page);
  const moving = await page.evaluate(
    () =>
      [...document.querySelectorAll('*')].filter((each) => getComputedStyle(each).transitionDuration !== '0s')
        .length,
  );
  assert.equal(moving, 0);
});

function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

test('all bytes of the page, compressed', (t) => {
  const bytes = filesOf(DIST).reduce(
    (sum, file) => sum + gzipSync(readFileSync(file), { level: 9 }).length,
    0,
  );
  t.diagnostic(`${bytes} bytes`);
  assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`);
});

/** A page that loads the same files and does nothing with them. */
const EMPTY = `const files = await (await fetch('files.json')).json();
await Promise.all(files.map(async (file) => (await fetch('../' + file)).arrayBuffer()));
document.body.append(Object.assign(document.createElement('p'), { className: 'figures', ariaBusy: 'false' }));`;

test('interactive after at most twice the time of an empty page of the same bytes', async (t) => {
  const folder = life.temporaryFolder('regate-empty-page');
  const files = filesOf(DIST).map((file) => file.slice(DIST.length + 1));
  writeFileSync(join(folder, 'files.json'), JSON.stringify(files.filter((file) => !file.endsWith('.html'))));
  writeFileSync(join(folder, 'empty.js'), EMPTY);
  writeFileSync(
    join(folder, 'index.html'),
    '<!doctype html><link rel="icon" href="data:,"><body><script type="module" src="empty.js"></script>',
  );
  const site = await startSite(life, { folders: { '/': DIST, '/empty/': folder } });
  const times = { page: [], empty: [] };
  for (let round = 0; round < 3; round += 1) {
    for (const [name, path] of [
      ['empty', 'empty/'],
      ['page', ''],
    ]) {
      const page = await open(t, 'about:blank');
      const session = await page.context().newCDPSession(page);
      await session.send('Network.enable');
      // A good connection, not the one of a machine to itself.
      const throughput = 1.25e6;
      await session.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 40,
        downloadThroughput: throughput,
        uploadThroughput: throughput,
      });
      await page.goto(site + path, { waitUntil: 'commit' });
      const at = await page.waitForFunction(
        () => document.querySelector('.figures[aria-busy="false"]') && performance.now(),
      );
      times[name].push(await at.jsonValue());
      await page.context().close();
    }
  }
  const [empty, page] = [times.empty, times.page].map((list) => Math.min(...list));
  t.diagnostic(`${Math.round(page)} ms, the empty page ${Math.round(empty)} ms`);
  assert.ok(page <= 2 * empty + SLACK_MILLISECONDS, `${page} ms, the empty page ${empty} ms`);
});
