import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startCluster } from './cluster.mjs';
import { PlainClient } from './plain_client.mjs';

/** @type {import('./cluster.mjs').Cluster} */
let cluster;
/** @type {PlainClient[]} */
let clients;

before(async () => {
  cluster = await startCluster({ count: 2, rememberKeys: true });
  clients = await Promise.all(cluster.urls.map((url) => PlainClient.open(url)));
});
after(() => cluster.stop());

test('the gateways share one map and one queue', async () => {
  const [a, b] = clients;
  assert.equal(await a.result('map.put', ['k', { v: 1 }]), null);
  assert.deepEqual(await b.result('map.get', ['k']), { v: 1 });
  assert.equal(await b.result('map.get', [{ id: 'r1', key: 'absent' }]), null);
  assert.equal(await b.result('map.size'), 1);
  assert.equal(await a.result('queue.offer', [{ id: 'q1', item: 'x' }]), 1);
  assert.equal(await b.result('queue.offer', ['x', 'q2']), 2);
  assert.equal(await a.result('queue.size', []), 2);
});

test('each execution is in the journal, with the gateway and the socket', async () => {
  await clients[1].result('queue.offer', { id: 'named', item: 0 });
  const entries = (await cluster.journal()).filter(({ id }) => id === 'named');
  assert.equal(entries.length, 1);
  const [{ method, kind, gateway, incarnation, socket, key, at }] = entries;
  const expected = { method: 'queue.offer', kind: 'write', gateway: 1, incarnation: 1, socket: 1, key: null };
  assert.deepEqual({ method, kind, gateway, incarnation, socket, key }, expected);
  assert.ok(Math.abs(at - Date.now()) < 10_000);
  assert.equal(await cluster.executed('named'), 1);
  assert.equal(await cluster.executed('nobody'), 0);
});

test('echo, ping, whoami, slow', async () => {
  const [a, b] = clients;
  assert.deepEqual(await a.result('echo', [1, { a: 'ü' }]), [1, { a: 'ü' }]);
  assert.equal(await a.result('ping'), 'pong');
  assert.deepEqual([await a.result('whoami'), await b.result('whoami')], ['gateway 0', 'gateway 1']);
  const begun = performance.now();
  assert.equal(await a.result('slow', [30, 's1']), true);
  assert.ok(performance.now() - begun >= 28);
  assert.equal(await cluster.executed('s1'), 1);
});

test('busy is retryable so many times over all gateways, and is executed once', async () => {
  const ask = (/** @type {number} */ place) =>
    clients[place].call('busy', [{ id: 'b', times: 2, retryAfterMilliseconds: 7 }]);
  const first = await ask(0);
  assert.deepEqual(first.error.data, { retryable: true, retryAfterMilliseconds: 7 });
  assert.equal((await ask(1)).error.data.retryable, true);
  assert.equal(await cluster.executed('b'), 0);
  assert.equal((await ask(0)).result, true);
  assert.equal(await cluster.executed('b'), 1);
});

test('fail is executed and answered with an ordinary error', async () => {
  const { error } = await clients[0].call('fail', [{ id: 'f', code: -32007, message: 'no', data: [1] }]);
  assert.deepEqual(error, { code: -32007, message: 'no', data: [1] });
  assert.equal(await cluster.executed('f'), 1);
});

test('an operation key is executed once and answered alike by every gateway', async () => {
  const meta = { meta: { operationKey: 'key 1' } };
  const first = await clients[0].result('queue.offer', [{ id: 'k1', item: 1 }], meta);
  assert.equal(await clients[1].result('queue.offer', [{ id: 'k1', item: 1 }], meta), first);
  assert.equal(await cluster.executed('k1'), 1);
  assert.equal((await cluster.stats()).repeats, 1);
  assert.equal((await cluster.journal()).find(({ id }) => id === 'k1')?.key, 'key 1');
});

