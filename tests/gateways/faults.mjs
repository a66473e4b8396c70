// The faults that are set on a gateway, one for each place where they strike.

import { strike } from './counters.mjs';
import { RUBBISH } from './rubbish.mjs';

/**
 * @typedef {object} Limits
 * @property {string[]} [methods] strike only messages of these methods
 * @property {number} [times] strike so often, then be gone
 */

/**
 * @typedef {Limits & { name: string, [setting: string]: any }} Fault
 */

/** Where a fault strikes. A new fault takes the place of the one before it. */
const PLACES = /** @type {const} */ ({
  hang: 'dial',
  rejectUpgrade: 'dial',
  closeAtOnce: 'dial',
  stall: 'stall',
  dropAfter: 'message',
  answerError: 'message',
  answerLate: 'answer',
  answerTwice: 'answer',
  answerRubbish: 'answer',
  resetMidFrame: 'answer',
});

/** @typedef {'dial' | 'stall' | 'message' | 'answer'} Place */

/** The faults of one gateway. */
export class Faults {
  /** @type {Map<Place, Fault>} */
  #set = new Map();
  #counters;
  #counted;

  /**
   * @param {import('./counters.mjs').Counters} counters
   * @param {() => void} counted
   */
  constructor(counters, counted) {
    this.#counters = counters;
    this.#counted = counted;
  }

  /** @param {Fault} fault */
  set(fault) {
    check(fault);
    this.#set.set(/** @type {any} */ (PLACES)[fault.name], fault);
  }

  /**
   * The fault in a place, if it is meant for these methods.
   *
   * @param {Place} place
   * @param {string[]} [methods]
   * @returns {Fault | undefined}
   */
  at(place, methods) {
    const fault = this.#set.get(place);
    if (fault?.methods === undefined || methods === undefined) return fault;
    return methods.some((method) => fault.methods?.includes(method)) ? fault : undefined;
  }

  /**
   * Counts that a fault struck, and removes it when it has struck often enough.
   *
   * @param {Fault | string} fault
   * @param {'connections' | 'dials' | 'messages'} unit
   * @param {number} [count]
   */
  struck(fault, unit, count = 1) {
    strike(this.#counters, typeof fault === 'string' ? fault : fault.name, unit, count);
    this.#counted();
    if (typeof fault === 'string' || fault.times === undefined) return;
    fault.times -= count;
    if (fault.times <= 0) this.#remove(fault);
  }

  /** @param {Place} place */
  clear(place) {
    this.#set.delete(place);
  }

  clearAll() {
    this.#set.clear();
  }

  /** The names of the faults that are set. */
  get names() {
    return [...this.#set.values()].map(({ name }) => name);
  }

  /** @param {Fault} fault */
  #remove(fault) {
    for (const [place, set] of this.#set) if (set === fault) this.#set.delete(place);
  }
}

/** What the settings of each fault must be. @type {Record<string, Record<string, (value: any) => boolean>>} */
const SETTINGS = {
  rejectUpgrade: { status: (value) => Number.isInteger(value) && value >= 200 && value <= 599 },
  closeAtOnce: { code: isCloseCode, reason: isReason },
  stall: { dials: (value) => ['hang', 'open'].includes(value) },
  dropAfter: {
    messages: isCount,
    when: (value) => ['before', 'after'].includes(value),
    how: (value) => ['end', 'reset'].includes(value),
  },
  answerError: { error: (value) => Number.isInteger(value?.code) },
  answerLate: { milliseconds: isCount },
  answerRubbish: {
    kinds: (value) =>
      Array.isArray(value) && value.length > 0 && value.every((kind) => RUBBISH.includes(kind)),
    place: (value) => [undefined, 'before', 'instead'].includes(value),
  },
};

/**
 * A mistake in a test must not look like a fault without effect.
 *
 * @param {Fault} fault
 */
function check(fault) {
  if (!Object.hasOwn(PLACES, fault.name)) throw new Error(`no fault ${fault.name}`);
  const settings = {
    times: (/** @type {unknown} */ value) => value === undefined || isCount(value),
    methods: (/** @type {unknown} */ value) => value === undefined || Array.isArray(value),
    ...SETTINGS[fault.name],
  };
  for (const name of Object.keys(fault)) {
    if (name !== 'name' && !Object.hasOwn(settings, name)) throw new Error(`${fault.name} has no ${name}`);
  }
  for (const [name, isRight] of Object.entries(settings)) {
    if (!isRight(fault[name])) throw new Error(`${fault.name}: wrong ${name} ${JSON.stringify(fault[name])}`);
  }
}

/** @param {unknown} value */
function isCount(value) {
  return Number.isInteger(value) && Number(value) > 0;
}

/**
 * A code that can be sent; besides, null or 1005 for a close frame without one, and 1006 for no close frame.
 *
 * @param {any} value
 */
export function isCloseCode(value) {
  if (value === null) return true;
  if (!Number.isInteger(value)) return false;
  return (value >= 1000 && value <= 1014 && value !== 1004) || (value >= 3000 && value <= 4999);
}

/**
 * @param {any} value
 */
export function isReason(value) {
  return value === null || (typeof value === 'string' && Buffer.byteLength(value) <= 123);
}
