// Breaks src/policy in every way that cargo-mutants knows, one way at a time, and sees whether a test notices.
//
//   make mutants                           every file, those with the fewest mutants first
//   make mutants FILE=src/policy/time.rs   one file, or several with commas between
//   make mutants DURATION=1800             ends after so long; the next run goes on from there
//
// What was found is kept in .tools/mutants/<file>/ and not done again while the file stays as it is; survivors are, when anything
// else in src or tests has changed. Exit code 1 when a mutant survives that accepted.md does not list with a reason.
// A mutant that makes a test run for ever is stopped and counts as noticed.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare, readAccepted, survivorOf } from './accepted.mjs';

process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
const TOOL = '.tools/bin/cargo-mutants';
const KEPT = '.tools/mutants';
/** The tests that a mutant has to get past: all of the core's own, documentation and browsers left out as slow. */
const TESTS = (process.env.TESTS ?? '--lib --test=scenarios --test=vectors --test=properties').split(' ');
const LIMITS = ['--timeout', '30', '--build-timeout', '300'];
/** Some mutants do not only run for ever, but fill the memory while they do. */
const MOST_KIBIBYTES = 8 * 2 ** 20;
const environment = {
  ...process.env,
  CARGO_TARGET_DIR: join(process.cwd(), KEPT, 'target'), // dependencies are built once for all files
  CARGO_PROFILE_DEV_DEBUG: '0',
  REGATE_CASES: process.env.REGATE_CASES ?? '200', // of the properties: half of what `cargo test` runs
};

const only = process.env.FILE?.split(',');
const deadline = process.env.DURATION
  ? Date.now() + Number(process.env.DURATION) * 1000
  : Number.POSITIVE_INFINITY;
const others = hashOf([
  'src/policy',
  'src/lib.rs',
  'tests/scenarios',
  'tests/sim',
  'tests/properties',
  'Cargo.lock',
]);
let baseline = 'run';

const files = listMutants().filter(({ file }) => !only || only.includes(file));
if (files.length === 0) throw new Error(`no mutants in ${process.env.FILE}`);
const results = [];
for (const entry of files) {
  if (Date.now() < deadline) await examine(entry);
  results.push(resultOf(entry));
}
process.exitCode = report(results);

/** Every file that has mutants, those with the fewest first. */
function listMutants() {
  const { stdout, status, stderr } = spawnSync(
    TOOL,
    ['mutants', '--list', '--json', '--file', 'src/policy/**'],
    { encoding: 'utf8', maxBuffer: 2 ** 28 },
  );
  if (status !== 0) throw new Error(`cargo-mutants lists nothing:\n${stderr}`);
  const counts = new Map();
  for (const { file } of JSON.parse(stdout)) counts.set(file, (counts.get(file) ?? 0) + 1);
  return [...counts].map(([file, count]) => ({ file, count })).sort((a, b) => a.count - b.count);
}

function folderOf(file) {
  return join(KEPT, file.replaceAll('/', '-').replace(/\.rs$/, ''));
}

async function examine({ file, count }) {
  const folder = folderOf(file);
  const source = hashOf([file]);
  const before = stampOf(folder);
  if (before.source !== source) rmSync(folder, { recursive: true, force: true });
  else if (before.done && (before.others === others || freshOf(file).length === 0)) return;
  mkdirSync(folder, { recursive: true });
  // What does not even compile is not tried again, and cargo-mutants then lists it among what was noticed before.
  const unviable = [...new Set([...(stampOf(folder).unviable ?? []), ...linesOf(file, 'unviable.txt')])];
  writeStamp(folder, { source, others, unviable, done: false });
  console.log(`${file}: ${count} mutants`);
  const code = await run([
    ...['mutants', '--file', file, '--output', folder, '--iterate', '--no-shuffle', '--baseline', baseline],
    ...['--colors', 'never', ...LIMITS, ...['--locked', ...TESTS].map((word) => `--cargo-arg=${word}`)],
  ]);
  if (code === 'late') return;
  // 0: all were noticed; 2: some survived; 3: some ran for ever. Anything else: the tests fail by themselves.
  if (![0, 2, 3].includes(code)) throw new Error(`cargo-mutants failed (${code}); see ${folder}/mutants.out`);
  if (hashOf([file]) !== source) throw new Error(`${file} changed meanwhile: run it again`);
  baseline = 'skip';
  writeStamp(folder, { source, others, unviable, done: true });
}

