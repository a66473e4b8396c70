// Subscriptions: routed, issued again on every connection in their order, ended by a refusal or by whoever made them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { startCluster } from '../gateways/cluster.mjs';
import { settle, virtualClock } from './support/clock.mjs';
import { fakeSockets } from './support/fake_ws.mjs';
import { calls, endOf, naming, publish, withGateway } from './support/gateway_script.mjs';
import { ready } from './support/installed.mjs';

const { ClusterClient, RegateError } = await ready();

/** Subscribes to topics; says who heard what. */
function hearing(client, topics, options) {
  const heard = [];
  const subscriptions = topics.map((topic) =>
    client.subscribe(
      'eth_subscribe',
      [topic],
      (value, { resumed }) => heard.push(`${topic} ${JSON.stringify(value)} ${resumed}`),
      options,
    ),
  );
  return { heard, subscriptions };
}

test('what belongs to a subscription goes to its listener, all else is an event', async () => {
  const { client, socket, notifications } = await withGateway();
  const { heard, subscriptions } = hearing(client, ['heads', 'logs']);
  assert.equal(subscriptions[0].isLive, false);
  await settle();
  assert.deepEqual(
    subscriptions.map(({ isLive, resumed }) => [isLive, resumed]),
    [
      [true, 0],
      [true, 0],
    ],
  );
  publish(socket, 'logs', { n: 1 });
  publish(socket, 'heads', 2);
  socket.message({ method: 'eth_subscription', params: { subscription: 'nobody', result: 3 } });
  socket.message({ method: 'other', params: [4] });
  socket.message({ method: 'eth_subscription', params: null });
  socket.message({ method: 'eth_subscription' });
  assert.deepEqual(heard, ['logs {"n":1} 0', 'heads 2 0']);
  assert.equal(notifications.length, 4);
  assert.equal(client.stats().notifications, 6);
  assert.equal(client.stats().subscriptions, 2);
  client.close();
});

/** B035: removed ones are not restored, all others are, once each and in order, however often. */
test('five subscriptions, one given up while away, three reconnects', async (t) => {
  const clock = virtualClock(t);
  const { client, fake } = await withGateway({}, { messaging: { retryUnsentOperations: true } });
  const { heard, subscriptions } = hearing(client, ['1', '2', '3', '4', '5']);
  await settle();
  assert.equal(client.stats().subscriptions, 5);
  let before = fake.last;
  for (let times = 1; times <= 3; times += 1) {
    before.drop();
    assert.ok(subscriptions.every(({ isLive }) => !isLive));
    if (times === 1) subscriptions[2].unsubscribe();
    const parked = client.invoke('parked', ['p'], { readOnly: true });
    client.addEventListener('statechange', ({ detail }) => {
      if (detail.to === 'connected') client.invoke('at once', ['e']).catch(() => {});
    });
    await clock.advance(20_000);
    assert.deepEqual(await parked, ['p']);
    assert.notEqual(fake.last, before);
    const sent = calls(fake.last);
    const first = ['eth_subscribe 1', 'eth_subscribe 2', 'eth_subscribe 4', 'eth_subscribe 5', 'parked p'];
    assert.deepEqual(sent.slice(0, 5), first);
    assert.equal(sent.filter((call) => call.startsWith('eth_')).length, 4);
    assert.deepEqual(
      subscriptions.map(({ isLive, resumed }) => [isLive, resumed]),
      [1, 2, 3, 4, 5].map((topic) => (topic === 3 ? [false, 0] : [true, times])),
    );
    heard.length = 0;
    for (const topic of ['1', '2', '4', '5']) publish(fake.last, topic, times);
    publish(before, '1', 'late');
    assert.deepEqual(
      heard,
      ['1', '2', '4', '5'].map((topic) => `${topic} ${times} ${times}`),
    );
    before = fake.last;
  }
  client.close();
});

test('a name of the connection before means nothing on the next one', async (t) => {
  const clock = virtualClock(t);
  const { client, socket, fake, notifications } = await withGateway();
  const { heard } = hearing(client, ['a']);
  await settle();
  const old = socket.names.get('a');
  socket.drop();
  await clock.advance(1000);
  fake.last.message({ method: 'eth_subscription', params: { subscription: old, result: 1 } });
  assert.deepEqual([heard, notifications.length], [[], 1]);
  client.close();
});

/** B083: the handler stays on the client, not on a socket. */
test('a listener to notifications hears each of four connections once', async (t) => {
  const clock = virtualClock(t);
  const { client, fake, notifications } = await withGateway();
  for (let times = 0; times < 4; times += 1) {
    const live = fake.last;
    live.message({ method: 'news', params: [times] });
    live.drop();
    live.message({ method: 'news', params: ['late'] });
    await clock.advance(10_000);
  }
  assert.deepEqual(
    notifications.map(({ params }) => params[0]),
    [0, 1, 2, 3],
  );
  client.close();
});

