// The transport "fetch" beside a fetch that does what no real one can be made to do at will.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyFolder, importEntry } from '../package/support/installed.mjs';
import { unpackFor } from './support/unpacked.mjs';

const { withTransport } = await importEntry(unpackFor(emptyFolder()), 'fetch_socket.js');
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** What `fetch` was asked, to be answered by hand; the real one is back when the test ends. */
function fakeFetch(t) {
  const asked = [];
  t.mock.method(globalThis, 'fetch', (url, { headers, redirect, signal }) => {
    const call = { url, headers: Object.fromEntries(headers), redirect, signal };
    call.answered = new Promise((resolve, reject) => Object.assign(call, { resolve, reject }));
    asked.push(call);
    return call.answered;
  });
  return asked;
}

/** A socket as workerd gives it with a response. */
function innerSocket() {
  const done = [];
  const socket = { done, onclose: null, onerror: null, onmessage: null };
  for (const name of ['accept', 'send', 'close']) socket[name] = (...args) => done.push([name, ...args]);
  return socket;
}

const opened = (webSocket, protocol) => ({
  status: 101,
  webSocket,
  headers: new Headers(protocol === undefined ? {} : { 'sec-websocket-protocol': protocol }),
});

/** A socket of the transport, and what it told. */
function dial(t, { url = 'wss://a.example/ws', protocols, headers } = {}) {
  const asked = fakeFetch(t);
  const { WebSocket } = withTransport({ transport: 'fetch', headers });
  const socket = new WebSocket(url, protocols);
  const told = [];
  for (const name of ['open', 'message', 'error', 'close']) {
    socket.addEventListener(name, ({ code, status, data }) => told.push([name, code ?? data, status]));
  }
  return { asked, socket, told };
}

async function open(t, options) {
  const made = dial(t, options);
  await turn();
  const inner = innerSocket();
  made.asked[0].resolve(opened(inner));
  await turn();
  return { ...made, inner };
}

test('ws: is dialled by http:, wss: by https:, and no redirection is followed', async (t) => {
  for (const [url, expected] of [
    ['ws://a.example/ws?t=ws:1', 'http://a.example/ws?t=ws:1'],
    ['wss://a.example/', 'https://a.example/'],
  ]) {
    const { asked, socket } = dial(t, { url, protocols: ['a', 'b'], headers: { authorization: 'x' } });
    await turn();
    const { url: dialled, headers, redirect } = asked[0];
    assert.deepEqual([dialled, redirect], [expected, 'manual']);
    const handshake = { authorization: 'x', 'sec-websocket-protocol': 'a, b', upgrade: 'websocket' };
    assert.deepEqual(headers, handshake);
    assert.deepEqual([socket.readyState, socket.url, socket.bufferedAmount], [0, url, 0]);
    t.mock.restoreAll();
  }
});

test('it opens, hears, sends and closes as a WebSocket does', async (t) => {
  const { socket, inner, told } = await open(t);
  assert.equal(inner.binaryType, 'arraybuffer');
  assert.deepEqual([socket.readyState, told.splice(0)], [1, [['open', undefined, undefined]]]);
  inner.onmessage({ data: 'hello' });
  socket.send('frame');
  inner.bufferedAmount = 5;
  assert.equal(socket.bufferedAmount, 5);
  inner.onerror({});
  socket.close(4000, 'bye');
  socket.close();
  assert.equal(socket.readyState, 2);
  assert.deepEqual(inner.done, [['accept'], ['send', 'frame'], ['close', 4000, 'bye']]);
  const { onclose } = inner;
  onclose({ code: 4000, reason: 'bye', wasClean: true });
  onclose({ code: 4000, reason: 'bye', wasClean: true });
  assert.deepEqual(told, [
    ['message', 'hello', undefined],
    ['error', undefined, undefined],
    ['close', 4000, undefined],
  ]);
  assert.deepEqual([inner.onclose, inner.onerror, inner.onmessage, socket.readyState], [null, null, null, 3]);
});

