// closePolicy: what it is told, what it may say, and what becomes of everything else it does.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle, virtualClock } from './support/clock.mjs';
import { echoing, fakeSockets } from './support/fake_ws.mjs';
import { endOf } from './support/gateway_script.mjs';
import { ready } from './support/installed.mjs';
import { reports } from './support/reports.mjs';

const { ClusterClient } = await ready();

/** A client with this policy, connected and steady. Sockets fail while `up` says no. */
async function steady(clock, closePolicy, { networking = {}, up = () => true, ...more } = {}) {
  const made = (socket) =>
    queueMicrotask(() => (up() ? socket.readyState === 0 && socket.open() : socket.fail()));
  const fake = fakeSockets({ made, sent: echoing.sent });
  const client = new ClusterClient({
    gateways: ['wss://u:s3cret@a.example/ws?s3cret', 'wss://b.example'],
    logger: null,
    heartbeat: { periodMilliseconds: 0 },
    WebSocket: fake.WebSocket,
    closePolicy,
    ...more,
    networking: { jitter: 0, shuffleAddresses: false, ...networking },
  });
  const told = [];
  client.addEventListener('dialfailed', ({ detail }) => told.push(`dialfailed ${detail.verdict}`));
  client.addEventListener('waiting', ({ detail }) => told.push(`waiting ${detail.milliseconds}`));
  client.addEventListener('statechange', ({ detail }) => told.push(detail.to));
  const connecting = client.connect();
  await clock.advance(10_000);
  await connecting;
  told.length = 0;
  return { client, fake, told };
}

test('it is told code, reason, gateway and the default, of every kind of failure', async (t) => {
  const clock = virtualClock(t);
  const a = { gateway: 'wss://a.example [0]', status: null, verdict: 'next' };
  const b = { gateway: 'wss://b.example [1]', status: null, verdict: 'next' };
  const throwing = function Throwing() {
    throw new Error('mine');
  };
  const heartbeat = { periodMilliseconds: 60_000 };
  const networking = { connectionTimeoutMilliseconds: 300, connectTimeouts: '9000:90000:100' };
  for (const [name, cause, expected] of [
    ['close', ({ fake }) => fake.last.drop(4001, 'gone é'), { code: 4001, reason: 'gone é', ...a }],
    ['0', ({ fake }) => fake.last.drop(0, ''), { code: 1006, reason: '', ...a }],
    ['no reason', ({ fake }) => fake.last.emit('close', { code: 1001 }), { code: 1001, reason: '', ...a }],
    ['error', ({ fake }) => fake.last.emit('error'), { code: 1006, reason: '', ...a }],
    ['silence', ({ fake }) => (fake.last.send = () => {}), { code: null, reason: '', ...a }],
    [
      'a dial that fails',
      ({ fake }) => fake.last.drop(1001, 'x'),
      { code: 1006, reason: '', ...b },
      () => false,
    ],
  ]) {
    const asked = [];
    let up = () => true;
    const policy = (failure) => void asked.push({ ...failure });
    const more = { networking, heartbeat, up: () => up() };
    const made = await steady(clock, policy, more);
    assert.deepEqual(asked, []);
    const dialFails = name === 'a dial that fails';
    if (dialFails) up = () => false;
    cause(made);
    await clock.advance(dialFails ? 10 : 70_000);
    assert.deepEqual(asked[dialFails ? 1 : 0], expected, name);
    made.client.close();
  }
  const limit = [];
  const options = { gateways: ['wss://a.example'], logger: null, networking };
  const policy = ({ code }) => void limit.push(code);
  for (const WebSocket of [fakeSockets().WebSocket, throwing]) {
    const client = new ClusterClient({ ...options, WebSocket, closePolicy: policy });
    client.connect();
    await clock.advance(400);
    client.close();
  }
  assert.deepEqual(limit, [null, null]);
});

