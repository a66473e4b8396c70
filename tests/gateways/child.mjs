// A child process that answers calls, and ends when its parent has gone.

import { fork } from 'node:child_process';
import { once } from 'node:events';

/** The parent's side of one child process. */
export class Child {
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  #calls = new Map();
  #last = 0;
  #name;

  /**
   * @param {string} file a module beside this one, which calls `answerCalls`
   * @param {string} name for error messages
   * @param {object} config what the child finds in `childConfig()`
   */
  constructor(file, name, config) {
    this.#name = name;
    this.process = fork(new URL(file, import.meta.url), [JSON.stringify(config)], {
      execArgv: [], // not the parent's --test
      stdio: ['ignore', 2, 2, 'ipc'], // the parent's stdout may be a protocol of its own
    });
    this.running = true;
    /** Settles when the process is gone and its last message has been read. */
    this.ended = Promise.all([once(this.process, 'exit'), once(this.process, 'disconnect')]).then(() => {
      this.#end();
    });
    this.process.on('exit', () => {
      this.running = false;
    });
    this.process.on('message', (/** @type {any} */ message) => {
      const call = this.#calls.get(message.call);
      this.#calls.delete(message.call);
      if (message.error === undefined) call?.resolve(message.result);
      else call?.reject(new Error(`${name}: ${message.error}`));
    });
    /** Settles when the child can be called. */
    this.ready = new Promise((resolve, reject) => this.#calls.set(0, { resolve, reject }));
  }

  /**
   * Calls a function of the child.
   *
   * @param {string} method
   * @param {...unknown} args
   * @returns {Promise<any>}
   */
  call(method, ...args) {
    return new Promise((resolve, reject) => {
      if (!this.running) throw new Error(`${this.#name} is down`);
      this.#last += 1;
      this.#calls.set(this.#last, { resolve, reject });
      this.process.send({ call: this.#last, method, args }, () => {}); // a failure: the process is ending
    });
  }

  /** Ends the process by SIGKILL and waits until it is gone. */
  async kill() {
    if (this.running) this.process.kill('SIGKILL');
    await this.ended;
  }

  #end() {
    for (const call of this.#calls.values()) call.reject(new Error(`${this.#name} has ended`));
    this.#calls.clear();
  }
}

/**
 * The configuration that the parent gave to this process.
 *
 * @returns {any}
 */
export function childConfig() {
  return JSON.parse(process.argv[2]);
}

/**
 * The child's side: says that it is ready, then answers calls until the parent goes away.
 *
 * @param {Record<string, (...args: any[]) => unknown>} methods
 */
export function answerCalls(methods) {
  process.on('disconnect', () => process.exit());
  const send = (/** @type {object} */ message) => process.connected && process.send?.(message);
  process.on('message', async (/** @type {any} */ { call, method, args }) => {
    try {
      if (!Object.hasOwn(methods, method)) throw new Error(`no method ${method}`);
      send({ call, result: await methods[method](...args) });
    } catch (error) {
      send({ call, error: /** @type {Error} */ (error).message });
    }
  });
  send({ call: 0 });
}
