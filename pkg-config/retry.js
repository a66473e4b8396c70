import { checkBoolean, checkFunction, checkMilliseconds, checkObject, drawSeed } from './arguments.js';
import { RegateError } from './error.js';
import { noteCompletion } from './exchange.js';
import { RetryCore } from './regate.js';
import { checked, requireWasm } from './wasm.js';

/** The longest step of a timer; beyond it `setTimeout` fires at once. */
const LONGEST_STEP_MILLISECONDS = 2_147_483_647;

/** Settles when the clock shows `at`, or with the signal's reason. */
function until(at, signal) {
  return new Promise((resolve, reject) => {
    let timer;
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    const onAbort = () => {
      end();
      reject(signal.reason);
    };
    const step = () => {
      const left = at - performance.now();
      if (left > 0) {
        timer = setTimeout(step, Math.min(Math.ceil(left), LONGEST_STEP_MILLISECONDS));
        return;
      }
      end();
      resolve();
    };
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) onAbort();
    else step();
  });
}

/** Runs `work` under a signal of its own; leaves it alone when that aborts, whatever it still does. */
function attemptUnder(signal, work) {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    const end = () => signal.removeEventListener('abort', onAbort);
    signal.addEventListener('abort', onAbort);
    Promise.resolve().then(work).finally(end).then(resolve, reject);
  });
}

const isRetryableByData = (error) => error?.data?.retryable === true;

async function run(fn, options, outcome) {
  requireWasm();
  checkFunction('fn', fn);
  checkObject(options);
  const {
    signal,
    timeoutMilliseconds,
    readOnly,
    redoOperations,
    isRetryable = isRetryableByData,
    ...rest
  } = options;
  signal?.throwIfAborted();
  const redoable =
    checkBoolean('readOnly', readOnly ?? false) || checkBoolean('redoOperations', redoOperations ?? false);
  const core = checked(() => new RetryCore(rest, redoable, drawSeed()));
  const limit =
    timeoutMilliseconds === undefined
      ? undefined
      : checkMilliseconds('timeoutMilliseconds', timeoutMilliseconds);
  const abort = new AbortController();
  const onAbort = () => abort.abort(signal.reason);
  signal?.addEventListener('abort', onAbort);
  let timer;
  const timedOut = {};
  if (limit !== undefined) {
    const over = performance.now() + limit;
    const step = () => {
      const left = over - performance.now();
      if (left <= 0) abort.abort(timedOut);
      else timer = setTimeout(step, Math.min(Math.ceil(left), LONGEST_STEP_MILLISECONDS));
    };
    step();
  }
  let cause;
  let running = false;
  try {
    for (;;) {
      const { at, gateway, attempt } = core;
      await until(at, abort.signal);
      running = true;
      try {
        return await attemptUnder(abort.signal, () => fn({ gateway, attempt, signal: abort.signal }));
      } catch (error) {
        if (abort.signal.aborted) throw error;
        cause = error;
      }
      running = false;
      const after = cause?.data?.retryAfterMilliseconds;
      if (core.fail(isRetryable(cause) === true, Number.isFinite(after) ? after : 0)) {
        outcome.error = errorOf(core.failure(), cause);
        throw outcome.error;
      }
    }
  } catch (error) {
    const isOurs = error === outcome.error;
    if (!isOurs) core.giveUp(running);
    const failure = core.failure();
    noteCompletion(outcome.promise, failure.completion);
    if (isOurs) throw error;
    throw error === timedOut ? errorOf(failure, cause) : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    core.free();
  }
}

export function retry(fn, options = {}) {
  const outcome = {};
  outcome.promise = run(fn, options, outcome);
  return outcome.promise;
}

function errorOf({ code, completion, attempts, milliseconds, gateway }, cause) {
  return new RegateError(code, { completion, attempts, elapsedMilliseconds: milliseconds, gateway, cause });
}
