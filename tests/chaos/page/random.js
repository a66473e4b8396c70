// Chance from a seed: the same seed and name give the same draws, in Node and in a page.

/** A stream of random numbers of its own for each name. */
export class Random {
  #state;

  /**
   * @param {number} seed
   * @param {string} name
   */
  constructor(seed, name) {
    let hash = 0x811c9dc5;
    for (const unit of `${seed} ${name}`) hash = Math.imul(hash ^ unit.charCodeAt(0), 0x01000193);
    this.#state = hash >>> 0;
    for (let skipped = 0; skipped < 4; skipped += 1) this.next();
  }

  /** At least 0, less than 1. */
  next() {
    // splitmix32
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  within(least, most) {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability) {
    return this.next() < probability;
  }

  /**
   * @template T
   * @param {readonly T[]} list
   * @returns {T}
   */
  pick(list) {
    return list[this.within(0, list.length - 1)];
  }

  /**
   * @template T
   * @param {readonly T[]} list
   * @returns {T[]}
   */
  shuffled(list) {
    const all = [...list];
    for (let at = all.length - 1; at > 0; at -= 1) {
      const other = this.within(0, at);
      [all[at], all[other]] = [all[other], all[at]];
    }
    return all;
  }

  /** So many of them, in the order of chance. */
  some(list, count) {
    return this.shuffled(list).slice(0, count);
  }
}
