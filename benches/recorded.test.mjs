// What may not get worse: numbers are judged rightly, and every judgement can be read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { growths, labelOf, MOST_PER_TENFOLD, perStep, readLines, readTotals } from './lib/instructions.mjs';
import { compare, toolchainNote } from './lib/recorded.mjs';
import { tables } from './sections/instructions.mjs';

const state = (instructions, bytes = {}) => ({ instructions, bytes });

/** What is said of one number that was `before` and is `now`. */
function judged(before, now) {
  const [found, ...more] = compare(state({}, { wasm: before }), state({}, { wasm: now }));
  assert.deepEqual(more, []);
  return found;
}

test('2.1 % more fails, with the name, both numbers, the growth, and how to accept it', () => {
  assert.deepEqual(judged(100_000, 102_100), {
    passes: false,
    said: 'wasm: 100,000 bytes recorded, 102,100 now: 2.1 % more. If it is worth that, `make accept` records it, for you to commit',
  });
});

test('1.9 % more passes, and so does 1.9 % less', () => {
  for (const now of [98_100, 100_000, 101_900, 102_000])
    assert.deepEqual(judged(100_000, now), { passes: true, said: undefined }, `${now}`);
});

test('2.1 % less passes, and says that the record may be tightened', () => {
  const { passes, said } = judged(100_000, 97_900);
  assert.ok(passes);
  assert.match(said, /^wasm: 100,000 bytes recorded, 97,900 now: 2\.1 % less\. `make accept`/);
});

test('what has no record fails, and what is no longer measured does', () => {
  const found = compare(state({ gone: 7.5 }), state({ new: 1234.5 }));
  assert.deepEqual(
    found.map(({ passes }) => passes),
    [false, false],
  );
  assert.match(found[0].said, /^new: 1,234\.5 instructions and no record yet\. `make accept`/);
  assert.match(found[1].said, /^gone: recorded, but no longer measured\. .*`make accept`/);
  assert.equal(compare({}, state({ new: 1 }))[0].passes, false, 'a record without that part');
});

test('from nothing to something is growth, and nothing stays nothing', () => {
  assert.equal(judged(0, 1).passes, false);
  assert.deepEqual(judged(0, 0), { passes: true, said: undefined });
});

test('another toolchain is named, as it may be the reason', () => {
  const now = { rustc: '1.95.0', node: 'v20' };
  assert.equal(toolchainNote(now, now), undefined);
  assert.match(
    toolchainNote({ ...now, rustc: '1.94.0' }, now),
    /another toolchain.*: rustc 1\.94\.0 then, 1\.95\.0 now$/,
  );
  assert.match(toolchainNote(undefined, now), /rustc unknown then, 1\.95\.0 now; node unknown then/);
});

test('callgrind and the program are read together, and must agree', () => {
  const paths = readLines('a step\t0\t10\t7\na step\t1000\t20\t1.5,2.5\n');
  assert.deepEqual(paths[1], { name: 'a step', pending: 1000, steps: 20, times: [1.5, 2.5] });
  const totals = readTotals('part: 1\ntotals: 50\n\npart: 2\ntotals: 400\n\npart: 3\ntotals: 0\n');
  const counts = perStep(paths, totals);
  assert.deepEqual(
    counts.map((row) => [labelOf(row), row.instructions]),
    [
      ['a step', 5],
      ['a step, 1,000 pending', 20],
    ],
  );
  assert.throws(() => perStep(paths, [50]), /callgrind counted 50 in 2 paths/);
  assert.throws(() => perStep(paths, [50, 0]), /callgrind counted 50, 0/);
});

const sizes = (...rows) => rows.map(([pending, instructions]) => ({ name: 'a path', pending, instructions }));

test('growth is told for each tenfold: a heap passes, a walk through all does not', () => {
  const heap = growths(sizes([1000, 1100], [10_000, 1200], [100_000, 1300]));
  assert.deepEqual(
    heap.map(({ perTenfold }) => Math.round(perTenfold)),
    [100, 100],
  );
  assert.equal(Math.round(growths(sizes([1, 1000], [1000, 1300]))[0].perTenfold), 100);
  assert.ok(growths(sizes([1000, 2000], [10_000, 11_000]))[0].perTenfold > MOST_PER_TENFOLD);
  assert.deepEqual(
    growths([
      { name: 'a', pending: 0 },
      { name: 'b', pending: 0 },
    ]),
    [],
  );
});

test('the section shows each path with its sizes, and what a tenfold costs', () => {
  const nanoseconds = { median: 2, range: [1, 3], count: 3 };
  const rows = sizes([1000, 1100.25], [10_000, 1200.25]).map((row) => ({ ...row, nanoseconds }));
  const [paths, tenfolds] = tables(rows);
  assert.deepEqual(paths.rows[0], ['a path', '1,000', '1,100.3', '2.0 [1.0–3.0]']);
  assert.deepEqual(tenfolds.rows, [['a path', '1,000', '10,000', '100.0']]);
});
