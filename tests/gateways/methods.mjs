// The methods of a gateway: JSON-RPC 2.0, one request or a batch.

import { setTimeout as after } from 'node:timers/promises';

/** @typedef {import('./connection.mjs').Connection} Connection */

const isText = (/** @type {unknown} */ value) => typeof value === 'string';
const isSpan = (/** @type {unknown} */ value) => typeof value === 'number' && value >= 0 && value < 2 ** 31;
const isGiven = (/** @type {unknown} */ value) => value !== undefined;

/**
 * The params of each method, in their order, with what they must be. `id` may follow as the last one.
 *
 * @type {Record<string, Record<string, (value: unknown) => boolean>>}
 */
const PARAMS = {
  'map.get': { key: isText },
  'map.put': { key: isText, value: isGiven },
  'map.size': {},
  'queue.offer': { item: isGiven },
  'queue.size': {},
  slow: { milliseconds: isSpan },
  busy: { times: isSpan },
  fail: {},
  publish: { topic: isText, value: isGiven },
  subscribe: { topic: isText },
  unsubscribe: { subscription: isText },
  login: { token: isText },
};
const ALIASES = {
  'topic.subscribe': 'subscribe',
  'topic.unsubscribe': 'unsubscribe',
  'topic.publish': 'publish',
};
const BEFORE_LOGIN = new Set(['login', 'ping']);

/**
 * The methods that a message names, for faults that strike some methods only.
 *
 * @param {any} message
 * @returns {string[]}
 */
export function methodsOf(message) {
  return (Array.isArray(message) ? message : [message]).map((request) => String(request?.method));
}

/**
 * Performs one message.
 *
 * @param {Connection} connection
 * @param {unknown} message
 * @returns {Promise<object | object[] | undefined>} what to answer, or undefined when nothing is to be
 */
export async function perform(connection, message) {
  if (!Array.isArray(message)) return request(connection, message);
  if (message.length === 0) return failure(null, -32600, 'an empty batch');
  const answers = await Promise.all(message.map((part) => request(connection, part)));
  const given = answers.filter((answer) => answer !== undefined);
  return given.length === 0 ? undefined : given;
}

/**
 * @param {unknown} id
 * @param {number} code
 * @param {string} message
 */
export function failure(id, code, message) {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

/**
 * @param {Connection} connection
 * @param {any} message
 * @returns {Promise<object | undefined>}
 */
async function request(connection, message) {
  if (message === null || typeof message !== 'object' || typeof message.method !== 'string') {
    return failure(null, -32600, 'not a request');
  }
  const method = /** @type {any} */ (ALIASES)[message.method] ?? message.method;
  const answer = await run(connection, method, message);
  return message.id === undefined ? undefined : { jsonrpc: '2.0', id: message.id, ...answer };
}

/**
 * @param {Connection} connection
 * @param {string} method
 * @param {any} message
 * @returns {Promise<import('./executions.mjs').Answer>}
 */
async function run(connection, method, message) {
  if (connection.mustLogIn && !BEFORE_LOGIN.has(method)) return error(-32010, 'log in first');
  if (method === 'ping') return { result: 'pong' };
  if (method === 'echo') return { result: message.params ?? null };
  if (method === 'whoami') return { result: connection.gatewayName };
  if (!Object.hasOwn(PARAMS, method)) return error(-32601, `no method ${method}`);
  const args = named(PARAMS[method], message.params);
  for (const [name, isRight] of Object.entries(PARAMS[method])) {
    if (!isRight(args[name])) return error(-32602, `wrong ${name}`);
  }
  switch (method) {
    case 'login':
      return connection.logIn(args.token) ? { result: true } : error(-32011, 'wrong token');
    case 'subscribe':
      return { result: connection.subscribe(args.topic) };
    case 'unsubscribe':
      return { result: connection.unsubscribe(args.subscription) };
    case 'slow':
      await after(args.milliseconds);
  }
  const { id, ...rest } = args;
  const key = message.meta?.operationKey;
  return connection.execute({ method, args: rest, id, key: isText(key) ? key : undefined });
}

/**
 * @param {number} code
 * @param {string} message
 */
function error(code, message) {
  return { error: { code, message } };
}

/**
 * Params by name: `{ id, key }`, `[{ id, key }]` and `[key, id]` are all understood.
 *
 * @param {object} names
 * @param {any} params
 * @returns {any}
 */
function named(names, params) {
  const isObject = (/** @type {any} */ value) =>
    value !== null && typeof value === 'object' && !Array.isArray(value);
  if (isObject(params)) return params;
  if (!Array.isArray(params)) return {};
  if (params.length === 1 && isObject(params[0])) return params[0];
  return Object.fromEntries([...Object.keys(names), 'id'].map((name, place) => [name, params[place]]));
}
