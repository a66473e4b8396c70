import { RegateError } from './error.js';
import { WrongOption } from './options.js';

let ready = false;

export function markReady() {
  ready = true;
}

export const isReady = () => ready;

/** Throws where the wasm is not there yet. */
export function requireWasm() {
  if (!ready) throw new RegateError('NOT_INITIALISED');
}

/** Reads what the application handed in; what its getters and proxies throw becomes a RegateError. */
export function checked(call) {
  try {
    return call();
  } catch (thrown) {
    if (thrown instanceof WrongOption) throw RegateError.ofOption(thrown);
    throw new RegateError('INVALID_OPTION', { cause: thrown, detail: 'reading the options failed' });
  }
}
