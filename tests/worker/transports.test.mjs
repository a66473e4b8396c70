// Both styles of sockets in workerd, from a request and from a Durable Object, before and after its newest habits.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startGateway } from './support/gateway.mjs';
import { DATES, startWorker } from './support/worker.mjs';

const WORKER = join(import.meta.dirname, 'workers/clients.js');
const durableObjects = { KEEPER: 'Keeper' };
const heartbeat = { periodMilliseconds: 0 };

/** A Worker for each date. */
const workers = new Map();
for (const compatibilityDate of DATES)
  workers.set(compatibilityDate, await startWorker({ after }, WORKER, { compatibilityDate, durableObjects }));

for (const [date, { ask }] of workers) {
  test(`${date}: the package is imported with its compiled wasm`, async () => {
    assert.deepEqual(await ask('/exports'), [
      'ClusterClient',
      'GatewaySocket',
      'RegateError',
      'completionOf',
      'connect',
      'init',
      'retry',
      'tcpTimeouts',
    ]);
    assert.deepEqual(await ask('/schedule'), [2000, 2400, 2880]);
  });

  for (const transport of ['websocket', 'fetch']) {
    const title = `${transport}, ${date}`;

    test(`${title}: events of a GatewaySocket are heard once`, async (t) => {
      const gateway = await startGateway(t);
      const gateways = ['ws://127.0.0.1:1/', gateway.url()];
      const answer = 'message {"jsonrpc":"2.0","id":1,"result":["from a socket"]}';
      const expected = ['open', answer, 'close 4000', 'handler true', 3, '', 3];
      assert.deepEqual(await ask('/socket', { gateways, transport }), expected);
    });

    test(`${title}: a client in a request: text, bytes, drain at the end`, async (t) => {
      const gateway = await startGateway(t);
      const options = { gateways: [gateway.url()], transport };
      assert.deepEqual(await ask('/request', options), {
        value: ['text'],
        drained: 'closed',
        left: ['left'],
        state: 'closed',
      });
      assert.equal(await gateway.dials[0].closed, 1000);
      assert.equal(await ask('/bytes', options), '[object ArrayBuffer]');
      assert.equal(gateway.dials.length, 2);
    });

    test(`${title}: a close is answered at once, and the next gateway taken`, async (t) => {
      const gateway = await startGateway(t);
      const networking = { shuffleAddresses: false, steadyMilliseconds: 0 };
      const gateways = [gateway.url('/a'), gateway.url('/b')];
      assert.equal(
        await ask(`/object/${transport}/make`, { gateways, transport, heartbeat, networking }),
        'connected',
      );
      const [first] = gateway.dials;
      const began = Date.now();
      first.socket.close(4001, 'bye');
      await first.closed;
      const milliseconds = Date.now() - began;
      assert.ok(milliseconds < 5000, `the gateway waited ${milliseconds} ms for the answer to its close`);
      assert.deepEqual(await ask(`/object/${transport}/echo`, ['x']), { value: ['x'] });
      assert.deepEqual(
        gateway.dials.map(({ url }) => url),
        ['/a', '/b'],
      );
      assert.equal(await ask(`/object/${transport}/close`), 'closed');
      assert.equal(await gateway.dials[1].closed, 1000);
    });

    test(`${title}: a client of another request is a fast, typed error`, async (t) => {
      const gateway = await startGateway(t);
      assert.deepEqual(await ask('/keep', { gateways: [gateway.url()], transport }), ['kept']);
      const { milliseconds, ...ended } = await ask('/other');
      const message = 'the socket belongs to another request: make one client per request or Durable Object';
      assert.deepEqual(ended, { code: 'WRONG_CONTEXT', completion: 'no', message });
      assert.ok(milliseconds < 500, `${milliseconds} ms`);
      assert.deepEqual(await ask('/again'), ['again']);
    });

    test(`${title}: a dial that hangs is given up, and ended at the gateway`, async (t) => {
      const gateway = await startGateway(t);
      const networking = { connectTimeouts: '1:1:10', connectionTimeoutMilliseconds: 200 };
      const { code, told } = await ask('/connect', {
        gateways: [gateway.url('/hang')],
        transport,
        networking,
      });
      assert.equal(code, 'CONNECT_TIMEOUT');
      assert.equal(told.filter((line) => line === 'judged null null next').length, 2);
      assert.equal(gateway.dials.length, 2);
      await Promise.all(gateway.dials.map(({ ended }) => ended));
    });
  }
}

