// The kinds of faults: how each is drawn from the seed, and how it is set.
//
// `draw` gives what is particular to one fault. `strike` sets it and says how much it struck, where that is known at
// once; else the cluster's counters or the page know it in the end, under `counted`.

import { FORGED, RUBBISH } from '../gateways/rubbish.mjs';

const GATEWAYS = 5;
const RUBBISH_IS_LONG = ['huge', 'deep'];
const CLOSE_CODES = [
  ...[1000, 1001, 1005, 1006, 1011, 1012, 1013, 3000, 4000, 4408, 4429, 4500],
  ...[1000, 1001, 1006, 1011, 1012, 4000, 1008, 4401, 4403],
  ...[1002, 1003, 1007, 1009, 1010, 4400],
];
const ONCE_MORE = { code: -32050, message: 'try again', data: { retryable: true } };
/** Of these it may be said that they were not performed; an `unsubscribe` is never tried again. */
const REFUSABLE = ['map.get', 'map.put', 'map.size', 'queue.offer', 'publish', 'slow', 'fail', 'subscribe'];

/** Who is told that a subscription was refused, or has another name, cannot know that the gateway holds it. */
const FORGEABLE = [...REFUSABLE.filter((method) => method !== 'subscribe'), 'busy', 'login', 'unsubscribe'];

/**
 * @typedef {object} Kind
 * @property {string} words
 * @property {'gateway' | 'client' | 'page' | 'node'} on
 * @property {(random: import('./page/random.js').Random) => any} draw
 * @property {(target: any, fault: any, world: any) => Promise<number | undefined>} strike
 * @property {string} [counted]
 * @property {number} [lasting]
 */

const lasting = (random, least, most) => ({ lasting: random.within(least, most) });
const times = (random, most) => ({ times: random.within(1, most) });

