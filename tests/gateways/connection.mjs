// One WebSocket connection of a gateway.

import { failure, methodsOf, perform } from './methods.mjs';
import { FORGED, LEGAL, rubbish, saysError } from './rubbish.mjs';

/**
 * What a connection needs of its gateway.
 *
 * @typedef {object} Host
 * @property {string} name
 * @property {string | null} token what `login` must give before anything else, or null
 * @property {import('./faults.mjs').Faults} faults
 * @property {import('./counters.mjs').Counters} counters
 * @property {import('./store_link.mjs').StoreLink} link
 * @property {number} latencyMilliseconds how long a frame is under way, each way
 */

/** Reads requests, answers them, and suffers the faults that are set on its gateway. */
export class Connection {
  #host;
  #ws;
  #socket;
  #loggedIn = false;
  #deaf = false;
  #lastSubscription = 0;
  /** @type {[Buffer, boolean][] | undefined} frames read while stalled; undefined when not stalled */
  #inbox;
  /** @type {import('./rubbish.mjs').Frame[]} */
  #outbox = [];
  /** @type {WeakMap<object, number>} messages since a `dropAfter` was set */
  #since = new WeakMap();
  /** @type {Map<string, string>} topics by subscription */
  subscriptions = new Map();

  /**
   * @param {Host} host
   * @param {import('ws').WebSocket} ws
   * @param {import('node:net').Socket} socket
   * @param {number} number
   */
  constructor(host, ws, socket, number) {
    this.#host = host;
    this.#ws = ws;
    this.#socket = socket;
    this.number = number;
    ws.on('message', (/** @type {Buffer} */ data, /** @type {boolean} */ isBinary) =>
      this.#later(() => this.#heard(data, isBinary)),
    );
    ws.on('error', () => {}); // a frame that breaks the protocol; 'close' follows
  }

  get gatewayName() {
    return this.#host.name;
  }

  get mustLogIn() {
    return this.#host.token !== null && !this.#loggedIn;
  }

  /** @param {string} token */
  logIn(token) {
    this.#loggedIn = this.#host.token === null || token === this.#host.token;
    return this.#loggedIn;
  }

  /** @param {string} topic */
  subscribe(topic) {
    this.#lastSubscription += 1;
    const subscription = `${this.#host.name}/${this.number}/${this.#lastSubscription}`;
    this.subscriptions.set(subscription, topic);
    return subscription;
  }

  /** @param {string} subscription */
  unsubscribe(subscription) {
    return this.subscriptions.delete(subscription);
  }

  /**
   * @param {{ method: string, args: any, id: any, key?: string }} request
   */
  execute(request) {
    return this.#host.link.execute({ ...request, socket: this.number });
  }

  /**
   * @param {string} topic
   * @param {unknown} value
   */
  publish(topic, value) {
    for (const [subscription, subscribed] of this.subscriptions) {
      if (subscribed !== topic) continue;
      const params = { subscription, result: value };
      this.#send(JSON.stringify({ jsonrpc: '2.0', method: 'notification', params }));
    }
  }

  /** Half-open from now on: reads nothing, sends nothing. */
  stall() {
    this.#inbox ??= [];
    this.#ws.pause();
  }

