// Every wrong option and argument is INVALID_OPTION, with name, value and rule, before anything is dialled.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { echoing, fakeSockets } from './support/fake_ws.mjs';
import { ready } from './support/installed.mjs';
import { SCHEDULES, WRONG } from './support/wrong_options.mjs';

const { ClusterClient, connect, tcpTimeouts } = await ready();
const A = 'ws://a.example';

/** That an error says this of an option. */
function says(error, name, value, rule) {
  assert.equal(error.name, 'RegateError');
  assert.equal(error.code, 'INVALID_OPTION', error.message);
  assert.equal(error.completion, 'no');
  for (const text of [name, value, rule])
    assert.ok(error.message.includes(text), `${text} in: ${error.message}`);
  return true;
}

/** Options by a dotted path. */
function at(path, value) {
  const names = path.split('.');
  return names.reduceRight((inner, name) => ({ [name]: inner }), value);
}

for (const [path, rows] of Object.entries(WRONG)) {
  test(`wrong: ${path || 'an empty name'}`, async () => {
    for (const [value, shown, rule, name = path] of rows) {
      const { WebSocket, sockets } = fakeSockets();
      const options = { gateways: [A], WebSocket, logger: null, ...at(path, value) };
      assert.throws(
        () => new ClusterClient(options),
        (error) => says(error, name, shown, rule),
      );
      await assert.rejects(connect(options), (error) => says(error, name, shown, rule));
      assert.equal(sockets.length, 0);
    }
  });
}

test('wrong: the options themselves', async () => {
  for (const options of [undefined, null, 5, 'x', [], () => {}, true]) {
    assert.throws(
      () => new ClusterClient(options),
      (error) => says(error, 'options', '', 'object'),
      String(options),
    );
  }
  for (const options of [null, 5, 'x', [], true]) {
    await assert.rejects(connect(options), { code: 'INVALID_OPTION' }, String(options));
  }
  await assert.rejects(connect(), { code: 'INVALID_OPTION' });
});

test('wrong: gateways', () => {
  const rows = [
    [undefined, 'gateways', 'list of at least one'],
    [null, 'gateways', 'list of at least one'],
    [A, 'gateways', 'list of at least one'],
    [[], 'gateways', 'list of at least one'],
    [{ 0: A, length: 1 }, 'gateways', 'list of at least one'],
    [[A, ''], 'gateways[1]', 'absolute URL'],
    [['a.example'], 'gateways[0]', 'absolute URL'],
    [['/ws'], 'gateways[0]', 'absolute URL'],
    [['ws://'], 'gateways[0]', 'absolute URL'],
    [['ws://a b'], 'gateways[0]', 'absolute URL'],
    [['http://a.example'], 'gateways[0]', 'ws: or wss:'],
    [['javascript:alert(1)'], 'gateways[0]', 'ws: or wss:'],
    [[5], 'gateways[0]', 'text of a URL'],
    [[null], 'gateways[0]', 'text of a URL'],
    [[undefined], 'gateways[0]', 'text of a URL'],
    [new Array(3), 'gateways[0]', 'text of a URL'],
    [[[A]], 'gateways[0]', 'text of a URL'],
    [[{}], 'gateways[0]', 'text of a URL'],
    [[{ url: 5 }], 'gateways[0]', 'text of a URL'],
    [[{ url: A, protocol: 'x' }], 'gateways[0].protocol', 'no option'],
    [[{ url: A, protocols: 5 }], 'gateways[0].protocols', 'a sub-protocol or a list'],
    [[{ url: A, protocols: ['x', 5] }], 'gateways[0].protocols[1]', 'a sub-protocol or a list'],
  ];
  for (const [gateways, name, rule] of rows) {
    assert.throws(
      () => new ClusterClient({ gateways }),
      (error) => says(error, name, '', rule),
    );
  }
  assert.throws(
    () => new ClusterClient({ gateways: [A], protocols: ['x', Symbol('y')] }),
    (error) => says(error, 'protocols[1]', '', 'a sub-protocol or a list'),
  );
});

test('an error of an option shows no secret of a URL or a sub-protocol', () => {
  const secret = 's3cret';
  const url = `wss://user:${secret}@a.example/${secret}?key=${secret}#${secret}`;
  const rows = [
    { gateways: url },
    { gateways: [url.replace('wss:', 'https:')] },
    { gateways: [url.replace('wss:', 'wss')] },
    { gateways: [url.replace('a.example', 'a b')] },
    { gateways: [{ url, x: secret }] },
    { gateways: [{ url, protocols: [secret, 5] }] },
    { gateways: [url], protocols: { secret } },
    { gateways: [url], url },
    { gateways: [A], networking: { connectTimeouts: url } },
    { gateways: [A], urls: [url] },
  ];
  for (const options of rows) {
    assert.throws(
      () => new ClusterClient(options),
      (error) => {
        assert.equal(error.code, 'INVALID_OPTION');
        assert.ok(!error.stack.includes(secret), error.message);
        return true;
      },
    );
  }
});

