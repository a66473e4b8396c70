/** The last values of a long run; older ones are dropped. */
export class Ring {
  #values = [];
  #capacity;

  constructor(capacity) {
    this.#capacity = capacity;
  }

  push(value) {
    this.#values.push(value);
    if (this.#values.length > 2 * this.#capacity) this.#values = this.#values.slice(-this.#capacity);
    return value;
  }

  get last() {
    return this.#values.at(-1);
  }

  /** The values, the oldest first. */
  list() {
    return this.#values.slice(-this.#capacity);
  }
}
