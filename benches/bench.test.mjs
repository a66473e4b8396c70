// The bench itself: adapters that need no library of others answer rightly, and numbers become the tables they should.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Lifetime } from '../tests/demo/lifetime.mjs';
import { Browser } from './lib/browser.mjs';
import { adapterNames } from './lib/bundle.mjs';
import { checkAdapters } from './lib/check.mjs';
import { Gateways } from './lib/gateways.mjs';
import { markdown, markdownSection } from './lib/report.mjs';
import { median, number, range, spread, summary } from './lib/stats.mjs';
import { countDials } from './lib/virtual_dead.mjs';
import { measureOwnCost, ratio } from './own_cost.mjs';
import { judge } from './sections/loss.mjs';
import { CELLS, summarise, tables } from './sections/throughput.mjs';

const life = new Lifetime();
let bench;

before(async () => {
  bench = { browser: await Browser.launch(life), gateways: new Gateways(life) };
});
after(() => life.end());

for (const name of ['raw', 'raw-orb', 'regate'])
  test(`adapter ${name}: connects, answers, runs an operation once`, () => checkAdapters([name], bench));

test('an adapter that answers wrongly is found', async () => {
  const wrong = {
    start: async () => ({
      ...(await bench.gateways.start('jsonrpc')),
      ask: async () => ({ counts: [[7, 2]] }), // as if it had run twice
    }),
  };
  await assert.rejects(checkAdapters(['raw'], { ...bench, gateways: wrong }), /adapter raw: what ran gave/);
});

test('every adapter has a name of its own, raw and regate first', () => {
  const names = adapterNames();
  assert.deepEqual(names.slice(0, 2), ['raw', 'regate']);
  assert.equal(new Set(names).size, names.length);
  assert.ok(names.every((name) => !name.startsWith('_')));
});

test('bytes of regate hold its wasm, those of what is held by the gateway are counted', async () => {
  const page = await bench.browser.open('regate');
  const gateway = await bench.gateways.start('jsonrpc');
  const began = await page.call('connect', [gateway.url]);
  await page.call('until', 'open', began, 5000);
  const memory = await page.call('memory');
  assert.ok(memory >= 65_536 && memory % 65_536 === 0, `${memory} bytes are no pages of wasm`);
  await page.call('hold', 10);
  await page.call('request', 'echo', ['after them']);
  assert.equal((await gateway.ask('held')).held, 10);
  await gateway.ask('release');
  const { resolved, rejected } = await page.call('heldEnd', 5000);
  assert.deepEqual({ resolved, rejected }, { resolved: 10, rejected: 0 });
  await page.close();
  await gateway.kill();
});

test('a watched page counts dials and timers', async () => {
  const page = await bench.browser.open('regate', { isWatched: true });
  const gateway = await bench.gateways.start('jsonrpc');
  const began = await page.call('connect', [gateway.url]);
  await page.call('until', 'open', began, 5000);
  const count = () => page.evaluate(() => globalThis.watched.timers());
  const alive = await count();
  await page.evaluate(() => {
    globalThis.own = setTimeout(() => {}, 60_000);
  });
  assert.equal(await count(), alive + 1);
  await page.evaluate(() => clearTimeout(globalThis.own));
  assert.equal(await count(), alive);
  assert.equal(await page.evaluate(() => globalThis.watched.dials.length), 1);
  await page.close();
  await gateway.kill();
});

test('dials at a dead gateway in virtual time are those of the schedule', async () => {
  const { regate } = await countDials();
  assert.deepEqual(regate, [16, 12, 12, 12, 12]);
});

test('the own cost of all is measured in the same rounds', async () => {
  const costs = await measureOwnCost({ rounds: 2, warmUpRounds: 0 });
  assert.deepEqual(Object.keys(costs), ['raw', 'raw again', 'regate']);
  for (const list of Object.values(costs)) assert.ok(list.length === 2 && list.every((cost) => cost > 0));
});

test('ratio: of the medians, with the middle half of the rounds', () => {
  assert.deepEqual(ratio([10, 20, 30, 80], [10, 10, 10, 10]), { ratio: 2.5, middleHalf: [2, 3] });
});

test('what is said of numbers', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 3, 2]), 2.5);
  assert.equal(median([]), null);
  assert.deepEqual(range([2, 1, null, 3]), [1, 3]);
  assert.equal(spread(summary([1000, 3000, 2000])), '2,000 [1,000–3,000]');
  assert.equal(spread(summary([])), '–');
  assert.equal(number(null), '–');
});

test('loss: what was said is held against what ran', () => {
  // Resolved and run, rejected and run, said "no" and run all the same, never settled, run twice.
  const found = judge(
    '123301',
    new Map([
      [0, 1],
      [1, 1],
      [2, 1],
      [5, 2],
    ]),
  );
  const { resolved, rejected, unsettled, never, once, more, most } = found;
  assert.deepEqual(
    { resolved, rejected, unsettled, never, once, more, most },
    { resolved: 2, rejected: 3, unsettled: 1, never: 2, once: 3, more: 1, most: 2 },
  );
  assert.deepEqual([found.rejectedYetRun, found.saidNo, found.saidNoYetRun], [2, 2, 1]);
});

test('throughput: each ratio is of its own round, with its noise below it', () => {
  const rounds = [
    [100, 110, 90],
    [200, 180, 190],
    [400, 400, 400],
  ].map((rates) => {
    const [base, twin, client] = rates.map((perSecond) => ({ perSecond, cpuMicroseconds: 1e6 / perSecond }));
    return Object.fromEntries(CELLS.map((cell) => [cell.name, { base, twin, client }]));
  });
  const cells = Object.fromEntries(CELLS.map(({ name }) => [name, summarise(rounds, name)]));
  const section = { title: 'Round trips', tables: tables({ regate: cells }), charts: [] };
  const conditions = { date: '2026-01-02 03:04', seconds: 5, coresOfOthers: 0.25, cores: 2, isQuick: true };
  const text = markdownSection(section, { conditions });
  const row = (first) => text.split('\n').find((line) => line.startsWith(`| ${first} |`));
  assert.match(row('regate'), /^\| regate \| 3 \| 0\.95 \[0\.90–1\.00\] \|/);
  assert.match(row('– noise'), /^\| – noise \| {2}\| 1\.00 \[0\.90–1\.10\] \|/);
  assert.match(text, /\| regate \| 1\.05 \| 1\.05 \[1\.00–1\.11\]/);
  assert.match(text, /5 s; other processes used 0\.25 of 2 cores meanwhile\. A quick run/);
});

test('a report stands on its machine, and a failure stays in its cell', () => {
  const machine = {
    date: '2026-01-02',
    version: '9.8.7',
    chromium: '1.2',
    node: 'v20',
    cores: 2,
    model: 'a CPU',
  };
  const section = {
    title: 'T',
    tables: [{ note: 'n', head: ['a', 'b'], rows: [['x|y', 'broken\nat line 1']] }],
    charts: [],
  };
  const conditions = { date: 'd', seconds: 1, coresOfOthers: 0, cores: 2, isQuick: false };
  const text = markdown(machine, [markdownSection(section, { conditions })]);
  assert.match(
    text,
    /^# Measured on 2026-01-02\n\nregate 9\.8\.7 beside .* Chromium 1\.2, Node v20, 2 × a CPU/,
  );
  assert.match(text, /\| a \| b \|\n\| --- \| ---: \|\n\| x\\\|y \| broken \|/);
});