test('names of an existing configuration: nested, dotted, texts; the same twice; foreign ones once', () => {
  const warnings = [];
  const logger = { error() {}, info() {}, warn: (text) => warnings.push(text) };
  const orb = 'com.sun.corba.ee.transport';
  const good = [
    { 'hazelcast.networking.connectionTimeoutMilliseconds': '7000' },
    {
      hazelcast: {
        networking: { connectionTimeoutMilliseconds: 7000, redoOperations: 'true', reconnect: 'false' },
      },
    },
    { hazelcast: { 'networking.shuffleAddresses': 'false' } },
    at(`${orb}.ORBTCPConnectTimeouts`, '1:2:3'),
    { com: { 'sun.corba.ee.transport.ORBWaitForResponseTimeout': '1800000' } },
    { networking: { reconnect: 'never' }, 'hazelcast.networking.reconnect': false },
    { 'networking.jitter': 0, networking: { jitter: 0 } },
    { networking: undefined, messaging: { jitter: undefined }, seed: undefined },
  ];
  for (const more of good) new ClusterClient({ gateways: [A], logger, ...more });
  assert.deepEqual(warnings, []);
  new ClusterClient({
    gateways: [A],
    logger,
    hazelcast: { clusterName: 'dev', networking: { smartRouting: true } },
    [`${orb}.ORBx`]: 1,
  });
  assert.equal(warnings.length, 3);
  for (const name of ['hazelcast.clusterName', 'hazelcast.networking.smartRouting', `${orb}.ORBx`]) {
    assert.equal(warnings.filter((text) => text.includes(name)).length, 1, name);
  }
  const wrong = [
    [{ networking: { jitter: 0 }, 'networking.jitter': 0.5 }, 'networking.jitter', 'another value'],
    [
      { networking: { reconnect: 'always' }, 'hazelcast.networking.reconnect': 'false' },
      'hazelcast.networking.reconnect',
      'another value',
    ],
    [
      { 'hazelcast.networking.connectionTimeoutMilliseconds': '7e3' },
      'hazelcast.networking.connectionTimeoutMilliseconds',
      'whole',
    ],
    [
      { 'hazelcast.networking.connectionTimeoutMilliseconds': '' },
      'hazelcast.networking.connectionTimeoutMilliseconds',
      'whole',
    ],
    [
      { 'hazelcast.networking.connectionTimeoutMilliseconds': '99999999999999999999999' },
      'hazelcast.',
      'whole',
    ],
    [
      { 'hazelcast.networking.redoOperations': 'yes' },
      'hazelcast.networking.redoOperations',
      'true or false',
    ],
    [{ com: { sun: 5 } }, 'com.sun', 'object'],
  ];
  for (const [more, name, rule] of wrong) {
    assert.throws(
      () => new ClusterClient({ gateways: [A], ...more }),
      (error) => says(error, name, '', rule),
    );
  }
});

test('0 is no default', async () => {
  const zero = {
    networking: { jitter: 0, steadyMilliseconds: 0 },
    messaging: {
      retryTimeoutSeconds: 0,
      maxFastInvocationCount: 0,
      waitForResponseMilliseconds: 0,
      jitter: 0,
    },
  };
  new ClusterClient({
    gateways: [A],
    seed: 0,
    ...zero,
    limits: { maxPendingOperations: 0, maxInFlightOperations: 0 },
  });
  const { WebSocket, sockets } = fakeSockets(echoing);
  const client = new ClusterClient({ gateways: [A], WebSocket, limits: { maxPendingOperations: 0 } });
  await assert.rejects(client.invoke('m'), { code: 'OVERLOADED', completion: 'no', attempts: 0 });
  await client.connect();
  assert.deepEqual(await client.invoke('m', [1]), [1]);
  await assert.rejects(client.invoke('m', [1], { timeoutMilliseconds: 0 }), { code: 'TIMEOUT' });
  client.close();
  assert.equal(sockets.length, 1);
});

