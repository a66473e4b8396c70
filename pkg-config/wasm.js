import { RegateError } from './error.js';

let ready = false;

export function markReady() {
  ready = true;
}

/** Throws where the wasm is not there yet. */
export function requireWasm() {
  if (!ready) throw new RegateError('NOT_INITIALISED');
}

/** Calls into wasm; what it says of a wrong option becomes a RegateError. */
export function checked(call) {
  try {
    return call();
  } catch (thrown) {
    throw Array.isArray(thrown) ? RegateError.ofOption(thrown) : thrown;
  }
}
