// The tests of suite/, run by vitest inside workerd with the packed package and the example; each is a test of this one.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { emptyFolder, project } from '../package/support/installed.mjs';
import { unpackFor } from './support/unpacked.mjs';

const here = import.meta.dirname;

/** A project as a user has it: the suite, the example, the packed package, and tools. */
function prepare() {
  const folder = emptyFolder();
  cpSync(join(here, 'suite'), folder, { recursive: true });
  cpSync(join(project, 'examples/worker'), join(folder, 'example'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}\n');
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(here, 'node_modules')))
    symlinkSync(join(here, 'node_modules', name), join(modules, name));
  unpackFor(folder);
  return folder;
}

function runVitest(folder) {
  const report = join(folder, 'report.json');
  const args = [join(here, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder];
  args.push('--reporter=default', '--reporter=json', `--outputFile.json=${report}`);
  const env = { ...process.env, CI: 'true', CLOUDFLARE_CF_FETCH_ENABLED: 'false', NO_COLOR: '1' };
  env.REGATE_GATEWAYS = join(project, 'tests/gateways');
  env.WRANGLER_SEND_METRICS = 'false';
  delete env.NODE_TEST_CONTEXT;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      args,
      { cwd: folder, env, timeout: 120_000, maxBuffer: 2 ** 26 },
      (error, stdout, stderr) => resolve({ error, output: stdout + stderr, report }),
    );
  });
}

test('in workerd', async (t) => {
  const { error, output, report } = await runVitest(prepare());
  let results;
  try {
    results = JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch {
    assert.fail(`vitest made no report: ${output}`);
  }
  for (const { assertionResults } of results) {
    for (const { fullName, status, failureMessages } of assertionResults)
      await t.test(fullName, () => assert.equal(status, 'passed', failureMessages.join('\n')));
  }
  const count = results.reduce((sum, { assertionResults }) => sum + assertionResults.length, 0);
  assert.ok(count >= 13, `${count} tests ran: ${output}`);
  assert.equal(error, null, output);
});
