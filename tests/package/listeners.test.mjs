// Listeners that throw, and listeners that call back in: they harm nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle, virtualClock } from './support/clock.mjs';
import { echoing, fakeSockets } from './support/fake_ws.mjs';
import { ready } from './support/installed.mjs';

const { ClusterClient } = await ready();
const EVENTS = ['statechange', 'dial', 'dialfailed', 'waiting', 'notification', 'protocolerror'];

/** A client on whose way every event happens: the first dials fail, then one opens, is lost, and another opens. */
async function throughEverything(prepare, { clock, ended = () => false }) {
  let dials = 0;
  const fake = fakeSockets({
    made(socket) {
      dials += 1;
      const fails = dials < 3;
      queueMicrotask(() => (fails ? socket.fail() : socket.readyState === 0 && socket.open()));
    },
    sent: echoing.sent,
  });
  const gateways = ['ws://a.example', 'ws://b.example'];
  const options = { gateways, logger: null, WebSocket: fake.WebSocket, networking: { jitter: 0 } };
  const client = new ClusterClient(options);
  const seen = new Set();
  for (const name of EVENTS) client.addEventListener(name, () => seen.add(name));
  prepare(client, fake);
  client.connect().catch(() => {});
  const parked = client.invoke('m', [0], { readOnly: true });
  parked.catch(() => {});
  await clock.advance(1000);
  fake.last?.message({ method: 'news' });
  fake.last?.message('no json');
  const flying = client.invoke('m', [1], { readOnly: true });
  flying.catch(() => {});
  fake.last?.drop();
  await clock.advance(10_000);
  if (!ended()) {
    assert.equal(client.state, 'connected');
    assert.deepEqual(await parked, [0]);
    assert.deepEqual(await flying, [1]);
    assert.deepEqual([...seen].sort(), [...EVENTS].sort());
  }
  return { client, fake };
}

test('a listener that throws is reported, and nothing else happens', async (t) => {
  const clock = virtualClock(t);
  const reported = [];
  const before = process.rawListeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => reported.push(error.message));
  try {
    const prepare = (client) => {
      for (const name of EVENTS) {
        client.addEventListener(name, () => {
          throw new Error(name);
        });
        client.addEventListener(name, { handleEvent: () => Promise.reject(new Error(`${name} later`)) });
      }
    };
    const { client } = await throughEverything(prepare, { clock });
    client.close();
    await settle();
  } finally {
    process.removeAllListeners('uncaughtException');
    for (const listener of before) process.on('uncaughtException', listener);
  }
  for (const name of EVENTS) {
    assert.ok(reported.includes(name), name);
    assert.ok(reported.includes(`${name} later`), name);
  }
});

const HARMLESS = {
  invoke: (client) => client.invoke('again', [2], { readOnly: true }).catch(() => {}),
  notify: (client) => client.notify('again'),
  connect: (client) => client.connect().catch(() => {}),
  stats: (client) => assert.equal(typeof client.stats().dials, 'number'),
  getters: (client) => void [client.state, client.gateway],
  addEventListener: (client) => client.addEventListener('statechange', () => {}),
  removeEventListener: (client, _, self) => client.removeEventListener(self.name, self.listener),
  'another client': (_, options) => new ClusterClient(options).close(),
};

for (const name of EVENTS) {
  for (const [call, run] of Object.entries(HARMLESS)) {
    test(`${call} inside ${name}`, async (t) => {
      const clock = virtualClock(t);
      let times = 0;
      const prepare = (client, fake) => {
        const self = { name };
        self.listener = () => {
          times += 1;
          if (times < 20 && client.state !== 'closed')
            run(client, { gateways: ['ws://c.example'], WebSocket: fake.WebSocket }, self);
        };
        client.addEventListener(name, self.listener);
      };
      const { client } = await throughEverything(prepare, { clock });
      assert.ok(times > 0);
      client.close();
      await settle();
      assert.equal(clock.running, 0);
    });
  }

  test(`reconnect inside ${name}`, async (t) => {
    const clock = virtualClock(t);
    let times = 0;
    const prepare = (client) =>
      client.addEventListener(name, () => {
        times += 1;
        if (times === 1) client.reconnect();
      });
    const { client, fake } = await throughEverything(prepare, { clock, ended: () => true });
    await clock.advance(20_000);
    assert.equal(client.state, 'connected');
    assert.deepEqual(await client.invoke('m', [3]), [3]);
    assert.equal(fake.sockets.filter(({ readyState }) => readyState === 1).length, 1);
    client.close();
    assert.equal(clock.running, 0);
  });

  test(`close inside ${name}`, async (t) => {
    const clock = virtualClock(t);
    let after = 0;
    let closed = false;
    const prepare = (client) => {
      client.addEventListener(name, () => {
        closed = true;
        client.close();
        client.close();
      });
      for (const other of EVENTS)
        client.addEventListener(other, ({ detail }) => {
          if (closed && client.state === 'closed' && detail.to !== 'closed' && other !== name) after += 1;
        });
    };
    const { client, fake } = await throughEverything(prepare, { clock, ended: () => true });
    assert.ok(closed);
    assert.equal(client.state, 'closed');
    assert.equal(clock.running, 0);
    assert.equal(after, 0, 'an event came after the last one');
    const dials = fake.sockets.length;
    await clock.advance(100_000);
    assert.equal(fake.sockets.length, dials);
    assert.equal(
      fake.sockets.filter(({ readyState, closes }) => readyState === 1 && closes.length === 0).length,
      0,
    );
  });

  test(`close and connect inside ${name}`, async (t) => {
    const clock = virtualClock(t);
    let times = 0;
    const prepare = (client) =>
      client.addEventListener(name, () => {
        times += 1;
        if (times > 1) return;
        client.close();
        client.connect().catch(() => {});
      });
    const { client } = await throughEverything(prepare, { clock, ended: () => true });
    await clock.advance(20_000);
    assert.equal(client.state, 'connected');
    assert.deepEqual(await client.invoke('m', [3]), [3]);
    client.close();
  });
}

