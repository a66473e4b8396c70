import { Ring } from './ring.js';

const TICK_MILLISECONDS = 20;
const SECONDS_KEPT = 120;
/** The order of kinds; what one second has of each follows from it. */
const ORDER = ['read', 'write', 'read', 'redo write'];
/** Of the plain writes, one in so many is answered with an error, or first with "busy, try again". */
const ONE_FAILS_IN = 40;
const ONE_IS_BUSY_IN = 25;

const noCounts = () => ({ made: 0, answered: 0, retried: 0, no: 0, maybe: 0, yes: 0 });

/** Reads and writes at a steady rate, with a record of what became of each. */
export class Workload {
  #client;
  #watch;
  #prefix = `${Math.random().toString(36).slice(2, 8)}-`;
  #timer;
  #due = 0;
  #lastTick = 0;
  #writes = 0;
  /** By kind. */
  counts = { read: noCounts(), write: noCounts(), 'redo write': noCounts() };
  /** The operations that are not settled, with the time of their start. */
  open = new Map();
  /** What became of each; only when all are to be kept. */
  outcomes = [];
  /** One entry for each second with its answers, failures and latencies. */
  seconds = new Ring(SECONDS_KEPT);

  /**
   * @param client the client
   * @param watch the watch over its sockets
   * @param {{ keep?: 'all' | 'counts', perSecond?: number }} [options] keep all for an audit, or counts for a long run
   */
  constructor(client, watch, { keep = 'counts', perSecond = 40 } = {}) {
    this.#client = client;
    this.#watch = watch;
    this.keep = keep;
    this.perSecond = perSecond;
  }

  get made() {
    return Object.values(this.counts).reduce((sum, { made }) => sum + made, 0);
  }

  start() {
    if (this.#timer !== undefined) return;
    this.#lastTick = performance.now();
    this.#timer = setInterval(() => this.#tick(), TICK_MILLISECONDS);
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Makes so many operations, evenly over the milliseconds, of one kind; settles when the last is made. */
  async make(kind, count, milliseconds) {
    const began = performance.now();
    for (let made = 0; made < count; ) {
      const due = Math.min(count, Math.ceil(((performance.now() - began) / milliseconds) * count));
      for (; made < due; made += 1) this.#make(kind);
      if (made < count) await new Promise((resolve) => setTimeout(resolve, 4));
    }
  }

  /** Settles when nothing is open, or the time is over. */
  async settled(withinMilliseconds) {
    const until = performance.now() + withinMilliseconds;
    while (this.open.size > 0 && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** The outcomes kept, and the operations that never settled. */
  report() {
    const pending = Array.from(this.open, ([id, { kind }]) => {
      return { id, kind, outcome: 'pending', handedToSocket: this.#watch.handed(id) };
    });
    return [...this.outcomes, ...pending];
  }

  #tick() {
    const now = performance.now();
    // After a sleep nothing is made up for beyond a second.
    this.#due += (Math.min(now - this.#lastTick, 1000) / 1000) * this.perSecond;
    this.#lastTick = now;
    for (; this.#due >= 1; this.#due -= 1) this.#make(ORDER[this.made % ORDER.length]);
  }

  #make(kind) {
    const id = this.#prefix + this.made;
    const startedAt = performance.now();
    this.counts[kind].made += 1;
    this.open.set(id, { kind, startedAt });
    this.#invoke(kind, id).then(
      () => this.#settle({ id, kind, outcome: 'ok', startedAt }),
      ({ code, completion }) => this.#settle({ id, kind, outcome: 'error', code, completion, startedAt }),
    );
  }

  #invoke(kind, id) {
    const key = `key ${this.made % 100}`;
    if (kind === 'read') return this.#client.invoke('map.get', [{ id, key }], { readOnly: true });
    if (kind === 'redo write') {
      return this.#client.invoke('map.put', [{ id, key, value: id }], { redoOperations: true });
    }
    this.#writes += 1;
    if (this.#writes % ONE_FAILS_IN === 0) {
      return this.#client.invoke('fail', { id, code: -32000, message: 'no such account' });
    }
    if (this.#writes % ONE_IS_BUSY_IN === 0) return this.#client.invoke('busy', [{ id, times: 1 }]);
    return this.#client.invoke('queue.offer', [{ id, item: id }]);
  }

  #settle(said) {
    const { id, kind, startedAt } = said;
    const settledAt = performance.now();
    const handedToSocket = this.#watch.handed(id);
    const counts = this.counts[kind];
    counts[said.outcome === 'ok' ? 'answered' : said.completion] += 1;
    if (handedToSocket > 1) counts.retried += 1;
    this.open.delete(id);
    if (this.keep === 'all') this.outcomes.push({ ...said, handedToSocket, settledAt });
    else this.#watch.forget(id);
    const second = this.#second(settledAt);
    if (said.outcome === 'ok') {
      second.answered += 1;
      second.latencies.push(settledAt - startedAt);
    } else second.failed += 1;
  }

  #second(at) {
    const number = Math.floor(at / 1000);
    if (this.seconds.last?.number === number) return this.seconds.last;
    return this.seconds.push({ number, answered: 0, failed: 0, latencies: [] });
  }
}
