// The list function: asked before every round, never trusted, never waited for too long; and setGateways.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle, virtualClock } from './support/clock.mjs';
import { echoing, fakeSockets } from './support/fake_ws.mjs';
import { endOf } from './support/gateway_script.mjs';
import { ready } from './support/installed.mjs';
import { reports } from './support/reports.mjs';

const { ClusterClient } = await ready();

/** A client with this list function or list, its sockets, and what it told. `up(url)` says which gateways open. */
function clientWith(gateways, { up = () => true, ...more } = {}) {
  const fake = fakeSockets({
    made: (socket) =>
      queueMicrotask(() => (up(socket.url) ? socket.readyState === 0 && socket.open() : socket.fail())),
    sent: echoing.sent,
  });
  const networking = {
    jitter: 0,
    shuffleAddresses: false,
    connectionTimeoutMilliseconds: 1000,
    ...more.networking,
  };
  const options = { gateways, logger: null, heartbeat: { periodMilliseconds: 0 }, WebSocket: fake.WebSocket };
  const client = new ClusterClient({ ...options, ...more, networking });
  const told = [];
  for (const name of ['statechange', 'dialfailed', 'waiting', 'gatewaysfailed']) {
    client.addEventListener(name, ({ detail }) => {
      told.push(`${name} ${detail.to ?? detail.cause ?? detail.milliseconds ?? detail.reason}`);
    });
  }
  const dials = () => fake.sockets.map(({ url }) => url);
  return { client, fake, told, dials };
}

const fault = () => {
  throw new Error('mine');
};

/** B006: whatever the function does is one failed round, and the rounds go on. */
test('throw, reject, null, rubbish and never settling are failed rounds; then a list connects', async (t) => {
  const reported = reports(t);
  const clock = virtualClock(t);
  const script = [
    fault,
    async () => fault(),
    () => null,
    () => '',
    () => [],
    () => ['http://a.example'],
    () => [5],
    () => new Promise(() => {}),
    () => Promise.resolve(undefined),
    () => ['ws://a.example', 'nonsense'],
    () => ({ length: 1, 0: 'ws://a.example' }),
    () => ['ws://a.example'],
  ];
  let asked = 0;
  const { client, told, dials } = clientWith(() => script[asked++]());
  const connecting = client.connect();
  assert.equal(asked, 0, 'not in the turn of connect()');
  await clock.advance(60_000);
  await connecting;
  assert.equal(asked, script.length);
  assert.deepEqual(dials(), ['ws://a.example/']);
  const function_ = 'gatewaysfailed the function failed';
  const rubbish = 'gatewaysfailed what the function gave is no list of gateways';
  const late = 'gatewaysfailed the function gave nothing within the limit of a dial';
  const reasons = [
    function_,
    function_,
    rubbish,
    rubbish,
    rubbish,
    rubbish,
    rubbish,
    late,
    rubbish,
    rubbish,
    rubbish,
  ];
  const waits = [250, 500, 1000, 2000, 4000, 5000, 5000, 5000, 5000, 5000, 5000];
  assert.deepEqual(told, [
    'statechange connecting',
    ...reasons.flatMap((reason, place) => [reason, `waiting ${waits[place]}`]),
    'statechange connected',
  ]);
  await settle();
  assert.deepEqual(reported, []);
  client.close();
});

test('a function that never gives a list: connect() rejects when the schedule is spent', async (t) => {
  const clock = virtualClock(t);
  for (const [name, list, milliseconds, cause] of [
    ['throws', fault, 300, 'mine'],
    ['hangs', () => new Promise(() => {}), 3300, undefined],
    ['no list', () => ['nonsense'], 300, /gateways\[0\]/],
  ]) {
    const lines = [];
    const logger = { warn: (text) => lines.push(text), error: (text) => lines.push(text), info() {} };
    const networking = { connectTimeouts: '100:250:100' };
    const { client, told } = clientWith(list, { networking, logger });
    const connecting = assert.rejects(client.connect(), (error) => {
      assert.deepEqual([error.code, error.completion], ['CONNECT_TIMEOUT', 'no']);
      assert.deepEqual(error.failures, [{ gateway: 'gateways', cause: 'the function gave no list' }]);
      if (cause instanceof RegExp) assert.match(error.cause.message, cause);
      else assert.equal(error.cause?.message, cause);
      return true;
    });
    await clock.advance(milliseconds);
    await connecting;
    assert.equal(told.filter((line) => line.startsWith('gatewaysfailed')).length, 3, name);
    assert.equal(told.at(-1), 'statechange closed');
    assert.equal(clock.running, 0);
    assert.match(lines[0], /^regate: gateways failed: the function gave no list$/);
    assert.match(lines[1], /gave up with CONNECT_TIMEOUT .*gateways: the function gave no list, 2 times/);
    assert.equal(lines.length, 2);
  }
});