/** Runs cargo-mutants until it ends or the time is over; what it has found by then is kept. */
function run(args) {
  return new Promise((resolve, reject) => {
    const limited = ['-c', `ulimit -v ${MOST_KIBIBYTES}; exec "$@"`, 'sh', TOOL, ...args];
    const child = spawn('sh', limited, { env: environment, stdio: 'inherit' });
    let late = false;
    const timer = setTimeout(
      () => {
        late = true;
        child.kill('SIGINT');
      },
      Math.min(deadline - Date.now(), 2 ** 31 - 1),
    );
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      resolve(late ? 'late' : (code ?? signal));
    });
  });
}

function linesOf(file, name) {
  const path = join(folderOf(file), 'mutants.out', name);
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
}

function survivorsOf(file) {
  const source = readFileSync(file, 'utf8');
  return linesOf(file, 'missed.txt').map((name) => survivorOf(name, source));
}

function acceptedOf(file) {
  return readAccepted().filter((entry) => entry.file === file);
}

function freshOf(file) {
  return compare(survivorsOf(file), acceptedOf(file)).fresh;
}

function resultOf({ file, count }) {
  const folder = folderOf(file);
  const { done, source, unviable: before = [] } = stampOf(folder);
  if (!done || source !== hashOf([file])) return { file, count, done: false };
  const survivors = survivorsOf(file);
  const { fresh, unneeded } = compare(survivors, acceptedOf(file));
  // What was noticed in an earlier run is listed apart.
  const lines = ['caught.txt', 'previously_caught.txt'].flatMap((name) => linesOf(file, name));
  const noticed = lines.filter((name) => !before.includes(name)).length;
  const endless = linesOf(file, 'timeout.txt').length;
  const unviable = new Set([...before, ...linesOf(file, 'unviable.txt')]).size;
  const accepted = survivors.length - fresh.length;
  return { file, count, done, noticed, endless, unviable, accepted, fresh, unneeded };
}

function report(results) {
  const columns = ['mutants', 'noticed', 'endless', 'unviable', 'accepted', 'survived'];
  console.log(`\n${'file'.padEnd(40)}${columns.map((name) => name.padStart(10)).join('')}`);
  const total = columns.map(() => 0);
  let unfinished = 0;
  let survived = 0;
  for (const result of results) {
    if (!result.done) {
      unfinished += 1;
      console.log(`${result.file.padEnd(40)}${String(result.count).padStart(10)}  not done yet`);
      continue;
    }
    const { count, noticed, endless, unviable, accepted, fresh } = result;
    const row = [count, noticed, endless, unviable, accepted, fresh.length];
    row.forEach((number, index) => {
      total[index] += number;
    });
    survived += fresh.length;
    console.log(result.file.padEnd(40) + row.map((number) => String(number).padStart(10)).join(''));
  }
  console.log('total'.padEnd(40) + total.map((number) => String(number).padStart(10)).join(''));
  for (const { unneeded = [] } of results) {
    for (const { file, change } of unneeded)
      console.log(`no longer needed in accepted.md: ${file}: ${change}`);
  }
  for (const { fresh = [] } of results) {
    for (const { file, line, change, code } of fresh) {
      console.log(`survived: ${file}:${line}: ${change}\n    ${code}`);
    }
  }
  if (unfinished > 0) console.log(`${unfinished} files are not done yet: run it again`);
  console.log(`${survived} survived that tests/mutants/accepted.md does not list`);
  return survived > 0 ? 1 : 0;
}

function stampOf(folder) {
  const path = join(folder, 'stamp.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
}

function writeStamp(folder, stamp) {
  writeFileSync(join(folder, 'stamp.json'), JSON.stringify(stamp));
}

/** A hash over files, and over all files below folders. */
function hashOf(paths) {
  const hash = createHash('sha256');
  const add = (path) => {
    if (!existsSync(path)) return;
    if (path.endsWith('.rs') || path.endsWith('.lock')) hash.update(path).update(readFileSync(path));
    else for (const name of readdirSync(path).sort()) add(join(path, name));
  };
  paths.forEach(add);
  return hash.digest('hex');
}
