// examples/native: the policy core over tokio-tungstenite, through kills of its gateway, judged by the journal.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { WebSocketServer } from 'ws';
import { startCluster } from '../gateways/cluster.mjs';
import { cargoBuild } from './support/cargo.mjs';

const OPERATIONS = 200;
let binary;
let cluster;

before(async () => {
  binary = join(await cargoBuild('native'), 'debug/regate-native');
  cluster = await startCluster({ count: 3, latencyMilliseconds: 10 });
});

after(() => cluster?.stop());

/** The example, running: what it was asked, and what it says of it. */
class Native {
  said = new Map();
  told = '';
  #waiting = () => {};

  constructor(urls) {
    this.process = spawn(binary, urls, { stdio: 'pipe' });
    this.ended = once(this.process, 'close'); // all that it said has come
    this.process.stderr.setEncoding('utf8').on('data', (text) => {
      this.told += text;
    });
    createInterface({ input: this.process.stdout }).on('line', (line) => {
      const { name, ...became } = JSON.parse(line);
      assert.ok(!this.said.has(name), `${name} has one outcome`);
      this.said.set(name, became);
      this.#waiting();
    });
  }

  ask(name, method, params, readOnly = false) {
    this.process.stdin.write(`${JSON.stringify({ name, method, params, readOnly })}\n`);
  }

  /** Waits until so many outcomes are there. */
  async until(count) {
    while (this.said.size < count) {
      await new Promise((resolve) => {
        this.#waiting = resolve;
        this.ended.then(resolve);
      });
      assert.equal(this.process.exitCode, null, this.told);
    }
  }

  async end() {
    this.process.stdin.end();
    const [code] = await this.ended;
    assert.equal(code, 0, this.told);
  }
}

/** The gateway that the example is connected to. */
async function connectedGateway() {
  const isOne = ({ gateways }) => gateways.filter(({ open }) => open === 1).length === 1;
  const { gateways } = await cluster.until(isOne, { withinMilliseconds: 20_000 });
  return cluster.gateways[gateways.findIndex(({ open }) => open === 1)];
}

test('it fails over, runs reads again, and says of every write what is known', async (t) => {
  const native = new Native(cluster.urls);
  t.after(() => native.process.kill());
  const kinds = new Map();
  const ask = (count) => {
    for (let index = 0; index < count; index += 1) {
      const id = `n${kinds.size}`;
      const kind = kinds.size % 2 === 0 ? 'read' : 'write';
      kinds.set(id, kind);
      if (kind === 'read') native.ask(id, 'map.get', [{ id, key: 'k' }], true);
      else native.ask(id, 'queue.offer', [{ id, item: id }]);
    }
  };
  ask(OPERATIONS);
  await native.until(OPERATIONS);
  for (let kill = 1; kill <= 2; kill += 1) {
    const gateway = await connectedGateway();
    const { gateways } = await cluster.stats();
    const before = gateways.reduce((sum, { messages }) => sum + messages, 0);
    ask(OPERATIONS);
    // Some have come, and no answer is back yet.
    await cluster.until((stats) => stats.gateways.reduce((sum, { messages }) => sum + messages, 0) > before);
    await gateway.kill();
    await native.until(OPERATIONS * (kill + 1));
    await cluster.heal();
  }
  await native.end();
  await cluster.quiet();
  const outcomes = [...native.said].map(([id, { code, completion, attempts }]) => ({
    id,
    kind: kinds.get(id),
    outcome: code === undefined ? 'ok' : 'error',
    code,
    completion,
    handedToSocket: attempts,
  }));
  const { clean, findings, numbers } = await cluster.audit(outcomes);
  assert.ok(clean, JSON.stringify(findings));
  assert.equal(numbers.operations, OPERATIONS * 3);
  assert.equal(numbers.readsUnanswered, 0, 'every read was run again');
  assert.ok(numbers.maybe > 0, `no write was in flight: ${JSON.stringify(numbers)}`);
  const states = native.told.match(/^(connecting|connected|reconnecting|closed)/gm).join(' ');
  assert.equal(states, 'connecting connected reconnecting connected reconnecting connected closed');
});

test('what a gateway says comes with the outcome', async (t) => {
  const native = new Native(cluster.urls);
  t.after(() => native.process.kill());
  native.ask('busy', 'busy', { id: 'busy', times: 2, retryAfterMilliseconds: 1 });
  native.ask('refused', 'fail', { id: 'refused', code: -32001, message: 'no', data: null });
  native.ask('unknown', 'no.such.method', []);
  await native.until(3);
  await native.end();
  assert.equal(native.said.get('busy').result, true);
  const { answer, ...refused } = native.said.get('refused');
  assert.deepEqual(refused, { code: 'REMOTE_ERROR', completion: 'yes', attempts: 1 });
  assert.equal(answer.code, -32001);
  assert.equal(native.said.get('unknown').completion, 'no');
});

/** A gateway that does as `greet` says with each connection; gives its URL. */
async function gatewayOf(t, greet) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  t.after(() => server.close());
  server.on('connection', greet);
  await once(server, 'listening');
  return `ws://127.0.0.1:${server.address().port}`;
}

test('an answer settles in whatever frame it comes', async (t) => {
  const ways = {
    'a text': (id) => `{"id":${id},"result":1}`,
    'a text as id': (id) => `{"id":"${id}","result":1}`,
    bytes: (id) => Buffer.from(`{"id":${id},"result":1}`),
    'a batch': (id) => `[{"method":"note"},5,{"id":0,"result":2},{"id":${id},"result":1}]`,
    'a batch in bytes, a text as id': (id) => Buffer.from(`[{"id":"${id}","result":1}]`),
    'after nonsense': (id) => `[{"id":"","result":2},{"id":${id},"method":"m"},{"id":${id},"result":1}]`,
  };
  const url = await gatewayOf(t, (socket) =>
    socket.on('message', (text) => {
      const { id, method } = JSON.parse(text);
      socket.send('{');
      socket.send(ways[method](id));
    }),
  );
  const native = new Native([url]);
  t.after(() => native.process.kill());
  const names = Object.keys(ways);
  for (const name of names) native.ask(name, name, []);
  await native.until(names.length);
  await native.end();
  for (const name of names) assert.deepEqual(native.said.get(name), { result: 1 }, name);
});

test('where no gateway is left it gives up, and nothing is performed', async (t) => {
  const url = await gatewayOf(t, (socket) => socket.close(4400));
  const native = new Native([url]);
  t.after(() => native.process.kill());
  while (!/^closed: /m.test(native.told)) await once(native.process.stderr, 'data');
  native.ask('lost', 'map.get', [{ id: 'lost', key: 'k' }], true);
  await native.until(1);
  await native.end();
  assert.equal(native.said.get('lost').completion, 'no');
});

test('what it cannot dial it says at once, and no URL', async () => {
  for (const [urls, said] of [
    [[], /^usage: regate-native/],
    [
      ['ws://127.0.0.1:1', 'wss://s3cret.example/?s3cret'],
      /^gateway 1 is a wss: URL, and this is built without TLS/,
    ],
    [['https://s3cret.example'], /^gateway 0 is no ws: URL\nusage: /],
    [['s3cret'], /^gateway 0 is no ws: URL/],
  ]) {
    const native = new Native(urls);
    const [code] = await native.ended;
    assert.equal(code, 2);
    assert.match(native.told, said);
    assert.doesNotMatch(native.told, /s3cret/);
  }
});
