// The packed package by its web entry, bundled as the peers are.
import { ClusterClient, init } from 'regate';
import wasm from 'regate/regate_bg.wasm';
import { connectWith, webEntry } from './_regate.js';

export const meta = {
  pkg: 'regate',
  server: 'jsonrpc',
  rpc: 'own',
  list: 'native',
  reconnects: true,
  timeouts: 'always',
  entry: webEntry,
};

let memory;

/** Loads the wasm; its memory, which the package keeps to itself, is taken on the way. */
export async function ready() {
  const { instantiateStreaming } = WebAssembly;
  WebAssembly.instantiateStreaming = async (...given) => {
    const loaded = await instantiateStreaming.apply(WebAssembly, given);
    memory = Object.values(loaded.instance.exports).find((one) => one instanceof WebAssembly.Memory);
    return loaded;
  };
  await init(wasm);
  WebAssembly.instantiateStreaming = instantiateStreaming;
}

/** `connect` with more options of the client. */
export function connectAs(more) {
  const start = connectWith(ClusterClient, more);
  return (urls, options) => start(urls, { ...options, memoryBytes: () => memory.buffer.byteLength });
}

export const connect = connectAs();
