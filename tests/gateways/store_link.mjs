// A gateway's link to the store.

import { once } from 'node:events';
import net from 'node:net';
import { LineWriter, readLines } from './lines.mjs';

/** Sends requests to the store and hears what was published. */
export class StoreLink {
  /** @type {Map<number, (answer: any) => void>} */
  #calls = new Map();
  #last = 0;
  #writer;
  #counters;
  #dirty = false;

  /**
   * @param {net.Socket} socket
   * @param {import('./counters.mjs').Counters} counters
   * @param {(topic: string, value: unknown) => void} published
   */
  constructor(socket, counters, published) {
    this.#counters = counters;
    this.#writer = new LineWriter(socket);
    readLines(socket, (line) => {
      if (line.topic !== undefined) return published(line.topic, line.value);
      const settle = this.#calls.get(line.call);
      this.#calls.delete(line.call);
      settle?.(line.answer);
    });
    socket.on('error', () => {}); // 'close' follows
    socket.on('close', () => process.exit(1)); // a gateway without its cluster has no use
  }

  /**
   * @param {string} path
   * @param {{ gateway: number, incarnation: number }} hello
   * @param {import('./counters.mjs').Counters} counters
   * @param {(topic: string, value: unknown) => void} published
   */
  static async open(path, hello, counters, published) {
    const socket = net.connect(path);
    await once(socket, 'connect');
    const link = new StoreLink(socket, counters, published);
    await link.#call({ hello });
    return link;
  }

  /**
   * Has one request executed; it is in the journal when this settles.
   *
   * @param {{ method: string, args: any, id: any, key?: string, socket: number }} request
   * @returns {Promise<import('./executions.mjs').Answer>}
   */
  execute(request) {
    return this.#call(request);
  }

  /** Settles when the store has everything that was sent before, the counters too. */
  barrier() {
    this.#sendCounters();
    return this.#call({ barrier: true });
  }

  /** Says that a counter has changed; they are sent once a turn. */
  counted() {
    if (this.#dirty) return;
    this.#dirty = true;
    setImmediate(() => this.#sendCounters());
  }

  /** Sends the counters before anything else leaves this process, so that a kill cannot lose them. */
  countedNow() {
    this.#dirty = true;
    this.#sendCounters();
    this.#writer.flush();
  }

  #sendCounters() {
    if (!this.#dirty) return;
    this.#dirty = false;
    this.#writer.write({ counters: this.#counters });
  }

  /**
   * @param {object} line
   * @returns {Promise<any>}
   */
  #call(line) {
    this.#last += 1;
    const call = this.#last;
    return new Promise((resolve) => {
      this.#calls.set(call, resolve);
      this.#writer.write({ call, ...line });
    });
  }
}
