// Answers that a good gateway never gives. Each kind makes the frames that go out instead of, or before, an answer.

import { randomBytes } from 'node:crypto';

/**
 * What goes out: text, or bytes as a binary frame, or `raw` bytes written to the TCP socket as they are.
 *
 * @typedef {string | Buffer | { raw: Buffer }} Frame
 */

const DEPTH = 100_000;
const HUGE = 8 * 1024 * 1024;

/** @type {Record<string, (answer: any) => Frame>} */
const KINDS = {
  notJson: (answer) => JSON.stringify(answer).slice(0, -1),
  empty: () => '',
  unknownId: (answer) => JSON.stringify({ ...answer, id: 900_000_001 }),
  nullId: (answer) => JSON.stringify({ ...answer, id: null }),
  objectId: (answer) => JSON.stringify({ ...answer, id: { id: answer.id } }),
  stringId: (answer) => JSON.stringify({ ...answer, id: String(answer.id) }),
  neither: (answer) => JSON.stringify({ jsonrpc: '2.0', id: answer.id }),
  both: (answer) => JSON.stringify({ ...answer, result: 1, error: { code: 1, message: 'both' } }),
  errorNull: (answer) => JSON.stringify({ ...answer, error: null }),
  errorText: (answer) => JSON.stringify({ jsonrpc: '2.0', id: answer.id, error: 'a text' }),
  batch: (answer) => JSON.stringify([answer]),
  mixedBatch: (answer) => JSON.stringify([1, null, [], { id: 900_000_002, result: 0 }, answer]),
  binary: (answer) => Buffer.from(JSON.stringify(answer)),
  noise: () => randomBytes(64),
  deep: (answer) =>
    `{"jsonrpc":"2.0","id":${JSON.stringify(answer.id)},"result":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`,
  huge: (answer) => JSON.stringify({ jsonrpc: '2.0', id: answer.id, result: 'x'.repeat(HUGE) }),
  surrogate: (answer) => `{"jsonrpc":"2.0","id":${JSON.stringify(answer.id)},"result":"\\ud800"}`,
  prototype: (answer) =>
    `{"jsonrpc":"2.0","id":${JSON.stringify(answer.id)},"__proto__":{"polluted":1},"result":{"__proto__":{"polluted":1}}}`,
  strayNotification: () =>
    JSON.stringify({ jsonrpc: '2.0', method: 'notification', params: { subscription: 'nobody', result: 1 } }),
  invalidUtf8: () => ({ raw: Buffer.from([0x81, 0x02, 0xc3, 0x28]) }),
  reservedBits: () => ({ raw: Buffer.from([0xf1, 0x01, 0x61]) }),
};

/** The kinds of rubbish. */
export const RUBBISH = Object.keys(KINDS);

/**
 * Those that carry the true answer in an unusual but legal dress, so that a client must take it.
 */
export const LEGAL = ['batch', 'mixedBatch', 'binary', 'errorNull'];

/**
 * Those that say something of the operation. They are never made of an error: it may stand for an operation that was
 * not performed, and no client could know better than to believe them.
 */
export const FORGED = ['both', 'errorText', 'deep', 'huge', 'surrogate', 'prototype'];

/** @param {any} answer */
export function saysError(answer) {
  return [answer].flat().some((part) => part?.error !== undefined);
}

/**
 * @param {string} kind
 * @param {unknown} answer what a good gateway would have sent
 * @returns {Frame}
 */
export function rubbish(kind, answer) {
  return KINDS[kind](Array.isArray(answer) ? (answer[0] ?? {}) : answer);
}
