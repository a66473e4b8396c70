// What a client is asked to do, from a seed: pure, so that a run can be made again.

import { Random } from './random.js';

/** The mean is about 45 operations a second. */
const STEP_MILLISECONDS = [5, 50];
const BURST = { in: 70, least: 10, most: 50 };
const KEYS = 50;
/** Beside the operations: a call of the client in about so many steps. */
const CALLS = [
  { call: 'resubscribe', in: 40 },
  { call: 'notify', in: 50 },
  { call: 'reconnect', in: 400 },
  { call: 'reopen', in: 900 },
  { call: 'drain', in: 900 },
];
export const SLOTS = 3;

/**
 * One operation: `kind` is the audit's; `abort` is `before` the call, in its `turn`, or after so many milliseconds.
 *
 * @typedef {object} Wish
 * @property {string} kind
 * @property {string} method
 * @property {object} params the id is put to them
 * @property {Record<string, unknown>} options
 * @property {'before' | 'turn' | number} [abort]
 */

/** What hurries an operation, or ties it: one that has none of these has time. */
const HURRIES = {
  abort: (random) => ({
    abort: random.pick(['before', 'turn', random.within(0, 60), random.within(0, 500)]),
  }),
  timeout: (random) => ({ options: { timeoutMilliseconds: random.within(1, 400) } }),
  response: (random) => ({ options: { waitForResponseMilliseconds: random.within(10, 300) } }),
  retry: (random) => ({ options: { retryTimeoutSeconds: random.within(0, 1) } }),
  bound: () => ({ options: { boundToConnection: true } }),
  unretried: (random) => ({
    options: random.pick([{ retryOnConnectionLost: false }, { retryOnClientReconnecting: false }]),
  }),
};

/**
 * The steps of one client, without end: after so many milliseconds, calls and operations.
 *
 * @param {number} seed
 * @param {string} name of the client
 * @param {readonly string[]} topics that it publishes to
 * @returns {Generator<{ after: number, calls: { call: string, slot: number }[], wishes: Wish[] }>}
 */
export function* stepsOf(seed, name, topics) {
  const random = new Random(seed, `operations of ${name}`);
  for (;;) {
    const count = random.within(1, BURST.in) === 1 ? random.within(BURST.least, BURST.most) : 1;
    yield {
      after: random.within(STEP_MILLISECONDS[0], STEP_MILLISECONDS[1]),
      calls: CALLS.filter((call) => random.within(1, call.in) === 1).map(({ call }) => ({
        call,
        slot: random.within(0, SLOTS - 1),
      })),
      wishes: Array.from({ length: count }, () => wishOf(random, topics)),
    };
  }
}

function wishOf(random, topics) {
  const kind = random.pick(['read', 'read', 'write', 'write', 'redo write', 'key write']);
  const wish = PLAIN[kind](random, topics);
  wish.kind = kind;
  if (random.chance(0.02)) wish.params = { ...wish.params, filler: 'x'.repeat(random.within(1000, 100_000)) };
  if (!random.chance(0.25)) return wish;
  const { options, abort } = random.pick(Object.values(HURRIES))(random);
  return { ...wish, abort, options: { ...wish.options, ...options }, isHurried: true };
}

const keyOf = (random) => `key ${random.within(1, KEYS)}`;

const PLAIN = {
  read(random) {
    const { method, params } = random.pick([
      { method: 'map.get', params: { key: keyOf(random) } },
      { method: 'map.size', params: {} },
      { method: 'slow', params: { milliseconds: random.within(1, 150) } },
    ]);
    return { method, params, options: { readOnly: true } };
  },
  write(random, topics) {
    const { method, params } = random.pick([
      { method: 'map.put', params: { key: keyOf(random), value: random.within(1, 1000) } },
      { method: 'queue.offer', params: { item: random.within(1, 1000) } },
      { method: 'queue.offer', params: { item: random.within(1, 1000) } },
      { method: 'publish', params: { topic: random.pick(topics) } },
      { method: 'fail', params: { code: -32000 - random.within(1, 9), message: 'no such account' } },
      { method: 'busy', params: { times: random.within(1, 3), ...someDelay(random) } },
    ]);
    // False is the default, and must be said where the client has another one.
    const options = { redoOperations: false };
    return {
      method,
      params,
      options: random.chance(0.3) ? { ...options, retryUnsentOperations: true } : options,
    };
  },
  'redo write'(random) {
    const params = { key: keyOf(random), value: random.within(1, 1000) };
    return { method: 'map.put', params, options: { redoOperations: true } };
  },
  'key write'(random) {
    const options = { redoOperations: true, operationKey: random.pick(['drawn', 'given']) };
    return { method: random.pick(['queue.offer', 'map.put']), params: allOf(random), options };
  },
};

const allOf = (random) => ({ key: keyOf(random), value: 1, item: random.within(1, 1000) });
const someDelay = (random) => (random.chance(0.5) ? { retryAfterMilliseconds: random.within(1, 100) } : {});
