// The package in Node, with `ws`, against gateways that are processes and fail on command.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { startCluster } from '../gateways/cluster.mjs';
import { LEGAL } from '../gateways/rubbish.mjs';
import { ready } from './support/installed.mjs';

const { ClusterClient, connect } = await ready();
const networking = { shuffleAddresses: false, jitter: 0, connectionTimeoutMilliseconds: 500 };

/** A cluster and the options for it. */
async function start(t, more = {}) {
  const cluster = await startCluster({ count: 3 });
  const clients = [];
  t.after(async () => {
    for (const client of clients) client.close();
    await cluster.stop();
  });
  const options = { gateways: cluster.urls, WebSocket, logger: null, networking, ...more };
  const open = async () => {
    const client = await connect(options);
    clients.push(client);
    return client;
  };
  return { cluster, options, open, clients };
}

test('reads, writes and a notification', async (t) => {
  const { cluster, open } = await start(t);
  const client = await open();
  assert.equal(client.state, 'connected');
  assert.equal(client.gateway, cluster.urls[0]);
  assert.equal(await client.invoke('map.put', [{ id: 'w', key: 'k', value: 'v' }]), null);
  assert.equal(await client.invoke('map.get', [{ id: 'r', key: 'k' }], { readOnly: true }), 'v');
  const news = new Promise((resolve) => client.addEventListener('notification', resolve, { once: true }));
  await client.invoke('subscribe', { topic: 'news' });
  await cluster.publish('news', 'hello');
  const { detail } = await news;
  assert.equal(detail.method, 'notification');
  assert.ok(JSON.stringify(detail.params).includes('hello'));
});

test('100 concurrent awaits, each with its own answer', async (t) => {
  const { open } = await start(t);
  const client = await open();
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => client.invoke('echo', [index], { readOnly: true })),
  );
  assert.deepEqual(
    answers,
    Array.from({ length: 100 }, (_, index) => [index]),
  );
});

test('a gateway that refuses, one that hangs in the handshake: the third answers', async (t) => {
  const { cluster, open } = await start(t);
  await cluster.gateways[0].refuse();
  await cluster.gateways[1].hang();
  const client = await open();
  assert.equal(client.gateway, cluster.urls[2]);
  const stats = await cluster.stats();
  assert.equal(stats.gateways[1].struck.hang.dials, 1);
});

test('the connected gateway is killed: reads are answered by the next one, writes say maybe', async (t) => {
  const { cluster, open } = await start(t);
  const client = await open();
  await client.invoke('echo', [0]);
  const read = client.invoke('slow', [{ id: 'r', milliseconds: 300 }], { readOnly: true });
  const write = client.invoke('slow', [{ id: 'w', milliseconds: 300 }]);
  const lost = assert.rejects(write, { code: 'CONNECTION_LOST', completion: 'maybe', attempts: 1 });
  await client.invoke('echo', [1]);
  await cluster.gateways[0].kill();
  assert.equal(await read, true);
  await lost;
  assert.equal(client.gateway, cluster.urls[1]);
});

test('answers that are rubbish, late or twice: counted, and every operation is answered', async (t) => {
  const { cluster, open } = await start(t);
  const client = await open();
  const kinds = ['notJson', 'empty', 'unknownId', 'nullId', 'objectId', 'noise', 'strayNotification'];
  await cluster.gateways[0].answerRubbish(kinds, { place: 'before' });
  for (let n = 0; n < 21; n += 1) assert.deepEqual(await client.invoke('echo', [n]), [n]);
  await cluster.gateways[0].answerRubbish([...LEGAL, 'stringId'], { place: 'instead' });
  for (let n = 0; n < 10; n += 1) assert.deepEqual(await client.invoke('echo', [n]), [n]);
  await cluster.gateways[0].answerTwice();
  for (let n = 0; n < 5; n += 1) assert.deepEqual(await client.invoke('echo', [n]), [n]);
  await client.invoke('echo');
  const { protocolErrors, unmatchedAnswers } = client.stats();
  assert.ok(protocolErrors > 0);
  assert.ok(unmatchedAnswers >= 5, `${unmatchedAnswers}`);
  assert.equal(client.state, 'connected');
});

test('busy gateways are asked again, as often as they say so', async (t) => {
  const { cluster, open } = await start(t);
  const client = await open();
  assert.equal(await client.invoke('busy', { id: 'b', times: 3 }), true);
  assert.equal(await cluster.executed('b'), 1);
  assert.equal(client.stats().retries, 3);
});

test('a late handshake is closed again: one connection in the end', async (t) => {
  const { cluster, open } = await start(t);
  await cluster.gateways[0].hang();
  const client = await open();
  await cluster.gateways[0].heal();
  await cluster.until(({ gateways }) => gateways[0].open === 0 && gateways[1].open === 1);
  assert.equal(client.gateway, cluster.urls[1]);
});

test('all gateways are dead for a while: the promise is kept, operations wait', async (t) => {
  const { cluster, open } = await start(t);
  const client = await open();
  await Promise.all(cluster.gateways.map((gateway) => gateway.kill()));
  const waiting = client.invoke('echo', ['kept'], { readOnly: true });
  await new Promise((resolve) => client.addEventListener('waiting', resolve, { once: true }));
  await cluster.gateways[2].restart();
  assert.deepEqual(await waiting, ['kept']);
  assert.equal(client.gateway, cluster.urls[2]);
});

test('options are read from an existing configuration', async (t) => {
  const { cluster } = await start(t);
  const client = new ClusterClient({
    gateways: cluster.urls,
    WebSocket,
    logger: null,
    hazelcast: { networking: { shuffleAddresses: 'false', connectionTimeoutMilliseconds: '500' } },
    'com.sun.corba.ee.transport.ORBTCPConnectTimeouts': '50:200:100',
  });
  t.after(() => client.close());
  await cluster.gateways[0].refuse();
  await client.connect();
  assert.equal(client.gateway, cluster.urls[1]);
});
