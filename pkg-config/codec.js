// What goes out and what comes in, by JSON-RPC 2.0 or by a codec of the application's own.
import { decode, encodeNotification, encodeRequest, renumber } from './json_rpc.js';

/** JSON-RPC over text. A request that goes out again is the same text under another id. */
const jsonRpc = (pingMethod) => ({
  keepsRequests: false,
  encode: ({ id, method, params, meta }) =>
    id === undefined ? encodeNotification(method, params) : encodeRequest(id, method, params, meta),
  again: (operation, id) => renumber(operation.frame, operation.id, id),
  decode,
  ping: (id) => encodeRequest(id, pingMethod),
});

/** A codec of the application's own. A request that goes out again is encoded again. */
const custom = (codec) => ({
  keepsRequests: true,
  encode: (request) => checkFrame(codec.encode(request)),
  again: (operation, id) => checkFrame(codec.encode({ ...operation.request, id })),
  decode(data) {
    const message = codec.decode(data);
    return Array.isArray(message) ? message : [message];
  },
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

/** The length in UTF-8 of what is to be sent. An unpaired surrogate counts as what is sent for it. */
export function byteLength(frame) {
  if (typeof frame !== 'string') return frame.byteLength ?? frame.size ?? 0;
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
