// One way out of a program that starts processes: the end of its work, an error, a signal or its time limit all lead to
// the same clean-up, and then to the exit.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CLEANUP_LIMIT_MILLISECONDS = 5000;
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** What a program has to undo before it ends. */
export class Lifetime {
  /** @type {(() => unknown)[]} */
  #cleanups = [];

  /**
   * Has something undone at the end, the latest first.
   *
   * @param {() => unknown} cleanup
   */
  defer(cleanup) {
    this.#cleanups.push(cleanup);
  }

  /**
   * A folder that is removed at the end.
   *
   * @param {string} name
   */
  temporaryFolder(name) {
    const folder = mkdtempSync(join(tmpdir(), `${name}-`));
    this.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
    return folder;
  }

  /** Undoes everything. Each part has its limit, so that one that hangs cannot keep the program. */
  async end() {
    for (const cleanup of this.#cleanups.splice(0).reverse()) {
      let timer;
      const limit = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error('a clean-up took too long')), CLEANUP_LIMIT_MILLISECONDS);
      });
      try {
        await Promise.race([cleanup(), limit]);
      } catch (error) {
        process.stderr.write(`clean-up: ${/** @type {Error} */ (error).message}\n`);
      }
      clearTimeout(timer);
    }
  }
}

/**
 * Runs a program to its end, cleans up after it and exits.
 *
 * @param {(life: Lifetime) => Promise<number>} main settles with the exit code
 * @param {{ limitMilliseconds?: number }} [options]
 */
export async function run(main, { limitMilliseconds } = {}) {
  const life = new Lifetime();
  const stopped = new Promise((resolve) => {
    for (const [signal, code] of Object.entries(SIGNALS)) process.on(signal, () => resolve(code));
    process.stdout.on('error', () => resolve(1)); // nobody reads any more
    if (limitMilliseconds === undefined) return;
    const expire = () => {
      process.stderr.write(`not done after ${limitMilliseconds / 1000} s\n`);
      resolve(1);
    };
    setTimeout(expire, limitMilliseconds).unref();
  });
  const work = main(life).catch((error) => {
    process.stderr.write(`${error.stack ?? error}\n`);
    return 1;
  });
  const code = await Promise.race([work, stopped]);
  await life.end();
  process.exit(code);
}
