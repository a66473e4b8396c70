// The list of accepted survivors is about code that is there, and gives a reason for each.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { compare, readAccepted, survivorOf } from './accepted.mjs';

const entries = readAccepted();

test('every entry names a line of code that its file has, and says why', () => {
  for (const { file, change, code, reason } of entries) {
    const lines = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8').split('\n');
    assert.ok(
      lines.some((line) => line.trim() === code),
      `${file} has no line \`${code}\` any more (${change})`,
    );
    assert.ok(reason.length > 20, `${file}: ${change}: why does it change nothing?`);
  }
});

test('an entry accepts one survivor, and not another on the same line or the same change elsewhere', () => {
  const source = 'fn a() {\n    if b < c && c < d {}\n}\n';
  const survivor = survivorOf('src/a.rs:2:10: replace < with <= in a', source);
  assert.deepEqual(survivor, {
    file: 'src/a.rs',
    line: 2,
    change: 'replace < with <= in a',
    code: 'if b < c && c < d {}',
  });
  const [entry] = readAccepted(
    '## src/a.rs\n\n- `replace < with <= in a`\n  `if b < c && c < d {}`\n  Both are\n  the same.\n',
  );
  assert.equal(entry.reason, 'Both are the same. ');
  assert.deepEqual(compare([survivor], [entry]), { fresh: [], unneeded: [] });
  assert.deepEqual(compare([survivor, survivor], [entry]).fresh, [survivor]);
  assert.deepEqual(compare([{ ...survivor, code: 'if b < c {}' }], [entry]).unneeded, [entry]);
});
