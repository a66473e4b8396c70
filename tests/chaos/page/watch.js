// What a client does with its sockets, beyond what SocketWatch counts: nothing of it may ever happen.

/**
 * A class between a platform's WebSocket and the one that is watched.
 *
 * @param {any} Base
 * @param {{ isSettled: (id: string) => boolean, isBound: (id: string) => boolean, accuse: (what: string, id: unknown) => void }} judge
 */
export function suspiciousSocket(Base, { isSettled, isBound, accuse }) {
  const used = new Set(); // the numbers of frames
  const ties = new Map(); // the socket that a bound operation was sent on
  let made = 0;

  return class SuspiciousSocket extends Base {
    #number = ++made;
    #isOver = false;

    constructor(...args) {
      super(...args);
      this.addEventListener('close', () => {
        this.#isOver = true;
      });
    }

    send(frame) {
      const { id, params } = JSON.parse(frame);
      if (this.#isOver) accuse('sentAfterClose', id);
      if (id === 0 || (id !== undefined && used.has(id))) accuse('numberUsedTwice', id);
      used.add(id);
      const operation = (Array.isArray(params) ? params[0] : params)?.id;
      if (operation !== undefined) {
        if (isSettled(operation)) accuse('sentAfterSettled', operation);
        if (isBound(operation) && (ties.get(operation) ?? this.#number) !== this.#number) {
          accuse('boundButMoved', operation);
        }
        ties.set(operation, this.#number);
      }
      super.send(frame);
    }

    /** The operation is over. */
    static forget(operation) {
      ties.delete(operation);
    }
  };
}
