import { causeOf, describeFailures } from './error.js';

const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`;
const of = (count, one) => `${count} ${one}${count === 1 ? '' : 's'}`;
const sum = (failures) => failures.reduce((total, { failures: times }) => total + times, 0);
const suppressed = (failures) =>
  failures?.length ? `; ${sum(failures)} similar suppressed (${describeFailures(failures)})` : '';

/** The level and the text of each line; gateways are shown by origin and position only. */
const LINES = {
  __proto__: null,
  outagebegan: (notice) => ['warn', `${notice.gateway} failed: ${causeOf(notice)}`],
  outagegoeson: (notice) => [
    'warn',
    `no steady connection for ${seconds(notice.milliseconds)}${suppressed(notice.failures)}`,
  ],
  outageended: (notice) => [
    'info',
    `connected to ${notice.gateway} again after ${seconds(notice.milliseconds)}, ` +
      `${of(notice.rounds, 'round')}, ${of(notice.dials, 'dial')}`,
  ],
  gaveup: (notice) => [
    'error',
    `gave up with ${notice.code} after ${seconds(notice.milliseconds)}, ` +
      `${of(notice.rounds, 'round')}, ${of(notice.dials, 'dial')}${suppressed(notice.failures)}`,
  ],
};

/** Whether a notice is for the log. */
export const isLine = ({ kind }) => kind in LINES;

/** Writes lines to a console-like object, or nowhere; its faults are its own. */
export function makeLog(logger = globalThis.console) {
  const write = (level, text) => {
    try {
      logger?.[level](`regate: ${text}`);
    } catch {
      // A logger that throws must not take the connection with it.
    }
  };
  return {
    line: (notice) => write(...LINES[notice.kind](notice)),
    warn: (text) => write('warn', text),
  };
}
