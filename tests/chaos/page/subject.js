// One client under test: it is asked for everything, and what it says is written down for the judge.

import { SocketWatch } from '../../../www/live/watched_socket.js';
import { Lists } from './lists.js';
import { stepsOf } from './operations.js';
import { optionsOf, profileOf } from './profile.js';
import { Slots } from './slots.js';
import { suspiciousSocket } from './watch.js';

const LISTED = 20;
const RECENT = 40;
const PAUSE_MILLISECONDS = 50;
/** Which states may follow each. */
const FOLLOWING = {
  idle: ['connecting', 'closed'],
  connecting: ['connected', 'closed'],
  connected: ['reconnecting', 'closed'],
  reconnecting: ['connected', 'closed'],
  closed: ['connecting'],
};
const wallClock = () => performance.timeOrigin + performance.now();
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export class Subject {
  #client;
  #regate;
  #watch = new SocketWatch();
  #config;
  #lists;
  #slots;
  #open = new Map();
  #outcomes = [];
  #made = 0;
  #ends = 0; // how often it was closed by other than a drain
  #draining = false;
  #running = false;
  #whims = []; // what the session hook does next, once each
  #accused = {};
  #dials = [];
  #recent = []; // what happened last, for whoever looks for the cause of a failure
  #counts = { sessionFaults: 0, sessions: 0, gaveUp: 0, reopened: 0, reconnects: 0, drains: 0, notified: 0 };

  /**
   * @param {any} regate the package
   * @param {any} Base the platform's WebSocket
   * @param {{ number: number, name: string, seed: number, clientSeed: number, platform: 'page' | 'node', urls: string[], token: string, topics: string[] }} config
   */
  constructor(regate, Base, config) {
    this.#regate = regate;
    this.#config = config;
    this.#lists = new Lists(config.urls);
    this.#watch.onDial = ({ url }) => this.#dialled(url);
    const profile = profileOf(config.number);
    this.profile = profile;
    const Suspicious = suspiciousSocket(Base, {
      isSettled: (id) => !this.#open.has(id),
      isBound: (id) => this.#open.get(id)?.wish.options.boundToConnection === true,
      accuse: (what, id) => this.#accuse(what, id),
    });
    this.#client = new regate.ClusterClient({
      ...optionsOf(profile, config),
      gateways: profile.asksForList ? () => this.#lists.ask() : config.urls,
      session: (connection) => this.#logIn(connection),
      WebSocket: this.#watch.socketClass(Suspicious),
    });
    this.#slots = new Slots(this.#client, config.name, (what, id) => this.#accuse(what, id));
    this.#client.addEventListener('statechange', ({ detail }) => this.#changed(detail));
    for (const type of ['statechange', 'dial', 'dialfailed', 'waiting', 'gatewaysfailed', 'sessionfailed']) {
      this.#client.addEventListener(type, ({ detail }) => this.#note(type, detail));
    }
  }

  /** Connects, and begins to ask. */
  async start() {
    this.#connect();
    this.#running = true;
    this.#run();
  }

  /** So far. */
  counts() {
    return { ...this.#counts, made: this.#made, open: this.#open.size };
  }

  /** The gateways by position: what it may dial from now on. */
  changeList({ positions, whims }) {
    const urls = positions.map((position) => this.#config.urls[position]);
    if (this.profile.asksForList) return this.#lists.change(urls, whims);
    this.#lists.replace(urls);
    this.#client.setGateways(urls);
  }

  /** What the session hook does in its next runs. */
  changeSession({ whims }) {
    this.#whims = [...whims];
    this.#client.reconnect(); // so that it runs
  }

  /** Asks for nothing new, and waits until all is well; says what is not. */
  async settle(withinMilliseconds) {
    this.#running = false;
    const until = performance.now() + withinMilliseconds;
    const isWell = () =>
      this.#open.size === 0 && this.#client.state === 'connected' && this.#slots.isLive && !this.#draining;
    this.#whims = [];
    this.changeList({ positions: this.#config.urls.map((_, position) => position), whims: [] });
    while (!isWell() && performance.now() < until) {
      if (this.#client.state === 'closed') this.#connect();
      this.#slots.begin();
      await pause(10);
    }
    const { state } = this.#client;
    return { open: this.#open.size, state, isLive: this.#slots.isLive, topics: this.#slots.topics };
  }

  /** How often each live subscription heard this. */
  heard(value) {
    return this.#slots.heard(value);
  }

  /** Closes; everything that is known. */
  async end() {
    const stats = this.#client.stats();
    this.#note('end', { state: this.#client.state, navigator: globalThis.navigator?.onLine });
    this.#client.close();
    await pause(PAUSE_MILLISECONDS); // what is settled by it is told
    for (const [id, { wish }] of this.#open) {
      const handedToSocket = this.#watch.handed(id);
      this.#outcomes.push({ id, kind: wish.kind, method: wish.method, outcome: 'pending', handedToSocket });
    }
    return {
      name: this.#config.name,
      isLimited: this.profile.isLimited,
      outcomes: this.#outcomes,
      accused: this.#accused,
      dials: this.#dials,
      counts: this.counts(),
      subscribed: this.#slots.counts,
      stats,
      recent: this.#recent,
    };
  }

  #note(type, detail) {
    this.#recent.push({ at: wallClock(), type, ...detail, error: String(detail.error ?? '') });
    if (this.#recent.length > RECENT) this.#recent.shift();
  }

  async #run() {
    const { seed, name, topics } = this.#config;
    const steps = stepsOf(seed, name, topics);
    let due = performance.now();
    for (const { after, calls, wishes } of steps) {
      due = Math.max(due + after, performance.now() - 100); // what was slept through is not made up for
      const left = due - performance.now();
      if (left > 0) await pause(left);
      if (!this.#running) return;
      for (const { call, slot } of calls) this.#call(call, slot);
      for (const wish of wishes) this.#make(wish);
    }
  }

  #call(call, slot) {
    const isFree = !this.#draining && this.#client.state !== 'closed';
    switch (call) {
      case 'resubscribe':
        this.#slots.turn(slot);
        break;
      case 'notify':
        this.#client.notify('echo', ['hello']);
        this.#counts.notified += 1;
        break;
      case 'reconnect':
        if (isFree) this.#client.reconnect();
        this.#counts.reconnects += 1;
        break;
      case 'reopen':
        if (!isFree) return;
        this.#counts.reopened += 1;
        this.#client.close();
        break;
      case 'drain':
        if (!isFree) return;
        this.#counts.drains += 1;
        this.#draining = true;
        this.#client.drain();
    }
  }

  #connect() {
    this.#client.connect().catch(() => {}); // closed meanwhile, which `statechange` tells
    this.#slots.begin();
  }

  async #logIn(connection) {
    this.#counts.sessions += 1;
    const whim = this.#whims.shift();
    if (whim !== undefined) this.#counts.sessionFaults += 1;
    if (whim === 'never') return new Promise(() => {});
    if (whim === 'wrong token') return connection.invoke('login', ['wrong']);
    if (whim !== undefined) throw Object.assign(new Error('no session'), { verdict: whim });
    await connection.invoke('login', [this.#config.token]);
  }

  #changed({ from, to, reason }) {
    if (!FOLLOWING[from].includes(to)) this.#accuse('wrongState', `${from} to ${to}: ${reason}`);
    if (to !== 'closed') return;
    if (!this.#draining || reason !== 'requested') this.#ends += 1;
    if (reason !== 'requested') this.#counts.gaveUp += 1;
    this.#draining = false;
    setTimeout(() => this.#client.state === 'closed' && this.#running && this.#connect(), PAUSE_MILLISECONDS);
  }

  #dialled(url) {
    if (!this.#lists.allows(url)) this.#accuse('dialledOffTheList', url);
    this.#dials.push({ at: wallClock(), port: Number(new URL(url).port) });
  }

  #make(wish) {
    const id = `${this.#config.name}-${this.#made}`;
    this.#made += 1;
    const wasEnding = this.#draining || this.#client.state === 'closed';
    this.#open.set(id, { wish, ends: this.#ends, wasEnding });
    const params = { ...wish.params, id };
    if (wish.method === 'publish') params.value = id;
    const options = { ...wish.options };
    if (options.operationKey === 'drawn') options.operationKey = true;
    if (options.operationKey === 'given') options.operationKey = `key of ${id}`;
    const { abort } = wish;
    const controller = new AbortController();
    if (abort !== undefined) options.signal = controller.signal;
    if (abort === 'before') controller.abort();
    const promise = this.#client.invoke(wish.method, this.#made % 2 === 0 ? params : [params], options);
    promise.then(
      () => this.#settled(id, { outcome: 'ok' }),
      (error) => this.#settled(id, this.#failureOf(id, error, promise)),
    );
    if (abort === 'turn') controller.abort();
    if (typeof abort === 'number') setTimeout(() => controller.abort(), abort);
  }

  #failureOf(id, error, promise) {
    const completion = this.#regate.completionOf(promise);
    const isOurs = error instanceof this.#regate.RegateError;
    if (isOurs && error.completion !== completion) this.#accuse('twoCompletions', id);
    if (!isOurs && error?.name !== 'AbortError') this.#accuse('strangeError', `${id}: ${error}`);
    const { cause } = isOurs ? error : {};
    return {
      outcome: 'error',
      code: isOurs ? error.code : 'ABORTED',
      completion,
      closeCode: error.closeCode,
      cause: cause?.code ?? (typeof cause === 'string' ? cause : cause?.message),
    };
  }

  #settled(id, said) {
    const open = this.#open.get(id);
    if (open === undefined) return this.#accuse('settledTwice', id);
    this.#open.delete(id);
    const { kind, method, isHurried } = open.wish;
    const hadEnd = open.wasEnding || open.ends !== this.#ends;
    const mustAnswer = kind !== 'write' && isHurried !== true && !hadEnd;
    this.#outcomes.push({ id, kind, method, ...said, handedToSocket: this.#watch.handed(id), mustAnswer });
    this.#watch.forget(id);
  }

  #accuse(what, id) {
    this.#accused[what] ??= { count: 0, ids: [] };
    const accused = this.#accused[what];
    accused.count += 1;
    if (accused.ids.length < LISTED) accused.ids.push(String(id));
  }
}
