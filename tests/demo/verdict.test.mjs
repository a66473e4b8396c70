import assert from 'node:assert/strict';
import { test } from 'node:test';
import { audit } from '../gateways/journal.mjs';
import { failovers } from './report.mjs';
import { FINDINGS, problemsOf } from './verdict.mjs';

/** A run in which nothing went wrong, to plant something in. */
function goodRun() {
  const outcomes = [];
  const executed = new Map();
  const add = (id, kind, said, runs) => {
    outcomes.push({ id, kind, handedToSocket: 1, ...said });
    if (runs > 0) executed.set(id, runs);
  };
  for (let number = 0; number < 1000; number += 1) add(`r${number}`, 'read', { outcome: 'ok' }, 1);
  add('w-ok', 'write', { outcome: 'ok' }, 1);
  add('w-no', 'write', { outcome: 'error', completion: 'no', handedToSocket: 0 }, 0);
  add('w-maybe-run', 'write', { outcome: 'error', completion: 'maybe' }, 1);
  add('w-maybe-lost', 'write', { outcome: 'error', completion: 'maybe' }, 0);
  add('w-yes', 'write', { outcome: 'error', completion: 'yes' }, 1);
  add('redo', 'redo write', { outcome: 'ok', handedToSocket: 2 }, 2);
  return { outcomes, executed, faults: [{ what: 'kill', effect: 1 }], troubles: [] };
}

/** What is said of a run with something planted in it. */
function problemsWith(plant) {
  const run = goodRun();
  const said = (id) => run.outcomes.find((outcome) => outcome.id === id);
  plant(run, said);
  return problemsOf({ ...run, audit: run.audit ?? audit(run.outcomes, run.executed) });
}

test('a good run has no problem', () => {
  assert.deepEqual(
    problemsWith(() => {}),
    [],
  );
});

const PLANTED = {
  'executed twice without redo: 1 (w-ok)': ({ executed }) => executed.set('w-ok', 2),
  'said "no" but executed: 1 (w-no)': ({ executed }) => executed.set('w-no', 1),
  'said "maybe", never handed to a socket: 1 (w-maybe-lost)': (_, said) => {
    said('w-maybe-lost').handedToSocket = 0;
  },
  'said "yes" but not executed: 1 (w-yes)': ({ executed }) => executed.delete('w-yes'),
  'success reported, not executed: 1 (r7)': ({ executed }) => executed.delete('r7'),
  'executed, never handed to a socket: 1 (w-ok)': (_, said) => {
    said('w-ok').handedToSocket = 0;
  },
  'executed more often than handed over: 1 (redo)': ({ executed }) => executed.set('redo', 3),
  'executed, of no known operation: 1 (stranger)': ({ executed }) => executed.set('stranger', 1),
  'failed without a completion: 1 (w-maybe-run)': (_, said) => {
    delete said('w-maybe-run').completion;
  },
  'never settled: 1 (w-maybe-lost)': (_, said) => {
    said('w-maybe-lost').outcome = 'pending';
  },
  'settled twice: 1 (w-ok)': ({ outcomes }, said) => outcomes.push({ ...said('w-ok') }),
  'reads not answered: 1 (r3)': (_, said) =>
    Object.assign(said('r3'), { outcome: 'error', completion: 'maybe' }),
  'kill: had no effect': ({ faults }) => {
    faults[0].effect = 0;
  },
  'restart: had no effect': ({ faults }) => faults.push({ what: 'restart', effect: undefined }),
  'no fault was set': ({ faults }) => faults.splice(0),
  'TypeError in the page': ({ troubles }) => troubles.push('TypeError in the page'),
};

for (const [problem, plant] of Object.entries(PLANTED)) {
  test(`planted: ${problem}`, () => assert.ok(problemsWith(plant).includes(problem), problem));
}

test('every finding has a violation planted above', () => {
  for (const words of Object.values(FINDINGS)) {
    assert.ok(
      Object.keys(PLANTED).some((problem) => problem.startsWith(`${words}: `)),
      words,
    );
  }
});

test('too few operations', () => {
  const problems = problemsWith(({ outcomes }) => outcomes.splice(0, 100));
  assert.ok(problems.includes('906 operations were made, at least 1000 are wanted'), problems.join('\n'));
});

test('what was not looked for is not taken for absent', () => {
  const unwatched = problemsWith((_, said) => {
    delete said('w-ok').handedToSocket;
  });
  assert.match(unwatched.join(), /watched for 1005 of 1006/);
  const unaudited = problemsWith((run) => {
    run.audit = { clean: true, findings: {}, numbers: { handed: 1006, operations: 1006 } };
  });
  assert.equal(unaudited.length, Object.keys(FINDINGS).length);
});

test('many ids: the first are named', () => {
  const [problem] = problemsWith(({ outcomes, executed }) => {
    for (let number = 0; number < 15; number += 1) {
      outcomes.push({
        id: `n${number}`,
        kind: 'write',
        outcome: 'error',
        completion: 'no',
        handedToSocket: 1,
      });
      executed.set(`n${number}`, 1);
    }
  });
  assert.equal(problem, 'said "no" but executed: 15 (n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, …)');
});

test('a failover is measured from the fault to the first answer after the loss', () => {
  const faults = [
    { what: 'kill', at: 100, isLoss: true },
    { what: 'hang', at: 150, isLoss: false },
    { what: 'kill', at: 500, isLoss: true },
  ];
  const events = [{ type: 'statechange', to: 'reconnecting', at: 103 }];
  const outcomes = [101, 104, 120].map((settledAt) => ({ outcome: 'ok', settledAt }));
  outcomes.unshift({ outcome: 'error', settledAt: 103.5 });
  const [first, second, ...none] = failovers(faults, events, outcomes);
  assert.deepEqual([first.milliseconds, second.milliseconds, none.length], [4, Number.NaN, 0]);
});
