import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KINDS } from './faults.mjs';
import { stepsOf } from './page/operations.js';
import { faultsOf, TARGETS } from './plan.mjs';

const MINUTE = 60_000;
const firstSteps = (seed, name) => {
  const steps = stepsOf(seed, name, ['a/0']);
  return Array.from({ length: 2000 }, () => steps.next().value);
};

test('a plan follows from its seed', () => {
  assert.deepEqual(faultsOf(7, MINUTE, TARGETS), faultsOf(7, MINUTE, TARGETS));
  assert.notDeepEqual(faultsOf(7, MINUTE, TARGETS), faultsOf(8, MINUTE, TARGETS));
  assert.deepEqual(firstSteps(7, 'a'), firstSteps(7, 'a'));
  assert.notDeepEqual(firstSteps(7, 'a'), firstSteps(7, 'b'));
  assert.notDeepEqual(firstSteps(7, 'a'), firstSteps(8, 'a'));
});

test('faults come every 50 to 500 ms, and each kind in each minute', () => {
  for (let seed = 0; seed < 20; seed += 1) {
    const faults = faultsOf(seed, MINUTE, TARGETS);
    const gaps = faults.slice(1).map(({ at }, index) => at - faults[index].at);
    assert.ok(Math.min(...gaps) >= 50 && Math.max(...gaps) <= 500);
    for (const kind of Object.keys(KINDS))
      assert.ok(faults.filter((fault) => fault.kind === kind).length >= 8);
  }
});

test('ten minutes hold more than is wanted of faults', () => {
  assert.ok(faultsOf(1, 10 * MINUTE, TARGETS).length > 2000);
});

test('operations are of every kind, hurried in every way', () => {
  const wishes = firstSteps(1, 'a').flatMap((step) => step.wishes);
  const kinds = new Set(wishes.map(({ kind }) => kind));
  assert.deepEqual([...kinds].sort(), ['key write', 'read', 'redo write', 'write']);
  const options = new Set(wishes.flatMap((wish) => Object.keys(wish.options)));
  for (const option of ['timeoutMilliseconds', 'waitForResponseMilliseconds', 'retryTimeoutSeconds']) {
    assert.ok(options.has(option), option);
  }
  for (const option of ['boundToConnection', 'operationKey', 'retryUnsentOperations', 'readOnly']) {
    assert.ok(options.has(option), option);
  }
  for (const abort of ['before', 'turn', 'number']) {
    assert.ok(
      wishes.some((wish) => wish.abort === abort || typeof wish.abort === abort),
      abort,
    );
  }
  assert.ok(wishes.filter((wish) => wish.isHurried !== true).length > wishes.length / 2);
});