const { ask, lines } = workers.get(DATES[1]);
const quick = { connectTimeouts: '1:1:10', jitter: 0, shuffleAddresses: false };

test('a refusal shows its HTTP status, and nothing that is secret', async (t) => {
  const gateway = await startGateway(t);
  for (const [status, verdict] of [
    [200, 'next'],
    [302, 'next'],
    [401, 'refresh'],
    [403, 'refresh'],
    [404, 'next'],
    [429, 'next'],
    [503, 'next'],
  ]) {
    gateway.dials.length = 0;
    const { code, message, failures, told } = await ask('/connect', {
      gateways: [gateway.url(`/status/${status}?token=s3cret`)],
      transport: 'fetch',
      headers: { Authorization: 'Bearer s3cret' },
      protocols: ['s3cret'],
      networking: quick,
    });
    assert.equal(code, verdict === 'refresh' ? 'NO_GATEWAY' : 'CONNECT_TIMEOUT');
    assert.deepEqual(told.slice(0, 3).sort(), [
      `dialfailed refused with HTTP status ${status}`,
      `judged null ${status} ${verdict}`,
      `warn: regate: ${failures[0].gateway} failed: refused with HTTP status ${status}`,
    ]);
    assert.deepEqual([failures[0].cause, failures[0].status], ['refused with HTTP status', status]);
    assert.match(message, new RegExp(`refused with HTTP status ${status}`));
    assert.doesNotMatch(JSON.stringify([message, failures, told, lines]), /s3cret/);
    assert.equal(gateway.dials.length, 2, 'no redirection is followed');
  }
  const refused = { gateways: ['ws://127.0.0.1:1/'], transport: 'fetch', networking: quick };
  assert.ok((await ask('/connect', refused)).told.includes('judged 1006 null next'), 'nobody is there');
});

test('a GatewaySocket goes round by the same transport', async (t) => {
  const gateway = await startGateway(t);
  const gateways = [gateway.url('/status/503'), gateway.url('/protocol/p')];
  for (const transport of ['websocket', 'fetch']) {
    gateway.dials.length = 0;
    const headers = transport === 'fetch' ? { authorization: 'x' } : undefined;
    const told = await ask('/gateway-socket', { gateways, transport, headers, networking: quick });
    assert.deepEqual(told, [
      'open p',
      'Blob TypeError',
      'message pong',
      'message ArrayBuffer',
      'close 1000 true',
    ]);
    assert.equal(gateway.dials[1].headers.authorization, headers?.authorization);
    assert.equal(await gateway.dials[1].closed, 1000);
  }
});

test('the gateway sees headers and protocols, and one that was not offered is refused', async (t) => {
  const gateway = await startGateway(t);
  const headers = [
    ['Authorization', 'Bearer 1'],
    ['x-many', 'a'],
    ['X-Many', 'b'],
  ];
  const options = { transport: 'fetch', headers, networking: quick };
  const gateways = [{ url: gateway.url('/protocol/v2'), protocols: ['v1', 'v2'] }];
  assert.equal((await ask('/connect', { ...options, gateways })).code, undefined);
  const seen = gateway.dials[0].headers;
  assert.equal(seen.authorization, 'Bearer 1');
  assert.equal(seen['x-many'], 'a, b');
  assert.equal(seen['sec-websocket-protocol'], 'v1, v2');
  assert.equal((await ask('/connect', { ...options, gateways: [gateway.url('/any')] })).code, undefined);
  assert.equal(gateway.dials[1].headers['sec-websocket-protocol'], undefined);
  const other = [{ url: gateway.url('/protocol/v3'), protocols: 'v1' }];
  assert.equal((await ask('/connect', { ...options, gateways: other })).code, 'CONNECT_TIMEOUT');
  assert.equal(await gateway.dials[2].closed, 1002);
});

