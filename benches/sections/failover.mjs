// How long it takes to be connected again. regate and raw-orb, the limit of a client that comes back, are measured in pairs, one
// at a time, each time in a fresh page; the others all at once, a few times, as they mostly wait.
import { setTimeout as after } from 'node:timers/promises';
import { freePort } from '../lib/free_port.mjs';
import { median, number, spread, summary } from '../lib/stats.mjs';

export const title = 'Failover';
export const leftOut = ['raw', 'regate'];
export const variants = ['graphql-ws-retry'];

const PAIRS = 20;
const REPETITIONS = 3;
const OPEN_LIMIT_MILLISECONDS = 8000;
const LIMIT_MILLISECONDS = 12_000;
const SETTLED_MILLISECONDS = 300;
const APART_MILLISECONDS = 150;
const STAGGER_MILLISECONDS = 300;
const DOWN_MILLISECONDS = 1000;

const CASES = {
  killed: { title: 'connected one of 3 killed → open on the next', needsList: true, run: killed },
  restarted: { title: 'the only gateway back after 1 s: it listens → open', run: restarted },
  startsDown: { title: 'first two of 3 down at the start: connect → open', needsList: true, run: startsDown },
  hanging: {
    title: `connected one of 3 killed, the next hangs in the handshake → open (regate: \`dialStaggerMilliseconds\` ${STAGGER_MILLISECONDS})`,
    needsList: true,
    run: hanging,
  },
};

/** In pairs: raw-orb has no answer to a gateway that hangs, so that regate is beside a raw dial there. */
const PAIRED = ['killed', 'startsDown'];

export async function run(names, bench) {
  const pairs = bench.isQuick ? 2 : PAIRS;
  const result = { pairs: {}, peers: {} };
  for (const [at, name] of PAIRED.entries())
    result.pairs[name] = await inPairs(name, pairs, bench, (part) => (at + part) / 4);
  result.hanging = await beside(pairs, bench);
  for (const [at, name] of Object.keys(CASES).entries()) {
    bench.progress(0.75 + at / 16, `peers: ${CASES[name].title}`);
    await allAtOnce(name, names, bench, result.peers);
  }
  return result;
}

async function inPairs(name, pairs, bench, share) {
  const times = { regate: [], 'raw-orb': [], 'raw-orb again': [] };
  const clients = Object.keys(times);
  for (let pair = 0; pair < pairs; pair += 1) {
    bench.progress(share(pair / pairs), `${name}, pair ${pair + 1} of ${pairs}`);
    for (let turn = 0; turn < clients.length; turn += 1) {
      const client = clients[(pair + turn) % clients.length];
      const { milliseconds, failure } = await once(client.replace(' again', ''), name, bench);
      if (failure) throw new Error(`${client}, ${name}: ${failure}`);
      times[client].push(milliseconds);
    }
  }
  return times;
}

async function beside(pairs, bench) {
  const times = { regate: [], 'a raw dial': [] };
  for (let pair = 0; pair < pairs; pair += 1) {
    bench.progress(0.5 + pair / pairs / 4, `hanging, pair ${pair + 1} of ${pairs}`);
    const { milliseconds, failure } = await once('regate', 'hanging', bench);
    if (failure) throw new Error(`regate, hanging: ${failure}`);
    times.regate.push(milliseconds);
    times['a raw dial'].push(await rawDial(bench));
  }
  return times;
}

async function rawDial(bench) {
  const page = await bench.browser.open('raw');
  const gateway = await bench.gateways.start('jsonrpc');
  const began = await page.call('connect', [gateway.url]);
  const { at } = await page.call('until', 'open', began, OPEN_LIMIT_MILLISECONDS);
  await page.close();
  await gateway.kill();
  return at - began;
}

async function once(client, name, bench) {
  const page = await bench.browser.open(client);
  await after(SETTLED_MILLISECONDS);
  try {
    return await CASES[name].run(page, bench.gateways);
  } finally {
    await page.close();
  }
}

async function allAtOnce(name, names, bench, results) {
  const { needsList } = CASES[name];
  const measure = async (client, at) => {
    await after(at * APART_MILLISECONDS);
    const times = [];
    let failure;
    for (let run = 0; run < (bench.isQuick ? 1 : REPETITIONS) && !failure; run += 1) {
      const page = await bench.browser.open(client);
      if (needsList && page.meta.list === 'none') failure = 'no list';
      else {
        const found = await CASES[name]
          .run(page, bench.gateways)
          .catch(({ message }) => ({ failure: message }));
        failure = found.failure;
        if (!failure) times.push(found.milliseconds);
      }
      await page.close();
    }
    results[client] ??= {};
    results[client][name] = { times, failure };
  };
  await Promise.all(names.map(measure));
}

