// The session hook: what it sends, in which order, and what comes of its failure.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { startCluster } from '../gateways/cluster.mjs';
import { settle, virtualClock } from './support/clock.mjs';
import { fakeSockets } from './support/fake_ws.mjs';
import { calls, endOf, naming } from './support/gateway_script.mjs';
import { ready } from './support/installed.mjs';
import { reports } from './support/reports.mjs';

const { ClusterClient, RegateError } = await ready();

/** A client with this hook, its sockets, and what it told. */
function clientWith(session, { rules, ...more } = {}) {
  const fake = fakeSockets(naming(rules));
  const networking = { jitter: 0, shuffleAddresses: false, ...more.networking };
  const client = new ClusterClient({
    gateways: ['ws://a.example', 'ws://b.example'],
    logger: null,
    heartbeat: { periodMilliseconds: 0 },
    WebSocket: fake.WebSocket,
    session,
    ...more,
    networking,
  });
  const told = [];
  for (const name of ['statechange', 'dialfailed', 'waiting', 'sessionfailed']) {
    client.addEventListener(name, ({ detail }) => {
      told.push(`${name} ${detail.to ?? detail.cause ?? detail.milliseconds ?? detail.error?.message}`);
    });
  }
  return { client, fake, told };
}

test('log in, then subscriptions, then what was parked, then what the event causes: on every socket', async (t) => {
  const clock = virtualClock(t);
  const states = [];
  const { client, fake } = clientWith(async (connection) => {
    states.push(client.state);
    assert.match(connection.gateway, /^ws:\/\/[ab]\.example \[[01]\]$/);
    assert.deepEqual(await connection.invoke('login', ['s3cret']), ['s3cret']);
    assert.equal(connection.notify('hello'), 'sent');
    assert.deepEqual(await connection.invoke('restore', [1]), [1]);
  });
  const options = { readOnly: true };
  const parked = [client.invoke('first', [1], options), client.invoke('second', [2], options)];
  client.subscribe('eth_subscribe', ['x'], () => {});
  client.addEventListener('statechange', ({ detail }) => {
    if (detail.to === 'connected') client.invoke('caused', [3], options).catch(() => {});
  });
  await client.connect();
  await Promise.all(parked);
  const all = ['login s3cret', 'hello', 'restore 1'];
  assert.deepEqual(calls(fake.last), [...all, 'eth_subscribe x', 'first 1', 'second 2', 'caused 3']);
  fake.last.drop();
  const again = client.invoke('again', [4], options);
  await clock.advance(1000);
  assert.deepEqual(await again, [4]);
  assert.deepEqual(calls(fake.last), [...all, 'eth_subscribe x', 'again 4', 'caused 3']);
  assert.deepEqual(states, ['connecting', 'reconnecting']);
  client.close();
});

test('until it is done nothing else goes out, and nobody is told that it is connected', async (t) => {
  const clock = virtualClock(t);
  let finish;
  const session = () => new Promise((resolve) => (finish = resolve));
  const { client, fake, told } = clientWith(session);
  const connecting = client.connect();
  const parked = client.invoke('m', [1]);
  await clock.advance(5000);
  assert.equal(client.state, 'connecting');
  assert.equal(client.notify('n'), 'dropped');
  assert.equal(await endOf(client.invoke('bound', [], { boundToConnection: true })), 'CONNECTION_LOST');
  assert.deepEqual(fake.last.sent, []);
  finish();
  await connecting;
  assert.deepEqual(await parked, [1]);
  assert.deepEqual(told, ['statechange connecting', 'statechange connected']);
  client.close();
});

for (const [name, session] of [
  ['throws', () => fault()],
  ['rejects', async () => fault()],
  ['rejects later', ({ invoke }) => invoke('m').then(() => fault())],
]) {
  test(`a hook that ${name} is a failed dial, and the error is in an event`, async (t) => {
    const clock = virtualClock(t);
    let times = 0;
    const { client, fake, told } = clientWith((connection) =>
      ++times < 3 ? session(connection) : undefined,
    );
    const connecting = client.connect();
    await clock.advance(300);
    await connecting;
    assert.deepEqual(told, [
      'statechange connecting',
      'sessionfailed mine',
      'dialfailed session hook failed',
      'sessionfailed mine',
      'dialfailed session hook failed',
      'waiting 250',
      'statechange connected',
    ]);
    assert.deepEqual(
      fake.sockets.map(({ closes }) => closes),
      [[[1000]], [[1000]], []],
    );
    client.close();
  });
}

function fault(verdict) {
  throw Object.assign(new Error('mine'), verdict && { verdict });
}

test('the error may carry a verdict; one that is none is not heard', async (t) => {
  const clock = virtualClock(t);
  for (const [verdict, code, dials] of [
    ['stop', 'NO_GATEWAY', 2],
    ['next', 'CONNECT_TIMEOUT', 6],
    ['same', 'CONNECT_TIMEOUT', 3],
    ['refresh', 'NO_GATEWAY', 4],
    ['give up', 'CONNECT_TIMEOUT', 6],
    [5, 'CONNECT_TIMEOUT', 6],
  ]) {
    const networking = { connectTimeouts: '100:250:100' };
    const { client, fake } = clientWith(() => fault(verdict), { networking });
    const connecting = endOf(client.connect());
    await clock.advance(10_000);
    assert.equal(await connecting, code, String(verdict));
    assert.equal(fake.sockets.length, dials, String(verdict));
    assert.equal(clock.running, 0);
  }
  const { client } = clientWith(
    () => {
      throw Object.defineProperty(new Error('mine'), 'verdict', { get: () => fault() });
    },
    { networking: { connectTimeouts: '100:50:100' } },
  );
  const connecting = endOf(client.connect());
  await clock.advance(10_000);
  assert.equal(await connecting, 'CONNECT_TIMEOUT');
});

