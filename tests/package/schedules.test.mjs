// The schedules that the package itself reads, by the public vectors that the core is held to.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { project, ready } from './support/installed.mjs';

const { tcpTimeouts } = await ready();

/** Where the core goes its own way, as tests/vectors/exceptions.rs says it. */
function isException({ input, config, sum }) {
  if (input !== undefined) return /[^\x20-\x7e]|\+|:$/.test(input);
  const [initial, , backoff, maxSingle = 2_147_483_647] = config.split(':').map(Number);
  return initial > maxSingle || 100 + backoff > 2_147_483_647 || sum > 2_147_483_647;
}

const cases = (name) => {
  const file = join(project, `tests/vectors/tcp_timeouts_${name}_public.json`);
  return JSON.parse(readFileSync(file, 'utf8')).cases.filter((each) => !isException(each));
};

/** What the original calls each field. */
const FIELDS = {
  initial_time_to_wait: 'initial',
  max_time_to_wait: 'max',
  backoff_factor: 'backoff',
  max_single_wait_time: 'maxsingle',
};

test('texts are taken and refused as the core does it', () => {
  const all = cases('parse');
  assert.ok(all.length > 25, `${all.length}`);
  for (const { id, input, ok, field } of all) {
    if (ok) {
      assert.equal(String(tcpTimeouts(input)), input, id);
    } else {
      const rule =
        field === undefined
          ? /must have the parts/
          : new RegExp(`must have (a whole number in ASCII digits as )?${FIELDS[field]}\\b`);
      assert.throws(() => tcpTimeouts(input), rule, id);
    }
  }
});

test('waits are those of the core', () => {
  const all = cases('schedules').filter(({ end }) => end === 'expired');
  assert.ok(all.length > 20, `${all.length}`);
  for (const { id, config, count, sum, first, last } of all) {
    const waits = tcpTimeouts(config).waits();
    const expected = (entries) => entries.map(([wait]) => wait);
    assert.equal(waits.length, count, id);
    assert.equal(
      waits.reduce((total, wait) => total + wait, 0),
      sum,
      id,
    );
    assert.deepEqual(waits.slice(0, first.length), expected(first), id);
    assert.deepEqual(waits.slice(-last.length), expected(last), id);
  }
});

test('what is legal but odd is said from where the core says it', () => {
  const [never, over, odd] = [/never grows/, /longer than maxsingle/, /outside 10 to 100/];
  for (const [text, ...expected] of [
    ['99:1000:100:100'],
    ['100:1000:100:100'],
    ['101:1000:100:100', over],
    ['9:1000:10', never],
    ['10:1000:10'],
    ['1000:9000:9', odd],
    ['1000:9000:10'],
    ['1000:9000:100'],
    ['1000:9000:101', odd],
    ['1:1:1', never, odd],
    ['1:1:1:1', odd],
    ['2147483647:1:2147483647', odd],
  ]) {
    const warnings = tcpTimeouts(text).warnings();
    assert.equal(warnings.length, expected.length, `${text}: ${warnings}`);
    expected.forEach((rule, place) => {
      assert.match(warnings[place], rule, text);
    });
  }
});