test('errors of the protocol, which kill nothing', async () => {
  const [a] = clients;
  const seen = a.frames.length;
  const next = async (/** @type {string | Buffer} */ frame) => {
    const before = a.frames.length;
    a.ws.send(frame);
    await a.until(() => a.frames.length > before);
    return JSON.parse(a.frames[before]);
  };
  assert.equal((await next('{"jsonrpc"')).error.code, -32700);
  assert.equal((await next('')).error.code, -32700);
  assert.equal((await next('[]')).error.code, -32600);
  assert.equal((await next('7')).error.code, -32600);
  assert.equal((await next('null')).error.code, -32600);
  assert.equal((await next('{"id":1}')).error.code, -32600);
  assert.equal((await a.call('no.such')).error.code, -32601);
  assert.equal((await a.call('toString')).error.code, -32601);
  assert.equal((await a.call('map.get', [null])).error.code, -32602);
  assert.equal((await a.call('queue.offer', {})).error.code, -32602);
  assert.equal((await a.call('slow', ['1'])).error.code, -32602);
  const deep = `{"id":1,"method":"echo","params":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
  assert.equal((await next(deep)).error.code, -32603);
  const offer = deep
    .replace('"echo"', '"queue.offer"')
    .replace('"params":', '"params":[')
    .replace(/}$/, ']}');
  assert.equal((await next(offer)).error.code, -32603);
  assert.equal((await next(Buffer.from('{"id":"text","method":"ping"}'))).id, 'text');
  assert.ok(a.frames.length > seen && a.closed === undefined);
});

test('a batch is answered by a batch, a notification by nothing', async () => {
  const [a] = clients;
  const before = a.frames.length;
  a.ws.send(JSON.stringify({ method: 'queue.offer', params: ['x', 'silent'] }));
  a.ws.send(JSON.stringify([{ method: 'ping' }]));
  a.ws.send(JSON.stringify([{ id: 'p', method: 'ping' }, { method: 'ping' }, 5, { id: 'q', method: 'nix' }]));
  await a.until(() => a.frames.length > before);
  const batch = JSON.parse(a.frames[before]);
  assert.deepEqual(
    batch.map((/** @type {any} */ { id, error }) => [id, error?.code]),
    [
      ['p', undefined],
      [null, -32600],
      ['q', -32601],
    ],
  );
  assert.equal(await cluster.executed('silent'), 1);
});

test('subscriptions live on their connection and hear what any gateway publishes', async () => {
  const [a, b] = clients;
  const subscription = await a.result('subscribe', ['news']);
  const other = await a.result('topic.subscribe', ['sport']);
  assert.deepEqual(
    (await cluster.subscriptions()).map((live) => [live.gateway, live.subscription, live.topic]),
    [
      [0, subscription, 'news'],
      [0, other, 'sport'],
    ],
  );
  const before = a.frames.length;
  await b.result('publish', ['news', { n: 1 }]);
  await cluster.publish('news', { n: 2 });
  await a.until(() => a.frames.length >= before + 2);
  const params = a.frames.slice(before).map((frame) => JSON.parse(frame).params);
  assert.deepEqual(params, [
    { subscription, result: { n: 1 } },
    { subscription, result: { n: 2 } },
  ]);
  assert.equal(await a.result('unsubscribe', [subscription]), true);
  assert.equal(await a.result('unsubscribe', [subscription]), false);
  assert.equal((await cluster.subscriptions()).length, 1);
});

test('with a token nothing but ping runs before login, on each connection anew', async (t) => {
  const guarded = await startCluster({ count: 1, token: 'right', maxMessageBytes: 1000 });
  t.after(() => guarded.stop());
  const client = await PlainClient.open(guarded.urls[0]);
  assert.equal((await client.call('queue.offer', ['x', 'early'])).error.code, -32010);
  assert.equal(await client.result('ping'), 'pong');
  assert.equal((await client.call('login', ['wrong'])).error.code, -32011);
  assert.equal(await client.result('login', ['right']), true);
  assert.equal(await client.result('queue.offer', ['x', 'late']), 1);
  const second = await PlainClient.open(guarded.urls[0]);
  assert.equal((await second.call('map.size')).error.code, -32010);
  assert.deepEqual([...(await guarded.executions())], [['late', 1]]);
  second.ws.send('x'.repeat(2000));
  assert.equal((await second.end()).code, 1009);
});
