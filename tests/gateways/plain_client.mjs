// A plain WebSocket client, to see what a gateway does without regate between.

import { WebSocket } from 'ws';

/** One connection, with a record of all that it saw. */
export class PlainClient {
  #last = 0;
  /** @type {Map<unknown, (frame: any) => void>} */
  #waiting = new Map();
  /** @type {{ isReached: () => boolean, resolve: () => void }[]} */
  #watches = [];
  /** @type {string[]} frames as they came; binary ones as `binary:` and their text */
  frames = [];
  /** @type {Error | undefined} */
  error;
  /** @type {{ code: number, reason: string } | undefined} */
  closed;

  /** @param {string} url */
  constructor(url) {
    this.ws = new WebSocket(url, { perMessageDeflate: false });
    this.ws.on('error', (error) => {
      this.error = error;
    });
    /** Settles when the connection has ended, without a limit; false. */
    this.lost = new Promise((resolve) => {
      this.ws.on('close', (code, reason) => {
        this.closed = { code, reason: reason.toString() };
        this.#look();
        resolve(false);
      });
    });
    this.ws.on('open', () => this.#look());
    this.ws.on('message', (data, isBinary) => this.#heard(data.toString(), isBinary));
  }

  /**
   * Opens a connection.
   *
   * @param {string} url
   */
  static async open(url) {
    const client = new PlainClient(url);
    await client.until(() => client.isOpen || client.closed !== undefined);
    if (client.error !== undefined) throw client.error;
    return client;
  }

  get isOpen() {
    return this.ws.readyState === WebSocket.OPEN;
  }

  /**
   * Sends a request; settles with the first frame of its id, never when there is none.
   *
   * @param {string} method
   * @param {unknown} [params]
   * @param {object} [more]
   * @returns {Promise<any>}
   */
  call(method, params, more) {
    this.#last += 1;
    const id = this.#last;
    this.ws.send(JSON.stringify({ jsonrpc: '2.0', id, method, params, ...more }));
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  /**
   * The result of a request.
   *
   * @param {string} method
   * @param {unknown} [params]
   * @param {object} [more]
   */
  async result(method, params, more) {
    const { result, error } = await this.call(method, params, more);
    if (error !== undefined && error !== null) throw Object.assign(new Error(error.message), error);
    return result;
  }

  /**
   * Waits until something is so, looking at each event of the connection.
   *
   * @param {() => boolean} isReached
   * @param {number} [withinMilliseconds]
   * @returns {Promise<void>}
   */
  until(isReached, withinMilliseconds = 5000) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(
          new Error(
            `not reached: ${isReached}; ${this.frames.length} frames, ${JSON.stringify(this.closed)}`,
          ),
        );
      }, withinMilliseconds);
      this.#watches.push({
        isReached,
        resolve: () => {
          clearTimeout(timer);
          resolve();
        },
      });
      this.#look();
    });
  }

  /** Settles with how the connection ended. */
  async end() {
    await this.until(() => this.closed !== undefined);
    return /** @type {{ code: number, reason: string }} */ (this.closed);
  }

  /** Closes the connection. */
  async close() {
    if (this.isOpen) this.ws.close();
    else if (this.closed === undefined) this.ws.terminate();
    await this.end();
  }

  /**
   * @param {string} text
   * @param {boolean} isBinary
   */
  #heard(text, isBinary) {
    this.frames.push(isBinary ? `binary:${text}` : text);
    try {
      for (const frame of [JSON.parse(text)].flat()) {
        this.#waiting.get(frame?.id)?.(frame);
        this.#waiting.delete(frame?.id);
      }
    } catch {
      // rubbish; it is in `frames`
    }
    this.#look();
  }

  #look() {
    for (const watch of this.#watches.filter(({ isReached }) => isReached())) {
      this.#watches.splice(this.#watches.indexOf(watch), 1);
      watch.resolve();
    }
  }
}
