import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { startCluster } from './cluster.mjs';
import { PlainClient } from './plain_client.mjs';

/** @type {import('./cluster.mjs').Cluster} */
let cluster;
/** @type {import('./gateway_handle.mjs').Gateway} */
let gateway;

before(async () => {
  cluster = await startCluster({ count: 1 });
  [gateway] = cluster.gateways;
});
afterEach(() => cluster.heal());
after(() => cluster.stop());

/** Opens a connection to the gateway. */
const open = () => PlainClient.open(gateway.url);

/** Dials and does not wait. */
const dial = () => new PlainClient(gateway.url);

/**
 * How a failed dial ended.
 *
 * @returns {Promise<string>}
 */
async function failedDial() {
  const client = dial();
  await client.end();
  return String(client.error?.message);
}

/**
 * How much a fault struck while something was done.
 *
 * @param {string} fault
 * @param {() => Promise<unknown>} act
 */
async function struckBy(fault, act) {
  const nothing = { connections: 0, dials: 0, messages: 0 };
  const before = (await cluster.stats()).gateways[0].struck[fault] ?? nothing;
  await act();
  const now = (await cluster.stats()).gateways[0].struck[fault] ?? nothing;
  return [now.connections - before.connections, now.dials - before.dials, now.messages - before.messages];
}

test('kill: connections are lost, dials refused, the same port comes back', async () => {
  const clients = [await open(), await open()];
  const { pid, url } = gateway;
  const struck = await struckBy('kill', async () =>
    assert.deepEqual(await gateway.kill(), { connections: 2 }),
  );
  assert.deepEqual(struck, [2, 0, 0]);
  for (const client of clients) assert.equal((await client.end()).code, 1006);
  assert.match(await failedDial(), /ECONNREFUSED/);
  assert.equal(gateway.up, false);
  await assert.rejects(gateway.hang(), /gateway 0 is down/);
  assert.deepEqual(await gateway.kill(), { connections: 0 });
  for (let starts = 0; starts < 3; starts += 1) await gateway.restart();
  assert.notEqual(gateway.pid, pid);
  assert.equal(gateway.url, url);
  const client = await open();
  assert.equal(await client.result('whoami'), 'gateway 0');
  await client.close();
});

test('refuse: dials are refused, live connections go on', async () => {
  const live = await open();
  await gateway.refuse();
  assert.match(await failedDial(), /ECONNREFUSED/);
  assert.equal(await live.result('ping'), 'pong');
  assert.equal((await gateway.state()).listening, false);
  await gateway.heal();
  await (await open()).close();
  await live.close();
});

test('hang: no answer to the upgrade; healing answers it late', async () => {
  await gateway.hang();
  const waiting = dial();
  const struck = await struckBy('hang', async () => {
    const givenUp = dial();
    await cluster.until(({ gateways }) => gateways[0].struck.hang?.dials === 2);
    await givenUp.close();
  });
  assert.ok(struck[1] >= 1);
  assert.equal(waiting.isOpen, false);
  const { opened } = (await cluster.stats()).gateways[0];
  await gateway.heal();
  await waiting.until(() => waiting.isOpen);
  assert.equal(await waiting.result('ping'), 'pong');
  assert.equal((await cluster.stats()).gateways[0].opened, opened + 1);
  await waiting.close();
});

test('rejectUpgrade: an HTTP status, so often', async () => {
  await gateway.rejectUpgrade(429, { times: 2 });
  const struck = await struckBy('rejectUpgrade', async () => {
    assert.match(await failedDial(), /429/);
    assert.match(await failedDial(), /429/);
  });
  assert.deepEqual(struck, [0, 2, 0]);
  await (await open()).close();
});

test('closeAtOnce: opens, then closes with a code and a reason, with neither, or without a close frame', async () => {
  const struck = await struckBy('closeAtOnce', async () => {
    for (const [code, reason, seen] of /** @type {const} */ ([
      [4401, 'log in', 4401],
      [1013, '', 1013],
      [null, null, 1005],
      [1006, null, 1006],
    ])) {
      await gateway.closeAtOnce(code, reason);
      const client = await open();
      assert.deepEqual(await client.end(), { code: seen, reason: reason ?? '' });
    }
  });
  assert.deepEqual(struck, [0, 4, 0]);
});

test('closeAll and dropAll: every live connection', async () => {
  for (const [act, seen] of /** @type {[() => Promise<{ connections: number }>, number][]} */ ([
    [() => gateway.closeAll(1001, 'bye'), 1001],
    [() => gateway.dropAll('end'), 1006],
    [() => gateway.dropAll('reset'), 1006],
  ])) {
    await cluster.quiet();
    const clients = [await open(), await open(), await open()];
    assert.deepEqual(await act(), { connections: 3 });
    for (const client of clients) assert.equal((await client.end()).code, seen);
  }
  const { closeAll, dropAll } = (await cluster.stats()).gateways[0].struck;
  assert.deepEqual([closeAll.connections, dropAll.connections], [3, 6]);
});

test('dropAll settles when the clients are just closing', async () => {
  for (let round = 0; round < 5; round += 1) {
    const clients = await Promise.all(Array.from({ length: 10 }, open));
    for (const client of clients) client.ws.close();
    await gateway.dropAll('reset');
    await Promise.all(clients.map((client) => client.end()));
  }
  await cluster.quiet();
});

