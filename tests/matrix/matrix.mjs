// `make matrix`: the packed package in every environment it is for, and one table of what came of it.
//   node tests/matrix/matrix.mjs                        all of them
//   node tests/matrix/matrix.mjs --only Vite,Firefox    those whose names have one of these words

import { Lifetime, run } from '../demo/lifetime.mjs';
import { count, span, table } from '../demo/table.mjs';
import { Terminal } from '../demo/terminal.mjs';
import { makeBench } from './bench.mjs';
import { browserTrials } from './browsers.mjs';
import { esbuild } from './bundlers/esbuild.mjs';
import { rollup } from './bundlers/rollup.mjs';
import { vite } from './bundlers/vite.mjs';
import { webpack } from './bundlers/webpack.mjs';
import { trialOf } from './bundlers.mjs';
import { failures } from './failures.mjs';
import { react } from './react.mjs';
import { runtimes } from './runtimes.mjs';
import { nodeSuite, versionOf, webSuites } from './suites.mjs';
import { tables } from './tables.mjs';

const LIMIT_MILLISECONDS = 30 * 60 * 1000;

const workerd = () => versionOf('workerd', 'tests/worker/');
const environments = [
  ...browserTrials('Chromium', 'chromium'),
  ...browserTrials('Firefox', 'firefox'),
  ...[...vite, ...webpack, ...esbuild, ...rollup].map(trialOf),
  ...runtimes,
];
const suites = [
  tables,
  react,
  failures('Chromium', 'chromium'),
  failures('Firefox', 'firefox'),
  ...webSuites('Chromium'),
  ...webSuites('Firefox'),
  nodeSuite('workerd, by Miniflare', 'tests/worker/transports.test.mjs', workerd),
  nodeSuite('workerd, by vitest inside it', 'tests/worker/suite.test.mjs', workerd),
];

const terminal = new Terminal();

async function main(life) {
  const chosen = [...environments, ...suites].filter(({ name }) => isWanted(name));
  if (chosen.length === 0) {
    terminal.line('no environment has such a name');
    return 2;
  }
  const bench = makeBench(life);
  const done = new Map();
  for (const [index, trial] of chosen.entries()) {
    terminal.progress(index / chosen.length, trial.name);
    done.set(trial, await tried(trial, bench));
  }
  terminal.endProgress();
  const failed = [...done.values()].filter(({ error }) => error !== undefined).length;
  terminal.line(`\n${table(blocks(done), 'left')}`);
  terminal.line(`${done.size - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

function isWanted(name) {
  const at = process.argv.indexOf('--only');
  return at < 0 || process.argv[at + 1].split(',').some((word) => name.includes(word));
}

/** Runs one trial in a lifetime of its own. */
async function tried(trial, bench) {
  const began = performance.now();
  const life = new Lifetime();
  const found = await trial.run(bench, life).catch((error) => ({ error }));
  await life.end();
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  terminal.line(`${found.error ? 'FAIL' : 'ok  '} ${trial.name.padEnd(40)} ${seconds.padStart(6)} s`);
  if (found.error) terminal.line(found.error.stack);
  return found;
}

function blocks(done) {
  const row = (trials, cells) =>
    trials
      .filter((trial) => done.has(trial))
      .map((trial) => {
        const found = done.get(trial);
        return [found.error ? 'FAIL' : 'ok', trial.name, found.version ?? '', ...cells(found)];
      });
  const steps = ({ steps, entry = '', bytes }) => [
    entry,
    ...(steps ? [span(steps.loads), span(steps.connects), span(steps.over)] : ['', '', '']),
    bytes === undefined ? '' : count(bytes),
  ];
  return [
    {
      head: ['', 'environment', 'version', 'entry', 'loads', 'connects', 'fails over', 'bytes, gzip'],
      rows: row(environments, steps),
    },
    {
      head: ['', 'suite', 'version', 'entry', 'passed'],
      rows: row(suites, ({ entry = '', passed = '' }) => [entry, passed]),
    },
  ].filter(({ rows }) => rows.length > 0);
}

await run(main, { limitMilliseconds: LIMIT_MILLISECONDS });
