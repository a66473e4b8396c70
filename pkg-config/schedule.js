import { RegateError } from './error.js';
import { readSchedule } from './options.js';
import { checked, requireWasm } from './wasm.js';

/** No more waits than this are put into one array: `1:2147483647:1` has two thousand million. */
const MOST_WAITS = 100_000;

/** Its rules are those of the core, in src/policy/tcp_timeouts.rs; the public vectors hold for both. */
export function tcpTimeouts(text) {
  requireWasm();
  const [initial, max, backoff, maxSingle] = checked(() => readSchedule('tcpTimeouts', text));
  const first = Math.min(initial, maxSingle);
  const warnings = [
    first * backoff < 100 && first < maxSingle && 'the wait never grows: rounding down eats the backoff',
    initial > maxSingle && 'initial is longer than maxsingle, which cuts the first wait too',
    (backoff < 10 || backoff > 100) && 'the backoff is outside 10 to 100 percent',
  ].filter(Boolean);
  return {
    waits() {
      const waits = [];
      let wait = first;
      for (let sum = 0; sum < max; ) {
        if (waits.push(wait) > MOST_WAITS)
          throw RegateError.ofOption(['tcpTimeouts', text, 'too many waits', MOST_WAITS]);
        sum += wait;
        // What is too large to be exact is far above the longest wait.
        wait = Math.min(Math.floor((wait * (100 + backoff)) / 100), maxSingle);
      }
      return waits;
    },
    warnings: () => [...warnings],
    toString: () => text,
  };
}
