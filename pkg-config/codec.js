// What goes out and what comes in, by JSON-RPC 2.0 or by a codec of the application's own.
import { decode, encode, renumber } from './json_rpc.js';

/** JSON-RPC over text. A request that goes out again is the same text under another id. */
const jsonRpc = (pingMethod) => ({
  kept: () => undefined,
  encode,
  again: (operation, id) => renumber(operation.frame, operation.id, id),
  decode,
  ping: (id) => encode(id, pingMethod),
});

/** A codec of the application's own. A request that goes out again is encoded again. */
const custom = (codec) => ({
  kept: (method, params, meta) => ({ method, params, meta }),
  encode: (id, method, params, meta) => checkFrame(codec.encode({ id, method, params, meta })),
  again: ({ request }, id) => checkFrame(codec.encode({ id, ...request })),
  decode: (data) => codec.decode(data),
  ping(id) {
    const frame = codec.ping(id);
    return frame === undefined ? undefined : checkFrame(frame);
  },
});

export const makeCodec = (codec, pingMethod = 'ping') =>
  codec === undefined ? jsonRpc(pingMethod) : custom(codec);

/** What a socket would send as the text `[object Object]`, or `undefined`, is no frame. */
function checkFrame(frame) {
  const isFrame =
    typeof frame === 'string' || typeof frame?.byteLength === 'number' || typeof frame?.size === 'number';
  if (!isFrame) throw new TypeError('the codec gave neither a text nor bytes to send');
  return checkBlob(frame);
}

/** Workers, which alone have a WebSocketPair, would send a Blob as the text `[object Blob]`. */
export function checkBlob(frame) {
  if (typeof WebSocketPair === 'function' && frame instanceof Blob)
    throw new TypeError('a WebSocket of Workers sends no Blob: send await blob.arrayBuffer()');
  return frame;
}

const BEYOND_ASCII = /[^\0-\x7f]/;

/** The length in UTF-8 of what is to be sent. An unpaired surrogate counts as what is sent for it. */
export function byteLength(frame) {
  if (typeof frame !== 'string') return frame.byteLength ?? frame.size ?? 0;
  if (!BEYOND_ASCII.test(frame)) return frame.length;
  let bytes = frame.length;
  for (let place = 0; place < frame.length; place += 1) {
    const unit = frame.charCodeAt(place);
    if (unit < 0x80) continue;
    // Two units of a pair make four bytes, any other unit from 0x800 on makes three.
    if (
      unit < 0x800 ||
      (unit >= 0xd800 && unit < 0xdc00 && isLow(frame, place + 1)) ||
      isPaired(frame, place)
    ) {
      bytes += 1;
    } else {
      bytes += 2;
    }
  }
  return bytes;
}

const isLow = (text, place) => (text.charCodeAt(place) & 0xfc00) === 0xdc00;
const isHigh = (text, place) => (text.charCodeAt(place) & 0xfc00) === 0xd800;
const isPaired = (text, place) => isLow(text, place) && place > 0 && isHigh(text, place - 1);
