// In the page, around one adapter: all that the bench asks of a client goes through `bench`.
import * as adapter from 'bench-adapter';

const PROBE_MILLISECONDS = 50;
const REASON_CHARACTERS = 60;

/** What became of an operation. */
const UNSETTLED = 0;
const RESOLVED = 1;
const REJECTED = 2;
const REJECTED_AS_NOT_PERFORMED = 3;

const { meta } = adapter;
const now = () => performance.timeOrigin + performance.now();
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
let client;
let log = [];
let waiting = [];
let held;

function note(state, detail = '') {
  const entry = { at: now(), state, detail: String(detail) };
  log.push(entry);
  waiting = waiting.filter((take) => !take(entry));
}

/** What connects only when it is used is asked again and again. */
async function probe(asked) {
  while (client === asked) {
    const answers = await asked.request('echo', ['?']).then(
      () => true,
      () => false,
    );
    if (client !== asked) return;
    note(answers ? 'open' : 'closed');
    await sleep(PROBE_MILLISECONDS);
  }
}

const briefly = (error) =>
  String(error?.message ?? error?.type ?? error)
    .split('\n')[0]
    .slice(0, REASON_CHARACTERS);

globalThis.bench = {
  meta: { ...meta, exported: 'ready' in adapter ? ['connect', 'ready'] : ['connect'] },
  ready: Promise.resolve(adapter.ready?.()),
  log: () => log,
  memory: () => client?.memory?.() ?? 0,
  request: (method, params) => client.request(method, params),

  /** Starts a client; returns when. */
  async connect(urls, { isProbed = true, ...options } = {}) {
    log = [];
    waiting = [];
    const began = now();
    client = await adapter.connect(urls, options);
    client.onState(note);
    if (meta.isLazy && isProbed) probe(client);
    return began;
  },

  /** The first time that a state is reached after another, or the client gives up; null where that takes too long. */
  until(state, since, limitMilliseconds) {
    const fits = (entry) => entry.at >= since && (entry.state === state || entry.state === 'failed');
    const known = log.find(fits);
    if (known) return known;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limitMilliseconds, null);
      waiting.push((entry) => {
        if (!fits(entry)) return false;
        clearTimeout(timer);
        resolve(entry);
        return true;
      });
    });
  },

  async close() {
    const last = client;
    client = undefined;
    await Promise.resolve(last?.close()).catch(() => {});
  },

  /** Lanes of echo for some time, each asking when its last is answered. */
  async burst({ inFlight, bytes, milliseconds }) {
    const params = ['x'.repeat(bytes)];
    let done = 0;
    let wrong = 0;
    const began = performance.now();
    const end = began + milliseconds;
    const lane = async () => {
      do {
        try {
          const result = await client.request('echo', params);
          if (result.length !== bytes) wrong += 1;
          done += 1;
        } catch {
          wrong += 1;
          await sleep(1);
        }
      } while (performance.now() < end);
    };
    await Promise.all(Array.from({ length: inFlight }, lane));
    return { done, wrong, milliseconds: performance.now() - began };
  },

  /** Requests that the gateway holds. */
  hold(count) {
    const all = { count, resolved: 0, rejected: 0, firstAt: 0, lastAt: 0 };
    held = all;
    const settle = (how) => () => {
      all[how] += 1;
      all.lastAt = now();
      all.firstAt ||= all.lastAt;
    };
    const resolved = settle('resolved');
    const rejected = settle('rejected');
    for (let number = 0; number < count; number += 1)
      client.request('hold', [number]).then(resolved, rejected);
  },

  /** What became of them, when all are settled. */
  async heldEnd(limitMilliseconds) {
    const end = performance.now() + limitMilliseconds;
    while (held.resolved + held.rejected < held.count && performance.now() < end) await sleep(20);
    return held;
  },

  /** Operations that must not run twice; what became of each, by its id. */
  async operate({ count, everyMilliseconds, settleMilliseconds }) {
    const outcomes = new Array(count).fill(UNSETTLED);
    const reasons = {};
    let open = 0;
    const operate = async (id) => {
      open += 1;
      try {
        await client.request('op', [{ id }]);
        outcomes[id] = RESOLVED;
      } catch (error) {
        outcomes[id] = client.completion?.(error) === 'no' ? REJECTED_AS_NOT_PERFORMED : REJECTED;
        reasons[briefly(error)] = (reasons[briefly(error)] ?? 0) + 1;
      }
      open -= 1;
    };
    const began = performance.now();
    for (let id = 0; id < count; id += 1) {
      const due = began + id * everyMilliseconds - performance.now();
      if (due > 0) await sleep(due);
      operate(id);
    }
    globalThis.tell('issued');
    const end = performance.now() + settleMilliseconds;
    while (open > 0 && performance.now() < end) await sleep(20);
    return { outcomes: outcomes.join(''), reasons };
  },
};
