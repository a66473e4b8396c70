// One run: faults by the plan, then healing, then all that is needed to judge.

import { setTimeout as after } from 'node:timers/promises';
import { KINDS } from './faults.mjs';
import { CAST, faultsOf, TARGETS } from './plan.mjs';
import { startWorld } from './world.mjs';

const SETTLE_WITHIN_MILLISECONDS = 60_000;
const FINAL_MILLISECONDS = 500;
/** Longer than any operation of the gateways takes. */
const EXECUTED_MILLISECONDS = 500;
const wallClock = () => performance.timeOrigin + performance.now();

/**
 * @param {import('../demo/lifetime.mjs').Lifetime} life
 * @param {{ seed: number, seconds: number, progress?: (fraction: number, text: string) => void, say?: (text: string) => void, only?: string[] }} options
 */
export async function runChaos(life, { seed, seconds, progress = () => {}, say = () => {}, only }) {
  const world = await startWorld(life, seed);
  const { cluster, clients, places, pages, nodes } = world;
  say(
    `regate ${world.version}, packed: ${TARGETS.client} clients in ${CAST.pages} pages of Chromium ${world.browser.version} and ${CAST.nodes} Node processes, ${TARGETS.gateway} gateways; seed ${seed}, ${seconds} s`,
  );
  const plan = faultsOf(seed, seconds * 1000, TARGETS).filter(
    ({ kind }) => only === undefined || only.includes(kind),
  );
  await Promise.all(clients.map((client) => client.call('start')));
  const striker = new Striker(world);
  const began = performance.now();
  const show = setInterval(() => {
    const passed = (performance.now() - began) / 1000;
    const told = places.flatMap((place) => place.told);
    const sum = (/** @type {string} */ name) => told.reduce((total, counts) => total + counts[name], 0);
    progress(
      Math.min(1, passed / seconds),
      `${Math.round(passed)} s, ${sum('made')} operations, ${sum('open')} open, ${striker.set} faults`,
    );
  }, 500);
  life.defer(() => clearInterval(show));
  for (const fault of plan) {
    await after(Math.max(0, fault.at - (performance.now() - began)));
    striker.strike(fault);
  }
  await after(Math.max(0, seconds * 1000 - (performance.now() - began)));
  clearInterval(show);
  await striker.ended();
  await cluster.heal();
  say('healed; waiting for what is open');

  const settled = await Promise.all(
    clients.map((client) => client.call('settle', SETTLE_WITHIN_MILLISECONDS)),
  );
  const subscriptions = await finalState(cluster, clients, settled);
  const reports = await Promise.all(clients.map((client) => client.call('end')));
  const happened = await Promise.all(pages.map((page) => page.call('happened')));
  const troubles = pages.flatMap((page) => page.target.troubles);
  for (const node of nodes) troubles.push(...(await node.call('troubles')));
  await cluster.quiet({ withinMilliseconds: 20_000 });
  await after(EXECUTED_MILLISECONDS);
  const outcomes = reports.flatMap((report) => report.outcomes);
  const audit = await cluster.audit(outcomes);
  const stats = await cluster.stats();
  const strikes = striker.counted({ stats, reports, happened });
  for (const page of pages) await page.target.close();
  return {
    seed,
    seconds,
    plan,
    reports,
    outcomes,
    audit,
    strikes,
    settled,
    subscriptions,
    troubles,
    stats,
    misses: striker.misses,
  };
}

/** What is subscribed where, and how often each subscription hears what is published once. */
async function finalState(cluster, clients, settled) {
  const wanted = settled.flatMap(({ topics }) => topics);
  const published = `final ${wallClock()}`;
  for (const topic of wanted) await cluster.publish(topic, published);
  await after(FINAL_MILLISECONDS);
  const heard = await Promise.all(clients.map((client) => client.call('heard', published)));
  return { wanted, found: await cluster.subscriptions(), heard: heard.flat() };
}

/** Sets the faults of a plan, ends them, and knows what they struck. */
class Striker {
  #world;
  /** @type {Set<Promise<void>>} */
  #running = new Set();
  /** The last fault of each gateway, which ends for all before it. @type {Map<any, object>} */
  #latest = new Map();
  /** @type {Record<string, { set: number, struck: number }>} */
  #strikes = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, { set: 0, struck: 0 }]));
  /** When a gateway refused dials. @type {{ port: number, from: number, to: number }[]} */
  #refusals = [];
  /** Faults that could not be set, as another one had ended their target. */
  misses = 0;

  constructor(world) {
    this.#world = world;
  }

  get set() {
    return Object.values(this.#strikes).reduce((sum, { set }) => sum + set, 0);
  }

  /** @param {import('./plan.mjs').Fault} fault */
  strike(fault) {
    this.#strikes[fault.kind].set += 1;
    for (const target of this.#targetsOf(fault)) {
      const running = this.#strikeOne(fault, target).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
  }

  async ended() {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** What each kind struck, by who knows it. */
  counted({ stats, reports, happened }) {
    const bySum = (list, name) => list.reduce((sum, counts) => sum + counts[name], 0);
    const refused = reports
      .flatMap(({ dials }) => dials)
      .filter(({ at, port }) =>
        this.#refusals.some((one) => one.port === port && at > one.from && at < one.to),
      );
    const elsewhere = {
      refused: refused.length,
      sessionFaults: bySum(
        reports.map(({ counts }) => counts),
        'sessionFaults',
      ),
      offline: bySum(happened, 'offline'),
      frozen: bySum(happened, 'frozen'),
    };
    return Object.entries(KINDS).map(([kind, { words, counted }]) => {
      const { set, struck } = this.#strikes[kind];
      if (counted === undefined) return { kind, words, set, struck };
      const byGateways = stats.gateways
        .map(({ struck }) => struck[counted])
        .filter((one) => one !== undefined);
      const units = byGateways.flatMap((one) => Object.values(one)).reduce((sum, one) => sum + one, 0);
      return { kind, words, set, struck: elsewhere[counted] ?? units };
    });
  }

  #targetsOf({ kind, target }) {
    const { cluster, clients, pages, nodes } = this.#world;
    const all = { gateway: cluster.gateways, client: clients, page: pages, node: nodes }[KINDS[kind].on];
    return target === 'all' ? all : [all[target]];
  }

  async #strikeOne(fault, target) {
    const { on, strike } = KINDS[fault.kind];
    const strikes = this.#strikes[fault.kind];
    if (on === 'page' || on === 'node') {
      const struck = await target.inTurn(() => strike(target.target, fault));
      strikes.struck += struck ?? 0;
      return;
    }
    if (on === 'client') {
      const struck = await strike(target, fault);
      strikes.struck += typeof struck === 'number' ? struck : 0;
      return;
    }
    this.#latest.set(target, fault);
    try {
      if (!target.up) await target.heal();
      const struck = await strike(target, fault);
      strikes.struck += typeof struck === 'number' ? struck : 0;
    } catch {
      this.misses += 1; // killed by another fault in the same moment
    }
    const refusal = { port: target.port, from: wallClock(), to: Number.POSITIVE_INFINITY };
    if (fault.kind === 'refuse') this.#refusals.push(refusal);
    await after(fault.lasting);
    if (fault.lasting > 0 && this.#latest.get(target) === fault) await target.heal().catch(() => {});
    refusal.to = wallClock();
  }
}
