import assert from 'node:assert/strict';
import { test } from 'node:test';
import { audit } from './journal.mjs';

/** @typedef {import('./journal.mjs').Outcome} Outcome */

const write = /** @type {const} */ ({ id: 'w', kind: 'write', outcome: 'error', completion: 'maybe' });

test('each accusation, and nothing beside it', () => {
  /** @type {[string, Partial<Outcome>, number][]} */
  const rows = [
    ['executedTwiceWithoutRedo', { handedToSocket: 2 }, 2],
    ['executedTwiceDespiteKey', { kind: 'key write', outcome: 'ok', completion: undefined }, 2],
    ['saidNoButExecuted', { completion: 'no' }, 1],
    ['saidNoButExecuted', { completion: 'no', kind: 'redo write' }, 3],
    ['saidMaybeThoughNeverSent', { handedToSocket: 0 }, 0],
    ['saidMaybeThoughNeverSent', { handedToSocket: false }, 0],
    ['saidYesButNotExecuted', { completion: 'yes' }, 0],
    ['saidOkButNotExecuted', { outcome: 'ok', completion: undefined }, 0],
    ['executedThoughNeverSent', { outcome: 'ok', completion: undefined, handedToSocket: 0 }, 1],
    ['executedMoreThanSent', { kind: 'redo write', handedToSocket: 1 }, 2],
    ['errorWithoutCompletion', { completion: undefined }, 0],
    ['neverSettled', { outcome: 'pending', completion: undefined }, 1],
  ];
  for (const [name, change, runs] of rows) {
    const { clean, findings } = audit([{ ...write, ...change }], new Map(runs === 0 ? [] : [['w', runs]]));
    const found = Object.entries(findings).filter(([, { count }]) => count > 0);
    assert.deepEqual(found, [[name, { count: 1, ids: ['w'] }]], name);
    assert.equal(clean, false);
  }
});

test('what is allowed', () => {
  /** @type {[Partial<Outcome>, number][]} */
  const rows = [
    [{ handedToSocket: 1 }, 0],
    [{ handedToSocket: 1 }, 1],
    [{ handedToSocket: true }, 1],
    [{}, 0],
    [{ completion: 'no', handedToSocket: 1 }, 0],
    [{ completion: 'yes' }, 1],
    [{ outcome: 'ok', completion: undefined }, 1],
    [{ outcome: 'ok', completion: undefined, kind: 'redo write', handedToSocket: 3 }, 3],
    [{ outcome: 'ok', completion: undefined, kind: 'read' }, 2],
    [{ kind: 'key write', handedToSocket: 4 }, 1],
  ];
  for (const [change, runs] of rows) {
    const { clean, findings } = audit([{ ...write, ...change }], new Map(runs === 0 ? [] : [['w', runs]]));
    assert.equal(clean, true, JSON.stringify([change, runs, findings]));
  }
});

test('settled twice, executed though nobody asked, and the numbers', () => {
  /** @type {Outcome[]} */
  const outcomes = [
    { id: 1, kind: 'read', outcome: 'ok' },
    { id: '1', kind: 'read', outcome: 'ok' },
    { id: 2, kind: 'read', outcome: 'error', completion: 'no' },
    { id: 3, kind: 'redo write', outcome: 'ok', handedToSocket: 2 },
  ];
  const journal = [{ id: 1 }, { id: 3 }, { id: 3 }, { id: null }, { id: 'stranger' }];
  const { findings, numbers } = audit(outcomes, journal);
  assert.deepEqual(findings.settledTwice, { count: 1, ids: ['1'] });
  assert.deepEqual(findings.executedButUnknown, { count: 1, ids: ['stranger'] });
  assert.deepEqual(numbers, {
    operations: 3,
    ok: 2,
    no: 1,
    maybe: 0,
    yes: 0,
    pending: 0,
    readsUnanswered: 1,
    redone: 1,
    handed: 1,
  });
});

test('at most 20 ids are listed, all are counted', () => {
  const executed = new Map(Array.from({ length: 50 }, (_, id) => [String(id), 1]));
  const { count, ids } = audit([], executed).findings.executedButUnknown;
  assert.deepEqual([count, ids.length], [50, 20]);
});

test('what is no outcome is not judged but refused', () => {
  const wrong = [
    null,
    {},
    { ...write, kind: 'wrote' },
    { ...write, completion: 'perhaps' },
    { ...write, id: null },
  ];
  for (const said of wrong) assert.throws(() => audit([/** @type {any} */ (said)], new Map()), TypeError);
});
