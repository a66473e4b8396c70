// Closed loops of echo, each client beside raw in two pages of the same run: the ratio to the one, and how the other compares to
// it, which is the noise. New pages for each part of the rounds, as pages of one client differ more than runs in one page.
import { median, number, range, summary } from '../lib/stats.mjs';

export const title = 'Round trips';
export const leftOut = ['raw', 'p-retry', 'cockatiel', 'raw-orb'];
export const variants = ['regate-batch', 'regate-batch-singly'];

/** A small request is about 100 bytes on the wire. */
export const CELLS = [
  { name: 'small, 1', inFlight: 1, bytes: 36, milliseconds: 150, isSmall: true },
  { name: 'small, 64', inFlight: 64, bytes: 36, milliseconds: 150, isSmall: true },
  { name: 'small, 1024', inFlight: 1024, bytes: 36, milliseconds: 150, isSmall: true },
  { name: '16 KiB, 16', inFlight: 16, bytes: 16 << 10, milliseconds: 150 },
  { name: '1 MiB, 2', inFlight: 2, bytes: 1 << 20, milliseconds: 250 },
];
const OPEN_LIMIT_MILLISECONDS = 5000;
const LONG_TIMEOUT_MILLISECONDS = 60_000;

/** Pages and rounds in each: what is claimed of regate needs more of them. */
const PLANS = { regate: { pages: 4, rounds: 3 }, others: { pages: 1, rounds: 5 } };
const QUICK_PLAN = { pages: 1, rounds: 2 };

export async function run(names, bench) {
  const result = {};
  for (const [at, name] of names.entries()) {
    const plan = bench.isQuick ? QUICK_PLAN : (PLANS[name] ?? PLANS.others);
    const rounds = [];
    for (let pages = 0; pages < plan.pages; pages += 1) {
      bench.progress((at + pages / plan.pages) / names.length, name);
      rounds.push(...(await beside(name, plan.rounds, bench)));
    }
    result[name] = Object.fromEntries(CELLS.map((cell) => [cell.name, summarise(rounds, cell.name)]));
  }
  return result;
}

/** Rounds of raw, raw in a second page and the client, who goes first changing with each. */
async function beside(name, rounds, bench) {
  const pages = [];
  for (const one of ['raw', 'raw', name]) pages.push(await connected(one, bench));
  for (const page of pages) for (const cell of CELLS) await burst(page, cell); // warm-up
  const measured = [];
  for (let round = 0; round < rounds; round += 1) {
    const cells = {};
    for (const cell of CELLS) {
      const bursts = [];
      for (let turn = 0; turn < pages.length; turn += 1) {
        const which = (round + turn) % pages.length;
        bursts[which] = await burst(pages[which], cell);
      }
      const [base, twin, client] = bursts;
      cells[cell.name] = { base, twin, client };
    }
    measured.push(cells);
  }
  for (const page of pages) await page.close();
  return measured;
}

async function connected(name, { browser, gateways }) {
  const page = await browser.open(name);
  const { server, timeouts, isLazy } = page.meta;
  const { url } = await gateways.start(server, { direct: true });
  const timeout = timeouts === 'always' ? LONG_TIMEOUT_MILLISECONDS : undefined;
  const began = await page.call('connect', [url], { timeout, isProbed: false });
  if (isLazy) return page;
  const reached = await page.call('until', 'open', began, OPEN_LIMIT_MILLISECONDS);
  if (reached?.state !== 'open') throw new Error(`${name} did not connect`);
  return page;
}

async function burst(page, cell) {
  const before = await page.cpuSeconds();
  const { done, wrong, milliseconds } = await page.call('burst', cell);
  if (wrong > 0) throw new Error(`${page.name}, ${cell.name}: ${wrong} wrong answers`);
  const cpuSeconds = (await page.cpuSeconds()) - before;
  return { perSecond: (done / milliseconds) * 1000, cpuMicroseconds: (cpuSeconds / done) * 1e6 };
}

/** Rates, and CPU of the main thread for each round trip, beside raw and beside its noise. */
export function summarise(rounds, cell) {
  const all = rounds.map((round) => round[cell]);
  const ratios = (of, field) => summary(all.map((one) => one[of][field] / one.base[field]));
  return {
    perSecond: median(all.map(({ client }) => client.perSecond)),
    cpuMicroseconds: median(all.map(({ client }) => client.cpuMicroseconds)),
    rate: ratios('client', 'perSecond'),
    rateNoise: ratios('twin', 'perSecond'),
    cpu: ratios('client', 'cpuMicroseconds'),
    cpuNoise: ratios('twin', 'cpuMicroseconds'),
  };
}

const ratio = ({ median: middle, range: [low, high] }) =>
  `${middle.toFixed(2)} [${low.toFixed(2)}–${high.toFixed(2)}]`;

const small = CELLS.filter(({ isSmall }) => isSmall).map(({ name }) => name);
const columns = CELLS.map(({ name }) => name);

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const meanCpu = (cells, field) => mean(small.map((cell) => cells[cell][field].median)).toFixed(2);

export const tables = (result) => [
  {
    note: 'Round trips per second as a share of those of raw, by size and number in flight: median [least–most] of the rounds. Below it the same of raw in a second page, which is the noise.',
    head: ['client', 'rounds', ...columns],
    rows: Object.entries(result).flatMap(([name, cells]) => [
      [name, cells[columns[0]].rate.count, ...columns.map((cell) => ratio(cells[cell].rate))],
      ['– noise', '', ...columns.map((cell) => ratio(cells[cell].rateNoise))],
    ]),
  },
  {
    note: 'CPU of the main thread for each round trip, as a share of that of raw.',
    head: ['client', 'mean of the small', ...columns],
    rows: Object.entries(result).flatMap(([name, cells]) => [
      [name, meanCpu(cells, 'cpu'), ...columns.map((cell) => ratio(cells[cell].cpu))],
      ['– noise', meanCpu(cells, 'cpuNoise'), ...columns.map((cell) => ratio(cells[cell].cpuNoise))],
    ]),
  },
  {
    note: 'Round trips per second, and µs of CPU for each.',
    head: ['client', ...columns],
    rows: Object.entries(result).map(([name, cells]) => [
      name,
      ...columns.map(
        (cell) => `${number(cells[cell].perSecond)} · ${number(cells[cell].cpuMicroseconds, 1)} µs`,
      ),
    ]),
  },
];

const withNoise = (result, field, cell) => [
  ...Object.entries(result).map(([label, cells]) => pointOf(label, cells[cell][field])),
  noisePoint(Object.values(result).map((cells) => cells[cell][`${field}Noise`])),
];

const pointOf = (label, { median: value, range: [low, high] }) => ({ label, value, low, high });

function noisePoint(noises) {
  const [low, high] = range(noises.flatMap((noise) => noise.range));
  return { label: 'raw, second page', value: median(noises.map((noise) => noise.median)), low, high };
}

export const charts = (result) => [
  ...CELLS.map((cell) => ({
    name: `throughput-${cell.name.replaceAll(/\W+/g, '-')}`,
    title: `Round trips per second beside raw: ${cell.name} in flight`.replace(
      'in flight in flight',
      'in flight',
    ),
    points: withNoise(result, 'rate', cell.name),
    base: 1,
  })),
  {
    name: 'cpu-small-64',
    title: 'CPU of the main thread per round trip beside raw: small, 64 in flight',
    points: withNoise(result, 'cpu', 'small, 64'),
    base: 1,
  },
];