test('what the function says too late, or after another question, is dropped', async (t) => {
  const clock = virtualClock(t);
  const answers = [];
  const list = () => new Promise((resolve, reject) => answers.push({ resolve, reject }));
  const { client, told, dials } = clientWith(list);
  client.connect();
  await clock.advance(1250); // the first question is over, the second one is open
  assert.equal(answers.length, 2);
  answers[0].resolve(['ws://stale.example']);
  await settle();
  assert.deepEqual(dials(), []);
  answers[1].resolve(['ws://fresh.example']);
  await settle();
  answers[0].reject(new Error('late'));
  await settle();
  assert.deepEqual(dials(), ['ws://fresh.example/']);
  assert.equal(told.at(-1), 'statechange connected');
  assert.equal(told.filter((line) => line.startsWith('gatewaysfailed')).length, 1);
  client.close();
  assert.equal(clock.running, 0);
});

test('after close() nothing is heard of a question that was open', async (t) => {
  const reported = reports(t);
  const clock = virtualClock(t);
  for (const end of ['resolve', 'reject', 'rubbish']) {
    let answer;
    const { client, told, dials } = clientWith(
      () => new Promise((resolve, reject) => (answer = { resolve, reject })),
    );
    const connecting = endOf(client.connect());
    await clock.advance(10);
    client.close();
    const before = told.length;
    if (end === 'reject') answer.reject(new Error('late'));
    else answer.resolve(end === 'rubbish' ? 'rubbish' : ['ws://late.example']);
    await clock.advance(100_000);
    assert.equal(await connecting, 'CLIENT_CLOSED');
    assert.deepEqual([told.slice(before), dials()], [[], []], end);
    assert.equal(clock.running, 0);
  }
  assert.deepEqual(reported, []);
});

/** B024: asked at each round start, so a cluster that moved is found. */
test('what the first round had is not dialled in the second', async (t) => {
  const clock = virtualClock(t);
  let asked = 0;
  const lists = [['ws://a.example', 'ws://b.example'], ['ws://c.example']];
  const { client, dials } = clientWith(() => lists[Math.min(asked++, 1)], {
    up: (url) => url.includes('c.'),
  });
  const connecting = client.connect();
  await clock.advance(300);
  await connecting;
  assert.deepEqual(dials(), ['ws://a.example/', 'ws://b.example/', 'ws://c.example/']);
  assert.equal(asked, 2);
  client.close();
});

/** B095: no way to a dial goes past the function. */
test('after a drop, a wake, reconnect(), a refusal and a dead line: a fresh token each', async (t) => {
  const clock = virtualClock(t);
  const windowLike = new EventTarget();
  const globals = { addEventListener: windowLike.addEventListener.bind(windowLike) };
  globals.removeEventListener = windowLike.removeEventListener.bind(windowLike);
  Object.assign(globalThis, globals);
  t.after(() => {
    for (const name of Object.keys(globals)) delete globalThis[name];
  });
  let token = 0;
  let up = true;
  const list = () => {
    token += 1;
    return [`wss://a.example/ws?token=${token}`, `wss://b.example/ws?token=${token}`];
  };
  const heartbeat = { periodMilliseconds: 10_000 };
  const { client, fake, dials } = clientWith(list, { up: () => up, heartbeat });
  const last = () => Number(new URL(dials().at(-1)).searchParams.get('token'));
  const live = async (what) => {
    await clock.advance(7000);
    assert.equal(client.state, 'connected', what);
    assert.equal(client.gateway, dials().at(-1), what);
    const found = last();
    assert.equal(found, token, `${what}: the newest token`);
    return found;
  };
  client.connect();
  const seen = [await live('connect')];
  fake.last.drop();
  seen.push(await live('drop'));
  client.reconnect();
  seen.push(await live('reconnect()'));
  fake.last.drop(4401);
  seen.push(await live('refresh'));
  fake.last.send = () => {};
  await clock.advance(20_000);
  seen.push(await live('heartbeat'));
  up = false;
  fake.last.drop();
  await clock.advance(1100);
  up = true;
  const before = token;
  windowLike.dispatchEvent(new Event('online'));
  await clock.advance(0);
  assert.equal(client.state, 'connected');
  assert.equal(last(), before + 1);
  seen.push(await live('online'));
  windowLike.dispatchEvent(Object.assign(new Event('pagehide'), { persisted: true }));
  windowLike.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
  seen.push(await live('pageshow'));
  assert.equal(new Set(seen).size, seen.length);
  assert.deepEqual(
    seen,
    seen.toSorted((a, b) => a - b),
  );
  client.close();
});

test('a gateway is the same under a fresh token: its place in the labels and its verdict stay', async (t) => {
  const clock = virtualClock(t);
  let token = 0;
  const list = async () => [`wss://u:${++token}@a.example/ws?t=${token}#x`, `wss://b.example/ws?t=${token}`];
  const { client, fake, told } = clientWith(list, { up: (url) => url.includes('b.') });
  const labels = [];
  client.addEventListener('dialfailed', ({ detail }) => labels.push(detail.gateway));
  client.connect();
  await clock.advance(10);
  for (let times = 0; times < 3; times += 1) {
    fake.last.drop();
    await clock.advance(10_000);
  }
  assert.deepEqual([...new Set(labels)], ['wss://a.example [0]']);
  assert.ok(fake.sockets.every(({ url }) => !url.includes('#')));
  assert.equal(told.at(-1), 'statechange connected');
  client.close();
});

