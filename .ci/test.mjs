// Runs the steps of .ci/steps.mjs, two at a time, one line each, and ends with one line `N passed, N failed` over all.
//   node .ci/test.mjs                   all steps
//   node .ci/test.mjs --only lint,web   some of them, by group or by name
//   node .ci/test.mjs --record          all, then writes how many tests ran to .ci/floor
// A step's output is in .tools/logs/<step>.log, and is shown if it fails. A step fails also if it printed no count, ran fewer tests
// than .ci/floor says, or took longer than a quarter of an hour.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { counts } from './counts.mjs';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const { steps } = await import('./steps.mjs');

const STEP_LIMIT_MILLISECONDS = 15 * 60 * 1000;
const SHOWN_LINES = 200;
const LANES = 2;
const LOGS = '.tools/logs';
const FLOOR = '.ci/floor';

const only = argument('--only')?.split(',');
const chosen = steps.filter(({ name, group }) => !only || only.includes(name) || only.includes(group));
const floor = readFloor();
const ran = new Map();
const total = { passed: 0, failed: 0 };
const troubles = [];
const running = new Set(); // processes

for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    for (const child of running) endGroup(child);
    process.exit(1);
  });

mkdirSync(LOGS, { recursive: true });
const started = Date.now();
await runAll(chosen);

for (const [name, least] of floor) {
  const wanted = !only || chosen.some((step) => name === step.name || name.startsWith(`${step.name}/`));
  const number = ran.get(name) ?? 0;
  if (wanted && number < least)
    trouble(`${name}: ${number} tests ran, at least ${least} did before (.ci/floor)`);
}
for (const text of troubles) console.log(text);
if (process.argv.includes('--record') && !only && total.failed === 0) recordFloor();
else if ([...ran.keys()].some((name) => !floor.has(name)))
  console.log('some tests have no floor yet: `node .ci/test.mjs --record` writes it');
console.log(`${seconds(started)} in all`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;

/** In their order, two at a time: the next is the first one that need not wait for what is running or to come. */
async function runAll(all) {
  const toCome = [...all];
  const now = new Map(); // promises of the running steps
  while (toCome.length > 0 || now.size > 0) {
    const free = (step) => {
      const before = [...now.keys(), ...toCome.slice(0, toCome.indexOf(step))];
      if (step.after !== undefined && before.some(({ name }) => name === step.after)) return false;
      return ![...now.keys()].some(({ uses }) => uses !== undefined && uses === step.uses);
    };
    const step = now.size < LANES ? toCome.find(free) : undefined;
    if (step === undefined) {
      await Promise.race(now.values());
      continue;
    }
    toCome.splice(toCome.indexOf(step), 1);
    now.set(
      step,
      runStep(step).finally(() => now.delete(step)),
    );
  }
}

async function runStep(step) {
  const label = step.name.padEnd(18);
  if (step.needs && !existsSync(step.needs)) {
    console.log(`  -    ${label} not there yet: ${step.needs}`);
    return;
  }
  if (process.stdout.isTTY) process.stdout.write(`  ...  ${label}\r`);
  const began = Date.now();
  const log = `${LOGS}/${step.name}.log`;
  const ending = await execute(step, log);
  const output = readFileSync(log, 'utf8');
  const found = counts[step.count](output, ending === 'ok');

  const sum = { passed: 0, failed: 0 };
  for (const [name, { passed, failed }] of Object.entries(found)) {
    ran.set(name ? `${step.name}/${name}` : step.name, passed + failed);
    sum.passed += passed;
    sum.failed += failed;
  }
  // A crash, a time-out or a runner that says nothing is a failure, whatever was counted before it.
  const silent = sum.passed + sum.failed === 0;
  if (sum.failed === 0 && (ending !== 'ok' || silent)) sum.failed = 1;
  total.passed += sum.passed;
  total.failed += sum.failed;

  const good = sum.failed === 0;
  const numbers = `${sum.passed} passed${good ? '' : `, ${sum.failed} failed`}`;
  console.log(`  ${good ? 'ok  ' : 'FAIL'} ${label} ${numbers.padEnd(24)} ${seconds(began)}`);
  const lines = output.trimEnd().split('\n');
  if (good) {
    const shown = lines.filter((line) => step.shows !== undefined && line.startsWith(step.shows));
    for (const line of shown) console.log(`       ${line}`);
    return;
  }
  console.log(
    `----- ${step.run.join(' ')}: ${silent && ending === 'ok' ? 'no test counted' : ending}; all of it: ${log}`,
  );
  console.log(lines.slice(-SHOWN_LINES).join('\n'));
  console.log('-----');
}

/** Runs one command in a process group of its own, so that nothing it started outlives it. */
function execute({ run: [command, ...args], env = {} }, log) {
  const file = openSync(log, 'w');
  const environment = { ...process.env, NO_COLOR: '1', CARGO_TERM_COLOR: 'never', ...env };
  delete environment.FORCE_COLOR;
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', file, file], env: environment, detached: true });
    running.add(child);
    let ending = null;
    const limit = setTimeout(() => {
      ending = `ended after ${STEP_LIMIT_MILLISECONDS / 60_000} minutes`;
      endGroup(child);
    }, STEP_LIMIT_MILLISECONDS);
    const done = (text) => {
      clearTimeout(limit);
      endGroup(child);
      closeSync(file);
      running.delete(child);
      resolve(ending ?? text);
    };
    child.once('error', (error) => done(error.message));
    child.once('exit', (code, signal) => done(code === 0 ? 'ok' : `exit ${code ?? signal}`));
  });
}

function endGroup(child) {
  if (!child?.pid) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error; // ESRCH: all of it has ended by itself, the usual case
  }
}

function trouble(text) {
  troubles.push(text);
  total.failed += 1;
}

function readFloor() {
  if (!existsSync(FLOOR)) return new Map();
  const lines = readFileSync(FLOOR, 'utf8').split('\n');
  const rows = lines.filter((line) => line && !line.startsWith('#')).map((line) => line.split(/\s+/));
  return new Map(rows.map(([name, least]) => [name, Number(least)]));
}

function recordFloor() {
  const head =
    '# The least number of tests that each step of `make test` must run; written by `node .ci/test.mjs --record`.\n';
  writeFileSync(FLOOR, head + [...ran].map(([name, number]) => `${name} ${number}\n`).join(''));
}

function argument(name) {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}