test('a hook that never settles fails at its limit, and what it does later harms nothing', async (t) => {
  const clock = virtualClock(t);
  const kept = [];
  const { client, fake, told } = clientWith(
    (connection) => (kept.push(connection) === 1 ? new Promise(() => {}) : undefined),
    { networking: { sessionTimeoutMilliseconds: 700 } },
  );
  const connecting = client.connect();
  await clock.advance(699);
  assert.deepEqual(told, ['statechange connecting']);
  await clock.advance(1);
  await connecting;
  assert.deepEqual(told.slice(1), ['dialfailed session hook limit', 'statechange connected']);
  assert.equal(await endOf(kept[0].invoke('late')), 'CONNECTION_LOST');
  assert.equal(kept[0].notify('late'), 'dropped');
  assert.equal(kept[1].notify('late'), 'dropped', 'only while the hook runs');
  assert.deepEqual(fake.sockets[1].sent, []);
  assert.deepEqual([fake.sockets[0].sent, fake.sockets[0].closes], [[], [[1000]]]);
  client.close();
  assert.equal(await endOf(kept[1].invoke('late')), 'CLIENT_CLOSED');
  assert.equal(kept[1].notify('late'), 'dropped');
});

test('what it asks is never run again: a refusal, a loss and a silence are its own to see', async (t) => {
  const clock = virtualClock(t);
  const seen = [];
  const rules = {
    refuses: (method) => (method === 'refused' ? { code: 1, data: { retryable: true } } : undefined),
    ignores: (method) => method === 'silent',
  };
  const session = async ({ invoke }) => {
    if (seen.length > 0) return;
    seen.push(await endOf(invoke('refused', [], { readOnly: true })));
    seen.push(await endOf(invoke('silent', [], { timeoutMilliseconds: 50 })));
    seen.push(await endOf(invoke('silent', [], { readOnly: true })));
    seen.push(await endOf(invoke('after')));
  };
  const { client, fake, told } = clientWith(session, { rules });
  const connecting = client.connect();
  await clock.advance(60);
  const [socket] = fake.sockets;
  socket.drop(1001);
  await clock.advance(10);
  await connecting;
  assert.deepEqual(seen, ['REMOTE_ERROR', 'TIMEOUT', 'CONNECTION_LOST', 'CONNECTION_LOST']);
  assert.deepEqual(calls(socket), ['refused', 'silent', 'silent']);
  assert.deepEqual(told, ['statechange connecting', 'dialfailed closed', 'statechange connected']);
  client.close();
});

test('a hook whose socket is gone has no say: neither in an event nor in a verdict', async (t) => {
  const clock = virtualClock(t);
  for (const end of ['drop', 'close', 'close and connect', 'reconnect', 'setGateways']) {
    let times = 0;
    const { client, fake, told } = clientWith(
      ({ invoke }) => {
        times += 1;
        if (times === 1) return invoke('silent').catch(() => fault('stop'));
      },
      { rules: { ignores: (method) => method === 'silent' } },
    );
    client.connect().catch(() => {});
    await clock.advance(10);
    assert.deepEqual(calls(fake.last), ['silent']);
    if (end === 'drop') fake.last.drop();
    else if (end === 'setGateways') client.setGateways(['ws://b.example']);
    else if (end === 'reconnect') client.reconnect();
    else {
      client.close();
      if (end === 'close and connect') client.connect();
    }
    await clock.advance(1000);
    assert.deepEqual(
      told.filter((line) => line.startsWith('session')),
      [],
      end,
    );
    const connected = end !== 'close' && end !== 'reconnect';
    assert.equal(client.state, connected ? 'connected' : end === 'close' ? 'closed' : 'connecting', end);
    client.close();
    assert.equal(clock.running, 0);
  }
});

test('a promise of the hook that nobody looks at is no unhandled rejection at close', async (t) => {
  const reported = reports(t);
  const { client } = clientWith(({ invoke }) => void invoke('silent'), { rules: { ignores: () => true } });
  await client.connect();
  client.close();
  await settle();
  assert.deepEqual(reported, []);
});

test('real gateways that want a login: after every kill the client has logged in again', async (t) => {
  const cluster = await startCluster({ count: 2, token: 'open sesame' });
  let token = 'wrong';
  const client = new ClusterClient({
    gateways: cluster.urls,
    WebSocket,
    logger: null,
    networking: { shuffleAddresses: false, connectTimeouts: '20:40:100' },
    session: ({ invoke }) => invoke('login', { token }),
  });
  t.after(async () => {
    client.close();
    await cluster.stop();
  });
  await assert.rejects(client.connect(), (error) => {
    assert.ok(error instanceof RegateError);
    assert.equal(error.code, 'CONNECT_TIMEOUT');
    assert.deepEqual(
      error.failures.map(({ cause }) => cause),
      ['session hook failed', 'session hook failed'],
    );
    return true;
  });
  token = 'open sesame';
  await client.connect();
  for (const gateway of cluster.gateways) {
    assert.equal(
      (await client.invoke('map.put', [{ id: gateway.url, key: 'k', value: 'v' }])) !== undefined,
      true,
    );
    const lost = new Promise((resolve) => client.addEventListener('statechange', resolve, { once: true }));
    await gateway.kill();
    await lost;
    await gateway.restart();
    await client.connect();
    assert.equal(
      await client.invoke('map.get', [{ id: `${gateway.url} again`, key: 'k' }], { readOnly: true }),
      'v',
    );
  }
});
