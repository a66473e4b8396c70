// Frames that no gateway should send: counted, never fatal.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connected } from './support/connected.mjs';
import { echoing } from './support/fake_ws.mjs';

test('rubbish is counted, and the connection lives', async () => {
  const { client, socket, rubbish } = await connected(echoing);
  const depth = 100_000;
  const frames = [
    ['', 1],
    ['no json', 1],
    ['{"id":1', 1],
    ['5', 1],
    ['null', 1],
    ['"text"', 1],
    ['[[]]', 1],
    ['{}', 1],
    ['{"id":null}', 1],
    ['{"error":{"code":1},"id":null}', 1],
    ['{"id":0,"result":1}', 1],
    ['{"id":-1,"result":1}', 1],
    ['{"id":1.5,"result":1}', 1],
    ['{"id":1e400,"result":1}', 1],
    ['{"id":"","result":1}', 1],
    ['{"id":"1x","result":1}', 1],
    ['{"id":"0x1","result":1}', 1],
    ['{"id":" 1","result":1}', 1],
    ['{"id":{},"result":1}', 1],
    ['{"id":[1],"result":1}', 1],
    ['{"id":true,"result":1}', 1],
    ['{"id":9007199254740993,"result":1}', 1],
    ['{"method":5}', 1],
    [`${'['.repeat(depth)}${']'.repeat(depth)}`, 1],
    ['['.repeat(depth), 1],
    [`{"id":123456,"result":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`, 0],
    ['\ud800', 1],
    ['{"method":"\ud800","params":"\\udfff"}', 0],
    [new Uint8Array([0xff, 0xfe, 0xfd]).buffer, 1],
    [new ArrayBuffer(0), 1],
    ['{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}', 1],
    ['{"method":"__proto__","params":{"__proto__":{"polluted":1}}}', 0],
    ['{"id":"__proto__","result":1}', 1],
    ['{"id":123457,"error":{"__proto__":{"data":{"retryable":true}},"code":1}}', 0],
  ];
  let expected = 0;
  for (const [frame, counted] of frames) {
    socket.message(frame);
    expected += counted;
    assert.equal(rubbish.length, expected, String(frame).slice(0, 60));
  }
  assert.equal(client.stats().protocolErrors, expected);
  assert.equal(client.stats().unmatchedAnswers, 2);
  assert.equal({}.polluted, undefined);
  assert.deepEqual(await client.invoke('m', ['\ud800', '__proto__']), ['\ud800', '__proto__']);
  assert.equal(client.state, 'connected');
  client.close();
});

test('binary frames are understood, in their order', async () => {
  const { client, socket } = await connected();
  assert.equal(socket.binaryType, 'arraybuffer');
  const order = [];
  const first = client.invoke('a').then((value) => order.push(value));
  const second = client.invoke('b').then((value) => order.push(value));
  const [a, b] = socket.requests.map(({ id }) => id);
  const bytes = new TextEncoder().encode(JSON.stringify({ id: a, result: 'ä' }));
  socket.message(bytes.buffer);
  socket.message({ id: b, result: 'text' });
  await Promise.all([first, second]);
  assert.deepEqual(order, ['ä', 'text']);
  client.close();
});
