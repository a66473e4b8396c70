// The bench's side of host.mjs: one process with all gateways of a run.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export class Gateways {
  #child;
  #asked = new Map();
  #number = 0;

  /** @param {import('../../tests/demo/lifetime.mjs').Lifetime} life */
  constructor(life) {
    const file = fileURLToPath(new URL('host.mjs', import.meta.url));
    const errors = process.env.DEBUG ? 'inherit' : 'ignore';
    this.#child = fork(file, { stdio: ['ignore', 'ignore', errors, 'ipc'] });
    this.#child.on('message', ({ number, result, error }) => {
      const { resolve, reject } = this.#asked.get(number);
      this.#asked.delete(number);
      if (error === undefined) resolve(result);
      else reject(new Error(error));
    });
    life.defer(() => this.#child.connected && this.#child.disconnect());
  }

  ask(command, given = {}) {
    this.#number += 1;
    const number = this.#number;
    return new Promise((resolve, reject) => {
      this.#asked.set(number, { resolve, reject });
      this.#child.send({ number, command, given });
    });
  }

  /** A gateway of that kind (a file of servers/). */
  async start(kind, options) {
    const { id, port } = await this.ask('start', { kind, options });
    return {
      url: `ws://127.0.0.1:${port}`,
      restart: () => this.ask('start', { kind, options, port, id }),
      kill: () => this.ask('kill', { id }),
      ask: (command, given) => this.ask(command, { id, ...given }),
    };
  }
}
