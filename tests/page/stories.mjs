// Each story, as the page shows it. That the engine is right is proved beside it; here it is what a person reads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figures, open, played } from './support.mjs';

/** By the part of the address that names the run: figures, and texts that stand on the page. */
const SHOWN = {
  1: [{ 'dials in the first minute': '56,000', 'dials in all': '112,000' }, []],
  1.2: [{ 'dials in the first minute': '60' }, []],
  2: [
    { 'dials in the first minute': '16', waits: '16', 'after 2 min': 'closed' },
    ['16 waits, 1 min 2.75 s in all', 'gave up with CONNECT_TIMEOUT'],
  ],
  2.2: [{ 'dials in the first minute': '16', 'after 2 min': 'connecting' }, []],
  3: [
    { 'dials in all': '4', waits: '0' },
    ['57 of 60 answered by the first attempt', 'Without any of readOnly'],
  ],
  4: [
    { 'after 1 min': 'connected' },
    ['wss://a.example [0] failed: heartbeat lost', 'With redoOperations it would have been retried'],
  ],
  4.2: [{ abandoned: '1', opened: '1' }, []],
  5: [
    { opened: '2', failed: '90', rounds: '32' },
    ['no steady connection for 60.0 s', 'timeoutMilliseconds are over', 'CLIENT_RECONNECTING'],
  ],
  6: [
    { 'dials in all': '2', 'after 1 h 2 min': 'connected' },
    ['1 h 55 s to 1 h 1 min 15 s', 'read on waking'],
  ],
  6.2: [{ 'dials in all': '2' }, []],
  6.3: [{ 'dials in all': '2' }, []],
  7: [{ 'after 2 min': 'connected' }, ['110 of 110 OK']],
  7.2: [{ 'after 2 min': 'closed' }, ['gave up with NO_GATEWAY', 'CLIENT_CLOSED']],
  8: [{ attempts: '7' }, ['In truth performed 2 times', 'CONNECTION_LOST']],
  8.2: [{ attempts: '7' }, ['In truth performed never', 'CONNECTION_LOST']],
  9: [{}, ['16 s', 'Answered "not performed, try again"']],
  9.2: [{}, ['RETRY_TIMEOUT', '56.67 s']],
  9.3: [{}, ['3 s']],
  10: [{}, ['As configured, with jitter 0.2', 'The same without jitter', '1,000 of 1,000 clients connected']],
  10.2: [{}, ['As configured, without jitter', 'The same with jitter 0.2']],
  10.3: [{}, ['As configured, with jitter 1']],
};

test('each story and each of its runs', async (t) => {
  const page = await open(t);
  for (const [name, [numbers, texts]] of Object.entries(SHOWN)) {
    await t.test(name, async () => {
      // Not what is shown already: another run is played before.
      await page.evaluate((hash) => {
        document.querySelector('.figures')?.setAttribute('aria-busy', 'true');
        location.hash = hash;
      }, `#story=${name}`);
      const [story, run = 1] = name.split('.').map(Number);
      await page.locator(`.stories li:nth-child(${story}) a[aria-current="true"]`).waitFor();
      const runs = page.locator('.runs a');
      if ((await runs.count()) > 0)
        await page.locator(`.runs li:nth-child(${run}) a[aria-current]`).waitFor();
      const shown = await figures(page);
      for (const [figure, number] of Object.entries(numbers)) assert.equal(shown[figure], number, figure);
      for (const text of texts) await page.getByText(text).first().waitFor({ state: 'attached' });
      assert.equal(await page.locator('.stories a[aria-current]').count(), 1);
      assert.equal(await page.locator('#problems .error').count(), 0);
    });
  }
});

test('from story to story by their links, and back', async (t) => {
  const page = await open(t);
  await played(page);
  for (const title of ['Rolling restart', 'The cluster is busy']) {
    await page.getByRole('link', { name: title }).click();
    await page.getByRole('heading', { name: title }).waitFor();
  }
  await page.getByRole('link', { name: 'busy for three minutes' }).click();
  await page.waitForURL('**/#story=9.2');
  await page.goBack();
  await page.goBack();
  await page.getByRole('heading', { name: 'Rolling restart' }).waitFor();
  assert.deepEqual((await figures(page)).waits, '0');
});

test('a herd: with jitter the tenth busiest moment is a fraction of that without', async (t) => {
  const page = await open(t, '#story=10');
  const captions = page.locator('#fleet figcaption');
  await captions.nth(1).waitFor();
  const [jitter, none] = await captions.allTextContents();
  const tenth = (text) => Number(/the tenth busiest ([\d,]+)/.exec(text)[1].replace(',', ''));
  assert.equal(tenth(none), 1000);
  assert.ok(tenth(jitter) < 300, jitter);
});
