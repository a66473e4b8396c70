// The log: a handful of lines an outage, silence on request. And no secret in anything that is shown.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { virtualClock } from './support/clock.mjs';
import { echoing, fakeSockets } from './support/fake_ws.mjs';
import { ready } from './support/installed.mjs';

const { ClusterClient } = await ready();
const LEVELS = ['debug', 'error', 'info', 'log', 'trace', 'warn'];

/** A logger that keeps its lines. */
function keeping(lines = []) {
  const keep = (level) => (text) => lines.push([level, text]);
  return { lines, logger: { error: keep('error'), info: keep('info'), warn: keep('warn') } };
}

/** Sockets that open while `up()`, and fail else. */
const sockets = (up) =>
  fakeSockets({
    made: (socket) => queueMicrotask(() => (up() ? socket.open() : socket.fail())),
    sent: echoing.sent,
  });

/** A client that was connected and steady, then lost all its gateways for this long, then found them again. */
async function outage(clock, milliseconds, more) {
  let up = true;
  const fake = sockets(() => up);
  const client = new ClusterClient({
    gateways: ['ws://a.example', 'ws://b.example'],
    WebSocket: fake.WebSocket,
    networking: { jitter: 0 },
    ...more,
  });
  await client.connect();
  await clock.advance(10_000);
  up = false;
  fake.last.drop(1001);
  await clock.advance(milliseconds);
  up = true;
  await clock.advance(20_000);
  assert.equal(client.state, 'connected');
  return { client, fake };
}

test('an hour of outage: the first failure, a summary a minute with exact counts, the recovery', async (t) => {
  const clock = virtualClock(t);
  const { lines, logger } = keeping();
  const { client, fake } = await outage(clock, 3_600_000, { logger });
  const [first, ...rest] = lines;
  const last = rest.pop();
  assert.match(first.join(' '), /^warn regate: ws:\/\/[ab]\.example \[[01]\] failed: closed 1001$/);
  assert.match(
    last.join(' '),
    /^info regate: connected to ws:\/\/[ab]\.example \[[01]\] again after \d+\.\d s, \d+ rounds?, \d+ dials?$/,
  );
  assert.ok(rest.length <= 60, `${rest.length} summaries`);
  let suppressed = 0;
  for (const [level, text] of rest) {
    assert.equal(level, 'warn');
    suppressed += Number(/; (\d+) similar suppressed/.exec(text)?.[1] ?? 0);
  }
  const failed = fake.sockets.length - 2;
  const dials = Number(/(\d+) dials/.exec(last[1])[1]);
  assert.ok(
    suppressed <= failed && suppressed > failed - 30,
    `${suppressed} of ${failed} failures are in the summaries`,
  );
  assert.ok(dials === failed + 1, `${dials} dials said, ${failed + 1} made`);
  client.close();
});

test('an outage that is over within a second is two lines', async (t) => {
  const clock = virtualClock(t);
  const { lines, logger } = keeping();
  const { client } = await outage(clock, 100, { logger });
  client.close();
  await clock.advance(100_000);
  assert.deepEqual(
    lines.map(([level]) => level),
    ['warn', 'info'],
  );
});

test('null is silence; without the option it is the console', async (t) => {
  const clock = virtualClock(t);
  const calls = LEVELS.map((level) => t.mock.method(console, level, () => {}).mock);
  const count = () => calls.reduce((sum, mock) => sum + mock.callCount(), 0);
  const silent = await outage(clock, 100_000, { logger: null, hazelcast: { foreign: 1 } });
  silent.client.close();
  assert.equal(count(), 0);
  const loud = await outage(clock, 1000, {});
  loud.client.close();
  assert.equal(count(), 2);
});

test('a logger that throws, or is taken apart, does no harm', async (t) => {
  const clock = virtualClock(t);
  const thrower = () => {
    throw new Error('mine');
  };
  const logger = { error: thrower, info: thrower, warn: thrower };
  const first = await outage(clock, 100_000, { logger });
  delete logger.warn;
  delete logger.info;
  first.fake.last.drop();
  await clock.advance(30_000);
  assert.deepEqual(await first.client.invoke('m', [1]), [1]);
  first.client.close();
});

