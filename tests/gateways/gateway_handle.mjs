// The parent's handle of one gateway: every fault is a method, and settles when the fault has taken effect.

import { Child } from './child.mjs';

/** @typedef {import('./faults.mjs').Limits} Limits */

/** One gateway of a cluster. What is asked of it is done in the order of asking. */
export class Gateway {
  #store;
  #config;
  /** @type {Child | undefined} */
  #child;
  #incarnation = 0;
  /** @type {Promise<unknown>} */
  #turn = Promise.resolve();
  /** Whether it died although nobody killed it. */
  crashed = false;

  /**
   * @param {number} index
   * @param {number} port
   * @param {Child} store
   * @param {object} config
   */
  constructor(index, port, store, config) {
    this.index = index;
    this.name = `gateway ${index}`;
    this.port = port;
    this.url = `ws://127.0.0.1:${port}/`;
    this.#store = store;
    this.#config = config;
  }

  /** Whether its process runs. */
  get up() {
    return this.#child?.running === true;
  }

  /** How often it was started. */
  get starts() {
    return this.#incarnation;
  }

  /** Its process id, while it runs. */
  get pid() {
    return this.up ? this.#child?.process.pid : undefined;
  }

  /** SIGKILL. Settles when the process is gone and all that it had sent to the store is executed. */
  kill() {
    return this.#inTurn(() => this.#kill('kill'));
  }

  /** Starts it again, on the same port, without faults; kills it first when it runs. */
  restart() {
    return this.#inTurn(() => this.#start());
  }

  /** Closes the port: dials are refused by the system. Live connections stay. */
  refuse() {
    return this.#call('refuse');
  }

  /**
   * Accepts TCP and never answers the upgrade; `heal()` answers those still waiting.
   *
   * @param {Limits} [limits]
   */
  hang(limits) {
    return this.#set({ name: 'hang', ...limits });
  }

  /**
   * Answers the upgrade with an HTTP status.
   *
   * @param {number} [status]
   * @param {Limits} [limits]
   */
  rejectUpgrade(status = 503, limits = {}) {
    return this.#set({ name: 'rejectUpgrade', status, ...limits });
  }

  /**
   * Accepts each connection and closes it at once. 1005 or null: no code; 1006: no close frame.
   *
   * @param {number | null} code
   * @param {string | null} [reason]
   * @param {Limits} [limits]
   */
  closeAtOnce(code, reason = null, limits = {}) {
    return this.#set({ name: 'closeAtOnce', code, reason, ...limits });
  }

  /**
   * Closes all live connections. 1005 or null: no code; 1006: no close frame.
   *
   * @param {number | null} code
   * @param {string | null} [reason]
   * @returns {Promise<{ connections: number }>}
   */
  closeAll(code, reason = null) {
    return this.#call('closeAll', code, reason);
  }

  /**
   * Destroys the TCP sockets of all live connections.
   *
   * @param {'end' | 'reset'} [how] FIN or RST
   * @returns {Promise<{ connections: number }>}
   */
  dropAll(how = 'end') {
    return this.#call('dropAll', how);
  }

  /**
   * Half-open: reads nothing and sends nothing, on live connections and new ones.
   *
   * @param {{ dials?: 'hang' | 'open' }} [options] whether the upgrade of a new one is answered; hang
   * @returns {Promise<{ connections: number }>}
   */
  stall({ dials = 'hang' } = {}) {
    return this.#call('stall', { name: 'stall', dials });
  }

  /** Ends a stall: what was held is read, executed, answered. */
  resume() {
    return this.#call('resume');
  }

  /**
   * Destroys a connection at its n-th message from now on, each connection and each new one, until healed.
   *
   * @param {number} messages 1 for the next one
   * @param {{ when?: 'before' | 'after', how?: 'end' | 'reset' } & Limits} [options] before or after executing it
   */
  dropAfter(messages, { when = 'after', how = 'end', ...limits } = {}) {
    return this.#set({ name: 'dropAfter', messages, when, how, ...limits });
  }