test('a refusal ends it, at first or when it is issued again, and it is not issued any more', async (t) => {
  const clock = virtualClock(t);
  let refusing = ['first'];
  const refuses = (_, __, params) =>
    refusing.includes(params?.[0]) ? { code: 7, message: 'no', data: 's' } : undefined;
  const { client, fake, socket } = await withGateway({ refuses });
  const { subscriptions } = hearing(client, ['first', 'second', 'third']);
  await assert.rejects(subscriptions[0].ended, (error) => {
    assert.ok(error instanceof RegateError);
    assert.deepEqual([error.code, error.completion], ['REMOTE_ERROR', 'yes']);
    assert.deepEqual(error.cause, { code: 7, message: 'no', data: 's' });
    return true;
  });
  refusing = ['second'];
  socket.drop();
  await clock.advance(1000);
  await assert.rejects(subscriptions[1].ended, { code: 'REMOTE_ERROR' });
  assert.deepEqual(
    subscriptions.map(({ isLive }) => isLive),
    [false, false, true],
  );
  fake.last.drop();
  await clock.advance(1000);
  assert.deepEqual(calls(fake.last), ['eth_subscribe third']);
  assert.equal(client.stats().subscriptions, 1);
  subscriptions[0].unsubscribe();
  subscriptions[1].unsubscribe();
  assert.deepEqual(calls(fake.last), ['eth_subscribe third'], 'nobody is told of what is over');
  client.close();
});

test('a gateway that says "try again" is asked again', async (t) => {
  const clock = virtualClock(t);
  let busy = 3;
  const refuses = () => (busy-- > 0 ? { code: 1, data: { retryable: true } } : undefined);
  const { client, socket } = await withGateway({ refuses });
  const { heard, subscriptions } = hearing(client, ['a']);
  await clock.advance(100);
  assert.equal(subscriptions[0].isLive, false);
  await clock.advance(7000);
  assert.deepEqual([subscriptions[0].isLive, subscriptions[0].resumed], [true, 0]);
  assert.equal(calls(socket).length, 4);
  publish(socket, 'a', 1);
  assert.deepEqual(heard, ['a 1 0']);
  client.close();
});

test('an answer with neither result nor error ends it', async () => {
  const { client, socket } = await withGateway({ ignores: () => true });
  const { subscriptions } = hearing(client, ['a']);
  socket.message({ id: socket.requests[0].id });
  await assert.rejects(subscriptions[0].ended, { code: 'PROTOCOL_ERROR' });
  client.close();
});

test('unsubscribe tells the gateway by the opposite method, by the one that is named, or not at all', async () => {
  for (const [method, options, expected] of [
    ['eth_subscribe', undefined, 'eth_unsubscribe'],
    ['topic.subscribe', {}, 'topic.unsubscribe'],
    ['accountSubscribe', undefined, 'accountUnsubscribe'],
    ['subscribe', undefined, 'unsubscribe'],
    ['eth_subscribe', { unsubscribeMethod: 'leave' }, 'leave'],
    ['watch subscribe', { unsubscribeMethod: 'leave' }, 'leave'],
  ]) {
    const { client, socket, notifications } = await withGateway();
    const heard = [];
    const subscription = client.subscribe(method, ['a'], (value) => heard.push(value), options);
    await settle();
    const name = socket.names.get('a');
    subscription.unsubscribe();
    subscription.unsubscribe();
    assert.equal(await endOf(subscription.ended), 'done');
    assert.deepEqual(calls(socket), [`${method} a`, `${expected} ${name}`]);
    assert.equal(subscription.isLive, false);
    publish(socket, 'a', 1);
    assert.deepEqual([heard, notifications.length], [[], 1]);
    assert.equal(client.stats().subscriptions, 0);
    client.close();
  }
  const { client, socket } = await withGateway({ ignores: () => true });
  const watching = client.subscribe('watch', ['a'], () => {});
  socket.message({ id: socket.requests[0].id, result: 'w' });
  watching.unsubscribe();
  assert.deepEqual(calls(socket), ['watch a']);
  client.close();
});

test('unsubscribe before the answer: the gateway is told as soon as it names what it began', async (t) => {
  const clock = virtualClock(t);
  const { client, socket, fake } = await withGateway({ ignores: () => true });
  const { heard, subscriptions } = hearing(client, ['a', 'b']);
  subscriptions[0].unsubscribe();
  assert.equal(await endOf(subscriptions[0].ended), 'done');
  assert.deepEqual(calls(socket), ['eth_subscribe a', 'eth_subscribe b']);
  const [{ id }] = socket.requests;
  socket.message({ id, result: 'late name' });
  assert.deepEqual(calls(socket).slice(2), ['eth_unsubscribe late name']);
  socket.message({ id, result: 'late name' });
  assert.equal(calls(socket).length, 3, 'once');
  socket.message({ method: 'eth_subscription', params: { subscription: 'late name', result: 1 } });
  assert.deepEqual(heard, []);
  subscriptions[1].unsubscribe();
  socket.drop();
  await clock.advance(1000);
  fake.last.message({ id: socket.requests[1].id, result: 'of a connection that is gone' });
  assert.deepEqual(calls(fake.last), []);
  client.close();
});