test('wrong arguments of calls: nothing is sent', async () => {
  const { WebSocket, sockets } = fakeSockets(echoing);
  const client = new ClusterClient({ gateways: [A], WebSocket, logger: null });
  await client.connect();
  const rows = [
    [[], 'method'],
    [[''], 'method'],
    [[5], 'method'],
    [[null], 'method'],
    [['m', 5], 'params'],
    [['m', null], 'params'],
    [['m', 'x'], 'params'],
    [['m', () => {}], 'params'],
    [['m', [], 5], 'options'],
    [['m', [], null], 'options'],
    [['m', [], 'readOnly'], 'options'],
    [['m', [], { readonly: true }], 'readonly'],
    [['m', [], { readOnly: 1 }], 'readOnly'],
    [['m', [], { redoOperations: 'true' }], 'redoOperations'],
    [['m', [], { signal: {} }], 'signal'],
    [['m', [], { signal: null }], 'signal'],
    [['m', [], { timeoutMilliseconds: -1 }], 'timeoutMilliseconds'],
    [['m', [], { timeoutMilliseconds: 1.5 }], 'timeoutMilliseconds'],
    [['m', [], { timeoutMilliseconds: '5' }], 'timeoutMilliseconds'],
    [['m', [], { timeoutMilliseconds: Number.POSITIVE_INFINITY }], 'timeoutMilliseconds'],
    [['m', [], { retryTimeoutSeconds: '5' }], 'retryTimeoutSeconds'],
    [['m', [], { jitter: 2 }], 'jitter'],
    [['m', [], { connectTimeouts: '1:2:3' }], 'connectTimeouts'],
    [['m', [], JSON.parse('{"__proto__":{"readOnly":true}}')], '__proto__'],
  ];
  for (const [args, name] of rows) {
    await assert.rejects(client.invoke(...args), (error) => says(error, name, '', ''));
    if (args.length < 3)
      assert.throws(
        () => client.notify(...args),
        (error) => says(error, name, '', ''),
      );
  }
  assert.equal(sockets[0].sent.length, 0);
  assert.deepEqual(await client.invoke('m', [1]), [1]);
  client.close();
});

test('wrong arguments of connect(): nothing is dialled', async () => {
  const { WebSocket, sockets } = fakeSockets();
  const client = new ClusterClient({ gateways: [A], WebSocket, logger: null });
  for (const options of [null, 5, 'x', { signal: {} }, { signal: null }, { signal: 5 }, { timeout: 5 }]) {
    await assert.rejects(client.connect(options), { code: 'INVALID_OPTION' }, JSON.stringify(options));
  }
  for (const signal of [{}, null, 5]) {
    await assert.rejects(connect({ gateways: [A], WebSocket, signal }), { code: 'INVALID_OPTION' });
  }
  assert.equal(client.state, 'idle');
  assert.equal(sockets.length, 0);
});

test('hostile objects: an error or a client, and the next client works', () => {
  const cyclic = { gateways: [A] };
  cyclic.networking = cyclic;
  const deep = { gateways: [A] };
  deep.hazelcast = deep;
  const thrower = new Error('mine');
  const throwing = {
    get: () => {
      throw thrower;
    },
  };
  const { proxy: revoked, revoke } = Proxy.revocable({}, {});
  revoke();
  const revokedList = Proxy.revocable([], {});
  revokedList.revoke();
  const rows = [
    cyclic,
    {
      get gateways() {
        throw thrower;
      },
    },
    {
      gateways: [A],
      get networking() {
        throw thrower;
      },
    },
    {
      gateways: [
        {
          get url() {
            throw thrower;
          },
        },
      ],
    },
    {
      gateways: [A],
      networking: {
        get jitter() {
          throw [1, 2, 3];
        },
      },
    },
    new Proxy(
      { gateways: [A] },
      {
        ownKeys: () => {
          throw thrower;
        },
      },
    ),
    new Proxy({ gateways: [A] }, throwing),
    { gateways: new Proxy([A], throwing) },
    { gateways: [A], networking: new Proxy({ jitter: 1 }, throwing) },
    { gateways: [A], protocols: new Proxy(['x'], throwing) },
    { gateways: [A], logger: new Proxy({}, throwing) },
    revoked,
    { gateways: revoked },
    { gateways: revokedList.proxy },
    { gateways: [A], networking: revoked },
    { gateways: [A], networking: { jitter: revokedList.proxy } },
    { gateways: [A], protocols: revokedList.proxy },
  ];
  for (let times = 0; times < 300; times += 1) {
    for (const [index, options] of rows.entries()) {
      assert.throws(
        () => new ClusterClient(options),
        (error) => !(error instanceof WebAssembly.RuntimeError),
        `row ${index}`,
      );
    }
  }
  new ClusterClient(deep);
  new ClusterClient(new Proxy({ gateways: [A] }, {}));
  new ClusterClient(Object.assign(Object.create(null), { gateways: [A] }));
  new ClusterClient(Object.freeze({ gateways: Object.freeze([A]) }));
  assert.equal(Object.prototype.polluted, undefined);
});

test('schedules', () => {
  for (const [text, shown, rule] of SCHEDULES) {
    assert.throws(
      () => tcpTimeouts(text),
      (error) => says(error, 'tcpTimeouts', shown, rule),
    );
  }
  assert.deepEqual(tcpTimeouts('250:60000:100:5000').waits(), [
    250,
    500,
    1000,
    2000,
    4000,
    ...new Array(11).fill(5000),
  ]);
  assert.deepEqual(tcpTimeouts('2000:6000:20').warnings(), []);
  assert.equal(tcpTimeouts('9:1000:10').warnings().length, 1);
  assert.equal(tcpTimeouts('9:1000:5:3').warnings().length, 2);
  assert.throws(
    () => tcpTimeouts('1:2147483647:1').waits(),
    (error) => says(error, 'tcpTimeouts', '1:2147483647:1', '100000'),
  );
  assert.equal(String(tcpTimeouts('1:2:3')), '1:2:3');
});
