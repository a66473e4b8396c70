// The arguments of calls, checked before anything is done with them.

import { RegateError } from './error.js';

// Numbers that Core.invoke knows.
const REDO_NEVER = 0;
const REDO_ALWAYS = 1;
const REDO_AS_CLIENT = 2;

/** A call's options, checked; what is of `messaging` is left to the core. */
export function readCall(options) {
  const call = { redo: REDO_AS_CLIENT, timeout: Number.NaN, signal: undefined, messaging: undefined };
  if (options === undefined) return call;
  checkObject(options);
  const boolean = (name, value) => {
    if (typeof value !== 'boolean') throw RegateError.ofOption([name, value, 'boolean']);
    return value;
  };
  for (const name of Object.keys(options)) {
    const value = options[name];
    if (value === undefined) continue;
    if (name === 'readOnly') {
      if (boolean(name, value)) call.redo = REDO_ALWAYS;
    } else if (name === 'redoOperations') {
      if (boolean(name, value)) call.redo = REDO_ALWAYS;
      else if (call.redo !== REDO_ALWAYS) call.redo = REDO_NEVER;
    } else if (name === 'signal') {
      call.signal = checkSignal(value);
    } else if (name === 'timeoutMilliseconds') {
      if (!Number.isSafeInteger(value) || value < 0) {
        throw RegateError.ofOption([name, value, 'integer', 0, Number.MAX_SAFE_INTEGER]);
      }
      call.timeout = value;
    } else {
      call.messaging ??= Object.create(null); // where any name is a name
      call.messaging[name] = value;
    }
  }
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

export function checkObject(options) {
  if (options === null || typeof options !== 'object')
    throw RegateError.ofOption(['options', options, 'object']);
}

export function checkSignal(signal) {
  if (typeof signal?.addEventListener !== 'function')
    throw RegateError.ofOption(['signal', signal, 'signal']);
  return signal;
}

export function checkRequest(method, params) {
  if (typeof method !== 'string' || method === '') throw RegateError.ofOption(['method', method, 'method']);
  if (params !== undefined && (params === null || typeof params !== 'object')) {
    throw RegateError.ofOption(['params', params, 'params']);
  }
}
