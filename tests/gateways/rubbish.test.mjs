import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startCluster } from './cluster.mjs';
import { PlainClient } from './plain_client.mjs';
import { FORGED, LEGAL, RUBBISH } from './rubbish.mjs';

/** @type {import('./cluster.mjs').Cluster} */
let cluster;

before(async () => {
  cluster = await startCluster({ count: 1 });
});
after(() => cluster.stop());

/**
 * What each kind looks like to a client: the frame, or the code that the connection ends with.
 *
 * @type {Record<string, (frame: string, id: number) => boolean>}
 */
const LOOKS = {
  notJson: (frame) => frame.startsWith('{') && !frame.endsWith('}'),
  empty: (frame) => frame === '',
  unknownId: (frame, id) => JSON.parse(frame).id > id,
  nullId: (frame) => JSON.parse(frame).id === null,
  objectId: (frame, id) => JSON.parse(frame).id.id === id,
  stringId: (frame, id) => JSON.parse(frame).id === String(id),
  neither: (frame, id) => frame === JSON.stringify({ jsonrpc: '2.0', id }),
  both: (frame) => 'result' in JSON.parse(frame) && 'error' in JSON.parse(frame),
  errorNull: (frame) => JSON.parse(frame).error === null && JSON.parse(frame).result === 'pong',
  errorText: (frame) => typeof JSON.parse(frame).error === 'string',
  batch: (frame, id) => JSON.parse(frame)[0].id === id,
  mixedBatch: (frame, id) => JSON.parse(frame)[4].id === id,
  binary: (frame, id) => JSON.parse(frame.replace('binary:', '')).id === id && frame.startsWith('binary:'),
  noise: (frame) => frame.startsWith('binary:'),
  deep: (frame) => frame.includes('[[[[') && frame.length > 200_000,
  huge: (frame) => frame.length > 8_000_000,
  surrogate: (frame) => JSON.parse(frame).result === '\ud800',
  prototype: (frame) => Object.hasOwn(JSON.parse(frame).result, '__proto__'),
  strayNotification: (frame) => JSON.parse(frame).method === 'notification',
};
const CLOSES = { invalidUtf8: 1007, reservedBits: 1002 };

test('every kind has a look or a close code', () => {
  assert.deepEqual([...Object.keys(LOOKS), ...Object.keys(CLOSES)], RUBBISH);
  assert.ok(LEGAL.every((kind) => kind in LOOKS));
});

for (const [kind, isLook] of Object.entries(LOOKS)) {
  test(`${kind}: ${LEGAL.includes(kind) ? 'instead of' : 'before'} the true answer`, async () => {
    const [gateway] = cluster.gateways;
    await gateway.answerRubbish(kind, { times: 1 });
    const client = await PlainClient.open(gateway.url);
    void client.call('ping');
    const frames = LEGAL.includes(kind) ? 1 : 2;
    await client.until(() => client.frames.length === frames);
    assert.ok(isLook(client.frames[0], 1), client.frames[0].slice(0, 100));
    if (frames === 2) assert.equal(JSON.parse(client.frames[1]).result, 'pong');
    assert.equal(await client.result('ping'), 'pong');
    await client.close();
  });
}

for (const [kind, code] of Object.entries(CLOSES)) {
  test(`${kind}: the client fails the connection with ${code}`, async () => {
    const [gateway] = cluster.gateways;
    await gateway.answerRubbish(kind, { times: 1 });
    const client = await PlainClient.open(gateway.url);
    void client.call('ping');
    assert.equal((await client.end()).code, 1006);
    const { code: cause } = /** @type {any} */ (client.error);
    assert.equal(cause, code === 1007 ? 'WS_ERR_INVALID_UTF8' : 'WS_ERR_UNEXPECTED_RSV_2_3');
  });
}

test('kinds come in turn, and can take the place of the answer', async () => {
  const [gateway] = cluster.gateways;
  await gateway.answerRubbish(['notJson', 'neither'], { place: 'instead' });
  const client = await PlainClient.open(gateway.url);
  for (let n = 1; n <= 4; n += 1) void client.call('ping');
  await client.until(() => client.frames.length === 4);
  assert.deepEqual(
    client.frames.map((frame) => frame.includes('result')),
    [true, false, true, false],
  );
  await client.close();
});

test('an error is never forged: it may stand for what was not performed', async () => {
  const [gateway] = cluster.gateways;
  await gateway.answerRubbish(FORGED);
  const client = await PlainClient.open(gateway.url);
  for (const _ of FORGED) {
    const { error, result } = await client.call('fail', { code: -32001, message: 'no' });
    assert.deepEqual([error.code, result], [-32001, undefined]);
  }
  assert.equal(client.frames.length, FORGED.length);
  await gateway.heal();
  await client.close();
});
