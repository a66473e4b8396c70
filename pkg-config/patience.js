// What may be tried again at once after it worked, and after it failed not before a wait is over.

/** The waits of the default schedule. */
const FIRST_WAIT_MILLISECONDS = 250;
const LONGEST_WAIT_MILLISECONDS = 5000;

export class Patience {
  #wait = 0;
  #until = 0;

  /** Whoever comes while there is a wait waits for its end. */
  async turn() {
    const left = this.#until - performance.now();
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
  }

  /** Those that waited together fail together, and count once. */
  failed() {
    const now = performance.now();
    if (now < this.#until) return;
    this.#wait = Math.min(this.#wait * 2 || FIRST_WAIT_MILLISECONDS, LONGEST_WAIT_MILLISECONDS);
    this.#until = now + this.#wait;
  }

  succeeded() {
    this.#wait = 0;
    this.#until = 0;
  }
}

/** The same attempt, held back after one that failed. */
export function patient(attempt) {
  const patience = new Patience();
  return async () => {
    await patience.turn();
    try {
      const result = await attempt();
      patience.succeeded();
      return result;
    } catch (error) {
      patience.failed();
      throw error;
    }
  };
}
