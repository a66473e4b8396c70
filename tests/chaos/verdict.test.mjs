import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FINDINGS } from '../demo/verdict.mjs';
import { audit } from '../gateways/journal.mjs';
import { KINDS } from './faults.mjs';
import { ACCUSATIONS, checksOf } from './verdict.mjs';

/** A run of a minute in which nothing went wrong, to plant something in. */
function goodRun() {
  const outcomes = [];
  const executed = new Map();
  const add = (id, kind, said, runs) => {
    outcomes.push({ id, kind, method: 'any', handedToSocket: 1, mustAnswer: kind !== 'write', ...said });
    if (runs > 0) executed.set(id, runs);
  };
  for (let number = 0; number < 9000; number += 1) add(`a-${number}`, 'read', { outcome: 'ok' }, 1);
  for (let number = 9000; number < 10_000; number += 1) add(`a-${number}`, 'write', { outcome: 'ok' }, 1);
  const failed = (code, completion) => ({ outcome: 'error', code, completion, mustAnswer: false });
  for (let number = 0; number < 20; number += 1) {
    add(`m-${number}`, 'write', failed('CONNECTION_LOST', 'maybe'), number % 2);
  }
  add('n-1', 'write', { ...failed('CLIENT_RECONNECTING', 'no'), handedToSocket: 0 }, 0);
  add('k-1', 'key write', { outcome: 'ok', handedToSocket: 3 }, 1);
  add('d-1', 'redo write', { outcome: 'ok', handedToSocket: 2 }, 2);
  add('p-1', 'read', { ...failed('CONNECTION_LOST', 'maybe'), closeCode: 1009, mustAnswer: true }, 0);
  add('f-1', 'read', { ...failed('REMOTE_ERROR', 'yes'), cause: 'a text', mustAnswer: true }, 1);
  add('limited-1', 'read', { ...failed('OVERLOADED', 'no'), handedToSocket: 0, mustAnswer: true }, 0);
  const report = (name, isLimited) => ({
    name,
    isLimited,
    accused: {},
    stats: { pendingOperations: 0, inFlightOperations: 0 },
  });
  return {
    seconds: 60,
    plan: Array.from({ length: 220 }, () => ({})),
    misses: 2,
    reports: [report('a', false), report('limited', true)],
    outcomes,
    executed,
    strikes: Object.entries(KINDS).map(([kind, { words }]) => ({ kind, words, set: 11, struck: 5 })),
    settled: [
      { state: 'connected', isLive: true },
      { state: 'connected', isLive: true },
    ],
    subscriptions: {
      wanted: ['a/0', 'a/1'],
      found: [{ topic: 'a/0' }, { topic: 'a/1' }],
      heard: [1, 1],
    },
    troubles: [],
  };
}

/** The checks that fail, after something was planted. */
function failing(plant) {
  const run = goodRun();
  const by = (id) => run.outcomes.find((said) => said.id === id);
  plant(run, by);
  return checksOf({ ...run, audit: audit(run.outcomes, run.executed) })
    .filter(({ passed }) => !passed)
    .map(({ check, found }) => `${check}: ${found}`);
}

test('a good run passes', () => {
  assert.deepEqual(
    failing(() => {}),
    [],
  );
});

