// The subscriptions of one client: one for each slot, given up and taken again.

import { SLOTS } from './operations.js';

const FINAL = /^final /;

export class Slots {
  #client;
  #name;
  #accuse;
  #slots = Array.from({ length: SLOTS }, () => undefined);
  counts = { subscribed: 0, unsubscribed: 0, refused: 0, closed: 0, heard: 0 };

  /**
   * @param {any} client
   * @param {string} name
   * @param {(what: string, id: unknown) => void} accuse
   */
  constructor(client, name, accuse) {
    this.#client = client;
    this.#name = name;
    this.#accuse = accuse;
  }

  /** All slots hold a subscription. */
  begin() {
    for (let slot = 0; slot < SLOTS; slot += 1) this.#take(slot);
  }

  /** Gives one up, or takes it. */
  turn(slot) {
    const held = this.#slots[slot];
    if (held === undefined) return this.#take(slot);
    this.#slots[slot] = undefined;
    this.counts.unsubscribed += 1;
    held.subscription.unsubscribe();
  }

  /** The topics that are held, each by one subscription. */
  get topics() {
    return this.#slots.flatMap((held, slot) => (held === undefined ? [] : [topicOf(this.#name, slot)]));
  }

  get isLive() {
    return this.#slots.every((held) => held === undefined || held.subscription.isLive);
  }

  /** How often each that is held heard this. */
  heard(value) {
    return this.#slots.flatMap((held) => (held === undefined ? [] : [held.heard.get(value) ?? 0]));
  }

  #take(slot) {
    if (this.#slots[slot] !== undefined || this.#client.state === 'closed') return;
    const held = { heard: new Map(), subscription: undefined };
    const listen = (value) => {
      this.counts.heard += 1;
      const times = (held.heard.get(value) ?? 0) + 1;
      held.heard.set(value, times);
      if (times > 1 && !FINAL.test(value)) this.#accuse('heardTwice', value);
      if (this.#slots[slot] !== held) this.#accuse('heardAfterUnsubscribe', value);
    };
    held.subscription = this.#client.subscribe('subscribe', [topicOf(this.#name, slot)], listen);
    this.#slots[slot] = held;
    this.counts.subscribed += 1;
    held.subscription.ended.then(
      () => this.#slots[slot] === held && this.#accuse('endedByItself', topicOf(this.#name, slot)),
      (error) => {
        this.counts[
          error.code === 'REMOTE_ERROR' || error.code === 'PROTOCOL_ERROR' ? 'refused' : 'closed'
        ] += 1;
        if (this.#slots[slot] === held) this.#slots[slot] = undefined;
      },
    );
  }
}

/** Each slot of each client has a topic of its own. */
export const topicOf = (name, slot) => `${name}/${slot}`;
