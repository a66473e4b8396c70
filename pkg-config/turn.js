// With `batch: 'turn'`: operations that are made in one turn go out as one JSON-RPC batch.

import { GATHERED, REDO } from './arguments.js';

/** A longer text goes alone: beside it a message of its own costs little, and its answer holds up no other. */
const MOST_CHARACTERS = 4_096;

/** The longest batch where `limits.maxMessageBytes` sets no limit: what Workers took for the longest message, 1 MiB. */
const MOST_BYTES = 1 << 20;

export class Turn {
  #hand;
  #send;
  #drain;
  #mostBytes;
  #made = [];
  #gathered = [];
  #bytes = 0;
  #socket = 0;

  /**
   * `hand(operation, kind)` hands one to the core, and says on which socket it is to be sent, if it was gathered and
   * can; `send(socket, frame, ids)` sends those in one; `drain()` tells the application what came of it.
   */
  constructor({ hand, send, drain, mostBytes }) {
    this.#hand = hand;
    this.#send = send;
    this.#drain = drain;
    this.#mostBytes = mostBytes || MOST_BYTES;
  }

  add(operation) {
    if (this.#made.push(operation) === 1) queueMicrotask(() => this.end());
  }

  /** Takes back an operation that was not handed over; `false` where it was. */
  remove(operation) {
    const place = this.#made.indexOf(operation);
    if (place >= 0) this.#made.splice(place, 1);
    return place >= 0;
  }

  /** The turn is over, or something comes that must not go before what was made in it. */
  end() {
    const isAlone = this.#made.length === 1;
    while (this.#made.length > 0) {
      const [next] = this.#made;
      const isShared = !isAlone && isPlain(next);
      if (this.#gathered.length > 0 && !(isShared && this.#fits(next))) {
        this.#sendGathered(); // in which the application may abort the next one
        continue;
      }
      this.#made.shift();
      if (isShared) this.#gather(next);
      else {
        this.#hand(next, 0);
        this.#drain();
      }
    }
    this.#sendGathered();
    this.#drain();
  }

  #fits({ frame }) {
    return this.#bytes + mostBytesOf(frame) < this.#mostBytes;
  }

  #gather(operation) {
    const { frame, id } = operation;
    const socket = this.#hand(operation, GATHERED);
    if (socket <= 0) return; // it waits, or was refused
    this.#socket = socket;
    this.#bytes += mostBytesOf(frame);
    this.#gathered.push({ frame, id });
  }

  #sendGathered() {
    const gathered = this.#gathered;
    if (gathered.length === 0) return;
    this.#gathered = [];
    this.#bytes = 0;
    // Nothing of the application's own has run since the first of them was gathered: all of them live.
    const frames = gathered.map(({ frame }) => frame);
    const text = frames.length === 1 ? frames[0] : `[${frames.join()}]`;
    this.#send(
      this.#socket,
      text,
      gathered.map(({ id }) => id),
    );
    this.#drain();
  }
}

/** A character takes three bytes at most, and a separator, or a bracket, comes with each text. */
const mostBytesOf = (frame) => 3 * frame.length + 1;

/** Whether it may share a message with others: short, and sent wherever the connection goes. */
const isPlain = ({ frame, call }) =>
  frame.length <= MOST_CHARACTERS && call.messaging === undefined && (call.kind & ~REDO) === 0;
