import { RegateError } from './error.js';
import { scheduleWaits, scheduleWarnings } from './regate.js';
import { checked, requireWasm } from './wasm.js';

/** No more waits than this are put into one array: `1:2147483647:1` has two thousand million. */
const MOST_WAITS = 100_000;

const WARNINGS = {
  'initial over maxsingle': 'initial is longer than maxsingle, which cuts the first wait too',
  'never grows': 'the wait never grows: rounding down eats the backoff',
  'unusual backoff': 'the backoff is outside 10 to 100 percent',
};

export function tcpTimeouts(text) {
  requireWasm();
  const warnings = checked(() => scheduleWarnings(text)).map((name) => WARNINGS[name]);
  return {
    waits() {
      const waits = scheduleWaits(text, MOST_WAITS + 1);
      if (waits.length > MOST_WAITS) {
        throw RegateError.ofOption(['tcpTimeouts', text, 'too many waits', MOST_WAITS]);
      }
      return Array.from(waits);
    },
    warnings: () => [...warnings],
    toString: () => text,
  };
}
