// The question for the list of gateways, which is asked of the application.

const LATE = 'the function gave nothing within the limit of a dial';
const FAILED = 'the function failed';
const NO_LIST = 'what the function gave is no list of gateways';

/** Asks the application's function. What it says late, or after a later question, is dropped. */
export class Lister {
  #core;
  #give;
  #read;
  #told; // is called when an answer was taken
  #failed;
  #questions = 0;
  #isAsking = false;
  /** Why there was no list the last time, where that is known. */
  error;

  /** `read(list)` makes entries of it; `failed(reason)` hears of every question that came to nothing, `told()` of every answer. */
  constructor(core, give, { read, told, failed }) {
    this.#core = core;
    this.#give = give;
    this.#read = read;
    this.#told = told;
    this.#failed = failed;
  }

  ask() {
    this.#questions += 1;
    const question = this.#questions;
    this.#isAsking = true;
    const take = (entries, reason = undefined, error = undefined) => {
      if (question !== this.#questions) return;
      this.#isAsking = false;
      this.#core.takeList(entries, false);
      if (reason === undefined) this.error = undefined;
      else this.#fail(reason, error);
      this.#told();
    };
    Promise.resolve()
      .then(this.#give)
      .then(
        (list) => {
          let entries;
          try {
            entries = this.#read(list);
          } catch (wrong) {
            return take([], NO_LIST, wrong);
          }
          take(entries);
        },
        (error) => take([], FAILED, error),
      );
  }

  /** From now on these entries are what the function would give; a list that is still fetched is older. */
  fix(entries) {
    this.#give = () => entries;
    this.#read = (same) => same;
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
