// The gateways, browser pages and Node processes of a run, with their clients.

import { fileURLToPath, pathToFileURL } from 'node:url';
import { Chromium } from '../demo/chromium.mjs';
import { startSite, unpackPackage } from '../demo/site.mjs';
import { Child } from '../gateways/child.mjs';
import { startCluster } from '../gateways/cluster.mjs';
import { SLOTS } from './page/operations.js';
import { topicOf } from './page/slots.js';
import { CAST, TARGETS } from './plan.mjs';

const TOKEN = 'the token of chaos';
const LATENCY_MILLISECONDS = 10;
const HOME = fileURLToPath(new URL('../..', import.meta.url));

/** A page or a process. What is asked of it is done in the order of asking, and not while it sleeps. */
class Place {
  #turn = Promise.resolve();
  #ask;
  /** The counts of its clients, as they were told last. @type {any[]} */
  told = [];

  /**
   * @param {(method: string, ...args: unknown[]) => Promise<any>} ask
   * @param {any} target what a fault of this place strikes
   */
  constructor(ask, target) {
    this.#ask = ask;
    this.target = target;
  }

  call(method, ...args) {
    return this.inTurn(() => this.#ask(method, ...args));
  }

  /**
   * @template T
   * @param {() => Promise<T>} act
   * @returns {Promise<T>}
   */
  async inTurn(act) {
    const turn = this.#turn.then(act);
    this.#turn = turn.then(
      () => {},
      () => {},
    );
    return turn;
  }
}

/** @typedef {Awaited<ReturnType<typeof startWorld>>} World */

/**
 * Starts all of it; it ends with the lifetime.
 *
 * @param {import('../demo/lifetime.mjs').Lifetime} life
 * @param {number} seed
 */
export async function startWorld(life, seed) {
  const { folder, version } = unpackPackage(life);
  const cluster = await startCluster({
    count: TARGETS.gateway,
    rememberKeys: true,
    token: TOKEN,
    latencyMilliseconds: LATENCY_MILLISECONDS,
  });
  life.defer(() => cluster.stop().catch(() => {})); // a signal reaches the gateways too: they may have ended
  const folders = {
    '/tests/chaos/page/': `${HOME}tests/chaos/page`,
    '/www/live/': `${HOME}www/live`,
    '/regate/': folder,
  };
  const site = await startSite(life, { folders });
  const browser = await Chromium.launch(life);
  const pages = [];
  for (let made = 0; made < CAST.pages; made += 1) pages.push(await openPage(browser, site));
  const nodes = [];
  for (let made = 0; made < CAST.nodes; made += 1) nodes.push(await openNode(life, folder, made));
  const places = [...pages, ...nodes];
  const names = places.flatMap((_, place) =>
    Array.from(
      { length: CAST.each },
      (_unused, at) => `${place < CAST.pages ? 'page' : 'node'}${place}${'ab'[at]}`,
    ),
  );
  const topics = names.flatMap((name) => Array.from({ length: SLOTS }, (_, slot) => topicOf(name, slot)));
  const clients = [];
  for (const [number, name] of names.entries()) {
    const place = places[Math.floor(number / CAST.each)];
    const platform = pages.includes(place) ? 'page' : 'node';
    const config = {
      number,
      name,
      seed,
      clientSeed: seed + number,
      platform,
      urls: cluster.urls,
      token: TOKEN,
      topics,
    };
    const index = await place.call('make', config);
    clients.push({ name, call: (method, ...args) => place.call('call', index, method, ...args) });
  }
  return { version, browser, cluster, clients, pages, nodes, places };
}

async function openPage(browser, site) {
  /** @type {Place} */
  let place;
  const page = await browser.open(`${site}tests/chaos/page/`, (told) => {
    if (place !== undefined) place.told = told;
  });
  await page.evaluate(async () => {
    while (globalThis.chaos === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
  });
  const ask = (name, ...rest) =>
    page.evaluate((method, args) => globalThis.chaos[method](...args), name, rest);
  place = new Place(ask, page);
  return place;
}

async function openNode(life, folder, number) {
  const entry = pathToFileURL(`${folder}/index.inline.js`).href;
  const child = new Child('../chaos/node_subjects.mjs', `Node process ${number}`, { entry });
  life.defer(() => child.kill());
  await child.ready;
  const place = new Place((method, ...args) => child.call(method, ...args), child);
  const follow = async () => {
    place.told = await place.call('counts').catch(() => place.told);
  };
  const timer = setInterval(follow, 500);
  life.defer(() => clearInterval(timer));
  return place;
}
