// How many timers of the page are alive: connected and at rest, then with 1,000 requests pending, each with its timeout.
import { number } from '../lib/stats.mjs';

export const title = 'Timers alive';
export const leftOut = ['raw', 'p-retry', 'cockatiel'];

const COUNT = 1000;
const OPEN_LIMIT_MILLISECONDS = 5000;
const TIMEOUT_MILLISECONDS = 60_000;

export async function run(names, { browser, gateways, progress }) {
  const result = {};
  for (const [at, name] of names.entries()) {
    progress(at / names.length, name);
    const page = await browser.open(name, { isWatched: true });
    const gateway = await gateways.start(page.meta.server, { direct: true });
    const timeout = page.meta.timeouts === 'none' ? undefined : TIMEOUT_MILLISECONDS;
    const began = await page.call('connect', [gateway.url], { timeout, isProbed: false });
    if (page.meta.isLazy) await page.call('request', 'echo', ['?']);
    else await page.call('until', 'open', began, OPEN_LIMIT_MILLISECONDS);
    const count = () => page.evaluate(() => globalThis.watched.timers());
    const atRest = await count();
    await page.call('hold', COUNT);
    await page.call('request', 'echo', ['?']);
    result[name] = { timeouts: page.meta.timeouts, atRest, pending: await count() };
    await page.close();
    await gateway.kill();
  }
  return result;
}

export const tables = (result) => [
  {
    note: `Timers of the page that are alive, of clients with and without timeouts.`,
    head: ['client', 'timeouts', 'at rest', `${number(COUNT)} pending`],
    rows: Object.entries(result).map(([name, { timeouts, atRest, pending }]) => [
      name,
      timeouts === 'none' ? 'none' : 'yes',
      atRest,
      number(pending),
    ]),
  },
];

export const charts = () => [];
