// retry(): the operation rules for any work: what is run again, where, when, and what is known of it.
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { settle, virtualClock } from './support/clock.mjs';
import { freshPackage, importEntry, ready } from './support/installed.mjs';
import { reports } from './support/reports.mjs';

const { completionOf, RegateError, retry } = await ready();
const fault = (fields) => Object.assign(new Error('mine'), fields);
const busy = (more) => fault({ data: { retryable: true, ...more } });

/** Work that rejects with what `script` says, in turn, then gives `done`; and when each attempt was made. */
function worker(clock, script) {
  const made = [];
  const work = ({ gateway, attempt }) => {
    const error = typeof script === 'function' ? script(made.length) : script[made.length];
    made.push({ at: clock.now - 1000, attempt, gateway });
    return error === undefined ? 'done' : Promise.reject(error);
  };
  return {
    made,
    work,
    times: () => made.map(({ at }) => at),
    gateways: () => made.map(({ gateway }) => gateway),
  };
}

/** How it failed; the time runs until then. */
async function failing(clock, promise, milliseconds = 200_000) {
  const check = promise.then(
    () => assert.fail('it should have failed'),
    (error) => error,
  );
  await clock.advance(milliseconds);
  return check;
}

test('what works is given back: a value, a promise, nothing, after one attempt', async () => {
  for (const value of [5, undefined, null, Promise.resolve('x')]) {
    const promise = retry(() => value);
    assert.equal(await promise, await value);
    assert.equal(completionOf(promise), undefined);
  }
  assert.deepEqual(await retry((given) => Object.keys(given).sort()), ['attempt', 'gateway', 'signal']);
});

test('a rejection may have been performed: no second attempt without leave', async (t) => {
  const clock = virtualClock(t);
  for (const options of [undefined, {}, { readOnly: false }, { redoOperations: false }]) {
    const cause = fault();
    const { made, work } = worker(clock, () => cause);
    const promise = retry(work, options);
    assert.equal(completionOf(promise), undefined);
    const error = await failing(clock, promise, 0);
    assert.ok(error instanceof RegateError);
    assert.deepEqual([error.code, error.completion, error.attempts], ['CONNECTION_LOST', 'maybe', 1]);
    assert.equal(error.cause, cause);
    assert.equal(completionOf(promise), 'maybe');
    assert.equal(made.length, 1);
    assert.equal(clock.running, 0);
  }
});

test('read-only work and work that may be redone: five at once, then 1, 2, 4 s and so on to the limit', async (t) => {
  const clock = virtualClock(t);
  const began = clock.now;
  for (const options of [
    { readOnly: true },
    { redoOperations: true },
    { networking: { redoOperations: true } },
  ]) {
    const offset = clock.now - began;
    const { work, times } = worker(clock, () => fault());
    const error = await failing(clock, retry(work, options));
    const expected = [0, 0, 0, 0, 0, 1000, 3000, 7000, 15_000, 31_000, 63_000, 120_000];
    assert.deepEqual(
      times(),
      expected.map((at) => at + offset),
    );
    const { code, completion, attempts, elapsedMilliseconds } = error;
    assert.deepEqual(
      [code, completion, attempts, elapsedMilliseconds],
      ['RETRY_TIMEOUT', 'maybe', 12, 120_000],
    );
  }
});

test('what says "not performed, try again" is tried again by anybody, and known not to be performed', async (t) => {
  const clock = virtualClock(t);
  const { made, work } = worker(clock, [busy(), busy(), busy()]);
  assert.equal(await retry(work), 'done');
  assert.deepEqual(
    made.map(({ attempt }) => attempt),
    [1, 2, 3, 4],
  );
  const forever = retry(worker(clock, () => busy()).work, { messaging: { retryTimeoutSeconds: 1 } });
  const error = await failing(clock, forever, 1000);
  assert.deepEqual([error.code, error.completion, completionOf(forever)], ['RETRY_TIMEOUT', 'no', 'no']);
  const after = worker(clock, [busy({ retryAfterMilliseconds: 700 })]);
  const from = clock.now - 1000;
  const promise = retry(after.work);
  await clock.advance(700);
  assert.equal(await promise, 'done');
  assert.deepEqual(after.times(), [from, from + 700]);
});

