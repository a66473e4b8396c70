// The live page beside the explorer, as `make www` serves both: the packed client, and gateways that are broken by its buttons.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { siteFolders, startSite, unpackPackage } from '../demo/site.mjs';
import { startCluster } from '../gateways/cluster.mjs';
import { startControl } from '../gateways/control.mjs';
import { DIST, life, open, played, violations } from './support.mjs';

let site;

before(async () => {
  const { folder } = unpackPackage(life);
  const cluster = await startCluster({ count: 3 });
  life.defer(() => cluster.stop());
  const control = await startControl(cluster);
  life.defer(() => control.stop());
  site = await startSite(life, { folders: { '/': DIST, ...siteFolders(folder) }, control: control.url });
});

const connected = (page) => page.locator('#state[data-state="connected"]').waitFor();

test('from the explorer to the live page and back', async (t) => {
  const page = await open(t, site);
  await played(page);
  await page.getByRole('link', { name: 'Live' }).click();
  await connected(page);
  await page.getByRole('link', { name: 'Explorer' }).click();
  await played(page);
});

test('the theme that was chosen on one page holds on the other', async (t) => {
  const page = await open(t, site, { colorScheme: 'light' });
  await played(page);
  await page.getByRole('button', { name: /^Theme: auto/ }).click();
  await page.getByRole('button', { name: /^Theme: light/ }).click();
  await page.getByRole('link', { name: 'Live' }).click();
  await connected(page);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(20, 22, 26)');
  assert.equal(
    await page.evaluate(() => getComputedStyle(document.body).getPropertyValue('--open')),
    'rgb(99, 181, 150)',
    'a canvas is told the colour',
  );
  await page.getByRole('button', { name: /^Theme: dark/ }).click();
  await page.getByRole('button', { name: /^Theme: auto/ }).waitFor();
});

test('its buttons break a gateway: the client goes on with another, and the log says so', async (t) => {
  const page = await open(t, `${site}live/`);
  await connected(page);
  const on = async () => Number(/gateway (\d)/.exec(await page.locator('#state-detail').textContent())[1]);
  const first = await on();
  const lane = page.locator('#lanes > li').nth(first);
  await lane.getByRole('button', { name: 'Kill' }).click();
  await page.waitForFunction((gateway) => {
    const text = document.querySelector('#state-detail').textContent;
    return (
      document.querySelector('#state').dataset.state === 'connected' && !text.includes(`gateway ${gateway}`)
    );
  }, first);
  await page.locator('#log', { hasText: 'failed' }).waitFor();
  await page.getByRole('button', { name: 'Invoke' }).click();
  await page.locator('#results', { hasText: '→' }).waitFor();
  await page.locator('[name=params]').fill('{');
  await page.getByRole('button', { name: 'Invoke' }).click();
  await page.getByText(/^Params: /).waitFor();
  await page.getByRole('button', { name: 'Heal all' }).click();
  await lane.getByRole('button', { name: 'Start' }).click();
});

for (const colorScheme of ['light', 'dark']) {
  test(`axe finds nothing on the live page: ${colorScheme}`, async (t) => {
    for (const width of [1280, 360]) {
      const page = await open(t, `${site}live/`, { colorScheme, viewport: { width, height: 800 } });
      await connected(page);
      await page.locator('#events > li').first().waitFor();
      assert.deepEqual(await violations(page), []);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
    }
  });
}
