// 2,000 operations that must not run twice, one every 5 ms, each answered after 20 ms, while every socket is destroyed each 200 ms.
// The cuts end with the last operation; then there are 15 s to settle. All clients at once, a gateway each, with their defaults.
import { setTimeout as after } from 'node:timers/promises';
import { number } from '../lib/stats.mjs';

export const title = 'Loss and duplicates';
export const variants = ['graphql-ws-retry', 'regate-unsent'];

const COUNT = 2000;
const QUICK_COUNT = 400;
const EVERY_MILLISECONDS = 5;
const CUT_EVERY_MILLISECONDS = 200;
const SETTLE_MILLISECONDS = 15_000;
const QUICK_SETTLE_MILLISECONDS = 2000;
const OPEN_LIMIT_MILLISECONDS = 8000;
const LAST_MILLISECONDS = 200;

/** What page/driver.js calls what became of an operation. */
const OUTCOMES = ['unsettled', 'resolved', 'rejected', 'rejected'];
const SAID_NO = '3';

export async function run(names, bench) {
  bench.progress(0, 'operating under cuts');
  const audit = async (name) => [
    name,
    await auditOf(name, bench).catch(({ message }) => ({ failure: message })),
  ];
  return Object.fromEntries(await Promise.all(names.map(audit)));
}

async function auditOf(name, { browser, gateways, isQuick }) {
  const count = isQuick ? QUICK_COUNT : COUNT;
  const page = await browser.open(name);
  const gateway = await gateways.start(page.meta.server);
  try {
    const began = await page.call('connect', [gateway.url], { isProbed: false });
    const reached = page.meta.isLazy || (await page.call('until', 'open', began, OPEN_LIMIT_MILLISECONDS));
    if (!reached) throw new Error('did not connect');
    let stopped;
    page.told = () => {
      stopped = gateway.ask('stopCuts');
    };
    await gateway.ask('cutEvery', { milliseconds: CUT_EVERY_MILLISECONDS });
    const settleMilliseconds = isQuick ? QUICK_SETTLE_MILLISECONDS : SETTLE_MILLISECONDS;
    const done = await page.call('operate', {
      count,
      everyMilliseconds: EVERY_MILLISECONDS,
      settleMilliseconds,
    });
    await after(LAST_MILLISECONDS);
    const { counts } = await gateway.ask('executed');
    return { ...judge(done.outcomes, new Map(counts)), reasons: done.reasons, ...(await stopped) };
  } finally {
    await page.close();
    await gateway.kill();
  }
}

/** Holds what the client said of each operation against how often the gateway ran it. */
export function judge(outcomes, executed) {
  const found = {
    count: outcomes.length,
    ...{ resolved: 0, rejected: 0, unsettled: 0 },
    ...{ never: 0, once: 0, more: 0, most: 0 },
    ...{ rejectedYetRun: 0, unsettledYetRun: 0, resolvedNotRun: 0, saidNo: 0, saidNoYetRun: 0 },
  };
  for (const [id, outcome] of [...outcomes].entries()) {
    const runs = executed.get(id) ?? 0;
    const became = OUTCOMES[outcome];
    found[became] += 1;
    found[['never', 'once'][runs] ?? 'more'] += 1;
    found.most = Math.max(found.most, runs);
    if (runs > 0 && became !== 'resolved') found[`${became}YetRun`] += 1;
    if (runs === 0 && became === 'resolved') found.resolvedNotRun += 1;
    if (outcome === SAID_NO) found.saidNo += 1;
    if (outcome === SAID_NO && runs > 0) found.saidNoYetRun += 1;
  }
  return found;
}

const said = ({ saidNo, saidNoYetRun }) =>
  saidNo > 0 ? `${number(saidNo)}, of which ${number(saidNoYetRun)} had run` : '–';

const row = ([name, found]) =>
  found.failure
    ? [name, found.failure]
    : [
        name,
        number(found.resolved),
        number(found.rejected),
        number(found.unsettled),
        `${number(found.more)} (${found.most})`,
        number(found.rejectedYetRun),
        said(found),
        number(found.unsettledYetRun),
        number(found.cuts),
      ];

export const tables = (result) => [
  {
    note: `${number(Object.values(result).find(({ count }) => count)?.count)} operations that must not run twice, one every ${EVERY_MILLISECONDS} ms, while every socket is destroyed each ${CUT_EVERY_MILLISECONDS} ms.`,
    head: [
      'client',
      'resolved',
      'rejected',
      'never settled',
      'run twice or more (most)',
      'rejected, yet run',
      'said "not performed"',
      'never settled, yet run',
      'sockets cut',
    ],
    rows: Object.entries(result).sort().map(row),
  },
];

export const charts = () => [];