test('isRetryable decides, at the top or in messaging; one that throws has not said so', async (t) => {
  const reported = reports(t);
  const clock = virtualClock(t);
  const isRetryable = (error) => error.status === 503;
  for (const options of [{ isRetryable }, { messaging: { isRetryable } }]) {
    const { made, work } = worker(clock, [
      fault({ status: 503 }),
      fault({ status: 503 }),
      fault({ status: 500 }),
    ]);
    const error = await failing(clock, retry(work, options), 0);
    assert.deepEqual([error.code, error.completion, made.length], ['CONNECTION_LOST', 'maybe', 3]);
  }
  for (const says of [undefined, 1, 'yes', Promise.resolve(true)]) {
    const { made, work } = worker(clock, () => fault());
    assert.equal((await failing(clock, retry(work, { isRetryable: () => says }), 0)).completion, 'maybe');
    assert.equal(made.length, 1);
  }
  const thrower = () => {
    throw new Error('of isRetryable');
  };
  const cause = fault();
  const error = await failing(clock, retry(worker(clock, () => cause).work, { isRetryable: thrower }), 0);
  assert.deepEqual([error.code, error.completion], ['CONNECTION_LOST', 'maybe']);
  assert.equal(error.cause, cause);
  await settle();
  assert.deepEqual(reported, ['of isRetryable']);
});

test('gateways: the next at once, one wait of the schedule a round, any scheme', async (t) => {
  const clock = virtualClock(t);
  const gateways = ['https://a.example/x?key=1', { url: 'http://b.example/' }, 'custom:c'];
  const networking = { shuffleAddresses: false, jitter: 0, connectTimeouts: '100:1000:100' };
  const { work, times, gateways: seen } = worker(clock, Array(7).fill(fault()));
  const promise = retry(work, { gateways, networking, readOnly: true });
  await clock.advance(1000);
  assert.equal(await promise, 'done');
  assert.deepEqual(times(), [0, 0, 0, 100, 100, 100, 300, 300]);
  const urls = ['https://a.example/x?key=1', 'http://b.example/', 'custom:c'];
  assert.deepEqual(seen(), [...urls, ...urls, ...urls.slice(0, 2)]);
  const one = worker(clock, () => fault());
  const error = await failing(clock, retry(one.work, { gateways, networking, seed: 1 }), 0);
  assert.equal(error.gateway, 'https://a.example [0]');
  assert.ok(!error.message.includes('key') && !error.stack.includes('key'));
});

test('the list is shuffled by the seed, and jitter only shortens the waits', async (t) => {
  const clock = virtualClock(t);
  const gateways = ['http://a.example/', 'http://b.example/', 'http://c.example/'];
  const first = new Set();
  for (let seed = 0; seed < 30; seed += 1) {
    const one = worker(clock, []);
    const same = worker(clock, []);
    await Promise.all([retry(one.work, { gateways, seed }), retry(same.work, { gateways, seed })]);
    assert.deepEqual(one.gateways(), same.gateways());
    first.add(one.gateways()[0]);
  }
  assert.equal(first.size, 3);
  const from = clock.now - 1000;
  const { work, times } = worker(clock, Array(3).fill(fault()));
  const promise = retry(work, {
    gateways,
    readOnly: true,
    networking: { jitter: 1, connectTimeouts: '1000:1000:1' },
  });
  await clock.advance(1000);
  await promise;
  assert.ok(times()[3] <= from + 1000);
});

test('abort at each stage rejects with the reason at once, and nothing is left running', async (t) => {
  const clock = virtualClock(t);
  const reason = { any: 'thing' };
  const before = retry(() => assert.fail('it was aborted before'), { signal: AbortSignal.abort(reason) });
  assert.equal(await failing(clock, before, 0), reason);
  assert.equal(completionOf(before), 'no');

  const stages = {
    'before the first attempt': { at: 0, script: [], completion: 'no', made: 0 },
    'in the attempt': { at: 10, script: ['hang'], completion: 'maybe', made: 1 },
    'in the delay': { at: 500, script: Array(5).fill(busy()), completion: 'no', made: 5 },
    'in the delay after what is unknown': {
      at: 500,
      script: Array(5).fill(fault()),
      completion: 'maybe',
      made: 5,
    },
    'in a later attempt': {
      at: 1500,
      script: [...Array(5).fill(busy()), 'hang'],
      completion: 'maybe',
      made: 6,
    },
  };
  for (const [stage, { at, script, completion, made: times }] of Object.entries(stages)) {
    const abort = new AbortController();
    let made = 0;
    let inner;
    const work = ({ signal }) => {
      inner = signal;
      const error = script[made];
      made += 1;
      return error === 'hang' ? new Promise(() => {}) : Promise.reject(error);
    };
    const promise = retry(work, { readOnly: true, signal: abort.signal });
    assert.equal(getEventListeners(abort.signal, 'abort').length, 1);
    if (at > 0) await clock.advance(at);
    abort.abort(reason);
    assert.equal(await failing(clock, promise, 0), reason, stage);
    assert.equal(completionOf(promise), completion, stage);
    await clock.advance(200_000);
    assert.equal(made, times, stage);
    if (inner !== undefined) assert.equal(inner.aborted && inner.reason, reason, stage);
    assert.deepEqual(getEventListeners(abort.signal, 'abort'), [], stage);
    assert.equal(clock.running, 0, stage);
  }
});