test('headers of a function are asked for at each dial; its faults are reported, and fail the dial', async (t) => {
  const gateway = await startGateway(t);
  const gateways = [gateway.url('/status/503'), gateway.url('/open')];
  const made = [{ authorization: '1' }, { authorization: '2' }];
  const right = await ask('/headers', { gateways, transport: 'fetch', made, networking: quick });
  assert.deepEqual(right, { asked: gateways, reported: [] });
  assert.deepEqual(
    gateway.dials.map(({ headers }) => headers.authorization),
    ['1', '2'],
  );
  const wrong = await ask('/headers', {
    gateways: [gateway.url('/open')],
    transport: 'fetch',
    made: [{ authorization: 's3cret\n' }],
    networking: quick,
  });
  assert.equal(wrong.code, 'CONNECT_TIMEOUT');
  const message = 'headers: authorization must be a text of visible ASCII characters, spaces and tabs';
  assert.deepEqual(wrong.reported, Array(2).fill(`an option or an argument is wrong: ${message}`));
  assert.equal(gateway.dials.length, 2, 'nothing is sent with wrong headers');
});

test('a headers function that fails is named by every sign of it, and what it threw is the cause', async (t) => {
  const gateway = await startGateway(t);
  const options = { transport: 'fetch', networking: quick };
  for (const [given, cause] of [
    [{ throws: 's3cret' }, /^s3cret$/],
    [{ a: 's3cret\n' }, /headers: a must be a text/],
    [[['a', 's3cret', 'c']], /headers\[0\] must be a pair/],
    [[5], /headers\[0\] must be a pair/],
    [null, /headers must be an object/],
  ]) {
    const told = await ask('/headers', { ...options, gateways: [gateway.url('/open')], made: [given] });
    assert.equal(told.code, 'CONNECT_TIMEOUT');
    assert.match(told.message, /the headers function failed/);
    assert.doesNotMatch(told.message, /s3cret|1006/);
    const [failure] = told.failures;
    assert.deepEqual([failure.cause, failure.closeCode], ['the headers function failed', undefined]);
    assert.match(told.cause, cause);
  }
  // The function is well again: what failed since is the gateway's.
  const later = await ask('/headers', {
    ...options,
    gateways: [gateway.url('/status/503')],
    made: [{ throws: 'once' }, {}],
  });
  assert.deepEqual([later.code, later.cause, later.failures[0].status], ['CONNECT_TIMEOUT', undefined, 503]);
});

test('wrong options of transports', async () => {
  for (const [options, rule] of [
    [{ transport: 'tcp' }, '"websocket", "fetch"'],
    [{ transport: null }, '"websocket", "fetch"'],
    [{ headers: { a: 's3cret' } }, 'headers must be left out here'],
    [{ transport: 'websocket', headers: {} }, 'headers must be left out here'],
    [{ transport: 'fetch', also: 'WebSocket' }, 'WebSocket must be left out'],
    [{ transport: 'fetch', headers: null }, 'headers must be an object'],
    [{ transport: 'fetch', headers: 's3cret' }, 'headers must be an object'],
    [{ transport: 'fetch', headers: { '': 'x' } }, 'a name must be of the characters'],
    [{ transport: 'fetch', headers: { 's3cret s3cret': 'x' } }, 'a name must be of the characters'],
    ...[['a'], ['s3'], [5], [null], [undefined], [['a']], [['a', 'b', 's3cret']], [{ a: 'b' }]].map(
      (headers) => [{ transport: 'fetch', headers }, 'headers[0] must be a pair of a name and a value'],
    ),
    [{ transport: 'fetch', headers: [['a', 'b'], []] }, 'headers[1] must be a pair'],
    [{ transport: 'fetch', headers: { a: 5 } }, 'headers: a must be a text'],
    [{ transport: 'fetch', headers: { a: 's3crét' } }, 'headers: a must be a text'],
    [{ transport: 'fetch', headers: { a: 's3cret\r\nb: c' } }, 'headers: a must be a text'],
    [{ transport: 'fetch', headers: { Upgrade: 'h2c' } }, "headers: Upgrade is the handshake's own"],
    [{ transport: 'fetch', headers: { 'sec-websocket-protocol': 's3cret' } }, "is the handshake's own"],
    [{ transport: 'fetch', other: 1 }, 'other is 1: it is no option'],
  ]) {
    const { code, message } = await ask('/wrong', { gateways: ['ws://a.example'], ...options });
    assert.equal(code, 'INVALID_OPTION', JSON.stringify(options));
    assert.ok(message.includes(rule), message);
    assert.doesNotMatch(message, /s3cr/);
  }
  const fine = { gateways: ['ws://a.example'], transport: 'fetch', headers: {} };
  for (const options of [
    fine,
    { ...fine, headers: undefined },
    { gateways: fine.gateways, transport: 'websocket' },
  ])
    assert.equal((await ask('/wrong', options)).code, undefined);
});
