// The properties of the core, natively, over many more worlds than `make test` has time for.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Some minutes on two cores. */
const CASES = 1_000_000;
const COMMAND = ['test', '--release', '--locked', '--test', 'properties', '--', '--nocapture'];
const SHOWN_LINES = 40;

/**
 * @param {import('../demo/lifetime.mjs').Lifetime} life
 * @param {{ progress?: (fraction: number, text: string) => void, cases?: number }} options
 * @returns {Promise<import('./bench.mjs').Proof[]>}
 */
export async function proveProperties(life, { progress = () => {}, cases = casesWanted() }) {
  const child = spawn('cargo', COMMAND, {
    cwd: fileURLToPath(new URL('../../', import.meta.url)),
    env: { ...process.env, REGATE_CASES: String(cases), CARGO_TERM_COLOR: 'never' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a process group: the tests are a child of cargo's
  });
  life.defer(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL');
  });
  const lines = [];
  const result = { passed: 0, failed: 0 };
  progress(0, 'compiling');
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on('line', (line) => {
      lines.push(line);
      if (lines.length > SHOWN_LINES) lines.shift();
      const done = /^(\d+) of \d+ cases/.exec(line)?.[1];
      if (done !== undefined) progress(Number(done) / cases, line);
      const [, passed, failed] = /^test result: \w+\. (\d+) passed; (\d+) failed;/.exec(line) ?? [];
      result.passed += Number(passed ?? 0);
      result.failed += Number(failed ?? 0);
    });
  }
  const [code] = await once(child, 'close');
  const passed = code === 0 && result.failed === 0 && result.passed > 0;
  if (!passed) process.stderr.write(`${lines.join('\n')}\n`);
  return [
    {
      check: `properties, ${cases.toLocaleString('en')} worlds`,
      wanted: 'none broken',
      found: passed ? `${result.passed} tests passed` : `${result.failed} tests failed, exit ${code}`,
      passed,
    },
  ];
}

function casesWanted() {
  const given = process.env.REGATE_CASES;
  if (given === undefined) return CASES;
  if (!/^[1-9]\d*$/.test(given)) throw new Error(`REGATE_CASES is ${given}; it must be a positive number`);
  return Number(given);
}
