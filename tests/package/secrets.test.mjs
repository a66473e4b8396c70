// Secrets in every place where one can be: none is in a log line, an event, an error or a statistic.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { virtualClock } from './support/clock.mjs';
import { fakeSockets } from './support/fake_ws.mjs';
import { ready } from './support/installed.mjs';

const { ClusterClient, retry, tcpTimeouts } = await ready();

/** Where secrets are planted: each has a name of its own, so that a leak says which it was. */
const PLACES = [
  'user',
  'password',
  'path',
  'query',
  'fragment',
  'protocol',
  'reason',
  'method',
  'params',
  'key',
];
PLACES.push('result', 'code', 'remote', 'news', 'rubbish', 'token');
const S = Object.fromEntries(PLACES.map((place) => [place, `s3cret-${place}`]));
const PATTERN = /s3cret(?:-|%2D)(\w+)/i;

/** Keeps all that is shown of a value: its text, its fields to any depth, its stack. */
class Shown {
  texts = [];
  show(where, value) {
    this.texts.push([where, inspect(value, { depth: 20, showHidden: true, getters: true })]);
    this.texts.push([where, String(value?.message)], [where, String(value?.stack)], [where, safeJson(value)]);
  }

  check() {
    for (const [where, text] of this.texts)
      assert.equal(PATTERN.exec(text)?.[1], undefined, `in ${where}: ${text}`);
  }
}

