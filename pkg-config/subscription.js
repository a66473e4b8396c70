import { RegateError } from './error.js';

const nothing = () => {};

/** What the gateway is asked for when a subscription ends: the opposite of what began it. */
export function oppositeOf(method) {
  const name = method.slice(-9);
  if (name.toLowerCase() !== 'subscribe') return undefined;
  return method.slice(0, -9) + (name[0] === 'S' ? 'Unsubscribe' : 'unsubscribe');
}

export class Subscription {
  #end;
  #settle;
  #listener;
  #route;
  #isLive = false;
  #resumed = 0;
  #name;

  /** The promise of its end: rejects with the error of a refusal, or resolves when it was given up. */
  ended;

  constructor(listener, route, end) {
    this.#listener = listener;
    this.#route = route;
    this.#end = end;
    this.ended = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.ended.catch(nothing); // who does not look at it learns of the end by the event
  }

  get isLive() {
    return this.#isLive;
  }

  get resumed() {
    return this.#resumed;
  }

  unsubscribe() {
    const end = this.#end;
    this.#finish();
    this.#settle.resolve(); // before the client says that it is over, which would be a rejection
    end?.(this.#name);
  }

  /** For the client: the gateway answered, under this name for the subscription. */
  begin(name, resumed) {
    this.#name = name;
    this.#isLive = true;
    if (resumed) this.#resumed += 1;
  }

  /** For the client: its connection is lost. */
  pause() {
    this.#isLive = false;
    this.#name = undefined;
  }

  /** For the client: refused, or over with the client. */
  fail(error) {
    this.#finish();
    this.#settle.reject(error);
  }

  /** For the client: whether a notification is for it. */
  takes(notification) {
    if (this.#end === undefined) return false;
    if (this.#route !== undefined) return this.#route(notification) === true;
    return this.#name !== undefined && notification.params?.subscription === this.#name;
  }

  /** For the client: hands a notification to the listener. */
  tell({ params }) {
    const value = this.#route === undefined ? params.result : params;
    this.#listener(value, { resumed: this.#resumed });
  }

  #finish() {
    this.#end = undefined;
    this.#isLive = false;
  }
}

export function checkListener(listener) {
  if (typeof listener !== 'function') throw RegateError.ofOption(['listener', listener, 'function']);
  return listener;
}
