// The counters of a gateway. They are kept by the store, so that a killed gateway's numbers are not lost.

/**
 * What a fault struck.
 *
 * @typedef {{ connections: number, dials: number, messages: number }} Struck
 */

/**
 * @typedef {object} Counters
 * @property {number} dials TCP connections accepted; a refused dial is never seen by a gateway
 * @property {number} opened WebSocket connections that were opened
 * @property {number} open those open now
 * @property {number} messages frames received
 * @property {number} answers frames sent in answer
 * @property {Record<string, Struck>} struck by the name of the fault
 */

/** @returns {Counters} */
export function noCounters() {
  return { dials: 0, opened: 0, open: 0, messages: 0, answers: 0, struck: {} };
}

/**
 * Adds what a fault struck.
 *
 * @param {Counters} counters
 * @param {string} fault
 * @param {'connections' | 'dials' | 'messages'} unit
 * @param {number} [count]
 */
export function strike(counters, fault, unit, count = 1) {
  counters.struck[fault] ??= { connections: 0, dials: 0, messages: 0 };
  counters.struck[fault][unit] += count;
}

/**
 * The sum of the counters of two incarnations.
 *
 * @param {Counters} before
 * @param {Counters} now
 * @returns {Counters}
 */
export function addCounters(before, now) {
  const sum = noCounters();
  for (const part of [before, now]) {
    sum.dials += part.dials;
    sum.opened += part.opened;
    sum.open += part.open;
    sum.messages += part.messages;
    sum.answers += part.answers;
    for (const [fault, struck] of Object.entries(part.struck)) {
      strike(sum, fault, 'connections', struck.connections);
      strike(sum, fault, 'dials', struck.dials);
      strike(sum, fault, 'messages', struck.messages);
    }
  }
  return sum;
}