/** @type {Record<string, Kind>} */
export const KINDS = {
  kill: {
    words: 'kill',
    on: 'gateway',
    draw: (random) => lasting(random, 100, 2000),
    strike: async (gateway) => (await gateway.kill()).connections,
  },
  restart: {
    words: 'restart',
    on: 'gateway',
    draw: () => ({ lasting: 0 }),
    async strike(gateway) {
      const { connections } = await gateway.kill();
      await gateway.restart();
      return connections;
    },
  },
  refuse: {
    words: 'refuse',
    on: 'gateway',
    draw: (random) => lasting(random, 500, 3000),
    strike: (gateway) => gateway.refuse(),
    counted: 'refused', // the system refuses, no process sees it: the clients tell their dials
  },
  hang: {
    words: 'hang in the handshake',
    on: 'gateway',
    draw: (random) => lasting(random, 500, 3000),
    strike: (gateway) => gateway.hang(),
    counted: 'hang',
  },
  rejectUpgrade: {
    words: 'HTTP status instead of a handshake',
    on: 'gateway',
    draw: (random) => ({
      status: random.pick([200, 401, 404, 429, 500, 502, 503]),
      ...lasting(random, 300, 2000),
    }),
    strike: (gateway, { status }) => gateway.rejectUpgrade(status),
    counted: 'rejectUpgrade',
  },
  closeAtOnce: {
    words: 'close code at once',
    on: 'gateway',
    draw: (random) => ({ code: random.pick(CLOSE_CODES), ...lasting(random, 300, 2000) }),
    strike: (gateway, { code }) => gateway.closeAtOnce(code, 'at once'),
    counted: 'closeAtOnce',
  },
  closeAll: {
    words: 'close code',
    on: 'gateway',
    draw: (random) => ({ code: random.pick(CLOSE_CODES), lasting: 0 }),
    strike: async (gateway, { code }) => (await gateway.closeAll(code, 'chaos')).connections,
  },
  drop: {
    words: 'connections cut',
    on: 'gateway',
    draw: (random) => ({ how: random.pick(['end', 'reset']), lasting: 0 }),
    strike: async (gateway, { how }) => (await gateway.dropAll(how)).connections,
  },
  stall: {
    words: 'stall',
    on: 'gateway',
    draw: (random) => ({ dials: random.pick(['hang', 'open']), ...lasting(random, 200, 4000) }),
    strike: (gateway, { dials }) => gateway.stall({ dials }),
    counted: 'stall',
  },
  dropAfter: {
    words: 'cut at a message, executed or not',
    on: 'gateway',
    draw: (random) => ({
      messages: random.within(1, 20),
      settings: {
        when: random.pick(['before', 'after']),
        how: random.pick(['end', 'reset']),
        ...times(random, 3),
      },
      ...lasting(random, 500, 2000),
    }),
    strike: (gateway, { messages, settings }) => gateway.dropAfter(messages, settings),
    counted: 'dropAfter',
  },
  resetMidFrame: {
    words: 'reset in the middle of a frame',
    on: 'gateway',
    draw: (random) => ({ settings: times(random, 3), ...lasting(random, 500, 2000) }),
    strike: (gateway, { settings }) => gateway.resetMidFrame(settings),
    counted: 'resetMidFrame',
  },
  answerLate: {
    words: 'late answers',
    on: 'gateway',
    draw: (random) => ({ milliseconds: random.within(50, 1500), ...lasting(random, 300, 2000) }),
    strike: (gateway, { milliseconds }) => gateway.answerLate(milliseconds),
    counted: 'answerLate',
  },
  answerTwice: {
    words: 'duplicate answers',
    on: 'gateway',
    draw: (random) => lasting(random, 300, 2000),
    strike: (gateway) => gateway.answerTwice(),
    counted: 'answerTwice',
  },
  answerRubbish: {
    words: 'malformed answers',
    on: 'gateway',
    draw(random) {
      const kinds = random.some(RUBBISH, random.within(1, 4));
      const most = kinds.some((kind) => RUBBISH_IS_LONG.includes(kind)) ? kinds.length : 40;
      const lies = kinds.some((kind) => FORGED.includes(kind) || kind === 'neither');
      const settings = { ...times(random, most), ...(lies ? { methods: FORGEABLE } : {}) };
      return { kinds, settings, ...lasting(random, 500, 2000) };
    },
    strike: (gateway, { kinds, settings }) => gateway.answerRubbish(kinds, settings),
    counted: 'answerRubbish',
  },
  answerError: {
    words: '"not performed, try again"',
    on: 'gateway',
    draw(random) {
      const more = random.chance(0.5) ? { retryAfterMilliseconds: random.within(1, 200) } : {};
      const error = { ...ONCE_MORE, data: { ...ONCE_MORE.data, ...more } };
      return { error, settings: { methods: REFUSABLE, ...times(random, 30) }, ...lasting(random, 300, 1500) };
    },
    strike: (gateway, { error, settings }) => gateway.answerError(error, settings),
    counted: 'answerError',
  },
  list: {
    words: 'list change',
    on: 'client',
    draw: (random) => ({
      change: {
        positions: random.some([...Array(GATEWAYS).keys()], random.within(2, GATEWAYS)),
        whims: random.some(['never', 'throw', 'empty', 'late', 'late'], random.within(0, 3)),
      },
    }),
    strike: async (client, { change }) => {
      await client.call('changeList', change);
      return 1;
    },
  },
  session: {
    words: 'session hook fails',
    on: 'client',
    draw: (random) => ({
      whims: random.some(['never', 'wrong token', 'next', 'same', 'refresh', 'unknown'], random.within(1, 3)),
    }),
    strike: (client, { whims }) => client.call('changeSession', { whims }),
    counted: 'sessionFaults',
  },
  offline: {
    words: 'browser offline, online',
    on: 'page',
    draw: (random) => lasting(random, 200, 3000),
    strike: (page, fault) => page.goOffline(fault.lasting),
    counted: 'offline',
  },
  freeze: {
    words: 'frozen page',
    on: 'page',
    draw: (random) => lasting(random, 200, 3000),
    strike: (page, fault) => page.freeze(fault.lasting),
    counted: 'frozen',
  },
  sleep: {
    words: 'sleeping Node process',
    on: 'node',
    draw: (random) => lasting(random, 200, 3000),
    strike: async (node, fault) => {
      await node.call('sleep', fault.lasting);
      return 1;
    },
  },
};

export { GATEWAYS };
