// A hostile gateway: it costs bounded memory, and gives no operation the answer of another.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { virtualClock } from './support/clock.mjs';
import { connected } from './support/connected.mjs';
import { endOf, withGateway } from './support/gateway_script.mjs';
import { runModule } from './support/installed.mjs';

const readOnly = { readOnly: true };

test('forged ids: of the past, of the future, of the connection before, of what is delayed or was aborted', async (t) => {
  const clock = virtualClock(t);
  const { client, socket, fake } = await connected(
    {},
    { networking: { jitter: 0 }, heartbeat: { periodMilliseconds: 0 } },
  );
  const forge = (on, id) => {
    for (const fields of [
      { result: 'forged' },
      { error: { code: 1, message: 'forged' } },
      { error: 'forged' },
      {},
    ])
      on.message({ id, ...fields });
  };
  const done = client.invoke('done');
  const [{ id: past }] = socket.requests;
  socket.answer(socket.sent[0], 'done');
  assert.equal(await done, 'done');
  forge(socket, past);
  for (let future = past + 1; future < past + 50; future += 1) forge(socket, future);
  const abort = new AbortController();
  const aborted = endOf(client.invoke('aborted', [], { signal: abort.signal }));
  abort.abort('mine');
  await aborted;
  forge(socket, socket.requests.at(-1).id);
  const delayed = client.invoke('delayed', [], { ...readOnly, maxFastInvocationCount: 0 });
  const { id: first } = socket.requests.at(-1);
  socket.message({ id: first, error: { code: 1, data: { retryable: true } } });
  forge(socket, first);
  await clock.advance(1000);
  forge(socket, first);
  const { id: second } = socket.requests.at(-1);
  assert.notEqual(first, second);
  const flying = client.invoke('flying', [], readOnly);
  const { id: before } = socket.requests.at(-1);
  socket.drop();
  await clock.advance(3000);
  forge(socket, before);
  forge(fake.last, before);
  forge(fake.last, second);
  for (const frame of fake.last.sent) fake.last.answer(frame, JSON.parse(frame).method);
  assert.deepEqual(await Promise.all([delayed, flying]), ['delayed', 'flying']);
  const { succeeded, failedMaybe, failedYes, failedNo } = client.stats();
  assert.deepEqual(
    { succeeded, failedMaybe, failedYes, failedNo },
    { succeeded: 3, failedMaybe: 1, failedYes: 0, failedNo: 0 },
  );
  client.close();
});

test('forged answers to subscriptions and pings settle no operation', async (t) => {
  const clock = virtualClock(t);
  const { client, socket } = await withGateway(
    { ignores: () => true },
    { heartbeat: { periodMilliseconds: 1000 } },
  );
  const heard = [];
  const subscription = client.subscribe('eth_subscribe', ['a'], (value) => heard.push(value));
  const [{ id }] = socket.requests;
  socket.message({ id, result: 'name' });
  socket.message({ id, result: 'another name' });
  socket.message({ id, error: { code: 1 } });
  const tell = (name) => socket.message({ method: 'm', params: { subscription: name, result: name } });
  tell('another name');
  tell('name');
  assert.deepEqual([heard, subscription.isLive], [['name'], true]);
  const call = client.invoke('m');
  await clock.advance(1000);
  const ping = socket.requests.at(-1);
  assert.equal(ping.method, 'ping');
  for (let times = 0; times < 3; times += 1) socket.message({ id: ping.id, result: 'pong' });
  assert.equal(client.stats().inFlightOperations, 1);
  socket.message({ id: socket.requests[1].id, result: 'mine' });
  assert.equal(await call, 'mine');
  client.close();
});

test('names that are prototypes, methods or numbers to JavaScript are names and no more', async () => {
  const { client, socket, notifications } = await withGateway({ ignores: () => true });
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then', '', '0', '-1', 'NaN'];
  const heard = [];
  for (const [place, name] of names.entries()) {
    client.subscribe('eth_subscribe', [name], (value) => heard.push([name, value]));
    socket.message({ id: socket.requests[place].id, result: name });
  }
  socket.message('{"__proto__":{"id":1,"result":"polluted"},"constructor":{"prototype":{"polluted":1}}}');
  socket.message('{"method":"m","params":{"__proto__":{"subscription":"then","result":1}}}');
  for (const name of names) socket.message({ method: name, params: { subscription: name, result: name } });
  assert.deepEqual(
    heard,
    names.map((name) => [name, name]),
  );
  assert.equal(notifications.length, 1);
  const value = client.invoke('m');
  socket.message(`{"id":${socket.requests.at(-1).id},"result":{"__proto__":{"polluted":1},"then":5}}`);
  assert.equal((await value).then, 5);
  const failing = client.invoke('m');
  socket.message(
    `{"id":${socket.requests.at(-1).id},"error":{"__proto__":{"data":{"retryable":true}},"code":5}}`,
  );
  const end = await endOf(failing);
  assert.ok(['REMOTE_ERROR'].includes(end), end);
  assert.deepEqual([{}.polluted, Object.prototype.polluted, {}.retryable], [undefined, undefined, undefined]);
  client.close();
});