test('stall: nothing is read or answered, resuming does both', async () => {
  await cluster.quiet();
  const live = await open();
  const slow = live.result('slow', [1, 'in the work']);
  await cluster.until(({ gateways }) => gateways[0].messages > 0);
  assert.deepEqual(await gateway.stall(), { connections: 1 });
  const late = live.result('queue.offer', ['x', 'stalled']);
  const dialled = dial();
  await cluster.until(({ gateways }) => gateways[0].struck.stall.dials === 1);
  const before = live.frames.length;
  assert.equal(await cluster.executed('stalled'), 0);
  assert.equal(live.frames.length, before);
  assert.equal(live.isOpen && !dialled.isOpen, true);
  await gateway.resume();
  assert.equal(await slow, true);
  assert.equal(typeof (await late), 'number');
  assert.equal(await cluster.executed('stalled'), 1);
  await dialled.until(() => dialled.isOpen);
  await Promise.all([live.close(), dialled.close()]);
});

test('stall with open dials: the handshake is answered, then nothing', async () => {
  await gateway.stall({ dials: 'open' });
  const client = await open();
  const answer = client.result('queue.offer', ['x', 'half-open']);
  await gateway.barrier();
  assert.equal(await cluster.executed('half-open'), 0);
  await gateway.heal();
  await answer;
  assert.equal(await cluster.executed('half-open'), 1);
  await client.close();
});

test('a stalled gateway can be killed, and close its connections', async () => {
  const first = await open();
  await gateway.stall();
  await gateway.closeAll(1012);
  assert.equal((await first.end()).code, 1012);
  await gateway.heal();
  const second = await open();
  await gateway.stall();
  void second.call('queue.offer', ['x', 'never read']);
  await gateway.kill();
  assert.equal((await second.end()).code, 1006);
  assert.equal(await cluster.executed('never read'), 0);
});

test('dropAfter: at the n-th message of each connection, before or after executing it', async () => {
  for (const when of /** @type {const} */ (['before', 'after'])) {
    for (const how of /** @type {const} */ (['end', 'reset'])) {
      const struck = await struckBy('dropAfter', async () => {
        await gateway.dropAfter(3, { when, how, methods: ['queue.offer'] });
        const client = await open();
        for (let n = 1; n <= 6; n += 1) {
          void client.call('ping');
          void client.call('queue.offer', ['x', `${when} ${how} ${n}`]);
        }
        assert.equal((await client.end()).code, 1006);
      });
      assert.deepEqual(struck, [0, 0, 1]);
      const executed = await cluster.executions();
      const runs = [1, 2, 3, 4, 5, 6].map((n) => executed.get(`${when} ${how} ${n}`) ?? 0);
      assert.deepEqual(runs, [1, 1, when === 'before' ? 0 : 1, 0, 0, 0]);
    }
  }
});

test('answerError: an error, and nothing executed, for some methods only', async () => {
  const client = await open();
  await gateway.answerError(
    { code: -32005, message: 'later', data: { retryable: true } },
    { methods: ['subscribe'] },
  );
  assert.equal((await client.call('subscribe', ['news'])).error.data.retryable, true);
  assert.equal(typeof (await client.result('queue.offer', ['x'])), 'number');
  await gateway.answerError({ code: 1, message: 'no' }, { times: 1 });
  client.ws.send('[null, {"id":"in batch","method":"ping"}]');
  await client.until(() => client.frames.at(-1)?.includes('in batch') === true);
  assert.equal(JSON.parse(String(client.frames.at(-1)))[0].error.code, 1);
  assert.equal(await client.result('ping'), 'pong');
  assert.equal((await cluster.subscriptions()).length, 0);
  await client.close();
});

test('answerLate and answerTwice', async () => {
  const client = await open();
  await gateway.answerLate(40, { times: 1 });
  const begun = performance.now();
  await client.result('ping');
  assert.ok(performance.now() - begun >= 38);
  await gateway.answerTwice();
  const before = client.frames.length;
  await client.result('ping');
  await client.until(() => client.frames.length === before + 2);
  assert.equal(client.frames[before], client.frames[before + 1]);
  const { struck } = (await cluster.stats()).gateways[0];
  assert.deepEqual([struck.answerLate.messages, struck.answerTwice.messages], [1, 1]);
  await client.close();
});

test('resetMidFrame: executed, half a frame, then a reset', async () => {
  await gateway.resetMidFrame({ times: 1 });
  const client = await open();
  let bytes = 0;
  /** @type {any} */ (client.ws)._socket.on('data', (/** @type {Buffer} */ chunk) => {
    bytes += chunk.length;
  });
  void client.call('queue.offer', ['x', 'cut']);
  assert.equal((await client.end()).code, 1006);
  assert.ok(bytes > 10);
  assert.equal(client.frames.length, 0);
  assert.equal(await cluster.executed('cut'), 1);
});

test('a wrong fault is refused and sets nothing', async () => {
  await assert.rejects(gateway.answerRubbish('nonsense'), /answerRubbish: wrong kinds/);
  await assert.rejects(gateway.answerRubbish([]), /wrong kinds/);
  await assert.rejects(gateway.dropAfter(0), /dropAfter: wrong messages 0/);
  await assert.rejects(gateway.answerLate(-1), /wrong milliseconds/);
  await assert.rejects(gateway.closeAtOnce(999), /wrong code 999/);
  await assert.rejects(gateway.closeAtOnce(1004), /wrong code/);
  await assert.rejects(gateway.closeAll(4000, 'x'.repeat(124)), /reason/);
  await assert.rejects(gateway.rejectUpgrade(101), /wrong status/);
  await assert.rejects(gateway.dropAll(/** @type {any} */ ('rest')), /how/);
  await assert.rejects(gateway.hang({ times: 0 }), /wrong times/);
  await assert.rejects(gateway.hang(/** @type {any} */ ({ time: 1 })), /hang has no time/);
  assert.deepEqual(await gateway.state(), { listening: true, faults: [] });
});
