import { RegateError } from './error.js';

let ready = false;

export function markReady() {
  ready = true;
}

export const isReady = () => ready;

/** Throws where the wasm is not there yet. */
export function requireWasm() {
  if (!ready) throw new RegateError('NOT_INITIALISED');
}

/** Reads what the application handed in; what is said of a wrong option becomes a RegateError. */
export function checked(call) {
  try {
    return call();
  } catch (thrown) {
    if (Array.isArray(thrown)) throw RegateError.ofOption(thrown);
    // A getter or a proxy of the application's own threw while its options were read.
    throw new RegateError('INVALID_OPTION', { cause: thrown, detail: 'reading the options failed' });
  }
}