/** B075: any number of failovers, and lists that change meanwhile. */
test('20 losses with setGateways after the 7th: no removed gateway is dialled, no new one skipped', async (t) => {
  const clock = virtualClock(t);
  const hosts = (...names) => names.map((name) => `ws://${name}.example`);
  const { client, fake, dials } = clientWith(hosts('a', 'b', 'c'));
  client.connect();
  await clock.advance(6000);
  for (let times = 1; times <= 20; times += 1) {
    if (times === 8) {
      client.setGateways(hosts('c', 'd'));
      assert.equal(client.state, 'connected', 'the connection stays until it is lost');
    }
    fake.last.drop();
    await clock.advance(6000);
    assert.equal(client.state, 'connected');
  }
  const after = dials().slice(8);
  assert.deepEqual([...new Set(after)].sort(), ['ws://c.example/', 'ws://d.example/']);
  for (let place = 1; place < after.length; place += 1) assert.notEqual(after[place], after[place - 1]);
  client.close();
});

/** B096: a terminal state is left by a new token. */
test('refused for good, then a new list and connect()', async (t) => {
  const clock = virtualClock(t);
  const { client, fake } = clientWith(['ws://a.example/?t=1']);
  client.connect();
  await clock.advance(10);
  fake.last.drop(4403);
  await clock.advance(1000);
  fake.last.drop(4403);
  await clock.advance(1000);
  assert.equal(client.state, 'closed');
  client.setGateways(['ws://a.example/?t=2']);
  await client.connect();
  assert.equal(client.gateway, 'ws://a.example/?t=2');
  client.close();
});

test('setGateways in every state; a wrong list is an error and changes nothing', async (t) => {
  const clock = virtualClock(t);
  let up = false;
  const { client, fake, dials } = clientWith(['ws://old.example'], { up: () => up });
  for (const wrong of [
    [],
    ['http://a.example'],
    'ws://a.example',
    undefined,
    null,
    [5],
    () => ['ws://a.example'],
  ])
    assert.throws(() => client.setGateways(wrong), { code: 'INVALID_OPTION' });
  assert.throws(() => client.setGateways(() => []), {
    message: /gateways is a function: it must be a list here/,
  });
  client.setGateways(['ws://idle.example']);
  const connecting = client.connect();
  await clock.advance(10);
  assert.deepEqual(dials(), ['ws://idle.example/']);
  client.setGateways(['ws://waiting.example']);
  await clock.advance(250);
  assert.deepEqual(dials().slice(1), ['ws://waiting.example/']);
  up = true;
  client.setGateways(['ws://new.example', 'ws://waiting.example']);
  await clock.advance(600);
  await connecting;
  client.setGateways(['ws://later.example']);
  assert.notEqual(client.gateway, 'ws://later.example/');
  assert.ok(client.gateway !== undefined);
  fake.last.drop();
  await clock.advance(1000);
  assert.equal(client.gateway, 'ws://later.example/');
  client.close();
  client.setGateways(['ws://closed.example']);
  await clock.advance(1000);
  await client.connect();
  assert.equal(client.gateway, 'ws://closed.example/');
  client.close();
});

test('setGateways replaces a function too: it is not asked any more', async (t) => {
  const clock = virtualClock(t);
  let asked = 0;
  const function_ = () => {
    asked += 1;
    return ['ws://removed.example'];
  };
  const { client, fake, dials } = clientWith(function_);
  client.connect();
  await clock.advance(6000);
  const list = ['ws://b.example', 'ws://c.example'];
  client.setGateways(list);
  list.push('ws://pushed.example');
  for (let times = 0; times < 5; times += 1) {
    fake.last.drop();
    await clock.advance(6000);
    assert.equal(client.state, 'connected');
  }
  assert.equal(asked, 1);
  assert.deepEqual([...new Set(dials().slice(1))].sort(), ['ws://b.example/', 'ws://c.example/']);
  client.close();
});

test('setGateways while a dial of a removed gateway is under way gives that dial up', async (t) => {
  const clock = virtualClock(t);
  const { client, fake, dials } = clientWith(['ws://hangs.example'], { up: (url) => !url.includes('hangs') });
  fake.WebSocket.prototype.fail = () => {};
  client.connect();
  await clock.advance(500);
  client.setGateways(['ws://b.example']);
  await clock.advance(10);
  assert.deepEqual(dials(), ['ws://hangs.example/', 'ws://b.example/']);
  assert.deepEqual(fake.sockets[0].closes, [[1000]]);
  assert.equal(client.state, 'connected');
  client.close();
});
