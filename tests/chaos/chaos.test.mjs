// The short form of `make chaos`: a minute, with a seed of its own each time, which it prints.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Lifetime } from '../demo/lifetime.mjs';
import { report } from './report.mjs';
import { runChaos } from './run.mjs';
import { checksOf } from './verdict.mjs';

const SECONDS = 60;
const LIMIT = { timeout: 200_000 };
const life = new Lifetime();
after(() => life.end());

test('a minute of chaos breaks no promise', LIMIT, async () => {
  const seed = Number(process.env.SEED || Math.floor(Math.random() * 1e9));
  process.stdout.write(`# make chaos SEED=${seed} DURATION=${SECONDS}\n`);
  const result = await runChaos(life, { seed, seconds: SECONDS });
  const checks = checksOf(result);
  const failed = checks.filter(({ passed }) => !passed);
  if (failed.length > 0) process.stdout.write(`${report(result, checks)}\n`);
  assert.deepEqual(failed, [], `seed ${seed}`);
});