test('unsubscribe in every state ends it, and no frame of it goes out afterwards', async (t) => {
  const clock = virtualClock(t);
  const fake = fakeSockets(naming());
  const options = { gateways: ['ws://a.example'], logger: null, WebSocket: fake.WebSocket };
  const client = new ClusterClient(options);
  const listen = () => assert.fail('nobody is told');
  const idle = client.subscribe('eth_subscribe', ['idle'], listen);
  idle.unsubscribe();
  client.connect();
  const connecting = client.subscribe('eth_subscribe', ['connecting'], listen);
  connecting.unsubscribe();
  await clock.advance(100);
  assert.deepEqual(calls(fake.last), []);
  const away = client.subscribe('eth_subscribe', ['away'], listen);
  await clock.advance(6000);
  fake.last.drop();
  const reconnecting = client.subscribe('eth_subscribe', ['reconnecting'], listen);
  assert.equal(client.state, 'reconnecting');
  away.unsubscribe();
  reconnecting.unsubscribe();
  await clock.advance(1000);
  assert.equal(client.state, 'connected');
  assert.deepEqual(calls(fake.last), []);
  const closed = client.subscribe('eth_subscribe', ['closed'], listen);
  await settle();
  client.close();
  const sent = calls(fake.last);
  closed.unsubscribe();
  assert.deepEqual(calls(fake.last), sent);
  for (const { ended } of [idle, connecting, away, reconnecting]) assert.equal(await endOf(ended), 'done');
  assert.equal(await endOf(closed.ended), 'CLIENT_CLOSED');
  assert.equal(clock.running, 0);
});

/** B100: close() tries no network work that it cannot do. */
test('close with subscriptions in every state returns, and their listeners hear nothing more', async (t) => {
  const clock = virtualClock(t);
  for (const state of ['idle', 'connecting', 'connected', 'reconnecting']) {
    const fake = fakeSockets({ ...naming(), closing: (socket) => socket.drop(1000) });
    const options = { gateways: ['ws://a.example'], logger: null, WebSocket: fake.WebSocket };
    const client = new ClusterClient(options);
    const { heard, subscriptions } = hearing(client, ['a', 'b', 'c']);
    if (state !== 'idle') client.connect().catch(() => {});
    if (state === 'connected' || state === 'reconnecting') await clock.advance(6000);
    if (state === 'reconnecting') fake.last.drop();
    assert.equal(client.state, state);
    client.close();
    assert.deepEqual(
      await Promise.all(subscriptions.map(({ ended }) => endOf(ended))),
      Array(3).fill('CLIENT_CLOSED'),
    );
    if (fake.last?.names) publish(fake.last, 'a', 1);
    await clock.advance(100_000);
    assert.deepEqual(heard, []);
    assert.equal(clock.running, 0);
    assert.ok(fake.sockets.length < 2 || state === 'reconnecting');
    const late = client.subscribe('eth_subscribe', ['late'], () => {});
    assert.equal(await endOf(late.ended), 'CLIENT_CLOSED');
  }
});

test('with real gateways: each topic on the live one, exactly once, after each kill', async (t) => {
  const cluster = await startCluster({ count: 3 });
  const networking = { shuffleAddresses: false, jitter: 0 };
  const client = new ClusterClient({ gateways: cluster.urls, WebSocket, logger: null, networking });
  t.after(async () => {
    client.close();
    await cluster.stop();
  });
  await client.connect();
  const heard = [];
  const subscriptions = ['x', 'y'].map((topic) =>
    client.subscribe('subscribe', { topic }, (value, { resumed }) => heard.push([topic, value, resumed])),
  );
  for (let times = 0; times < 3; times += 1) {
    await client.invoke('ping');
    assert.ok(subscriptions.every(({ isLive }) => isLive));
    heard.length = 0;
    await cluster.publish('x', times);
    await cluster.publish('y', times);
    while (heard.length < 2) await client.invoke('ping');
    await client.invoke('ping');
    assert.deepEqual(heard, [
      ['x', times, times],
      ['y', times, times],
    ]);
    if (times === 2) break;
    const lost = new Promise((resolve) => client.addEventListener('statechange', resolve, { once: true }));
    await cluster.gateways[times].kill();
    await lost;
    await client.connect();
  }
});
