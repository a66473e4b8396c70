// Any frame that a gateway may send: none of them throws, each is counted as what it is, and the next operation still works.
// Runs in Node and, bundled with fast-check, in a page.
import { fakeSockets } from '../package/support/fake_ws.mjs';

/** Values as JSON has them, with names that other programs have stumbled over. */
function values(fc) {
  const names = fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'then',
    'data',
    'retryable',
  );
  const key = fc.oneof({ weight: 4, arbitrary: fc.string({ maxLength: 8 }) }, names);
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, false, 0, -0, -1, 1, 1.5, 2 ** 53, 1e308, ''),
      fc.double(),
      fc.integer(),
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map(objectOf),
    ),
  }));
  return value;
}

/** An object with these names of its own, `__proto__` among them. */
function objectOf(entries) {
  const object = {};
  for (const [name, value] of entries)
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  return object;
}

/** A message that is nearly one, or is. */
function messages(fc) {
  const any = values(fc);
  const near = fc.integer({ min: 0, max: 6 });
  const id = fc.oneof(
    { weight: 6, arbitrary: near },
    { weight: 2, arbitrary: near.map(String) },
    fc.constantFrom('01', ' 1', '1.0', '1e0', '0x1', '9'.repeat(17), 2 ** 53, -1, 1.5, null, [1], { 1: 1 }),
    any,
  );
  const error = fc.oneof(
    any,
    fc.record({ code: fc.oneof(any, fc.constantFrom(-32601, -32000, 7)), message: any, data: any }),
    fc.record({ code: any, data: fc.record({ retryable: fc.boolean(), retryAfterMilliseconds: any }) }),
  );
  const optional = (arbitrary) => fc.option(arbitrary, { nil: undefined, freq: 1 });
  return fc.record({
    jsonrpc: fc.oneof(fc.constant('2.0'), any),
    id: optional(id),
    method: optional(fc.oneof(fc.string({ maxLength: 8 }), any)),
    params: optional(any),
    result: optional(any),
    error: optional(error),
  });
}

/** What arrives: texts, cut texts, batches, bytes, and what no socket should ever hand over. */
export function frames(fc) {
  const message = fc.oneof({ weight: 5, arbitrary: messages(fc) }, values(fc));
  const text = fc
    .oneof({ weight: 4, arbitrary: message }, fc.array(message, { maxLength: 5 }))
    .map((value) => JSON.stringify(value));
  const cut = fc.tuple(text, fc.nat({ max: 200 })).map(([whole, length]) => whole.slice(0, length));
  const deep = fc
    .tuple(fc.integer({ min: 1, max: 5_000 }), fc.constantFrom(['[', ']'], ['{"a":', '}'], ['[', '']))
    .map(([depth, [open, shut]]) => `${open.repeat(depth)}1${shut.repeat(depth)}`);
  const encoder = new TextEncoder();
  return fc.oneof(
    { weight: 8, arbitrary: text },
    { weight: 2, arbitrary: cut },
    { weight: 2, arbitrary: text.map((whole) => encoder.encode(whole).buffer) },
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.uint8Array({ maxLength: 60 }).map((bytes) => bytes.buffer),
    fc.uint8Array({ maxLength: 60 }),
    deep,
    fc.constantFrom(undefined, null, 5, true, {}, [], Symbol.iterator),
  );
}

/** What a frame should be counted as; `flying` are the ids that are in flight before it. */
function judge(frame, flying) {
  const counts = { protocolErrors: 0, notifications: 0, unmatchedAnswers: 0, retries: 0 };
  let parsed;
  try {
    parsed = JSON.parse(
      typeof frame === 'string' ? frame : new TextDecoder('utf-8', { fatal: true }).decode(frame),
    );
  } catch {
    counts.protocolErrors += 1;
    return counts;
  }
  for (const message of Array.isArray(parsed) ? parsed : [parsed]) {
    if (message === null || typeof message !== 'object') {
      counts.protocolErrors += 1;
      continue;
    }
    const { id, method, error } = message;
    if (id === undefined || id === null) {
      if (typeof method === 'string') counts.notifications += 1;
      else counts.protocolErrors += 1;
      continue;
    }
    const isNumber = typeof id === 'number' || (typeof id === 'string' && /^\d{1,16}$/.test(id));
    const number = Number(isNumber ? id : Number.NaN);
    if (!Number.isSafeInteger(number) || number < 1 || typeof method === 'string') {
      counts.protocolErrors += 1;
      continue;
    }
    if (!flying.delete(number)) counts.unmatchedAnswers += 1;
    else if (error?.data?.retryable === true) counts.retries += 1;
  }
  return counts;
}

function require(holds, what) {
  if (!holds) throw new Error(what);
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

async function play(regate, received) {
  const { WebSocket, sockets } = fakeSockets({
    made: (socket) => queueMicrotask(() => socket.open()),
    sent: (socket, frame) => {
      const { id, method, params } = JSON.parse(frame);
      if (method === 'echo') queueMicrotask(() => socket.message({ jsonrpc: '2.0', id, result: params }));
    },
  });
  const options = { gateways: ['ws://a.example'], logger: null, WebSocket };
  const client = new regate.ClusterClient(options);
  try {
    await client.connect();
    await hear(regate, client, sockets, received);
  } finally {
    client.close(); // of a run that failed, no timer stays
  }
}

async function hear(regate, client, sockets, received) {
  const [socket] = sockets;
  const settled = [0, 0];
  const silent = [{ readOnly: true }, undefined].map((call, place) =>
    client.invoke('silent', [], call).then(
      () => {
        settled[place] += 1;
      },
      (error) => {
        settled[place] += 1;
        require(error instanceof regate.RegateError, `it rejects with ${String(error)}`);
      },
    ),
  );

  const expected = { protocolErrors: 0, notifications: 0, unmatchedAnswers: 0 };
  const flying = new Set(socket.requests.map(({ id }) => id));
  let seen = socket.sent.length;
  let retried = false;
  for (const frame of received) {
    const counts = judge(frame, flying);
    retried ||= counts.retries > 0;
    for (const name of Object.keys(expected)) expected[name] += counts[name];
    socket.emit('message', { data: frame });
    for (const sent of socket.sent.slice(seen)) flying.add(JSON.parse(sent).id);
    seen = socket.sent.length;
    const stats = client.stats();
    for (const name of Object.keys(expected)) {
      // An answer further on in a batch may be one to an attempt that a retry of the same batch has made.
      const exact = name !== 'unmatchedAnswers' || !retried;
      const fits = exact ? stats[name] === expected[name] : stats[name] <= expected[name];
      require(fits, `${name} is ${stats[name]}, not ${expected[name]}`);
    }
  }

  const payload = ['\ud800', '__proto__', received.length];
  const echo = await client.invoke('echo', payload);
  require(JSON.stringify(echo) === JSON.stringify(payload), `the echo is ${JSON.stringify(echo)}`);
  require(client.state === 'connected', `it is ${client.state}`);
  require(sockets.length === 1, `${sockets.length} sockets were made`);
  client.close();
  await Promise.all(silent);
  await turn();
  require(settled.every((times) => times === 1), `settled ${settled} times`);
  const polluted = Object.keys(Object.prototype).length + Object.keys(Array.prototype).length;
  require(polluted === 0 && {}.polluted === undefined, 'a prototype is polluted');
}

export function framesProperty(fc, regate) {
  return fc.asyncProperty(fc.array(frames(fc), { minLength: 1, maxLength: 12 }), (received) =>
    play(regate, received),
  );
}
