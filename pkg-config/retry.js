import {
  checkBoolean,
  checkFunction,
  checkMilliseconds,
  checkObject,
  checkSignal,
  drawSeed,
} from './arguments.js';
import { RegateError } from './error.js';
import { noteCompletion, refused } from './exchange.js';
import { errorOf as failureOf } from './notice.js';
import { readList, readOptions } from './options.js';
import { RetryCore } from './regate.js';
import { report } from './report.js';
import { checked, requireWasm } from './wasm.js';

/** The longest step of a timer; beyond it `setTimeout` fires at once. */
const LONGEST_STEP_MILLISECONDS = 2_147_483_647;

/** How the last attempt went, as the core takes it. */
const NONE_YET = 0;
const FAILED_RETRYABLE = 1;
const GIVEN_UP = 2;
const GIVEN_UP_RUNNING = 3;
const FAILED = 4;

/** Resolves when the clock shows `at`, or when the signal aborts. */
function until(at, signal) {
  return new Promise((resolve) => {
    let timer;
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const step = () => {
      const left = at - performance.now();
      if (left <= 0 || signal.aborted) end();
      else timer = setTimeout(step, Math.min(Math.ceil(left), LONGEST_STEP_MILLISECONDS));
    };
    signal.addEventListener('abort', end);
    step();
  });
}

/** Runs `work` under a signal; leaves it alone when that aborts, whatever it still does. */
function attemptUnder(signal, work) {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    const end = () => signal.removeEventListener('abort', onAbort);
    new Promise((settle) => settle(work())).finally(end).then(resolve, reject);
  });
}

/** What an error says of itself; a thing thrown may throw itself when it is looked at. */
function dataOf(error) {
  try {
    const { retryable, retryAfterMilliseconds: after } = error.data;
    return { retryable: retryable === true, after: Number.isFinite(after) ? after : 0 };
  } catch {
    return { retryable: false, after: 0 };
  }
}

const isRetryableByData = (error) => dataOf(error).retryable;

/** The options, checked as far as they are not of a client too. */
function read(work, options) {
  requireWasm();
  checkFunction('work', work);
  checkObject(options);
  const {
    signal,
    timeoutMilliseconds,
    readOnly = false,
    redoOperations = false,
    isRetryable,
    ...rest
  } = options;
  if (signal !== undefined) checkSignal(signal);
  if (timeoutMilliseconds !== undefined) checkMilliseconds('timeoutMilliseconds', timeoutMilliseconds);
  if (isRetryable !== undefined) checkFunction('isRetryable', isRetryable);
  const isReadOnly = checkBoolean('readOnly', readOnly);
  const redoable = checkBoolean('redoOperations', redoOperations) || isReadOnly;
  const { numbers, given } = checked(() => readOptions(rest));
  const { gateways, protocols, seed = drawSeed() } = given;
  if (typeof gateways === 'function') throw RegateError.ofOption(['gateways', gateways, 'list']);
  const list = gateways === undefined ? [] : checked(() => readList(gateways, protocols, false));
  const core = new RetryCore(numbers, list, redoable, seed);
  const says = isRetryable ?? given['messaging.isRetryable'] ?? isRetryableByData;
  return { core, signal, limit: timeoutMilliseconds, isRetryable: (error) => isSaid(says, error) };
}

/** What fails to say "try again" has not said it. */
function isSaid(isRetryable, error) {
  try {
    return isRetryable(error) === true;
  } catch (thrown) {
    report(thrown);
    return false;
  }
}

/** A signal that aborts with the caller's, or when the time is over. */
function under(signal, limit) {
  const abort = new AbortController();
  const timedOut = {};
  const onAbort = () => abort.abort(signal.reason);
  signal?.addEventListener('abort', onAbort);
  let timer;
  const over = performance.now() + limit;
  const step = () => {
    const left = over - performance.now();
    if (left <= 0) abort.abort(timedOut);
    else timer = setTimeout(step, Math.min(Math.ceil(left), LONGEST_STEP_MILLISECONDS));
  };
  if (limit !== undefined) step();
  const end = () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  };
  return { signal: abort.signal, isTimeOut: () => abort.signal.reason === timedOut, end };
}

async function run(work, { core, signal: callers, limit, isRetryable }, outcome) {
  const { signal, isTimeOut, end } = under(callers, limit);
  let cause;
  let isRunning = false;
  const failed = (row) => {
    const { code, completion, attempts, milliseconds: elapsedMilliseconds, gateway } = failureOf(row);
    noteCompletion(outcome.promise, completion);
    return new RegateError(code, { completion, attempts, elapsedMilliseconds, gateway, cause });
  };
  try {
    let next = core.next(NONE_YET, 0);
    for (let attempt = 1; ; attempt += 1) {
      const [at, gateway] = next;
      await until(at, signal);
      if (signal.aborted) break;
      isRunning = true;
      try {
        return await attemptUnder(signal, () => work({ gateway, attempt, signal }));
      } catch (error) {
        if (signal.aborted) break;
        cause = error;
      }
      isRunning = false;
      next = core.next(isRetryable(cause) ? FAILED_RETRYABLE : FAILED, dataOf(cause).after);
      if (typeof next[0] === 'string') throw failed(next);
    }
    const error = failed(core.next(isRunning ? GIVEN_UP_RUNNING : GIVEN_UP, 0));
    throw isTimeOut() ? error : signal.reason;
  } finally {
    end();
    core.free();
  }
}

export function retry(work, options = {}) {
  const outcome = {};
  try {
    const checkedOptions = read(work, options);
    const { core, signal } = checkedOptions;
    if (signal?.aborted) {
      core.free();
      return refused(signal.reason);
    }
    outcome.promise = run(work, checkedOptions, outcome);
    return outcome.promise;
  } catch (error) {
    return refused(error);
  }
}