test('a logger that calls back in does no harm', async (t) => {
  const clock = virtualClock(t);
  let client;
  let lines = 0;
  const back = () => {
    lines += 1;
    client?.invoke('m', [1], { readOnly: true }).catch(() => {});
    client?.reconnect();
  };
  const fake = sockets(() => true);
  client = new ClusterClient({
    gateways: ['ws://a.example'],
    WebSocket: fake.WebSocket,
    logger: { error: back, info: back, warn: back },
  });
  await client.connect();
  await clock.advance(10_000);
  fake.last.drop();
  await clock.advance(10_000);
  assert.ok(lines > 0);
  assert.equal(client.state, 'connected');
  client.close();
});

test('no secret is in any event, error, log line or statistic', async (t) => {
  const clock = virtualClock(t);
  const secret = 's3cret';
  const url = (host) => `wss://${secret}:${secret}@${host}/${secret}/ws?key=${secret}`;
  const shown = [];
  const show = (value) => shown.push(inspect(value, { depth: 20, showHidden: true }), String(value?.stack));
  const log = (text) => show(text);
  let answer = 'rubbish';
  let up = true;
  const fake = fakeSockets({
    made: (socket) => queueMicrotask(() => (up ? socket.open() : socket.fail())),
    sent(socket, frame) {
      const { id } = JSON.parse(frame);
      if (answer === 'rubbish') socket.message(`${secret} ${id}`);
      if (answer === 'error') socket.message({ id, error: { code: 1, message: secret, data: secret } });
      if (answer === 'drop') socket.drop(1009, secret);
      if (answer === 'nothing') socket.message({ id });
    },
  });
  const client = new ClusterClient({
    gateways: [{ url: url('a.example'), protocols: [secret] }, url('b.example')],
    protocols: ['x', secret],
    logger: { error: log, info: log, warn: log },
    WebSocket: fake.WebSocket,
    messaging: { maxFastInvocationCount: 2, retryTimeoutSeconds: 5 },
    networking: { reconnect: 'schedule' },
  });
  for (const name of ['statechange', 'dial', 'dialfailed', 'waiting', 'protocolerror'])
    client.addEventListener(name, ({ detail }) => show(detail));
  const fails = (promise) =>
    promise.then(
      () => assert.fail('it should have failed'),
      (error) => {
        // What the gateway said is the cause, as it is: that is the application's.
        if (error.code === 'REMOTE_ERROR' || error.code === 'PROTOCOL_ERROR')
          show({ ...error, cause: undefined, text: error.message });
        else show(error);
        return error.code;
      },
    );
  await client.connect();
  assert.ok(client.gateway.includes(secret), 'the one place where the whole URL is');
  assert.ok(fake.sockets[0].args[1].includes(secret));
  const limited = fails(client.invoke(secret, [secret], { timeoutMilliseconds: 10 }));
  await clock.advance(20);
  assert.equal(await limited, 'TIMEOUT');
  answer = 'error';
  assert.equal(await fails(client.invoke(secret, [secret])), 'REMOTE_ERROR');
  answer = 'nothing';
  assert.equal(await fails(client.invoke(secret, [secret])), 'PROTOCOL_ERROR');
  answer = 'drop';
  assert.equal(await fails(client.invoke(secret, [secret])), 'MESSAGE_TOO_BIG');
  await clock.advance(20_000);
  up = false;
  answer = 'drop';
  const retried = fails(client.invoke('m', [], { readOnly: true }));
  const connecting = fails(client.connect());
  fake.last.drop(1006, secret);
  await clock.advance(200_000);
  await retried;
  assert.equal(await connecting, 'CONNECT_TIMEOUT');
  assert.equal(await fails(client.invoke('m')), 'CLIENT_CLOSED');
  show(client.stats());
  show(client);
  assert.ok(shown.length > 60);
  for (const text of shown) assert.ok(!text.includes(secret), text);
});
