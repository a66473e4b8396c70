import { checkObject, checkSignal } from './arguments.js';
import { ClusterClient } from './client.js';
import { RegateError } from './error.js';
import load from './regate.js';
import { markReady } from './wasm.js';

/** The one initialisation of this module's wasm, under way or done. */
let initialising;

/** Makes the `init` of an entry; `source` says where its wasm is, and is asked for nothing before. */
export const makeInit = (source) => (given) => {
  initialising ??= start(given ?? source).catch((error) => {
    initialising = undefined; // a later call may bring the right bytes
    throw error;
  });
  return initialising;
};

async function start(source) {
  try {
    await load({ module_or_path: typeof source === 'function' ? source() : source });
  } catch (cause) {
    throw new RegateError('INIT_FAILED', { cause, detail: adviceFor(cause) });
  }
  markReady();
}

function adviceFor(cause) {
  const text = String(cause?.message ?? cause);
  if (/Content Security Policy|unsafe-eval|blocked by CSP/i.test(text)) {
    return "the page's Content-Security-Policy needs script-src 'wasm-unsafe-eval'";
  }
  if (/disallowed by embedder/i.test(text)) {
    return 'this platform compiles no bytes at run time: import the .wasm and pass the WebAssembly.Module to init()';
  }
  if (/MIME|magic (word|number|header)|expected 4 bytes|expected magic|is empty/i.test(text)) {
    return 'what was fetched is no wasm: serve regate_bg.wasm beside the script as application/wasm, or use regate/inline';
  }
  if (/not regate's wasm|\bimport\b/i.test(text)) {
    return 'this is another wasm: pass init() the regate_bg.wasm of this very version of regate';
  }
  if (/fetch|network|load|HTTP|status/i.test(text)) {
    return 'regate_bg.wasm could not be fetched: copy it beside the script, allow it in connect-src, or use regate/inline';
  }
  return 'pass init() the URL, the Response, the bytes or the WebAssembly.Module of regate_bg.wasm';
}

/** Makes the `connect` of an entry: initialises, makes a client, and waits for its first connection. */
export const makeConnect =
  (init, Client = ClusterClient) =>
  async (given) => {
    checkObject(given);
    const { signal, ...options } = given;
    if (signal !== undefined) checkSignal(signal);
    if (signal?.aborted) throw signal.reason;
    await init();
    if (signal?.aborted) throw signal.reason;
    const client = new Client(options);
    await client.connect({ signal });
    return client;
  };
