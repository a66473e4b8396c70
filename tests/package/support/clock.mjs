// A clock that stands still until a test moves it.

const { setImmediate } = globalThis;

/** Lets everything run that is due now: promises and ticks, but no timer. */
export const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Puts a virtual clock in place of timers and `performance.now` until the test ends. */
export function virtualClock(t) {
  const real = { setTimeout, clearTimeout, now: performance.now };
  const timers = new Map();
  let now = 1000;
  let last = 0;
  const clock = {
    /** How often each was called. */
    sets: 0,
    clears: 0,
    /** The delay of each timer that was set. */
    delays: [],
    get now() {
      return now;
    },
    get running() {
      return timers.size;
    },
    /** Moves the time, firing on the way what is due, in order. */
    async advance(milliseconds) {
      const end = now + milliseconds;
      await settle();
      for (;;) {
        const [due] = [...timers]
          .filter(([, { at }]) => at <= end)
          .sort((a, b) => a[1].at - b[1].at || a[0] - b[0]);
        if (due === undefined) break;
        now = Math.max(now, due[1].at);
        timers.delete(due[0]);
        due[1].callback();
        await settle();
      }
      now = end;
    },
  };
  globalThis.setTimeout = (callback, delay = 0) => {
    clock.sets += 1;
    clock.delays.push(delay);
    last += 1;
    timers.set(last, { at: now + delay, callback });
    return last;
  };
  globalThis.clearTimeout = (timer) => {
    clock.clears += 1;
    timers.delete(timer);
  };
  performance.now = () => now;
  t.after(() => {
    Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout });
    performance.now = real.now;
  });
  return clock;
}
