// The explorer's wasm: it says what the native program says, and each story ends as its sentence claims.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const project = fileURLToPath(new URL('../../', import.meta.url));
const stories = join(project, 'www/explorer/stories');
const names = readdirSync(stories);
/** Of 150 KiB for the whole page. */
const MOST_BYTES = 90 * 1024;

let wasm;
let native;

function run(command, ...args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: project, encoding: 'utf8' });
  assert.equal(status, 0, error?.message ?? stderr);
  return stdout;
}

before(async () => {
  run('node', 'www/explorer/build.mjs', '--quiet');
  const build = ['build', '--locked', '--quiet', '-p', 'regate-explorer', '--bin', 'regate-explorer'];
  const messages = run('cargo', ...build, '--message-format', 'json')
    .trim()
    .split('\n');
  native = messages.map((line) => JSON.parse(line).executable).find((path) => path);
  wasm = await import('./dist/explorer.js');
  wasm.initSync({ module: readFileSync(join(project, 'www/explorer/dist/explorer_bg.wasm')) });
});

const play = (scenario) => JSON.parse(wasm.explore(JSON.stringify(scenario)));
const storyOf = (name) => JSON.parse(readFileSync(join(stories, name), 'utf8'));

/** The runs of a story, each with what came out and the operations by their names. */
function runsOf(prefix) {
  const { runs } = storyOf(names.find((name) => name.startsWith(prefix)));
  return runs.map(({ scenario }) => {
    const result = play(scenario);
    assert.equal(result.errors, undefined);
    assert.equal(result.cut, undefined);
    const byName = (wanted) => result.operations.find(({ name }) => name === wanted);
    return { scenario, ...result, byName, outcome: (wanted) => byName(wanted).outcome };
  });
}

const reconnectedAt = ({ states }) => states.findLast(({ state }) => state === 'connected').from;
const most = (counts) => counts.reduce((a, b) => Math.max(a, b), 0);

test('there are ten stories, each with a sentence and something to look at', () => {
  assert.equal(names.length, 10);
  for (const { title, sentence, look, runs } of names.map(storyOf)) {
    for (const text of [title, sentence, look, ...runs.map(({ title }) => title)]) assert.ok(text.length > 3);
    assert.match(sentence, /^[A-Z].*\.$/);
    assert.match(look, /\.$/);
  }
});

test('native and wasm print the same bytes, for every story and for what is no scenario', () => {
  const same = (command, input, text) => {
    const { stdout } = spawnSync(native, [command], { input, encoding: 'utf8', maxBuffer: 2 ** 26 });
    assert.ok(stdout === text, `${command} differs for ${input.slice(0, 200)}`);
    assert.notEqual(stdout, '');
  };
  const inputs = names.flatMap((name) => storyOf(name).runs.map(({ scenario }) => JSON.stringify(scenario)));
  for (const input of [...inputs, '{}', '{"options":{"networking":{"jitter":"é"}},"x":1}', 'no JSON'])
    same('explore', input, wasm.explore(input));
  for (const input of ['{"text":"250:60000:100:5000"}', '{"text":"1:2"}'])
    same('schedule', input, wasm.schedule(input));
  same('table', '', wasm.optionsTable());
  const properties = 'com.sun.corba.ee.transport.ORBTCPTimeouts=1:2:3';
  same('import', properties, wasm.importOptions(properties));
  const options = '{"networking":{"jitter":0.000001,"connectTimeouts":"1:2:3"}}';
  same('export', options, wasm.exportOptions(options));
});

