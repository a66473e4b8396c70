// Subscriptions of awkward applications: routes, listeners and arguments that do what they should not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle, virtualClock } from './support/clock.mjs';
import { calls, endOf, publish, withGateway } from './support/gateway_script.mjs';
import { reports } from './support/reports.mjs';

test('a route decides by method and params, and the listener gets the params as they are', async () => {
  const { client, socket, notifications } = await withGateway();
  const heard = [];
  const route = ({ method, params }) => method === 'news' && params.topic === 'a';
  client.subscribe('join', { topic: 'a' }, (value, info) => heard.push([value, info]), { route });
  await settle();
  socket.message({ method: 'news', params: { topic: 'a', n: 1 } });
  socket.message({ method: 'news', params: { topic: 'b', n: 2 } });
  assert.deepEqual(heard, [[{ topic: 'a', n: 1 }, { resumed: 0 }]]);
  assert.deepEqual(notifications, [{ method: 'news', params: { topic: 'b', n: 2 } }]);
  client.close();
});

test('a route that says anything but true says no; the first subscription that takes it has it', async () => {
  const { client, socket, notifications } = await withGateway();
  const heard = [];
  const answers = [1, 'yes', {}, Promise.resolve(true), undefined, true, true];
  for (const [place, answer] of answers.entries())
    client.subscribe('join', [place], () => heard.push(place), { route: () => answer });
  await settle();
  socket.message({ method: 'news' });
  assert.deepEqual([heard, notifications], [[5], []]);
  client.close();
});

test('a route or a listener that throws is reported, and the others hear what is theirs', async (t) => {
  const reported = reports(t);
  const { client, socket, notifications } = await withGateway();
  const heard = [];
  const thrower = () => {
    throw new Error('mine');
  };
  client.subscribe('join', [1], () => assert.fail('it was not for this one'), { route: thrower });
  client.subscribe('eth_subscribe', ['bad'], thrower);
  client.subscribe('eth_subscribe', ['good'], (value) => heard.push(value));
  await settle();
  publish(socket, 'good', 1);
  publish(socket, 'bad', 2);
  publish(socket, 'good', 3);
  socket.message({ method: 'other', params: { subscription: 'nobody' } });
  assert.deepEqual(heard, [1, 3]);
  assert.equal(notifications.length, 1);
  await settle();
  assert.deepEqual(reported, Array(5).fill('mine'));
  assert.deepEqual(await client.invoke('m', [1]), [1]);
  client.close();
});

test('listeners that call back in: subscribe, unsubscribe, close, reconnect', async (t) => {
  const clock = virtualClock(t);
  const { client, socket, fake } = await withGateway();
  const heard = [];
  let other;
  const first = client.subscribe('eth_subscribe', ['first'], () => {
    heard.push('first');
    first.unsubscribe();
    other.unsubscribe();
    client.subscribe('eth_subscribe', ['inner'], () => heard.push('inner'));
  });
  other = client.subscribe('eth_subscribe', ['other'], () => heard.push('other'));
  await settle();
  const [a, b] = ['first', 'other'].map((topic) => socket.names.get(topic));
  socket.message([
    { method: 'x', params: { subscription: a, result: 0 } },
    { method: 'x', params: { subscription: b, result: 0 } },
    { method: 'x', params: { subscription: a, result: 0 } },
  ]);
  await settle();
  publish(socket, 'inner', 0);
  assert.deepEqual(heard, ['first', 'inner']);
  const again = client.subscribe('eth_subscribe', ['again'], () => client.reconnect());
  await settle();
  publish(socket, 'again', 0);
  await clock.advance(1000);
  assert.equal(client.state, 'connected');
  assert.deepEqual(calls(fake.last), ['eth_subscribe inner', 'eth_subscribe again']);
  assert.equal(again.resumed, 1);
  const last = client.subscribe('eth_subscribe', ['last'], () => client.close());
  await settle();
  publish(fake.last, 'last', 0);
  assert.equal(client.state, 'closed');
  assert.equal(await endOf(last.ended), 'CLIENT_CLOSED');
  assert.equal(clock.running, 0);
});

test('wrong arguments are named, and nothing is sent', async () => {
  const { client, socket } = await withGateway();
  const listener = () => {};
  const cyclic = [];
  cyclic.push(cyclic);
  for (const [args, code, text] of [
    [[''], 'INVALID_OPTION', /method/],
    [[5], 'INVALID_OPTION', /method is 5/],
    [['m', 5, listener], 'INVALID_OPTION', /params is 5/],
    [['m', null, listener], 'INVALID_OPTION', /params is null/],
    [['m', []], 'INVALID_OPTION', /listener must be a function/],
    [['m', [], {}], 'INVALID_OPTION', /listener is an object: it must be a function/],
    [['m', [], listener, 5], 'INVALID_OPTION', /options is 5: it must be an object/],
    [['m', [], listener, null], 'INVALID_OPTION', /options is null/],
    [['m', [], listener, { routes: 1 }], 'INVALID_OPTION', /routes is 1: it is no option of regate/],
    [['m', [], listener, { route: 1 }], 'INVALID_OPTION', /route is 1: it must be a function/],
    [
      ['m', [], listener, { unsubscribeMethod: '' }],
      'INVALID_OPTION',
      /unsubscribeMethod is a text of 0 characters/,
    ],
    [['m', cyclic, listener], 'ENCODE_FAILED', /could not be encoded/],
    [['m', [1n], listener], 'ENCODE_FAILED', /could not be encoded/],
  ]) {
    assert.throws(
      () => client.subscribe(...args),
      (error) => {
        assert.equal(error.code, code);
        assert.match(error.message, text);
        return true;
      },
    );
  }
  assert.deepEqual(socket.sent, []);
  assert.equal(client.stats().subscriptions, 0);
  client.subscribe('m', undefined, listener, { route: undefined, unsubscribeMethod: undefined });
  assert.deepEqual(socket.requests[0].params, undefined);
  client.close();
});

test('a subscription has no limit of time: it waits for its answer and through every outage', async (t) => {
  const clock = virtualClock(t);
  let mute = true;
  const messaging = { retryTimeoutSeconds: 1, waitForResponseMilliseconds: 100 };
  const { client, fake, socket } = await withGateway({ ignores: () => mute }, { messaging });
  const heard = [];
  const subscription = client.subscribe('eth_subscribe', ['a'], (value) => heard.push(value));
  await clock.advance(86_400_000);
  assert.equal(subscription.isLive, false);
  socket.message({ id: socket.requests[0].id, result: 'at last' });
  assert.equal(subscription.isLive, true);
  socket.drop();
  fake.last.fail();
  mute = false;
  await clock.advance(100_000);
  publish(fake.last, 'a', 1);
  assert.deepEqual([heard, subscription.resumed], [[1], 1]);
  client.close();
});

test('a thousand subscriptions come and go, and nothing is left of them', async () => {
  const { client, socket } = await withGateway();
  for (let times = 0; times < 10; times += 1) {
    const many = Array.from({ length: 100 }, (_, n) => client.subscribe('eth_subscribe', [n], () => {}));
    await settle();
    for (const one of many) one.unsubscribe();
    await settle();
  }
  assert.equal(socket.sent.length, 2000);
  const { subscriptions, inFlightOperations, pendingOperations, succeeded } = client.stats();
  // What ends a subscription is no operation of the application's, and counts nowhere.
  assert.deepEqual([subscriptions, inFlightOperations, pendingOperations, succeeded], [0, 0, 0, 0]);
  client.close();
});