  /**
   * Answers with an error and executes nothing.
   *
   * @param {{ code: number, message: string, data?: unknown }} error
   * @param {Limits} [limits]
   */
  answerError(error, limits) {
    return this.#set({ name: 'answerError', error, ...limits });
  }

  /**
   * @param {number} milliseconds
   * @param {Limits} [limits]
   */
  answerLate(milliseconds, limits) {
    return this.#set({ name: 'answerLate', milliseconds, ...limits });
  }

  /** @param {Limits} [limits] */
  answerTwice(limits) {
    return this.#set({ name: 'answerTwice', ...limits });
  }

  /**
   * Sends rubbish, of each kind in turn.
   *
   * @param {string | string[]} kinds
   * @param {{ place?: 'before' | 'instead' } & Limits} [options] whether the true answer follows; it does, unless the kind itself is a legal answer
   */
  answerRubbish(kinds, options) {
    return this.#set({ name: 'answerRubbish', kinds: [kinds].flat(), ...options });
  }

  /**
   * Sends half of the answer's frame, then RST.
   *
   * @param {Limits} [limits]
   */
  resetMidFrame(limits) {
    return this.#set({ name: 'resetMidFrame', ...limits });
  }

  /** Ends all faults; starts it again when it was killed. */
  heal() {
    return this.#inTurn(() => (this.up ? this.#child?.call('heal') : this.#start()));
  }

  /**
   * What is set on it now.
   *
   * @returns {Promise<{ listening: boolean, faults: string[] }>}
   */
  async state() {
    const { listening, faults } = await this.#call('state');
    return { listening, faults };
  }

  /** @returns {Promise<{ gateway: number, socket: number, subscription: string, topic: string }[]>} */
  async subscriptions() {
    const { subscriptions } = await this.#call('state');
    return subscriptions.map((/** @type {object} */ live) => ({ gateway: this.index, ...live }));
  }

  /** Settles when the store has all that this gateway has read; at once when it is down. */
  async barrier() {
    const child = this.#child;
    if (child?.running !== true) return;
    await child.call('barrier').catch((error) => {
      if (child.running) throw error; // killed meanwhile: `kill()` sees to the rest
    });
  }

  /** Ends the process without counting it as a fault. */
  end() {
    return this.#inTurn(() => this.#kill());
  }

  /** @param {import('./faults.mjs').Fault} fault */
  #set(fault) {
    return this.#call('setFault', fault);
  }

  /**
   * @param {string} method
   * @param {...unknown} args
   * @returns {Promise<any>}
   */
  #call(method, ...args) {
    return this.#inTurn(() => {
      if (this.#child === undefined) throw new Error(`${this.name} is down`);
      return this.#child.call(method, ...args);
    });
  }

  /**
   * @template T
   * @param {() => T} act
   * @returns {Promise<Awaited<T>>}
   */
  async #inTurn(act) {
    const turn = this.#turn.then(act, act);
    this.#turn = turn.catch(() => {});
    return await turn;
  }

  /**
   * @param {string} [fault] counted under this name
   * @returns {Promise<{ connections: number }>}
   */
  async #kill(fault) {
    const child = this.#child;
    if (child === undefined) return { connections: 0 };
    this.#child = undefined;
    await child.kill();
    if (!this.#store.running) return { connections: 0 };
    return { connections: await this.#store.call('ended', this.index, this.#incarnation, fault) };
  }

  async #start() {
    await this.#kill('kill');
    this.#incarnation += 1;
    const child = new Child('./gateway.mjs', this.name, {
      ...this.#config,
      gateway: this.index,
      incarnation: this.#incarnation,
      name: this.name,
      port: this.port,
    });
    this.#child = child;
    void child.ended.then(() => {
      if (this.#child === child) this.crashed = true;
    });
    await child.ready;
  }
}
