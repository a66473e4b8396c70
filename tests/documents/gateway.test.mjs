// The gateway of the guide, as it stands there: it keeps what the guide says of it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import WebSocket from 'ws';
import { installedProject, project, ready } from '../package/support/installed.mjs';
import { blocksIn } from './support/blocks.mjs';

const { ClusterClient, connect } = await ready();
const [{ text }] = blocksIn('js').filter(({ fixture }) => fixture === 'gateway');
const folder = mkdtempSync(join(installedProject(), 'gateway-'));
mkdirSync(join(folder, 'node_modules'));
symlinkSync(join(project, 'node_modules/ws'), join(folder, 'node_modules/ws'));
const program = join(folder, 'gateway.mjs');
writeFileSync(program, text);

async function start(t) {
  const env = { ...process.env, PORT: '0' };
  delete env.NODE_TEST_CONTEXT; // this is a program, not a test
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const [port] = await once(createInterface(child.stdout), 'line');
  return { child, url: `ws://127.0.0.1:${port}/` };
}

/** What it answers to a frame. */
async function ask(socket, frame) {
  socket.send(frame);
  const [data] = await once(socket, 'message');
  return JSON.parse(data);
}

test('it answers as JSON-RPC wants it, whatever comes', async (t) => {
  const { url } = await start(t);
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const codes = [];
  for (const frame of [
    '{',
    'null',
    '7',
    '{"id":1}',
    '{"id":1,"method":"x"}',
    '{"id":1,"method":"queue.offer","params":{}}',
  ])
    codes.push((await ask(socket, frame)).error.code);
  assert.deepEqual(codes, [-32600, -32600, -32600, -32600, -32601, -32602]);
  assert.deepEqual(await ask(socket, '{"id":1,"method":"ping"}'), { jsonrpc: '2.0', id: 1, result: 'pong' });
  const batch = [{ id: 2, method: 'queue.size' }, { method: 'queue.size' }, { id: 3, method: 'ping' }];
  const answered = await ask(socket, JSON.stringify(batch));
  assert.deepEqual(
    answered.map(({ id, result }) => [id, result]),
    [
      [2, 0],
      [3, 'pong'],
    ],
  );
  socket.close();
});

test('it performs a key once, and answers its repetition with the same', async (t) => {
  const { url } = await start(t);
  const client = await connect({ gateways: [url], WebSocket });
  const offer = () => client.invoke('queue.offer', ['x'], { operationKey: 'offer-17' });
  assert.deepEqual(await Promise.all([offer(), offer()]), [1, 1]);
  assert.equal(await offer(), 1);
  assert.equal(await client.invoke('queue.size'), 1);
  client.close();
});

test('it restarts under writes that must not run twice, and none is lost or repeated', async (t) => {
  const gateways = await Promise.all([start(t), start(t)]);
  const client = new ClusterClient({
    gateways: gateways.map(({ url }) => url),
    logger: null,
    messaging: { retryUnsentOperations: true },
    networking: { shuffleAddresses: false, steadyMilliseconds: 0 },
    WebSocket,
  });
  const codes = [];
  client.addEventListener('statechange', ({ detail }) => codes.push(detail.closeCode));
  await client.connect();
  const lengths = [];
  let isOver = false;
  const offer = async () => {
    while (!isOver) lengths.push(await client.invoke('queue.offer', ['x']));
  };
  const offering = Promise.all([offer(), offer(), offer(), offer(), offer()]);
  const until = async (count) => {
    while (lengths.length < count) await client.invoke('queue.size', [], { readOnly: true });
  };
  await until(20);
  gateways[0].child.kill('SIGTERM');
  await once(gateways[0].child, 'exit');
  await until(lengths.length + 20);
  isOver = true;
  await offering;
  assert.ok(codes.includes(1012));
  const second = await client.invoke('queue.size', [], { readOnly: true });
  const first = lengths.length - second;
  const expected = [first, second].flatMap((count) => Array.from({ length: count }, (_, place) => place + 1));
  const ascending = (a, b) => a - b;
  assert.deepEqual(lengths.sort(ascending), expected.sort(ascending));
  client.close();
});