function safeJson(value) {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

const EVENTS = ['statechange', 'dial', 'dialfailed', 'waiting', 'gatewaysfailed', 'protocolerror'];
const url = (host, scheme = 'wss') =>
  `${scheme}://${S.user}:${S.password}@${host}/${S.path}/ws?key=${S.query}#${S.fragment}`;

/** A client with secrets in all its places, and all that it shows. `mode` says what its gateways do. */
function planted(more = {}) {
  const shown = new Shown();
  const world = { mode: 'answer', up: true };
  const fake = fakeSockets({
    made: (socket) =>
      queueMicrotask(() => (world.up ? socket.readyState === 0 && socket.open() : socket.fail())),
    sent(socket, frame) {
      const { id } = JSON.parse(frame);
      const error = { code: 1, message: S.remote, data: { [S.code]: S.remote } };
      if (world.mode === 'answer') socket.message({ id, result: S.result });
      if (world.mode === 'error') socket.message({ id, error });
      if (world.mode === 'nothing') socket.message({ id, [S.news]: S.news });
      if (world.mode === 'rubbish') socket.message(`${S.rubbish} ${id}`);
      if (world.mode === 'busy') socket.message({ id, error: { ...error, data: { retryable: true } } });
      if (world.mode.startsWith('drop')) socket.drop(Number(world.mode.slice(4)), S.reason);
      if (world.mode === 'throw') throw new Error(S.params);
    },
  });
  const log = (text) => shown.show('log', text);
  const client = new ClusterClient({
    gateways: [{ url: url('a.example'), protocols: [S.protocol] }, url('b.example')],
    protocols: ['x', S.protocol],
    logger: { error: log, info: log, warn: log },
    WebSocket: fake.WebSocket,
    networking: { reconnect: 'schedule', shuffleAddresses: false },
    messaging: { maxFastInvocationCount: 2, retryTimeoutSeconds: 5 },
    ...more,
  });
  for (const name of EVENTS) client.addEventListener(name, ({ detail }) => shown.show(name, detail));
  return { client, fake, shown, world };
}

const call = [S.method, { [S.params]: S.params }, { operationKey: S.key }];

/** Every way for an operation to fail, with what the gateway does then. */
const FAILURES = {
  REMOTE_ERROR: ['error'],
  PROTOCOL_ERROR: ['nothing'],
  TIMEOUT: ['rubbish', { timeoutMilliseconds: 50 }],
  RESPONSE_TIMEOUT: ['silence', { waitForResponseMilliseconds: 50 }],
  RETRY_TIMEOUT: ['busy', { retryTimeoutSeconds: 1 }],
  MESSAGE_TOO_BIG: ['drop1009'],
  CONNECTION_LOST: ['drop1006'],
};

for (const [code, [mode, options]] of Object.entries(FAILURES)) {
  test(`an operation that fails with ${code}`, async (t) => {
    const clock = virtualClock(t);
    const { client, fake, shown, world } = planted();
    await client.connect();
    assert.ok(
      client.gateway.includes(S.query) && client.gateway.includes(S.user),
      'the one place of the whole URL',
    );
    assert.ok(fake.sockets[0].args[1].includes(S.protocol));
    world.mode = mode;
    const failed = client.invoke(S.method, call[1], { ...call[2], ...options }).then(
      () => assert.fail('it should have failed'),
      (error) => error,
    );
    await clock.advance(2000);
    const error = await failed;
    assert.equal(error.code, code);
    // What a gateway says is the cause, as it is: that is the application's to see, and nobody else's.
    const { cause, ...fields } = error;
    if (code === 'REMOTE_ERROR' || code === 'PROTOCOL_ERROR' || mode === 'busy')
      assert.match(safeJson(cause), PATTERN);
    else shown.show('cause', cause);
    shown.show('error', { ...fields, text: error.message, trace: error.stack, name: String(error) });
    shown.show('stats', client.stats());
    shown.show('client', client);
    client.close();
    shown.check();
  });
}

test('losses, refusals, dead lines and giving up', async (t) => {
  const clock = virtualClock(t);
  const { client, fake, shown, world } = planted();
  await client.connect();
  for (const code of [1000, 1001, 1008, 1011, 4401, 4000, 4429]) {
    fake.last.drop(code, S.reason);
    await clock.advance(20_000);
  }
  world.mode = 'silence';
  await clock.advance(60_000);
  world.mode = 'throw';
  client.invoke(...call).catch((error) => shown.show('error', error));
  await clock.advance(1000);
  world.up = false;
  fake.last.drop(1006, S.reason);
  const parked = client.invoke(S.method, call[1], { readOnly: true, operationKey: S.key });
  parked.catch((error) => shown.show('error', error));
  const connecting = client.connect().catch((error) => shown.show('error', error));
  await clock.advance(200_000);
  await connecting;
  assert.equal(client.state, 'closed');
  client.invoke(...call).catch((error) => shown.show('error', error));
  assert.equal(client.notify(S.method, call[1]), 'dropped');
  await client.subscribe(S.method, [S.params], () => {}).ended.catch((error) => shown.show('error', error));
  shown.show('stats', client.stats());
  assert.ok(shown.texts.some(([where]) => where === 'log'));
  assert.ok(shown.texts.length > 100);
  shown.check();
});

test('what a list function, a session hook, a policy and a codec bring in', async (t) => {
  const clock = virtualClock(t);
  let token = 0;
  const lists = [
    () => [],
    () => [url('a.example', 'https')],
    () => ['//', S.token],
    () => Promise.reject(new Error(S.token)),
  ];
  const gateways = () => {
    token += 1;
    return token <= lists.length
      ? lists[token - 1]()
      : [`${url('c.example').split('#')[0]}&t=${S.token}${token}`];
  };
  let greetings = 0;
  const session = ({ gateway, invoke }) => {
    shown.show('gateway of the hook', gateway);
    greetings += 1;
    if (greetings === 1) throw new Error(S.token);
    return invoke(S.method, [S.token]);
  };
  const asked = [];
  const closePolicy = (failure) => void asked.push(failure);
  const { client, fake, shown, world } = planted({ gateways, session, closePolicy });
  const own = [];
  client.addEventListener('sessionfailed', ({ detail }) => own.push(detail));
  client.connect();
  await clock.advance(30_000);
  assert.equal(client.state, 'connected');
  assert.equal(own.length, 1);
  shown.show('sessionfailed', own[0].gateway);
  assert.match(own[0].error.message, PATTERN, 'what the hook threw is its own');
  world.up = false;
  fake.last.drop(4000, S.reason);
  await clock.advance(100);
  assert.ok(
    asked.some(({ reason }) => reason === S.reason),
    'the policy is told the reason',
  );
  for (const { gateway } of asked) shown.show('gateway of the policy', gateway);
  client.close();
  shown.check();
});

test('the name of a foreign setting that is a URL is not logged', () => {
  const { client, shown } = planted({
    hazelcast: { [url('b.example')]: 1, network: { [url('c.example')]: 1 } },
  });
  client.close();
  assert.equal(shown.texts.filter(([where]) => where === 'log').length, 8);
  shown.check();
});

test('errors of arguments and options show no value that can be one', async (t) => {
  virtualClock(t);
  const { client, shown } = planted();
  const attempts = [
    () => new ClusterClient({ gateways: [url('a b.example')] }),
    () => new ClusterClient({ gateways: url('a.example') }),
    () => new ClusterClient({ gateways: [url('a.example', 'https')] }),
    () => new ClusterClient({ gateways: [[url('a.example')]] }),
    () => new ClusterClient({ gateways: [{ url: 5, [url('a.example')]: 1 }] }),
    () => new ClusterClient({ gateways: [url('a.example')], protocols: [S.protocol, S.protocol] }),
    () => new ClusterClient({ gateways: [url('a.example')], protocols: `${S.protocol} ` }),
    () => new ClusterClient({ gateways: [url('a.example')], token: S.token }),
    () => new ClusterClient({ gateways: [url('a.example')], [url('b.example')]: true }),
    () => new ClusterClient({ gateways: [url('a.example')], networking: { [url('b.example')]: true } }),
    () => client.invoke(S.method, [], { [url('b.example')]: true }),
    () => client.subscribe(S.method, [], () => {}, { [url('b.example')]: true }),
    () => new ClusterClient({ gateways: [url('a.example')], logger: S.token }),
    () => new ClusterClient({ gateways: [url('a.example')], session: S.token }),
    () => new ClusterClient({ gateways: [url('a.example')], codec: S.token }),
    () => new ClusterClient({ gateways: [url('a.example')], networking: S.token }),
    () => client.setGateways([url('a b.example')]),
    () => client.invoke(S.method, S.params),
    () => client.invoke(S.method, [], { token: S.token }),
    () => client.invoke(S.method, [], { operationKey: { [S.key]: 1 } }),
    () => client.invoke(S.method, [], S.token),
    () => client.notify(S.method, S.params),
    () => client.subscribe(S.method, S.params, () => {}),
    () => client.subscribe(S.method, [], S.params),
    () => client.connect({ signal: S.token }),
    () => client.invoke(S.method, [{ toJSON: () => fault() }]),
    () => client.invoke(S.method, cyclic()),
    () => retry(() => {}, { gateways: [url('a b.example')] }),
    () => retry(() => Promise.reject(new Error(S.params)), { gateways: [url('a.example', 'https')] }),
    () => tcpTimeouts(url('a.example')),
  ];
  function fault() {
    throw new Error(S.params);
  }
  function cyclic() {
    const params = { [S.params]: {} };
    params[S.params].again = params;
    return params;
  }
  for (const [place, attempt] of attempts.entries()) {
    const error = await (async () => attempt())().then(
      () => assert.fail(`attempt ${place} should have failed`),
      (thrown) => thrown,
    );
    assert.equal(error.name, 'RegateError', String(attempt));
    // What the application's own code threw is the cause.
    const { cause: _, ...fields } = error;
    shown.show(String(attempt), { ...fields, text: error.message, trace: error.stack.split('\n').at(0) });
  }
  client.close();
  shown.check();
});
