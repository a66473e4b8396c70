// Names for what wasm tells as rows of values.

import { STATS } from './events.js';

const CAUSE = ['cause', 'closeCode', 'status'];
const ERROR = ['code', 'completion', 'attempts', 'milliseconds', 'gateway', 'answered', ...CAUSE];
const FAILURE = ['gateway', ...CAUSE, 'failures'];

const NOTICES = {
  dial: ['gateway', 'round'],
  dialfailed: ['gateway', 'verdict', ...CAUSE],
  statechange: ['from', 'to', 'reason', 'gateway', 'closeCode'],
  waiting: ['milliseconds', 'round'],
  settled: ['operation', ...ERROR],
  subscribed: ['operation', 'resumed'],
  outagebegan: ['gateway', ...CAUSE],
  outagegoeson: ['milliseconds', 'failures'],
  outageended: ['gateway', 'milliseconds', 'rounds', 'dials'],
  gaveup: ['code', 'milliseconds', 'rounds', 'dials', 'failures'],
};

const COUNTERS = [
  'dials',
  'pendingOperations',
  'inFlightOperations',
  'subscriptions',
  'succeeded',
  'failedNo',
  'failedMaybe',
  'failedYes',
  'attempts',
  'retries',
  'overloaded',
  'unmatchedAnswers',
];

/** What a row has no value for is left out. */
function named(names, row) {
  const object = {};
  row.forEach((value, place) => {
    if (Array.isArray(value)) object[names[place]] = failuresOf(value);
    else if (value !== undefined) object[names[place]] = value;
  });
  return object;
}

/** The next notice of a core, or `undefined`. */
export function nextNotice(core) {
  const row = core.notice();
  return row && { kind: row[0], ...named(NOTICES[row[0]], row.slice(1)) };
}

export const failuresOf = (rows) => rows.map((row) => named(FAILURE, row));

export const errorOf = (row) => named(ERROR, row);

export const statsOf = (core) => ({ state: core.state, ...named(COUNTERS, core.tell(STATS)) });
