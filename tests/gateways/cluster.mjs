// A cluster for tests: a store, gateways in front of it, and the faults that a test wants.

import { setTimeout as after } from 'node:timers/promises';
import { Child } from './child.mjs';
import { Gateway } from './gateway_handle.mjs';
import { audit } from './journal.mjs';
import { Ports } from './port.mjs';

/**
 * @typedef {object} ClusterOptions
 * @property {number} [count] gateways; 3
 * @property {boolean} [rememberKeys] answer a repeated operation key without executing again; false
 * @property {string | null} [token] what `login` must give on every connection before anything else; null for no login
 * @property {number} [latencyMilliseconds] how long a frame is under way, each way, so that something is in flight when a fault strikes; 0
 * @property {number} [maxMessageBytes] a longer frame ends its connection with 1009; 64 MiB
 */

/**
 * @typedef {import('./counters.mjs').Counters & { name: string, up: boolean, starts: number, executions: number }} GatewayStats
 */

/**
 * @typedef {{ gateways: GatewayStats[], executions: number, repeats: number }} ClusterStats
 */

/** A store with its gateways. */
export class Cluster {
  #store;
  #ports;
  /** @type {Gateway[]} */
  gateways;

  /**
   * @param {Child} store
   * @param {Ports} ports
   * @param {Gateway[]} gateways
   */
  constructor(store, ports, gateways) {
    this.#store = store;
    this.#ports = ports;
    this.gateways = gateways;
  }

  /** The URLs, in the order of the gateways; they stay the same over kill and restart. */
  get urls() {
    return this.gateways.map(({ url }) => url);
  }

  /** The process ids that are running. */
  get pids() {
    const pids = this.gateways.map(({ pid }) => pid);
    return [this.#store.process.pid, ...pids].filter((pid) => pid !== undefined);
  }

  /**
   * Every execution so far, in order.
   *
   * @returns {Promise<import('./executions.mjs').Entry[]>}
   */
  async journal() {
    await this.#barrier();
    return this.#store.call('journal');
  }

  /**
   * How often each id was executed; ids as text.
   *
   * @returns {Promise<Map<string, number>>}
   */
  async executions() {
    await this.#barrier();
    return new Map(Object.entries(await this.#store.call('counts')));
  }

  /**
   * How often an id was executed.
   *
   * @param {string | number} id
   */
  async executed(id) {
    return (await this.executions()).get(String(id)) ?? 0;
  }

  /**
   * Judges what a client said by the journal. First let the client close and `quiet()` return.
   *
   * @param {Iterable<import('./journal.mjs').Outcome>} outcomes
   */
  async audit(outcomes) {
    return audit(outcomes, await this.executions());
  }

  /** @returns {Promise<ClusterStats>} */
  async stats() {
    await this.#barrier();
    const stats = await this.#store.call('stats');
    for (const [index, { name, up, starts }] of this.gateways.entries()) {
      stats.gateways[index] = { name, up, starts, ...stats.gateways[index] };
    }
    return stats;
  }

  /**
   * Waits until the numbers are as wanted.
   *
   * @param {(stats: ClusterStats) => boolean} isReached
   * @param {{ withinMilliseconds?: number }} [options]
   * @returns {Promise<ClusterStats>}
   */
  async until(isReached, { withinMilliseconds = 5000 } = {}) {
    const giveUpAt = performance.now() + withinMilliseconds;
    for (;;) {
      const stats = await this.stats();
      if (isReached(stats)) return stats;
      if (performance.now() > giveUpAt) {
        throw new Error(`not reached in ${withinMilliseconds} ms: ${isReached} of ${JSON.stringify(stats)}`);
      }
      await after(5);
    }
  }

  /**
   * Waits until every connection is closed and all that came over it is executed. A stalled gateway must be healed
   * first: it does not see that a client has gone.
   *
   * @param {{ withinMilliseconds?: number }} [options]
   */
  quiet(options) {
    return this.until(({ gateways }) => gateways.every(({ open }) => open === 0), options);
  }

  /** Ends all faults; killed gateways are started again. */
  async heal() {
    await Promise.all(this.gateways.map((gateway) => gateway.heal()));
  }

  /**
   * Sends a notification to the subscribers of a topic, on all gateways.
   *
   * @param {string} topic
   * @param {unknown} value
   */
  async publish(topic, value) {
    await this.#store.call('publish', topic, value);
  }

  /**
   * The live subscriptions.
   *
   * @returns {Promise<{ gateway: number, socket: number, subscription: string, topic: string }[]>}
   */
  async subscriptions() {
    const running = this.gateways.filter(({ up }) => up);
    const lists = await Promise.all(running.map((gateway) => gateway.subscriptions()));
    return lists.flat();
  }

  /**
   * Ends all processes and waits until they are gone. Rejects when a gateway had died that nobody killed.
   */
  async stop() {
    const crashed = this.gateways.filter((gateway) => gateway.crashed);
    await Promise.all(this.gateways.map((gateway) => gateway.end()));
    if (this.#store.running) this.#store.process.kill('SIGTERM'); // it removes its folder
    await this.#store.ended;
    this.#ports.close();
    if (crashed.length > 0) throw new Error(`died by itself: ${crashed.map(({ name }) => name).join(', ')}`);
  }

  [Symbol.asyncDispose]() {
    return this.stop();
  }

  /** Waits until the store has all that the gateways have read. */
  async #barrier() {
    await Promise.all(this.gateways.map((gateway) => gateway.barrier()));
  }
}

/**
 * Starts a cluster. End it with `stop()`; its processes also end when this process does.
 *
 * @param {ClusterOptions} [options]
 * @returns {Promise<Cluster>}
 */
export async function startCluster(options = {}) {
  const { count = 3, rememberKeys = false, token = null, latencyMilliseconds = 0 } = options;
  const { maxMessageBytes = 64 * 1024 * 1024 } = options;
  const ports = new Ports();
  await ports.open();
  const store = new Child('./store.mjs', 'the store', { count, rememberKeys });
  /** @type {Gateway[]} */
  const gateways = [];
  const cluster = new Cluster(store, ports, gateways);
  try {
    await store.ready;
    const path = await store.call('path');
    for (let index = 0; index < count; index += 1) {
      const port = await ports.reserve();
      const config = { store: path, token, latencyMilliseconds, maxMessageBytes };
      gateways.push(new Gateway(index, port, store, config));
    }
    await Promise.all(gateways.map((gateway) => gateway.restart()));
    return cluster;
  } catch (error) {
    await cluster.stop().catch(() => {});
    throw error;
  }
}
