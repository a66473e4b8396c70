// The lists of gateways that a client is given: which URLs it may dial is known here, not from the client.

/** The list of one client, over time. */
export class Lists {
  #urls;
  #asked = 0;
  /** What the list function does when it is asked next, once each. @type {string[]} */
  #whims = [];
  /** The URLs that may be dialled now. */
  #allowed;

  /** @param {string[]} urls */
  constructor(urls) {
    this.#urls = urls;
    this.#allowed = new Set(urls);
  }

  /** The list as it is now. */
  get now() {
    return this.#urls;
  }

  /** @param {string[]} urls */
  replace(urls) {
    this.#urls = urls;
    this.#allowed = new Set(urls);
  }

  /**
   * A list from now on, after so many failures.
   *
   * @param {string[]} urls
   * @param {string[]} whims
   */
  change(urls, whims) {
    this.#urls = urls;
    this.#whims = [...whims];
  }

  /** The list function: each list has tokens of its own. */
  async ask() {
    this.#asked += 1;
    const token = this.#asked;
    const whim = this.#whims.shift();
    if (whim === 'never') return new Promise(() => {});
    if (whim === 'throw') throw new Error('the list is not to be had');
    if (whim === 'empty') return [];
    if (whim === 'late') await new Promise((resolve) => setTimeout(resolve, 50));
    const list = this.#urls.map((url) => `${url}?token=${token}`);
    // What is said after a later question is not heard.
    if (token === this.#asked) this.#allowed = new Set(list);
    return list;
  }

  /** @param {string} url */
  allows(url) {
    return this.#allowed.has(url);
  }
}
