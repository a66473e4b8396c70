// Import, export and sharing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figures, open, played } from './support.mjs';

/** The address of a scenario, however wrong. */
const hashOf = (page, scenario) =>
  page.evaluate(async (text) => {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    const base64 = btoa(String.fromCharCode(...bytes));
    return `#s=${base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
  }, JSON.stringify(scenario));

async function take(page, text) {
  await page.locator('#import-text').fill(text);
  // What was said of the text before goes with it.
  await page.locator('#import-told p').first().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.locator('#import-told p').first().waitFor();
  return page.locator('#import-told').textContent();
}

async function give(page, format) {
  await page.getByRole('radio', { name: format }).check();
  return page.locator('#export-text').textContent();
}

/** The export says so: it is made in the worker, a moment after a change. */
const exportsText = (page, part) => page.locator('#export-text', { hasText: part }).waitFor();

test('JavaScript goes out and comes in again as the same', async (t) => {
  const page = await open(t, '#story=5');
  await played(page);
  await take(
    page,
    `
    import { ClusterClient } from 'regate';
    // of our fleet
    const client = new ClusterClient({
      gateways: ['wss://x.example/ws', "wss://y.example/ws",],
      networking: { connectTimeouts: '500:30000:50', jitter: 0.5, /* sic */ steadyMilliseconds: 10_000 },
      'messaging.retryTimeoutSeconds': 30,
    });`,
  );
  await exportsText(page, 'x.example');
  const text = await give(page, 'JavaScript');
  assert.match(text, /connectTimeouts: "500:30000:50"/);
  assert.match(text, /steadyMilliseconds: 10000/);
  await page.getByRole('link', { name: 'Rolling restart' }).click();
  await exportsText(page, 'shuffleAddresses');
  await take(page, text);
  await exportsText(page, '500:30000:50');
  assert.equal(await give(page, 'JavaScript'), text);
});

test('Hazelcast JSON and ORB properties come in and go out; what has no name there is said', async (t) => {
  const page = await open(t, '#story=3');
  await played(page);
  const told = await take(
    page,
    '{"hazelcast":{"clusterName":"dev","networking":{"reconnect":"false","redoOperations":true},"messaging":{"retryTimeoutSeconds":"60"}}}',
  );
  assert.match(told, /3 settings taken/);
  assert.match(told, /Means nothing to regate: hazelcast\.clusterName/);
  await exportsText(page, 'reconnect: "never"');
  const hazelcast = JSON.parse(await give(page, 'Hazelcast JSON'));
  assert.deepEqual(hazelcast.hazelcast.networking, { reconnect: false, redoOperations: true });
  assert.equal(hazelcast.hazelcast.messaging.retryTimeoutSeconds, 60);
  await take(page, '-Dcom.sun.corba.ee.transport.ORBTCPConnectTimeouts=100:200:300');
  await give(page, 'ORB properties');
  await exportsText(page, 'com.sun.corba.ee.transport.ORBTCPConnectTimeouts=100:200:300');
  await give(page, 'Hazelcast JSON');
  await page.getByText('Has no name there: networking.connectTimeouts').waitFor();
});

test('what cannot be imported says why and changes nothing', async (t) => {
  const page = await open(t, '#story=2');
  await played(page);
  const before = await give(page, 'JavaScript');
  for (const [text, message] of [
    ['{ "networking": ', /neither JSON nor JavaScript that can be read: line 1: the end/],
    [
      'new ClusterClient({ closePolicy: () => "stop" })',
      /“\(\) => "stop" }\)” is no value that can be read without running/,
    ],
    ['{"networking":{"jitter":7}}', /networking\.jitter is 7: it must be a number within/],
    ['{"surprise":1}', /surprise/],
    ['hello', /hello|must/],
  ]) {
    assert.match(await take(page, text), message, text);
    assert.equal(await give(page, 'JavaScript'), before);
  }
});

test('a link holds all of it: another page shows the same', async (t) => {
  const page = await open(t, '#story=8');
  await played(page);
  await page.locator('[id="f-options.networking.jitter"]').evaluate((input) => {
    input.closest('details').open = true;
  });
  await page.locator('[id="f-options.networking.jitter"]').fill('0.25');
  await page.locator('[id="f-options.gateways_0_"]').fill('wss://élan.example/ws');
  await page.locator('[id="f-operations_0_.at"]').evaluate((input) => {
    input.closest('details').open = true;
  });
  await page.locator('[id="f-operations_0_.at"]').fill('10050');
  await page.waitForURL(/#s=/);
  await page.waitForFunction(() => location.hash.length > 100);
  await page.waitForTimeout(400); // longer than an edit waits for the next before it is written
  const link = page.url();
  assert.ok(link.length < 1000, `${link.length} characters`);
  const shown = await figures(page);
  const scenario = await give(page, 'Scenario');
  const other = await open(t, link);
  await other.getByRole('heading', { name: 'Your own scenario' }).waitFor();
  assert.deepEqual(await figures(other), shown);
  await exportsText(other, 'élan');
  assert.equal(await give(other, 'Scenario'), scenario);
  assert.equal(other.url(), link);
  const third = await open(t, '#story=1');
  await played(third);
  await take(third, scenario);
  await exportsText(third, 'élan');
  assert.equal(await give(third, 'Scenario'), scenario, 'a whole scenario is imported as well');
});

test('a link that cannot be read leads to a story; a scenario that cannot says so', async (t) => {
  for (const hash of ['#s=x', '#s=AAAA', '#story=99', '#story=0']) {
    const page = await open(t, hash);
    await played(page);
    await page.getByRole('heading', { name: 'The same with the schedule' }).waitFor();
    assert.equal(
      await page.getByText('The address holds no scenario').count(),
      hash.startsWith('#s=') ? 1 : 0,
    );
  }
});

test('a link that holds what is wrong shows where', async (t) => {
  const page = await open(t);
  await played(page);
  const hash = await hashOf(page, {
    options: { gateways: ['wss://a.example'], networking: { jitter: 9 } },
    faults: [{ kind: 'dwon', from: 1, until: 0 }],
    horizon: 1e4,
  });
  const other = await open(t, hash);
  await other.getByText('3 fields are wrong').waitFor();
  assert.match(
    await other.locator('[id="f-faults_0_.kind-error"]').textContent(),
    /must be one of down, close/,
  );
});

test('the link and the export are copied', async (t) => {
  const page = await open(t, '#story=3', { permissions: ['clipboard-read', 'clipboard-write'] });
  await played(page);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole('button', { name: 'Copy link' }).click();
  await page.getByText('copied').first().waitFor();
  assert.equal(await copied(), page.url());
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByText('copied').nth(1).waitFor();
  assert.equal(await copied(), await give(page, 'JavaScript'));
});

test('a link that holds rubbish breaks nothing', async (t) => {
  const page = await open(t);
  await played(page);
  const rubbish = [
    {},
    { options: 7, faults: 'x', events: { at: 1 }, operations: [null, 3, []], world: [], plainClient: null },
    {
      options: { gateways: [null, {}, 5], networking: [] },
      horizon: 'x',
      clients: {},
      bucketMilliseconds: [],
    },
    {
      options: { gateways: ['wss://a.example'], __proto__: { a: 1 }, networking: null },
      faults: [{ kind: {}, from: {}, until: [], gateway: 'x' }, {}],
      events: [{}, { kind: 'sleep', at: 'x', until: null }],
      operations: [{}, { kind: 'x', name: {}, at: -1, times: 1e9 }],
    },
  ];
  for (const scenario of rubbish) {
    const hash = await hashOf(page, scenario);
    await page.evaluate((next) => {
      location.hash = next;
    }, hash);
    await page
      .getByText(/fields? (is|are) wrong/)
      .first()
      .waitFor();
    assert.equal(await page.locator('#timeline').count(), 1);
    await page.getByRole('link', { name: 'Rolling restart' }).click();
    await played(page);
  }
});