test('work that ends after the abort, or ends with it, changes nothing', async (t) => {
  const reported = reports(t);
  const clock = virtualClock(t);
  const reason = new Error('reason');
  for (const end of ['resolve', 'reject']) {
    const abort = new AbortController();
    let settleWork;
    const promise = retry(() => new Promise((resolve, reject) => (settleWork = { resolve, reject }[end])), {
      signal: abort.signal,
      readOnly: true,
    });
    await settle();
    abort.abort(reason);
    settleWork(fault());
    assert.equal(await failing(clock, promise, 0), reason);
  }
  const abort = new AbortController();
  const promise = retry(
    () => {
      abort.abort(reason);
      throw fault();
    },
    { signal: abort.signal, readOnly: true },
  );
  assert.equal(await failing(clock, promise, 0), reason);
  await settle();
  assert.deepEqual(reported, []);
});

test('timeoutMilliseconds ends attempt and delay alike, with TIMEOUT', async (t) => {
  const clock = virtualClock(t);
  for (const [limit, script, attempts, completion] of [
    [0, () => fault(), 0, 'no'],
    [50, () => 'hang', 1, 'maybe'],
    [500, () => busy(), 5, 'no'],
    [500, () => fault(), 5, 'maybe'],
    [2000, (n) => (n < 5 ? busy() : 'hang'), 6, 'maybe'],
  ]) {
    let made = 0;
    let inner;
    const work = ({ signal }) => {
      inner = signal;
      const error = script(made);
      made += 1;
      return error === 'hang' ? new Promise(() => {}) : Promise.reject(error);
    };
    const promise = retry(work, { readOnly: true, timeoutMilliseconds: limit });
    const error = await failing(clock, promise, limit);
    assert.equal(error.code, 'TIMEOUT');
    assert.deepEqual([error.attempts, error.completion, made], [attempts, completion, attempts], `${limit}`);
    assert.equal(completionOf(promise), completion);
    assert.equal(error.elapsedMilliseconds, limit);
    if (limit > 0) assert.equal(inner.aborted, true);
    assert.equal(clock.running, 0);
  }
  assert.equal(await retry(() => 5, { timeoutMilliseconds: Number.MAX_SAFE_INTEGER }), 5);
  assert.ok(clock.delays.every((delay) => delay <= 2 ** 31 - 1));
  assert.equal(clock.running, 0);
});

test('one signal for 10,000 pieces of work keeps no listener and no timer', async (t) => {
  const clock = virtualClock(t);
  const { signal } = new AbortController();
  for (let hundred = 0; hundred < 100; hundred += 1)
    await Promise.all(Array.from({ length: 100 }, () => retry(() => 1, { signal, timeoutMilliseconds: 50 })));
  assert.deepEqual(getEventListeners(signal, 'abort'), []);
  assert.equal(clock.running, 0);
});

test('wrong options are named before anything runs', async () => {
  const never = () => assert.fail('it ran');
  for (const [work, options, text] of [
    [undefined, {}, /work must be|work is/],
    ['x', {}, /work is a text/],
    [never, null, /options is null/],
    [never, 5, /options is 5/],
    [never, { signal: {} }, /signal is an object: it must be an AbortSignal/],
    [never, { readOnly: 1 }, /readOnly is 1/],
    [never, { redoOperations: 'yes' }, /redoOperations/],
    [never, { timeoutMilliseconds: -1 }, /timeoutMilliseconds is -1/],
    [never, { isRetryable: true }, /isRetryable is true/],
    [never, { messaging: { isRetryable: 5 } }, /messaging.isRetryable is 5/],
    [never, { messaging: { retryTimeoutSeconds: '5' } }, /retryTimeoutSeconds is "5"/],
    [never, { networking: { connectTimeouts: 'x' } }, /connectTimeouts/],
    [never, { gateways: [] }, /gateways/],
    [never, { gateways: () => [] }, /gateways is a function: it must be a list here/],
    [never, { gateways: ['/relative'] }, /gateways\[0\] must be an absolute URL/],
    [never, { retries: 5 }, /retries is 5: it is no option of regate/],
    [never, { seed: -1 }, /seed is -1/],
  ]) {
    const promise = retry(work, options);
    await assert.rejects(promise, (error) => {
      assert.equal(error.code, 'INVALID_OPTION');
      assert.match(error.message, text);
      return true;
    });
    assert.equal(completionOf(promise), 'no');
  }
  const fresh = await importEntry(freshPackage());
  await assert.rejects(fresh.retry(never), { code: 'NOT_INITIALISED' });
});

test('what throws when it is looked at is an error like any other', async () => {
  const hostile = {
    get data() {
      throw new Error('mine');
    },
  };
  const promise = retry(() => Promise.reject(hostile), { messaging: { retryTimeoutSeconds: 0 } });
  await assert.rejects(promise, (error) => error instanceof RegateError && error.cause === hostile);
  assert.equal(completionOf(promise), 'maybe');
});
