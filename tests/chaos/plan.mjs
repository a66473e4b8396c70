// The plan of a run: which fault comes when, from the seed alone.

import { GATEWAYS, KINDS } from './faults.mjs';
import { Random } from './page/random.js';

const GAP_MILLISECONDS = [50, 500];
/** So often a fault of a gateway is one of all gateways. */
const ALL_GATEWAYS = 0.04;

/**
 * @typedef {object} Fault
 * @property {number} at milliseconds from the start
 * @property {string} kind
 * @property {number | 'all'} target position among its kind of targets
 */

/**
 * The faults of a run, in order. Kinds come in rounds of all kinds, each in an order of chance, so that a short run has
 * each of them as well.
 *
 * @param {number} seed
 * @param {number} milliseconds
 * @param {Record<'gateway' | 'client' | 'page' | 'node', number>} targets how many there are
 * @returns {Fault[]}
 */
export function faultsOf(seed, milliseconds, targets) {
  const random = new Random(seed, 'faults');
  /** @type {Fault[]} */
  const faults = [];
  /** @type {string[]} */
  let round = [];
  for (let at = gap(random); at < milliseconds; at += gap(random)) {
    if (round.length === 0) round = random.shuffled(Object.keys(KINDS));
    const kind = /** @type {string} */ (round.pop());
    const { on, draw } = KINDS[kind];
    const target =
      on === 'gateway' && random.chance(ALL_GATEWAYS) ? 'all' : random.within(0, targets[on] - 1);
    faults.push({ at, kind, target, ...draw(random) });
  }
  return faults;
}

const gap = (/** @type {Random} */ random) => random.within(GAP_MILLISECONDS[0], GAP_MILLISECONDS[1]);

/** The clients of a run: so many in each page, and in each Node process. */
export const CAST = { pages: 3, nodes: 2, each: 2 };

/** How many targets of each sort a run has. */
export const TARGETS = {
  gateway: GATEWAYS,
  client: (CAST.pages + CAST.nodes) * CAST.each,
  page: CAST.pages,
  node: CAST.nodes,
};
