// The engine in a worker, so that the page stays alive while it plays.

/** Compiled while it loads, once for all engines. */
const compiled = WebAssembly.compileStreaming(fetch(new URL('explorer_bg.wasm', import.meta.url)));
compiled.catch(() => {}); // told by whoever calls

export class Engine {
  #worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
  #calls = new Map();
  #last = 0;
  #failed;

  constructor() {
    this.#worker.addEventListener('message', ({ data: { id, text, failed } }) => {
      const call = this.#calls.get(id);
      this.#calls.delete(id);
      if (failed === undefined) call.resolve(JSON.parse(text));
      else call.reject(new Error(failed));
    });
    compiled.then(
      (module) => this.#worker.postMessage({ module }),
      (error) => this.#fail(error.message),
    );
    this.#worker.addEventListener('error', () => this.#fail('its worker did not start'));
  }

  #fail(why) {
    this.#failed = new Error(`the engine did not load: ${why}`);
    for (const { reject } of this.#calls.values()) reject(this.#failed);
    this.#calls.clear();
  }

  /** Calls a function of the engine with a text, or with a value as JSON. */
  call(name, input) {
    if (this.#failed !== undefined) return Promise.reject(this.#failed);
    this.#last += 1;
    const id = this.#last;
    const text = typeof input === 'string' ? input : JSON.stringify(input);
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      this.#worker.postMessage({ id, name, text });
    });
  }
}

/** One call at a time; of those that wait, only the last is made. */
export class Latest {
  #running = false;
  #next;

  constructor(run) {
    this.run = run;
  }

  async ask(input, told) {
    this.#next = [input, told];
    if (this.#running) return;
    this.#running = true;
    while (this.#next !== undefined) {
      const [wanted, tell] = this.#next;
      this.#next = undefined;
      const result = await this.run(wanted).catch((error) => ({
        errors: [{ path: '', rule: `cannot be played: ${error.message}` }],
      }));
      if (this.#next === undefined) tell(result);
    }
    this.#running = false;
  }
}