  /** Ends a stall: what was held goes out, what came in is read. */
  resume() {
    const inbox = this.#inbox ?? [];
    this.#inbox = undefined;
    for (const frame of this.#outbox.splice(0)) this.#send(frame);
    for (const [data, isBinary] of inbox) this.#heard(data, isBinary);
    this.#ws.resume();
  }

  /**
   * @param {number | null} code null or 1005 for a close frame without a code, 1006 for no close frame at all
   * @param {string | null} reason
   */
  close(code, reason) {
    if (code === 1006) return this.drop('end');
    this.#deaf = true;
    if (code === null || code === 1005) this.#ws.close();
    else this.#ws.close(code, reason ?? '');
    this.#ws.resume(); // or a stalled one would never see the other side's close frame
  }

  /** @param {'end' | 'reset'} how */
  async drop(how) {
    this.#deaf = true;
    if (this.#socket.destroyed) return;
    const closed = new Promise((resolve) => this.#socket.once('close', resolve));
    // Node never closes a socket that is reset while its FIN is under way (EINVAL, in 20.20), so that one is
    // destroyed. And a reset waits until the client has read everything, unless `destroy` follows.
    if (how === 'reset' && !this.#socket.writableEnded) this.#socket.resetAndDestroy();
    this.#socket.destroy();
    await closed;
  }

  /**
   * Timers of equal length fire in the order of their making, so frames keep theirs.
   *
   * @param {() => void} act
   */
  #later(act) {
    const { latencyMilliseconds } = this.#host;
    if (latencyMilliseconds > 0) setTimeout(act, latencyMilliseconds);
    else act();
  }

  /**
   * @param {Buffer} data
   * @param {boolean} isBinary
   */
  #heard(data, isBinary) {
    if (this.#deaf) return;
    if (this.#inbox !== undefined) {
      this.#inbox.push([data, isBinary]);
      this.#host.faults.struck('stall', 'messages');
      return;
    }
    this.#host.counters.messages += 1;
    this.#host.link.counted();
    let message;
    try {
      message = JSON.parse(data.toString());
    } catch {
      this.#answer(failure(null, -32700, 'not JSON'), []);
      return;
    }
    const methods = methodsOf(message);
    this.#perform(message, methods).catch((error) => {
      this.#answer(failure(message?.id ?? null, -32603, error.message), methods); // such as nested too deeply
    });
  }

  /**
   * @param {any} message
   * @param {string[]} methods
   */
  async #perform(message, methods) {
    const { faults } = this.#host;
    const fault = faults.at('message', methods);
    if (fault?.name === 'answerError') {
      faults.struck(fault, 'messages');
      const requests = Array.isArray(message) ? message : [message];
      const wanting = requests.filter((request) => request?.id !== undefined);
      const answers = wanting.map(({ id }) => ({ jsonrpc: '2.0', id, error: fault.error }));
      if (answers.length > 0) this.#answer(Array.isArray(message) ? answers : answers[0], methods);
      return;
    }
    if (fault?.name === 'dropAfter' && this.#isLast(fault)) {
      this.#deaf = true; // what the client sent behind it is not read
      faults.struck(fault, 'messages');
      if (fault.when === 'after') await perform(this, message);
      void this.drop(fault.how);
      return;
    }
    const answer = await perform(this, message);
    if (answer !== undefined) this.#answer(answer, methods);
  }

  /** @param {import('./faults.mjs').Fault} fault */
  #isLast(fault) {
    const seen = (this.#since.get(fault) ?? 0) + 1;
    this.#since.set(fault, seen);
    return seen >= fault.messages;
  }

  /**
   * @param {object | object[]} answer
   * @param {string[]} methods
   */
  #answer(answer, methods) {
    this.#later(() => this.#answerNow(answer, methods));
  }

  /**
   * @param {object | object[]} answer
   * @param {string[]} methods
   */
  #answerNow(answer, methods) {
    this.#host.counters.answers += 1;
    this.#host.link.counted();
    const text = JSON.stringify(answer);
    const fault = this.#host.faults.at('answer', methods);
    if (fault === undefined) return this.#send(text);
    const kind = fault.kinds?.[fault.turn ?? 0];
    if (FORGED.includes(kind) && saysError(answer)) return this.#send(text);
    this.#host.faults.struck(fault, 'messages');
    switch (fault.name) {
      case 'answerLate':
        setTimeout(() => this.#send(text), fault.milliseconds);
        break;
      case 'answerTwice':
        this.#send(text);
        this.#send(text);
        break;
      case 'answerRubbish': {
        fault.turn = ((fault.turn ?? 0) + 1) % fault.kinds.length;
        this.#send(rubbish(kind, answer));
        if ((fault.place ?? (LEGAL.includes(kind) ? 'instead' : 'before')) === 'before') this.#send(text);
        break;
      }
      case 'resetMidFrame':
        this.#sendHalf(text);
    }
  }

  /** @param {import('./rubbish.mjs').Frame} frame */
  #send(frame) {
    if (this.#inbox !== undefined) this.#outbox.push(frame);
    else if (this.#ws.readyState !== this.#ws.OPEN) return;
    else if (typeof frame === 'object' && 'raw' in frame) this.#socket.write(frame.raw);
    else this.#ws.send(frame);
  }

  /** @param {string} text */
  #sendHalf(text) {
    const payload = Buffer.from(text);
    const header = Buffer.from([0x81, 127, 0, 0, 0, 0, 0, 0, 0, 0]);
    header.writeUInt32BE(payload.length, 6);
    this.#deaf = true;
    this.#socket.write(Buffer.concat([header, payload.subarray(0, payload.length / 2)]), () => {
      void this.drop('reset');
    });
  }
}
