// JSON-RPC 2.0 over text: what goes out, and what comes in.

const jsonrpc = '2.0';
const HEAD = '{"jsonrpc":"2.0","id":';

/** A request, or a notification where there is no id. What is undefined is left out. */
export const encode = (id, method, params, meta) => JSON.stringify({ jsonrpc, id, method, params, meta });

/** The same request under another id. */
export const renumber = (text, before, id) => HEAD + id + text.slice(HEAD.length + String(before).length);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The message of a frame, or the list of a batch; throws where it is no JSON. */
export const decode = (data) => JSON.parse(typeof data === 'string' ? data : utf8.decode(data));

/** The number that an id stands for: some gateways send texts back. NaN where it is none of ours. */
export function numberOf(id) {
  if (typeof id === 'number') return id;
  return typeof id === 'string' && /^[0-9]{1,16}$/.test(id) ? Number(id) : Number.NaN;
}