const DEFAULTS = {
  1002: 'stop',
  1008: 'refresh',
  1010: 'stop',
  4400: 'stop',
  4401: 'refresh',
  4403: 'refresh',
};
Object.assign(DEFAULTS, { 1003: 'stop', 1007: 'stop', 4404: 'stop', 4499: 'stop' });
const OTHERS = [
  1000, 1001, 1005, 1006, 1009, 1011, 1012, 1013, 3000, 3999, 4000, 4399, 4408, 4429, 4500, 4999,
];

/** B044: every code has a default, and every default can be overridden. */
test('the default verdict of each code, and each overridden', async (t) => {
  const clock = virtualClock(t);
  for (const code of [...Object.keys(DEFAULTS).map(Number), ...OTHERS]) {
    for (const said of [undefined, 'next', 'same', 'refresh', 'stop']) {
      const asked = [];
      const policy = ({ verdict }) => (asked.push(verdict) === 1 ? said : 'next');
      const { client, fake } = await steady(clock, policy);
      fake.last.drop(code, '');
      await clock.advance(0);
      assert.equal(asked[0], DEFAULTS[code] ?? 'next', `default of ${code}`);
      const verdict = said ?? asked[0];
      if (verdict === 'same') {
        assert.equal(fake.sockets.length, 1);
        await clock.advance(250);
        assert.match(fake.last.url, /a\.example/, `${code}: the same after a wait`);
      } else {
        assert.match(fake.last.url, /b\.example/, `${code}: the next at once`);
        fake.last.drop(1006);
        await clock.advance(verdict === 'stop' ? 250 : 0);
        const third = verdict === 'stop' ? /b\.example/ : /a\.example/;
        assert.match(fake.last.url, third, `${code} ${said}: then`);
      }
      client.close();
    }
  }
});

test('stop of every gateway is the end: NO_GATEWAY, with what was wrong of each', async (t) => {
  const clock = virtualClock(t);
  const { client, fake, told } = await steady(clock, () => 'stop');
  const parked = client.invoke('m', [], { readOnly: true });
  const again = endOf(parked);
  fake.last.drop(1001, 'bye');
  const waiting = assert.rejects(client.connect(), (error) => {
    assert.equal(error.code, 'NO_GATEWAY');
    assert.deepEqual(
      error.failures.map(({ gateway, closeCode }) => [gateway, closeCode]),
      [
        ['wss://a.example [0]', 1001],
        ['wss://b.example [1]', 1006],
      ],
    );
    return true;
  });
  fake.last.fail();
  await waiting;
  assert.ok(['done', 'NO_GATEWAY'].includes(await again));
  assert.deepEqual(told, ['reconnecting', 'dialfailed stop', 'closed']);
  assert.equal(clock.running, 0);
  const connecting = client.connect();
  await settle();
  await connecting;
  assert.equal(client.state, 'connected', 'connect() clears what was held against gateways');
  client.close();
});

test('waitMilliseconds is the least length of the next wait: no jitter, no cap, not summed', async (t) => {
  const clock = virtualClock(t);
  const forever = 2 ** 31 - 1;
  for (const [said, exact, drawn] of [
    [{ verdict: 'same', waitMilliseconds: 9000 }, [9000, 9000]],
    [{ waitMilliseconds: 100 }, [], [250, 500]],
    [{ verdict: 'next', waitMilliseconds: 60_001 }, [60_001, 60_001]],
    [{ verdict: undefined, waitMilliseconds: 700 }, [700, 700]],
    [{ verdict: 'same' }, [], [250, 500]],
    ['same', [], [250, 500]],
    [{ verdict: 'next', waitMilliseconds: forever }, [forever]],
    [{ verdict: 'refresh', waitMilliseconds: 9000 }, [9000]],
  ]) {
    let up = true;
    const networking = { jitter: 0.5, reconnect: 'always' };
    const { client, fake, told } = await steady(clock, () => said, { networking, up: () => up });
    up = false;
    fake.last.drop(1001);
    for (const [place, expected] of (drawn ?? exact).entries()) {
      await settle();
      const waits = told.filter((line) => line.startsWith('waiting')).map((line) => Number(line.slice(8)));
      const wait = waits.at(-1);
      assert.equal(waits.length, place + 1);
      if (drawn) assert.ok(wait <= expected && wait >= expected / 2, `${wait} for ${expected}`);
      else assert.equal(wait, expected);
      await clock.advance(wait);
    }
    client.close();
    assert.equal(clock.running, 0);
  }
});

