// The arguments of calls, checked before anything is done with them.

import { RegateError } from './error.js';
import { readMessaging } from './options.js';
import { checked } from './wasm.js';

// What Core.invoke adds up to a kind: one of the first three, and any of the others.
const REDO_NEVER = 0;
const REDO_ALWAYS = 1;
const REDO_AS_CLIENT = 2;
export const BOUND = 4;
export const SUBSCRIPTION = 8;
const FAREWELL = 16;
/** It is sent with others, by Core.sendGathered. */
export const GATHERED = 32;
/** What says whether it may be redone. */
export const REDO = REDO_ALWAYS | REDO_AS_CLIENT;

const PLAIN = Object.freeze({
  kind: REDO_AS_CLIENT,
  timeout: Number.NaN,
  signal: undefined,
  key: undefined,
  isRetryable: undefined,
  messaging: undefined,
});

/** How a gateway is told that a subscription is over: the one that knows it is the one that is connected now. */
export const LEAVING = Object.freeze({ ...PLAIN, kind: REDO_NEVER + BOUND + FAREWELL });

/** How each option of a call changes what is known of the call. */
const READERS = {
  __proto__: null,
  readOnly(call, value) {
    if (checkBoolean('readOnly', value)) call.kind = (call.kind & BOUND) | REDO_ALWAYS;
  },
  redoOperations(call, value) {
    if (checkBoolean('redoOperations', value)) call.kind = (call.kind & BOUND) | REDO_ALWAYS;
    else if ((call.kind & REDO_ALWAYS) === 0) call.kind = (call.kind & BOUND) | REDO_NEVER;
  },
  boundToConnection(call, value) {
    if (checkBoolean('boundToConnection', value)) call.kind |= BOUND;
  },
  signal(call, value) {
    call.signal = checkSignal(value);
  },
  timeoutMilliseconds(call, value) {
    call.timeout = checkMilliseconds('timeoutMilliseconds', value);
  },
  operationKey(call, value) {
    if (value !== true && value !== false && (typeof value !== 'string' || value === '')) {
      throw RegateError.ofOption(['operationKey', value, 'key']);
    }
    call.key = value === true ? drawKey() : value === false ? undefined : value;
  },
  isRetryable(call, value) {
    call.isRetryable = checkFunction('isRetryable', value);
  },
};

/** A call's options, checked; those of `messaging` as the core takes them. */
export function readCall(options) {
  if (options === undefined) return PLAIN;
  checkObject(options);
  const call = { ...PLAIN };
  let messaging;
  for (const name of Object.keys(options)) {
    const value = options[name];
    if (value === undefined) continue;
    const reader = READERS[name];
    if (reader !== undefined) {
      reader(call, value);
    } else {
      messaging ??= Object.create(null); // where any name is a name
      messaging[name] = value;
    }
  }
  if (messaging !== undefined) call.messaging = checked(() => readMessaging(messaging));
  return call;
}

/** The signal of `connect()`, if it has one. */
export function readConnect(options) {
  if (options === undefined) return undefined;
  checkObject(options);
  for (const name of Object.keys(options)) {
    if (name !== 'signal') throw RegateError.ofOption([name, options[name], 'unknown']);
  }
  const { signal } = options;
  return signal === undefined ? undefined : checkSignal(signal);
}

/** The options of a subscription, checked. */
export function readSubscribe(options) {
  if (options === undefined) return {};
  checkObject(options);
  for (const name of Object.keys(options)) {
    if (name === 'route') {
      if (options.route !== undefined) checkFunction(name, options.route);
    } else if (name === 'unsubscribeMethod') {
      if (options.unsubscribeMethod !== undefined) checkMethod(name, options.unsubscribeMethod);
    } else {
      throw RegateError.ofOption([name, options[name], 'unknown']);
    }
  }
  return options;
}

/** By their numbers, counted from 1. */
const VERDICTS = ['next', 'same', 'refresh', 'stop'];

/** The number of a verdict; 0 where it is none. */
export const numberOfVerdict = (verdict) => VERDICTS.indexOf(verdict) + 1;

const LONGEST_WAIT_MILLISECONDS = 2_147_483_647;

/** What `closePolicy` said, as the core takes it: the number of a verdict, and eight times the least length of the next wait. */
export function readJudgement(said) {
  if (said === undefined) return 0;
  const isObject = said !== null && typeof said === 'object';
  const says = isObject && ('verdict' in said || 'waitMilliseconds' in said);
  const { verdict, waitMilliseconds = 0 } = isObject ? said : { verdict: said };
  const number = numberOfVerdict(verdict);
  const isKnown = number > 0 || (says && verdict === undefined);
  const isWait =
    Number.isSafeInteger(waitMilliseconds) &&
    waitMilliseconds >= 0 &&
    waitMilliseconds <= LONGEST_WAIT_MILLISECONDS;
  if (isKnown && isWait) return number + 8 * waitMilliseconds;
  throw RegateError.ofOption(['closePolicy', said, 'judgement']);
}

export function checkObject(options) {
  if (options === null || typeof options !== 'object')
    throw RegateError.ofOption(['options', options, 'object']);
}

export function checkBoolean(name, value) {
  if (typeof value !== 'boolean') throw RegateError.ofOption([name, value, 'boolean']);
  return value;
}

export function checkFunction(name, value) {
  if (typeof value !== 'function') throw RegateError.ofOption([name, value, 'function']);
  return value;
}

export function checkMilliseconds(name, value) {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw RegateError.ofOption([name, value, 'integer', 0, Number.MAX_SAFE_INTEGER]);
}

export function checkSignal(signal) {
  const isSignal =
    typeof signal?.addEventListener === 'function' &&
    typeof signal.removeEventListener === 'function' &&
    typeof signal.aborted === 'boolean';
  if (!isSignal) throw RegateError.ofOption(['signal', signal, 'signal']);
  return signal;
}

function checkMethod(name, method) {
  if (typeof method !== 'string' || method === '') throw RegateError.ofOption([name, method, 'method']);
}

export function checkRequest(method, params) {
  checkMethod('method', method);
  if (params !== undefined && (params === null || typeof params !== 'object')) {
    throw RegateError.ofOption(['params', params, 'params']);
  }
}

/** A key of 122 random bits; `randomUUID` is not there in pages that are not secure. */
function drawKey() {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();
  const words = crypto.getRandomValues(new Uint32Array(4));
  return Array.from(words, (word) => word.toString(16).padStart(8, '0')).join('');
}

/** A seed of 53 bits. Drawn when it is needed, as some platforms have no chance before. */
export function drawSeed() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high >>> 11) * 2 ** 32 + low;
}