test('a peer that closes is answered, once', async (t) => {
  const { socket, inner, told } = await open(t);
  socket.addEventListener('close', () => socket.close());
  inner.onclose({ code: 1001, reason: '' });
  assert.deepEqual(inner.done, [['accept'], ['close', 1000]]);
  assert.deepEqual(told, [
    ['open', undefined, undefined],
    ['close', 1001, undefined],
  ]);
});

test('closed while it dials: the fetch is aborted, and what answers all the same is closed', async (t) => {
  const { asked, socket, told } = dial(t);
  await turn();
  assert.equal(asked[0].signal.aborted, false);
  socket.close();
  assert.deepEqual([asked[0].signal.aborted, socket.readyState], [true, 2]);
  const inner = innerSocket();
  asked[0].resolve(opened(inner));
  await turn();
  assert.deepEqual(inner.done, [['accept'], ['close', 1000]]);
  assert.deepEqual([told, socket.readyState], [[['close', 1006, undefined]], 3]);
  assert.equal(inner.onmessage, null);
});

test('closed while its headers are made: nothing is asked for any more', async (t) => {
  let give;
  const headers = () => new Promise((resolve) => (give = resolve));
  const { asked, socket, told } = dial(t, { headers });
  socket.close();
  give({});
  await turn();
  assert.equal(asked[0]?.signal.aborted ?? true, true, 'an aborted fetch sends nothing');
  asked[0]?.reject(asked[0].signal.reason);
  await turn();
  assert.deepEqual([told, socket.readyState], [[['close', 1006, undefined]], 3]);
});

test('a refusal is a close with its status, and its body is not kept', async (t) => {
  const { asked, socket, told } = dial(t);
  await turn();
  let cancelled = 0;
  const body = {
    async cancel() {
      cancelled += 1;
      throw new Error('which may fail');
    },
  };
  asked[0].resolve({ status: 403, webSocket: null, body, headers: new Headers() });
  await turn();
  assert.deepEqual([told, socket.readyState, cancelled], [[['close', 1006, 403]], 3, 1]);
});

test('nobody there is a close without a status', async (t) => {
  const { asked, socket, told } = dial(t);
  await turn();
  asked[0].reject(new Error('Network connection lost.'));
  await turn();
  assert.deepEqual([told, socket.readyState], [[['close', 1006, undefined]], 3]);
});

test('a sub-protocol must be one that was offered', async (t) => {
  for (const [protocols, chosen, isOpen] of [
    [undefined, undefined, true],
    ['a', 'a', true],
    [['a', 'b'], 'b', true],
    [['a'], undefined, true],
    [['a'], 'c', false],
    [undefined, 'a', false],
  ]) {
    const { asked, socket, told } = dial(t, { protocols });
    await turn();
    const inner = innerSocket();
    asked[0].resolve(opened(inner, chosen));
    await turn();
    assert.equal(socket.readyState, isOpen ? 1 : 3, `${protocols} ${chosen}`);
    assert.equal(socket.protocol, isOpen ? (chosen ?? '') : '');
    if (!isOpen)
      assert.deepEqual([told, inner.done], [[['close', 1006, undefined]], [['accept'], ['close', 1002]]]);
    t.mock.restoreAll();
  }
});

test('sending before it is open throws, as a WebSocket does', (t) => {
  const { socket } = dial(t);
  assert.throws(() => socket.send('x'), { name: 'InvalidStateError' });
});

test('headers are copied when the client is made', async (t) => {
  const headers = { authorization: 'before' };
  const asked = fakeFetch(t);
  const { WebSocket } = withTransport({ transport: 'fetch', headers });
  headers.authorization = 'after';
  new WebSocket('ws://a.example');
  new WebSocket('ws://a.example', ['p']);
  await turn();
  assert.deepEqual(
    asked.map(({ headers: sent }) => [sent.authorization, sent['sec-websocket-protocol']]),
    [
      ['before', undefined],
      ['before', 'p'],
    ],
  );
});

test('options of any other kind are left to the core', () => {
  for (const options of [undefined, null, 5, 'x', [], {}, { transport: 'websocket' }, { headers: {} }])
    assert.equal(withTransport(options), options);
  const getter = Object.defineProperty({}, 'transport', {
    get() {
      throw new Error('mine');
    },
  });
  assert.throws(() => withTransport(getter), { code: 'INVALID_OPTION' });
});
