// A core of options: what it takes of them, and what stays here.

import { drawSeed } from './arguments.js';
import { readList, readOptions } from './options.js';
import { Core } from './regate.js';
import { checked } from './wasm.js';

const platform = () => (typeof globalThis.WebSocket === 'function' ? globalThis.WebSocket : undefined);

/** Reads the options of a client. Nothing is dialled, armed or listened to. */
export function makeCore(options, more = 0) {
  const { numbers, hooks, given, foreignNames } = checked(() => readOptions(options));
  const { gateways, protocols, seed = drawSeed(), WebSocket = platform() } = given;
  const listOf = (list) => checked(() => readList(list, protocols));
  const list = typeof gateways === 'function' ? [] : listOf(gateways);
  const core = new Core(numbers, list, WebSocket, seed, hooks | more);
  return { core, given, foreignNames, listOf, hasWebSocket: WebSocket !== undefined };
}
