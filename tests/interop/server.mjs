// A server of others in a process of its own, to be killed and started again on its port.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as after } from 'node:timers/promises';

const HOST = '127.0.0.1';
const POLL_MILLISECONDS = 10;
const ESTABLISHED = '01';
/** The connection that holds the port while nobody listens on it. */
const HOLDERS = 1;

/** Waits until `fact()` holds; what it waits for, `what`, is in the error. */
export async function until(fact, what, withinMilliseconds = 30_000) {
  const limit = performance.now() + withinMilliseconds;
  while (!(await fact())) {
    if (performance.now() > limit) throw new Error(`${what}: not within ${withinMilliseconds} ms`);
    await after(POLL_MILLISECONDS);
  }
}

/** How many connections of this port the system knows, as the server sees them. */
export function connectionsTo(port) {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  const isOne = ([, address, , state]) => address?.endsWith(local) && state === ESTABLISHED;
  return rows.map((row) => row.trim().split(/\s+/)).filter(isOne).length;
}

export class Server {
  #command;
  #process;
  /** Every line that it wrote, over all its lives. */
  lines = [];

  /** `command` is the program and its arguments. */
  constructor(name, port, command) {
    Object.assign(this, { name, port });
    this.#command = command;
  }

  get url() {
    return `ws://${HOST}:${this.port}`;
  }

  get isRunning() {
    return this.#process !== undefined;
  }

  get connections() {
    return this.isRunning ? connectionsTo(this.port) - HOLDERS : 0;
  }

  /** Starts it, and waits until it takes connections. */
  async start() {
    const [program, ...args] = this.#command;
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#process = child;
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => this.lines.push(line));
    let ended;
    child.on('error', (error) => {
      ended = error.message;
    });
    child.on('exit', (code, signal) => {
      ended = `ended with ${code ?? signal}`;
      if (this.#process === child) this.#process = undefined;
    });
    const listens = async () => {
      if (ended !== undefined) throw new Error(`${this.name} ${ended}: ${this.lines.slice(-5).join('\n')}`);
      return takesConnections(this.port);
    };
    await until(listens, `${this.name} takes connections`);
    await until(() => this.connections === 0, `${this.name} has seen the last of the one that asked`);
  }

  /** Ends it as a crash would. Says how many connections it took with it. */
  async kill() {
    const child = this.#process;
    if (child === undefined) return 0;
    const { connections } = this;
    const gone = once(child, 'close'); // all that it wrote has been read
    child.kill('SIGKILL');
    await gone;
    return connections;
  }
}

async function takesConnections(port) {
  const socket = connect({ port, host: HOST });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/**
 * Kills the server that has the connection, again and again, and starts it once another one has it. `ready(kill)` is
 * waited for before each kill. Says how many of the kills took the one connection with them.
 */
export async function killAgainAndAgain(servers, { kills, ready, progress }) {
  let struck = 0;
  for (let kill = 1; kill <= kills; kill += 1) {
    await ready(kill);
    const victim = servers.find(({ connections }) => connections > 0);
    if ((await victim?.kill()) === 1) struck += 1;
    await until(() => servers.some(({ connections }) => connections > 0), `a connection after kill ${kill}`);
    await victim?.start();
    progress(kill / kills);
  }
  await ready(kills + 1);
  return struck;
}

/** How many connections there are to all of them. */
export const live = (servers) => servers.reduce((sum, { connections }) => sum + connections, 0);
