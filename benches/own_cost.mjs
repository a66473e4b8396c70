// What the client itself costs: ns of CPU per operation beside raw, in Node, over a socket that answers at once, 1024 in flight.
//   node benches/own_cost.mjs                100 rounds of raw, raw again and regate in turn; some seconds
//   node benches/own_cost.mjs --only regate  one of them alone, for --cpu-prof
//   node benches/own_cost.mjs --rounds 20    fewer rounds
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ready } from '../tests/package/support/installed.mjs';
import { connectWith } from './adapters/_regate.js';
import { median, range } from './lib/stats.mjs';

const IN_FLIGHT = 1024;
const WAVES = 12;
const ROUNDS = 100;
const WARM_UP_ROUNDS = 20;
const PARAMS = ['x'.repeat(36)];
const RESULT = `,"result":${JSON.stringify(PARAMS[0])}}`;
const HEAD = '{"jsonrpc":"2.0","id":';

/** Answers each frame at once, and as cheaply as can be: what is measured is the client. */
class AnsweringSocket {
  static OPEN = 1;
  url = 'ws://answering.example/';
  readyState = 0;
  bufferedAmount = 0;
  frames = [];
  onopen = null;
  onmessage = null;
  onerror = null;
  onclose = null;

  constructor() {
    latest = this;
    queueMicrotask(() => {
      this.readyState = AnsweringSocket.OPEN;
      this.onopen({ type: 'open' });
    });
  }

  send(frame) {
    this.frames.push(frame);
  }

  close() {}

  answer(frame) {
    const id = frame.slice(HEAD.length, frame.indexOf(',', HEAD.length));
    this.onmessage({ type: 'message', data: HEAD + id + RESULT });
  }
}

let latest;

/** A client over a socket of its own. */
async function line(connect) {
  const client = connect(['ws://answering.example/'], { WebSocket: AnsweringSocket });
  await new Promise((resolve) => client.onState((state) => state === 'open' && resolve()));
  return { client, socket: latest };
}

/** Lanes of requests, each the next when the last is answered; ns of CPU per operation. */
async function costOf({ client, socket }) {
  const lane = async () => {
    for (let wave = 0; wave < WAVES; wave += 1) {
      const result = await client.request('echo', PARAMS);
      if (result !== PARAMS[0]) throw new Error('a wrong answer');
    }
  };
  const began = process.cpuUsage();
  const lanes = Array.from({ length: IN_FLIGHT }, lane);
  while (socket.frames.length > 0) {
    const frames = socket.frames.splice(0);
    for (const frame of frames) {
      socket.answer(frame);
      await undefined; // as after each event of a browser, what waits for the answer runs before the next one
    }
  }
  await Promise.all(lanes);
  const { user, system } = process.cpuUsage(began);
  return ((user + system) * 1000) / (IN_FLIGHT * WAVES);
}

/** ns per operation of each, by round. */
export async function measureOwnCost({ rounds = ROUNDS, warmUpRounds = WARM_UP_ROUNDS, only } = {}) {
  globalThis.WebSocket = AnsweringSocket;
  const { connect: raw } = await import('./adapters/raw.js');
  const regate = connectWith((await ready()).ClusterClient);
  const makers = Object.entries({ raw, 'raw again': raw, regate }).filter(([name]) => !only || name === only);
  const lines = [];
  for (const [name, connect] of makers) lines.push([name, await line(connect)]);
  const costs = Object.fromEntries(lines.map(([name]) => [name, []]));
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    const first = Math.abs(round) % lines.length; // who goes first changes, as the first pays for the garbage of the last
    for (const [name, on] of [...lines.slice(first), ...lines.slice(0, first)]) {
      const cost = await costOf(on);
      if (round >= 0) costs[name].push(cost);
    }
  }
  for (const [, { client }] of lines) client.close();
  return costs;
}

/** The ratio of two lists of costs: of their medians, with the range of the middle half of the rounds. */
export function ratio(costs, bases) {
  const each = costs.map((cost, round) => cost / bases[round]).sort((a, b) => a - b);
  const quarter = Math.floor(each.length / 4);
  return {
    ratio: median(costs) / median(bases),
    middleHalf: range(each.slice(quarter, each.length - quarter)),
  };
}

async function main() {
  const text = { type: 'string' };
  const { values } = parseArgs({ options: { only: text, rounds: text, json: { type: 'boolean' } } });
  const costs = await measureOwnCost({ rounds: Number(values.rounds ?? ROUNDS), only: values.only });
  if (values.json) {
    console.log(JSON.stringify(costs));
    return;
  }
  for (const [name, list] of Object.entries(costs)) {
    const beside = costs.raw && name !== 'raw' ? ratio(list, costs.raw) : undefined;
    const [low, high] = beside?.middleHalf.map((end) => end.toFixed(3)) ?? [];
    const said = beside
      ? `  ${beside.ratio.toFixed(3)} of raw, middle half of the rounds ${low}–${high}`
      : '';
    console.log(`${name.padEnd(10)}${median(list).toFixed(0).padStart(6)} ns per operation${said}`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