async function killed(page, gateways) {
  const { server } = page.meta;
  return loseFirst(page, [
    await gateways.start(server),
    await gateways.start(server),
    await gateways.start(server),
  ]);
}

async function hanging(page, gateways) {
  const { server } = page.meta;
  return loseFirst(page, [
    await gateways.start(server),
    await gateways.start('hanging'),
    await gateways.start(server),
  ]);
}

async function loseFirst(page, [first, ...others]) {
  const urls = [first, ...others].map(({ url }) => url);
  await connect(page, urls);
  const { at } = await first.kill();
  const found = await openAfter(page, at);
  for (const gateway of others) await gateway.kill();
  return found;
}

async function restarted(page, gateways) {
  const gateway = await gateways.start(page.meta.server);
  await connect(page, [gateway.url]);
  const { at: killedAt } = await gateway.kill();
  await after(DOWN_MILLISECONDS);
  const { at } = await gateway.restart();
  const found = await openAfter(page, killedAt, at);
  await gateway.kill();
  return found;
}

async function startsDown(page, gateways) {
  const gateway = await gateways.start(page.meta.server);
  const dead = async () => `ws://127.0.0.1:${await freePort()}`;
  const began = await page.call('connect', [await dead(), await dead(), gateway.url]);
  const found = await openAfter(page, began);
  await gateway.kill();
  return found;
}

async function connect(page, urls) {
  const began = await page.call('connect', urls, { staggerMilliseconds: STAGGER_MILLISECONDS });
  const reached = await page.call('until', 'open', began, OPEN_LIMIT_MILLISECONDS);
  if (reached?.state !== 'open') throw new Error('did not connect');
  await after(SETTLED_MILLISECONDS);
}

/** How long after `since` it was open, having been lost at `lostAt`. */
async function openAfter(page, lostAt, since = lostAt) {
  const reached = await page.call('until', 'open', lostAt + 0.01, LIMIT_MILLISECONDS);
  if (reached?.state === 'open') return { milliseconds: reached.at - since };
  const failure = reached
    ? `gave up after ${number(reached.at - lostAt)} ms`
    : `over ${LIMIT_MILLISECONDS / 1000} s`;
  return { failure };
}

const pairRow = (name, times, base) => [
  name,
  times.length,
  spread(summary(times), 1),
  times === base ? '' : (median(times) / median(base)).toFixed(2),
];

const peerCell = (found) => {
  if (!found) return '–';
  const { times, failure } = found;
  if (times.length === 0) return failure;
  return spread(summary(times)) + (failure ? `, then ${failure}` : '');
};

export const tables = ({ pairs, hanging: hung, peers }) => [
  ...Object.entries(pairs).map(([name, times]) => ({
    note: `${CASES[name].title}: ms, median [least–most].`,
    head: ['client', 'runs', 'ms', 'of raw-orb'],
    rows: ['raw-orb', 'raw-orb again', 'regate'].map((client) =>
      pairRow(client, times[client], times['raw-orb']),
    ),
  })),
  {
    note: `${CASES.hanging.title}: ms, median [least–most].`,
    head: ['client', 'runs', 'ms'],
    rows: Object.entries(hung).map(([name, times]) => [name, times.length, spread(summary(times), 1)]),
  },
  {
    note: 'The others, all at once, with their defaults: ms, median [least–most].',
    head: ['client', ...Object.values(CASES).map((one) => one.title.replace(/ \(regate.*/, ''))],
    rows: Object.entries(peers).map(([name, found]) => [
      name,
      ...Object.keys(CASES).map((one) => peerCell(found[one])),
    ]),
  },
];

export const charts = ({ pairs, peers }) =>
  PAIRED.map((name) => ({
    name: `failover-${name}`,
    title: `${CASES[name].title}, ms`,
    isLog: true,
    points: [
      ...Object.entries(pairs[name]).map(([label, times]) => pointOf(label, times)),
      ...Object.entries(peers)
        .filter(([label, found]) => label !== 'raw-orb' && found[name].times.length > 0)
        .map(([label, found]) => pointOf(label, found[name].times)),
    ],
  }));

function pointOf(label, times) {
  const { median: value, range: ends } = summary(times);
  const [low, high] = ends;
  return { label, value, low, high };
}
