// JSON-RPC 2.0 over text: what goes out, and what comes in.

const HEAD = '{"jsonrpc":"2.0","id":';

function body(method, params, meta) {
  const text = params === undefined ? undefined : JSON.stringify(params);
  const more = meta === undefined ? '' : `,"meta":${JSON.stringify(meta)}`;
  return `"method":${JSON.stringify(method)}${text === undefined ? '' : `,"params":${text}`}${more}}`;
}

export const encodeRequest = (id, method, params, meta) => `${HEAD}${id},${body(method, params, meta)}`;

export const encodeNotification = (method, params) => `{"jsonrpc":"2.0",${body(method, params)}`;

/** The same request under another id. */
export const renumber = (text, before, id) => HEAD + id + text.slice(HEAD.length + String(before).length);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The messages of a frame, which may be a batch; throws where it is no JSON. */
export function decode(data) {
  const message = JSON.parse(typeof data === 'string' ? data : utf8.decode(data));
  return Array.isArray(message) ? message : [message];
}

/** The number that an id stands for: some gateways send texts back. NaN where it is none of ours. */
export function numberOf(id) {
  if (typeof id === 'number') return id;
  return typeof id === 'string' && /^[0-9]{1,16}$/.test(id) ? Number(id) : Number.NaN;
}
