// What a client does with its sockets, counted outside the client: its own words are not taken for it.

/** Counts dials, the attempts handed to a socket for each operation, and those in flight when a socket is lost. */
export class SocketWatch {
  /** By the id in the params of an operation. */
  #handed = new Map();
  dials = 0;
  /** Called with each dial: its URL, and its time. */
  onDial = () => {};
  /** For each socket that had opened and is closed: when, and the ids that it owed an answer. */
  lost = [];

  /** The class to give to a client as its `WebSocket` option. */
  socketClass(Base = globalThis.WebSocket) {
    const watch = this;
    return class WatchedSocket extends Base {
      #owed = new Map();

      constructor(...args) {
        super(...args);
        watch.dials += 1;
        watch.onDial({ url: this.url, at: performance.now() });
        let opened = false;
        this.addEventListener('open', () => {
          opened = true;
        });
        // Heard before the client's own listeners, as these are the first.
        this.addEventListener('message', ({ data }) => this.#answered(data));
        this.addEventListener('close', () => {
          if (opened) watch.lost.push({ at: performance.now(), ids: [...this.#owed.values()] });
          if (watch.lost.length > 1000) watch.lost.shift();
          this.#owed.clear();
        });
      }

      send(frame) {
        super.send(frame); // what throws was not handed over
        const { id, params } = JSON.parse(frame);
        const operation = (Array.isArray(params) ? params[0] : params)?.id;
        if (operation === undefined) return;
        watch.#handed.set(operation, watch.handed(operation) + 1);
        this.#owed.set(id, operation);
      }

      #answered(data) {
        try {
          for (const { id } of [JSON.parse(data)].flat()) this.#owed.delete(id);
        } catch {
          // rubbish answers nothing
        }
      }
    };
  }

  /** How many attempts of an operation were handed to a socket. */
  handed(id) {
    return this.#handed.get(id) ?? 0;
  }

  forget(id) {
    this.#handed.delete(id);
  }
}
