// The question for the list of gateways, which is asked of the application.

import { RegateError } from './error.js';

const LATE = 'the function gave nothing within the limit of a dial';
const FAILED = 'the function failed';
const NO_LIST = 'what the function gave is no list of gateways';

/** Asks the application's function. What it says late, or after a later question, is dropped. */
export class Lister {
  #core;
  #give;
  #told; // is called when an answer was taken
  #failed;
  #questions = 0;
  #isAsking = false;
  /** Why there was no list the last time, where that is known. */
  error;

  /** `failed(reason)` hears of every question that came to nothing, `told()` of every answer. */
  constructor(core, give, { told, failed }) {
    this.#core = core;
    this.#give = give;
    this.#told = told;
    this.#failed = failed;
  }

  ask() {
    this.#questions += 1;
    const question = this.#questions;
    this.#isAsking = true;
    const take = (list, failed = false, error = undefined) => {
      if (question !== this.#questions) return;
      this.#isAsking = false;
      const wrong = this.#core.listed(list);
      if (wrong === undefined) this.error = undefined;
      else if (failed) this.#fail(FAILED, error);
      else this.#fail(NO_LIST, RegateError.ofOption(wrong));
      this.#told();
    };
    Promise.resolve()
      .then(this.#give)
      .then(take, (error) => take(undefined, true, error));
  }

  /** From now on this list is what the function would give; one that is still fetched is older. */
  fix(list) {
    this.#give = () => list;
    this.end();
  }

  /** Whatever is still said comes too late; `isOver` where the time for it was over. */
  end(isOver = false) {
    if (!this.#isAsking) return;
    this.#isAsking = false;
    this.#questions += 1;
    if (isOver) this.#fail(LATE, undefined);
  }

  #fail(reason, error) {
    this.error = error;
    this.#failed(reason);
  }
}