test('the wasm is small', () => {
  const bytes = gzipSync(readFileSync(join(project, 'www/explorer/dist/explorer_bg.wasm')), {
    level: 9,
  }).length;
  assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`);
});

test('one dead endpoint in 2007: 56,000 dials a minute, 60 with a fixed wait', () => {
  const [without, fixed] = runsOf('01');
  assert.equal(without.totals.dialsInFirstMinute, 56_000);
  assert.equal(without.totals.dials, 112_000, 'and as many in the second');
  assert.equal(fixed.totals.dialsInFirstMinute, 60);
});

test('the same with the schedule: 16 dials in the first minute, then every 5 s', () => {
  const [gaveUp, always] = runsOf('02');
  for (const { totals } of [gaveUp, always]) assert.equal(totals.dialsInFirstMinute, 16);
  assert.deepEqual(
    gaveUp.waits.map(({ milliseconds }) => milliseconds),
    [250, 500, 1000, 2000, 4000, ...Array(11).fill(5000)],
  );
  assert.equal(gaveUp.state, 'closed');
  assert.equal(gaveUp.states.at(-1).reason, 'CONNECT_TIMEOUT');
  assert.equal(gaveUp.states.at(-1).from, 62_750);
  assert.equal(always.totals.dials - always.totals.dialsInFirstMinute, 12, 'in the second minute');
});

test('a rolling restart: the next gateway after one dial, no wait, no read lost', () => {
  const [{ totals, gateways, operations, scenario }] = runsOf('03');
  assert.equal(totals.waits, 0);
  assert.equal(totals.dials, 4, 'the first, and one for each restart');
  const connections = gateways.flatMap((gateway) => gateway.connections).sort((a, b) => a.from - b.from);
  for (const [place, { from }] of connections.entries())
    if (place > 0) assert.equal(from - connections[place - 1].to, 40, 'one dial');
  for (const { outcome } of operations.filter(({ at }) => at < scenario.horizon - 100))
    assert.equal(outcome.code, 'OK');
  assert.equal(operations[0].attempts.length, 2);
  assert.equal(operations[0].attempts[1].afterMilliseconds, 40);
});

test('one gateway hangs: found out after the period and three waits, overtaken when it is dialled', () => {
  const [silent, dialled] = runsOf('04');
  const [{ to, cause }] = silent.gateways[0].connections;
  assert.equal(cause, 'heartbeat lost');
  assert.equal(to - 15_040, 2000 + 2400 + 2880, 'after the last life at 40 ms');
  const read = silent.byName('read');
  assert.deepEqual(
    read.attempts.map(({ gateway, row }) => [gateway, row]),
    [
      [0, 'lost'],
      [1, 'result'],
    ],
  );
  const { code, completion, row, because } = silent.outcome('write');
  assert.deepEqual(
    [code, completion, row, because],
    ['CONNECTION_LOST', 'maybe', 'lost', ['redoOperations']],
  );
  assert.equal(dialled.gateways[0].dials[0].end, 'abandoned');
  assert.equal(reconnectedAt(dialled), 2040);
});

test('the whole cluster down: a dial of each gateway a round, connected within a wait of their return', () => {
  const [{ rounds, gateways, log, states, totals, ...run }] = runsOf('05');
  const [, , lost] = states.slice(1);
  assert.equal(lost.state, 'reconnecting');
  assert.ok(rounds.slice(1, -1).every(({ dials }) => dials === 3));
  const back = reconnectedAt({ states });
  assert.ok(back >= 140_000 && back <= 145_000 + 100, `${back}`);
  assert.equal(log.length, 4);
  assert.deepEqual(
    log.map(({ kind }) => kind),
    ['outagebegan', 'outagegoeson', 'outagegoeson', 'outageended'],
  );
  assert.ok(most(gateways.map(({ counts }) => counts.dials)) < 40);
  assert.equal(run.byName('read in the outage').attempts[0].at, back);
  assert.equal(run.outcome('read in the outage').code, 'OK');
  assert.deepEqual(
    ['read just before', 'read too early', 'write'].map((name) => {
      const { code, completion } = run.outcome(name);
      return [code, completion];
    }),
    [
      ['RETRY_TIMEOUT', 'maybe'],
      ['TIMEOUT', 'no'],
      ['CLIENT_RECONNECTING', 'no'],
    ],
  );
  assert.equal(totals.performed, 1);
});

test('a laptop asleep for an hour: connected within 8 s of waking, at once where a close waits', () => {
  const [dead, silent, closed] = runsOf('06');
  const after = (run) => reconnectedAt(run) - 3_660_000;
  assert.equal(after(dead), 2000 + 2400 + 2880 + 40);
  assert.equal(after(silent), after(dead), 'the late timer says it as well');
  assert.equal(after(closed), 40);
  assert.equal(dead.outcome('read on waking').code, 'OK');
  for (const { totals } of [dead, silent, closed]) assert.equal(totals.waits, 0);
});

test('a token expired: a function gives a fresh one, a list ends in NO_GATEWAY', () => {
  const [fresh, stale] = runsOf('07');
  assert.equal(fresh.state, 'connected');
  assert.ok(fresh.operations.every(({ outcome }) => outcome.code === 'OK'));
  const causes = fresh.gateways.flatMap(({ connections }) => connections.map(({ cause }) => cause));
  assert.deepEqual(
    causes.filter((cause) => cause !== undefined),
    Array(3).fill('closed 4401'),
  );
  assert.equal(stale.state, 'closed');
  assert.equal(stale.states.at(-1).reason, 'NO_GATEWAY');
  assert.deepEqual(
    stale.gateways.map(({ counts }) => counts.dials),
    [2, 2],
  );
  assert.equal(stale.outcome('read after it').code, 'CLIENT_CLOSED');
});

test('a write lost in flight: maybe, whatever was done; with redo twice or once; with a key once', () => {
  const [performed, arrivedNot] = runsOf('08');
  const times = (run, name) => run.byName(name).performed.length;
  for (const run of [performed, arrivedNot]) {
    assert.equal(run.outcome('write').code, 'CONNECTION_LOST');
    assert.equal(run.outcome('write').completion, 'maybe');
    for (const name of ['write with redo', 'with redo and operationKey', 'read'])
      assert.equal(run.outcome(name).code, 'OK');
    assert.equal(times(run, 'with redo and operationKey'), 1);
  }
  assert.deepEqual([times(performed, 'write'), times(arrivedNot, 'write')], [1, 0]);
  assert.deepEqual([times(performed, 'write with redo'), times(arrivedNot, 'write with redo')], [2, 1]);
});

test('the cluster is busy: five attempts at once, then 1 s, 2 s, 4 s, until two minutes are over', () => {
  const [soon, never, told] = runsOf('09');
  const delays = (run) => run.byName('write').attempts.map(({ afterMilliseconds }) => afterMilliseconds);
  assert.deepEqual(delays(soon), [0, 0, 0, 0, 0, 1000, 2000, 4000, 8000, 16_000]);
  assert.equal(soon.outcome('write').code, 'OK');
  assert.equal(soon.byName('write').performed.length, 1);
  assert.deepEqual(delays(never).slice(-2), [32_000, 56_670], 'the last is cut to what is left');
  for (const name of ['write', 'read']) {
    const { code, completion, elapsedMilliseconds } = never.outcome(name);
    assert.deepEqual([code, completion, elapsedMilliseconds], ['RETRY_TIMEOUT', 'no', 120_030]);
  }
  assert.ok(
    delays(told)
      .slice(1)
      .every((delay) => delay >= 3000),
  );
});

test('a thundering herd: all in one bucket without jitter, a handful with it', () => {
  const [jitter, none, spread] = runsOf('10');
  const peak = ({ gateways }, from, until) => most(gateways[0].buckets.slice(from, until));
  for (const { totals } of [jitter, none, spread]) assert.equal(totals.connectedAtEnd, 1000);
  // Buckets of 100 ms: the outage is 200..1400, its second half 800..1400, the return what follows.
  assert.equal(peak(none, 800, 1400), 1000);
  assert.equal(peak(none, 1400), 1000);
  assert.ok(peak(jitter, 800, 1400) < 60, `${peak(jitter, 800, 1400)}`);
  assert.ok(peak(jitter, 1400) < 60, `${peak(jitter, 1400)}`);
  assert.equal(peak(jitter, 200, 1400), 1000, 'jitter comes with the first wait, so not to the first round');
  assert.ok(peak(spread, 200, 1400) < 130, `${peak(spread, 200, 1400)}`);
});

test('what is wrong is named, with its value and the rule, all at once', () => {
  const { errors } = play({
    options: {
      gateways: ['https://a.example', 'wss://key:s3cret@b.example'],
      networking: { connectTimeouts: '1:2:x', jitter: 1.5, reconnect: true },
      closePolicy: 1,
    },
    horizon: 0,
    faults: [{ gateway: 2, kind: 'dwon', from: 5, until: 4 }, 7],
    operations: [{ kind: 'read' }],
    clients: 2,
    surprise: true,
  });
  const found = Object.fromEntries(errors.map(({ path, value, rule }) => [path, `${value}: ${rule}`]));
  const expected = {
    'options.gateways[0]': /^undefined: must be an absolute URL with the scheme ws: or wss:$/,
    'options.networking.connectTimeouts': /^"1:2:x": must have a whole number in ASCII digits as backoff$/,
    'options.networking.jitter': /^1\.5: must be a number within 0\.\.=1/,
    'options.networking.reconnect': /^true: must be one of always, schedule, never$/,
    'options.closePolicy': /^undefined: must be left out/,
    horizon: /^0: must be a whole number within 1\.\.=86400000$/,
    'faults[0].gateway': /^2: must be a whole number within 0\.\.=0$/,
    'faults[0].until': /^4: must be after from, which is 5$/,
    'faults[0].kind': /^"dwon": must be one of down, close/,
    'faults[1]': /^7: must be an object$/,
    'operations[0].at': /^undefined: is missing/,
    operations: /must be empty where there is more than one client/,
    surprise: /is no field here/,
  };
  for (const [path, text] of Object.entries(expected)) assert.match(found[path] ?? '', text, path);
  assert.deepEqual(Object.keys(found).sort(), Object.keys(expected).sort());
  assert.ok(!JSON.stringify(errors).includes('s3cret'));
  assert.deepEqual(JSON.parse(wasm.explore('{')), { errors: [{ path: '', rule: 'must be JSON' }] });
});

test('what takes too long is cut, and says so', () => {
  const endless = {
    options: { gateways: ['wss://a.example'], networking: { connectTimeouts: '1:2147483647:1:1' } },
    horizon: 86_400_000,
    bucketMilliseconds: 10_000,
    faults: [{ kind: 'down', from: 0, until: 86_400_000 }],
  };
  for (const clients of [1, 10_000]) {
    const { cut, until, totals, cutLists } = play({ ...endless, clients });
    assert.equal(cut, 'events');
    assert.ok(until < endless.horizon && totals.dials > 400_000);
    if (clients === 1) assert.ok(cutLists.includes('gateways[0].dials'));
  }
});

test('a schedule: its waits, their sum, and the dials a minute beside others', () => {
  const of = (input) => JSON.parse(wasm.schedule(JSON.stringify(input)));
  const { waits, shortest, sumMilliseconds, dialsByMinute } = of({ text: '250:60000:100:5000', jitter: 0.2 });
  assert.equal(waits.length, 16);
  assert.equal(sumMilliseconds, 62_750);
  assert.deepEqual(shortest.slice(0, 2), [200, 400]);
  assert.deepEqual(dialsByMinute.schedule, [16, 12, 12, 12, 12]);
  assert.deepEqual(dialsByMinute.fixed, Array(5).fill(60));
  assert.deepEqual(dialsByMinute.none, Array(5).fill(56_000));
  assert.deepEqual(of({ text: '9:1000:10' }).warnings, ['never grows']);
  assert.equal(of({ text: '1:2147483647:1:1' }).waitsCut, true);
  const [{ path, value, rule }] = of({ text: '1:2' }).errors;
  assert.deepEqual([path, value, rule], ['text', '"1:2"', 'must be a text initial:max:backoff[:maxsingle]']);
});

test('options come in from Hazelcast and from an ORB, and go out again', () => {
  const { options, foreign, errors } = JSON.parse(
    wasm.importOptions(
      '{"hazelcast":{"clusterName":"dev","networking":{"reconnect":"false","redoOperations":true}}}',
    ),
  );
  assert.deepEqual(options, { networking: { reconnect: 'never', redoOperations: true } });
  assert.deepEqual([foreign, errors], [['hazelcast.clusterName'], []]);
  const orb = JSON.parse(
    wasm.importOptions('# old\n-Dcom.sun.corba.ee.transport.ORBTCPConnectTimeouts=100:200:300\nwhat'),
  );
  assert.deepEqual(orb.options, { networking: { connectTimeouts: '100:200:300' } });
  assert.equal(orb.errors.length, 1);
  const { javaScript, hazelcast, properties, lost } = JSON.parse(
    wasm.exportOptions(JSON.stringify({ gateways: ['wss://a.example/ws'], ...options, ...orb.options })),
  );
  assert.match(javaScript, /^new ClusterClient\(\{\n {2}gateways: \["wss:\/\/a\.example\/ws"\],\n/);
  assert.deepEqual(JSON.parse(hazelcast), {});
  assert.equal(properties, 'com.sun.corba.ee.transport.ORBTCPConnectTimeouts=100:200:300\n');
  assert.deepEqual(lost.hazelcast, ['networking.connectTimeouts']);
});

test('the table has every option with its kind and its default', () => {
  const { options, retryTable, faults } = JSON.parse(wasm.optionsTable());
  const jitter = options.find(({ path }) => path === 'networking.jitter');
  assert.equal(jitter.default, 0.2);
  assert.equal(options.length, 25);
  assert.equal(retryTable.length, 11);
  assert.deepEqual(
    faults.map(({ kind }) => kind),
    ['down', 'close', 'hang', 'busy', 'error', 'mute', 'slow'],
  );
});