test('numbers of a gateway that are no numbers: codes and "retry after" of every kind', async (t) => {
  const clock = virtualClock(t);
  const { client, socket } = await connected();
  for (const code of [-1, 1e300, '5', null, {}, [], true, 'NaN', -32600.5]) {
    const promise = endOf(client.invoke('m'));
    socket.message({ id: socket.requests.at(-1).id, error: { code } });
    assert.equal(await promise, 'REMOTE_ERROR', String(code));
  }
  for (const after of [-1, -1e300, '5', null, {}, true, 0.5]) {
    const data = { retryable: true, retryAfterMilliseconds: after };
    const promise = client.invoke('m', [], { retryTimeoutSeconds: 5 });
    socket.message({ id: socket.requests.at(-1).id, error: { data } });
    await clock.advance(1);
    socket.answer(socket.sent.at(-1), 'done');
    assert.equal(await promise, 'done', String(after));
  }
  const promise = endOf(client.invoke('m'));
  const data = { retryable: true, retryAfterMilliseconds: 1e300 };
  socket.message({ id: socket.requests.at(-1).id, error: { data } });
  assert.equal(await promise, 'RETRY_TIMEOUT');
  client.close();
});

test('a reason full of control characters is shown to nobody but the policy', async (t) => {
  const clock = virtualClock(t);
  const reason = '\u0000\u0007\u001b[2J\u001b]0;owned\u0007\r\nregate: all is well\u202e\u2028';
  const texts = [];
  const log = (text) => texts.push(text);
  const reasons = [];
  const { client, fake } = await connected(
    {},
    {
      logger: { error: log, info: log, warn: log },
      closePolicy: (failure) => void reasons.push(failure.reason),
    },
  );
  for (const name of ['statechange', 'dialfailed', 'waiting'])
    client.addEventListener(name, ({ detail }) => texts.push(JSON.stringify(detail)));
  const call = client
    .invoke('m')
    .catch((error) => texts.push(error.message, error.stack, JSON.stringify(error)));
  fake.last.drop(4000, reason);
  await call;
  await clock.advance(100);
  client.close();
  assert.equal(reasons[0], reason);
  assert.ok(texts.length > 4);
  for (const text of texts) assert.doesNotMatch(text, /[\p{Cf}\p{Zl}]|(?!\n)\p{Cc}|owned|all is well/u);
});

test('an endless flood of forgeries, news and rubbish leaves the heap and the wasm as they were', async () => {
  const { code, stdout, stderr } = await runModule(
    `
    import { setImmediate as turn } from 'node:timers/promises';
    let memory;
    const { instantiate } = WebAssembly;
    WebAssembly.instantiate = async (...args) => {
      const made = await instantiate.apply(WebAssembly, args);
      memory = Object.values(made.instance?.exports ?? {}).find((it) => it instanceof WebAssembly.Memory) ?? memory;
      return made;
    };
    let socket;
    class Socket {
      readyState = 0;
      constructor() { socket = this; queueMicrotask(() => { this.readyState = 1; this.onopen({ type: 'open', target: this }); }); }
      send() {}
      close() {}
    }
    const { connect } = await import('regate');
    const client = await connect({ gateways: ['ws://a.example'], WebSocket: Socket, logger: null });
    const open = Array.from({ length: 100 }, () => client.invoke('m').catch(() => {}));
    const long = 'x'.repeat(1000);
    const flood = (n) => {
      const tell = (data) => socket.onmessage({ type: 'message', data });
      for (let place = 0; place < n; place += 1) {
        tell('{"id":' + (1000 + place) + ',"result":"' + long + '"}');
        tell('{"id":"' + (1000 + place) + '","error":{"code":1,"message":"' + long + '"}}');
        tell('{"method":"m' + place + '","params":{"subscription":"s' + place + '","result":"' + long + '"}}');
        tell('{"m":' + place);
        tell(new TextEncoder().encode('[5,null,{"id":' + place * 1e9 + '}]').buffer);
        const given = client.subscribe('x.subscribe', [place], () => {});
        given.unsubscribe();
      }
    };
    const heap = async () => {
      for (let times = 0; times < 10; times += 1) { await turn(); globalThis.gc(); }
      return [process.memoryUsage().heapUsed, memory.buffer.byteLength];
    };
    flood(5000);
    // What is kept of a flood is kept of both; what V8 does meanwhile is not.
    const [before, middle, after] = [await heap(), (flood(25_000), await heap()), (flood(25_000), await heap())];
    const grown = Math.min(middle[0] - before[0], after[0] - middle[0]);
    const { unmatchedAnswers, notifications, protocolErrors, inFlightOperations } = client.stats();
    console.log(JSON.stringify({ heap: grown, wasm: after[1] - before[1], unmatchedAnswers, notifications, protocolErrors, inFlightOperations }));
    process.exit();`,
    { flags: ['--expose-gc'], limitMilliseconds: 120_000 },
  );
  assert.equal(stderr, '');
  assert.equal(code, 0);
  const { heap, wasm, ...counts } = JSON.parse(stdout);
  assert.equal(wasm, 0);
  assert.ok(heap < 250_000, `${heap} bytes more`);
  assert.equal(counts.notifications, 55_000);
  assert.equal(counts.inFlightOperations, 100);
  assert.ok(counts.unmatchedAnswers >= 110_000);
});