const PLANTED = {
  [`${FINDINGS.executedTwiceWithoutRedo}: 1 (a-9000)`]: ({ executed }, by) => {
    by('a-9000').handedToSocket = 2;
    executed.set('a-9000', 2);
  },
  'executed twice despite an operation key: 1 (k-1)': ({ executed }) => executed.set('k-1', 2),
  'success reported, not executed: 1 (k-1)': ({ executed }) => executed.delete('k-1'),
  'said "no" but executed: 1 (n-1)': ({ executed }, by) => {
    by('n-1').handedToSocket = 1;
    executed.set('n-1', 1);
  },
  'said "maybe", never handed to a socket: 1 (m-2)': (_, by) => {
    by('m-2').handedToSocket = 0;
  },
  'said "yes" but not executed: 1 (f-1)': ({ executed }) => executed.delete('f-1'),
  'executed, never handed to a socket: 1 (a-1)': (_, by) => {
    by('a-1').handedToSocket = 0;
  },
  'executed more often than handed over: 1 (d-1)': ({ executed }) => executed.set('d-1', 3),
  'executed, of no known operation: 1 (x-1)': ({ executed }) => executed.set('x-1', 1),
  'failed without a completion: 1 (n-1)': (_, by) => {
    by('n-1').completion = undefined;
  },
  'never settled: 1 (a-2)': (_, by) => {
    by('a-2').outcome = 'pending';
  },
  'settled twice: 1 (a-3)': ({ outcomes }, by) => outcomes.push({ ...by('a-3') }),
  'sockets watched for: 10025': (_, by) => {
    by('a-4').handedToSocket = undefined;
  },
  'had time and was not answered: 1 (d-1 redo write RETRY_TIMEOUT)': (_, by) =>
    Object.assign(by('d-1'), { outcome: 'error', code: 'RETRY_TIMEOUT', completion: 'maybe' }),
  'had time and was not answered: 1 (p-1 read CONNECTION_LOST)': (_, by) => {
    by('p-1').closeCode = 1006;
  },
  'had time and was not answered: 1 (f-1 read REMOTE_ERROR)': (_, by) => {
    by('f-1').cause = -32_010;
  },
  'had time and was not answered: 1 (a-5 read OVERLOADED)': ({ executed }, by) => {
    Object.assign(by('a-5'), { outcome: 'error', code: 'OVERLOADED', completion: 'no', handedToSocket: 0 });
    executed.delete('a-5');
  },
  'excused by forged answers: 1': ({ strikes }) => {
    strikes.find(({ kind }) => kind === 'answerRubbish').struck = 0;
  },
  'live, not exactly once at the gateways: 1 (a/0 2 times)': ({ subscriptions }) =>
    subscriptions.found.push({ topic: 'a/0' }),
  'live, not exactly once at the gateways: 1 (a/1 0 times)': ({ subscriptions }) => subscriptions.found.pop(),
  'given up, still at a gateway: 1 (b/0)': ({ subscriptions }) => subscriptions.found.push({ topic: 'b/0' }),
  'heard exactly once what was published once: 1': ({ subscriptions }) => {
    subscriptions.heard = [1, 2];
  },
  'live subscriptions: 0': ({ subscriptions }) =>
    Object.assign(subscriptions, { wanted: [], found: [], heard: [] }),
  'clients connected and subscribed at the end: 1': ({ settled }) => {
    settled[1].state = 'reconnecting';
  },
  'clients that still count open operations: 1 (limited)': ({ reports }) => {
    reports[1].stats.inFlightOperations = 1;
  },
  'unhandled rejections, uncaught errors: 1 (oh)': ({ troubles }) => troubles.push('oh'),
  'operations: 9999': (run) => {
    run.outcomes = run.outcomes.slice(27);
    for (let number = 0; number < 27; number += 1) run.executed.delete(`a-${number}`);
  },
  'faults: 99': (run) => {
    run.plan = run.plan.slice(0, 101);
  },
  'operations answered: 4900': ({ outcomes, executed }) => {
    for (const said of outcomes.filter(({ outcome }) => outcome === 'ok').slice(4900)) {
      Object.assign(said, { outcome: 'error', code: 'TIMEOUT', completion: 'no', mustAnswer: false });
      executed.delete(said.id);
    }
  },
};
for (const [found, plant] of Object.entries(PLANTED)) {
  test(`found: ${found}`, () => {
    const failed = failing(plant);
    assert.ok(failed.includes(found), `${found} is not among\n${failed.join('\n')}`);
    // What is planted may break a promise or two besides, as an operation executed twice was sent twice.
    const more = failed.filter((text) => text !== found);
    assert.ok(failed.length > 0 && more.length <= 2, failed.join('\n'));
  });
}

test('a kind of fault that never struck is found, by its name', () => {
  const failed = failing(({ strikes }) => {
    strikes[3].struck = 0;
  });
  assert.deepEqual(failed, [`kinds of faults that struck at least 2 times: 19 (${KINDS.hang.words}: 0)`]);
});

test('a run without anything in flight at a fault proves nothing', () => {
  const failed = failing(({ outcomes }) => {
    for (const said of outcomes) if (String(said.id).startsWith('m-')) said.outcome = 'ok';
    for (const said of outcomes) if (String(said.id).startsWith('m-')) said.completion = undefined;
  });
  assert.ok(failed.some((text) => text.startsWith('operations that end in "maybe"')));
});

for (const [name, words] of Object.entries(ACCUSATIONS)) {
  test(`found: ${words}`, () => {
    const failed = failing(({ reports }) => {
      reports[0].accused[name] = { count: 2, ids: ['a-1', 'a-2'] };
    });
    assert.deepEqual(failed, [`${words}: 2 (a-1, a-2)`]);
  });
}
