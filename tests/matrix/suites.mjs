// Suites that others have, run where they are to run.

import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { counts } from '../../.ci/counts.mjs';
import { steps } from '../../.ci/steps.mjs';

const project = fileURLToPath(new URL('../../', import.meta.url));
const LIMIT_MILLISECONDS = 5 * 60 * 1000;
const DRIVERS = {
  Chromium: { CHROMEDRIVER: '/usr/bin/chromedriver' },
  Firefox: { GECKODRIVER: `${project}.tools/bin/geckodriver` },
};
const VERSIONS = { Chromium: 'chromium', Firefox: 'firefox-esr' };
const PLACES = {
  'a page': 'BROWSER',
  'a dedicated worker': 'DEDICATED_WORKER',
  'a shared worker': 'SHARED_WORKER',
  'a service worker': 'SERVICE_WORKER',
};

/** The suite of src/web, compiled once, in a browser and in each kind of place there. */
export const webSuites = (label) =>
  Object.entries(PLACES).map(([place, mode]) => ({
    name: `tests/web, ${label}, ${place}`,
    async run(bench) {
      const wasm = await bench.webSuite();
      const env = {
        ...DRIVERS[label],
        [`WASM_BINDGEN_USE_${mode}`]: '1',
        WASM_BINDGEN_TEST_DRIVER_TIMEOUT: '30',
        WASM_BINDGEN_TEST_TIMEOUT: '120',
        WASM_BINDGEN_TEST_WEBDRIVER_JSON: `${project}.ci/webdriver.json`,
      };
      const output = await run(`${project}.tools/bin/wasm-bindgen-test-runner`, [wasm], env);
      const version = execFileSync(VERSIONS[label], ['--version'], { encoding: 'utf8', stdio: 'pipe' });
      return { version: /\d[\d.]*/.exec(version)[0], ...only(counts.cargo(output)) };
    },
  }));

/** Compiles that suite, as `make test` does; settles with the path of its wasm. */
export async function buildWebSuite() {
  const [command, ...args] = steps.find(({ name }) => name === 'web').run;
  const output = await run(command, [...args, '--no-run', '--message-format', 'json']);
  const messages = output.split('\n').filter((line) => line.startsWith('{'));
  const files = messages.map((line) => JSON.parse(line).executable).filter((path) => path?.endsWith('.wasm'));
  if (files.length !== 1) throw new Error(`cargo made ${files.length} suites`);
  return files[0];
}

/** A file of tests that Node runs. */
export const nodeSuite = (name, file, version) => ({
  name,
  async run() {
    const output = await run(process.execPath, ['--test', '--test-reporter', 'tap', file]);
    return { version: version(), ...only(counts.node(output)) };
  },
});

export const versionOf = (module, folder = '') =>
  JSON.parse(readFileSync(`${project}${folder}node_modules/${module}/package.json`, 'utf8')).version;

async function run(command, args, env = {}) {
  const options = {
    cwd: project,
    env: { ...process.env, NO_COLOR: '1', CARGO_TERM_COLOR: 'never', ...env },
    maxBuffer: 2 ** 26,
    timeout: LIMIT_MILLISECONDS,
  };
  delete options.env.NODE_TEST_CONTEXT;
  const { stdout } = await promisify(execFile)(command, args, options).catch((error) => {
    throw new Error(`${command} ${args.join(' ')}: ${error.message}\n${error.stdout}`);
  });
  return stdout;
}

function only(found) {
  const { passed, failed } = found[''] ?? { passed: 0, failed: 0 };
  if (passed === 0 || failed > 0) throw new Error(`${passed} passed, ${failed} failed`);
  return { passed };
}