test('sockets that answer, open and close inside the call harm nothing', async (t) => {
  const clock = virtualClock(t);
  let sends = 0;
  const script = {
    made: echoing.made,
    sent(socket, frame) {
      sends += 1;
      const { id, params } = JSON.parse(frame);
      if (sends % 7 === 0) socket.drop();
      else if (id !== undefined) socket.message({ id, result: params });
    },
    closing: (socket) => socket.drop(1000),
  };
  const fake = fakeSockets(script);
  const client = new ClusterClient({
    gateways: ['ws://a.example', 'ws://b.example'],
    logger: null,
    WebSocket: fake.WebSocket,
  });
  // A message inside a message: the answer comes while the notification is being heard.
  const inner = [];
  client.addEventListener('notification', () => inner.push(client.invoke('inner', [1], { readOnly: true })));
  client.connect();
  const answers = Array.from({ length: 20 }, (_, index) => client.invoke('m', [index], { readOnly: true }));
  await clock.advance(30_000);
  assert.deepEqual(
    await Promise.all(answers),
    Array.from({ length: 20 }, (_, index) => [index]),
  );
  await client.connect();
  const dials = fake.sockets.length;
  sends = 0;
  fake.last.message({ method: 'news' });
  assert.equal(sends, 1);
  assert.deepEqual(await inner[0], [1]);
  assert.equal(fake.sockets.length, dials, 'the connection was not lost');
  client.close();
  assert.equal(client.state, 'closed');
});

test('close inside the constructor of a socket, inside send and inside close', async (t) => {
  const clock = virtualClock(t);
  for (const place of ['made', 'sent', 'closing']) {
    let client;
    const script = { made: echoing.made };
    const before = script[place] ?? (() => {});
    script[place] = (socket) => {
      before(socket);
      client.close();
    };
    const fake = fakeSockets(script);
    client = new ClusterClient({ gateways: ['ws://a.example'], logger: null, WebSocket: fake.WebSocket });
    const connecting = client.connect().catch(() => {});
    const call = client.invoke('m').catch(({ code }) => code);
    await clock.advance(100);
    client.close();
    await connecting;
    assert.equal(await call, 'CLIENT_CLOSED');
    await clock.advance(100_000);
    assert.equal(client.state, 'closed');
    assert.equal(fake.sockets.length, 1, place);
    assert.ok(fake.sockets[0].closes.length > 0, place);
    assert.equal(clock.running, 0);
  }
});

test('what a listener causes comes after what it hears, for every listener', async (t) => {
  const clock = virtualClock(t);
  const fake = fakeSockets(echoing);
  const client = new ClusterClient({ gateways: ['ws://a.example'], logger: null, WebSocket: fake.WebSocket });
  const heard = [];
  client.addEventListener('statechange', ({ detail }) => detail.to === 'connected' && client.close());
  client.addEventListener('statechange', ({ detail }) => heard.push(detail.to));
  await client.connect();
  await clock.advance(100);
  assert.deepEqual(heard, ['connecting', 'connected', 'closed']);
});

test('each connect() in one listener has an end of its own', async (t) => {
  const clock = virtualClock(t);
  const fake = fakeSockets(echoing);
  const client = new ClusterClient({ gateways: ['ws://a.example'], logger: null, WebSocket: fake.WebSocket });
  const ends = [];
  const connect = (name) =>
    client.connect().then(
      () => ends.push(`${name} connected`),
      ({ code }) => ends.push(`${name} ${code}`),
    );
  let first = true;
  client.addEventListener('dial', () => {
    if (!first) return;
    first = false;
    client.close();
    connect('second');
    client.close();
    connect('third');
  });
  connect('first');
  await clock.advance(100);
  assert.deepEqual(ends, ['first CLIENT_CLOSED', 'second CLIENT_CLOSED', 'third connected']);
  client.close();
});
