// JSON values, one a line, over a stream: the fast channel between the gateways and the store.

/**
 * Calls `heard` for every line of JSON that arrives.
 *
 * @param {import('node:net').Socket} socket
 * @param {(value: any) => void} heard
 */
export function readLines(socket, heard) {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (/** @type {string} */ chunk) => {
    let start = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', start)) {
      const line = rest + chunk.slice(start, end);
      rest = '';
      start = end + 1;
      heard(JSON.parse(line));
    }
    rest += chunk.slice(start);
  });
}

/** Writes values as lines, those of one turn of the event loop together. */
export class LineWriter {
  /** @type {string[]} */
  #lines = [];
  #socket;

  /** @param {import('node:net').Socket} socket */
  constructor(socket) {
    this.#socket = socket;
  }

  /** @param {unknown} value */
  write(value) {
    if (this.#lines.push(`${JSON.stringify(value)}\n`) === 1) setImmediate(() => this.flush());
  }

  /** Hands what was written to the system at once, where it outlives this process. */
  flush() {
    if (this.#lines.length === 0) return;
    const text = this.#lines.join('');
    this.#lines = [];
    if (!this.#socket.destroyed) this.#socket.write(text);
  }
}