test('a throw or an unknown answer takes the default, and is reported', async (t) => {
  const reported = reports(t);
  const clock = virtualClock(t);
  const getter = Object.defineProperty({}, 'verdict', { get: () => thrower() });
  const wrong = [
    null,
    5,
    true,
    'wait',
    'NEXT',
    '',
    {},
    [],
    { verdict: 'maybe' },
    { verdict: null },
    Symbol('x'),
  ];
  wrong.push({ waitMilliseconds: -1 }, { waitMilliseconds: 1.5 }, { waitMilliseconds: 2 ** 31 });
  wrong.push(
    { waitMilliseconds: '5' },
    { verdict: 'next', waitMilliseconds: null },
    Promise.resolve('stop'),
    getter,
  );
  wrong.push(() => 'stop', new Date(0), new Proxy({}, { has: thrower }));
  function thrower() {
    throw new Error('mine');
  }
  for (const said of [...wrong, thrower]) {
    const before = reported.length;
    const policy = said === thrower ? thrower : () => said;
    const { client, fake, told } = await steady(clock, policy);
    fake.last.drop(1001);
    await settle();
    assert.equal(reported.length, before + 1, String(reported));
    assert.match(
      reported.at(-1),
      said === thrower || said === getter || said === wrong.at(-1)
        ? /mine/
        : /closePolicy.*must give a verdict/,
    );
    assert.match(fake.last.url, /b\.example/, 'the default is next');
    assert.deepEqual(told, ['reconnecting', 'connected']);
    client.close();
  }
});

test('what it calls harms nothing: invoke, reconnect, setGateways, close, connect', async (t) => {
  const clock = virtualClock(t);
  const calls = {
    invoke: (client) => void client.invoke('m', [1], { readOnly: true }).catch(() => {}),
    notify: (client) => assert.equal(client.notify('m'), 'dropped'),
    subscribe: (client) => void client.subscribe('m', [], () => {}),
    stats: (client) => void client.stats(),
    reconnect: (client) => client.reconnect(),
    setGateways: (client) => client.setGateways(['ws://c.example']),
    connect: (client) => void client.connect().catch(() => {}),
    close: (client) => client.close(),
    'close and connect': (client) => {
      client.close();
      client.connect().catch(() => {});
    },
    drain: (client) => void client.drain(),
  };
  for (const [name, call] of Object.entries(calls)) {
    let made;
    let times = 0;
    const policy = () => {
      times += 1;
      if (times === 1) call(made);
      return 'next';
    };
    const { client, fake } = await steady(clock, policy);
    made = client;
    const flying = endOf(client.invoke('m', [2], { readOnly: true }));
    fake.last.drop(1001);
    await clock.advance(20_000);
    assert.ok(['done', 'CLIENT_CLOSED'].includes(await flying), name);
    const ends = name === 'close' || name === 'drain';
    assert.equal(client.state, ends ? 'closed' : 'connected', name);
    if (!ends) {
      assert.deepEqual(await client.invoke('m', [3]), [3], name);
      client.close();
    }
    await clock.advance(100_000);
    assert.equal(clock.running, 0, name);
    const open = fake.sockets.filter(({ readyState, closes }) => readyState === 1 && closes.length === 0);
    assert.equal(open.length, 0, name);
  }
});
