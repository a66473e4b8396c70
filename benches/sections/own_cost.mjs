// What the client itself costs, without browser and network: own_cost.mjs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { median } from '../lib/stats.mjs';
import { ratio } from '../own_cost.mjs';

export const title = "The client's own cost";
export const isAlone = true;

const script = fileURLToPath(new URL('../own_cost.mjs', import.meta.url));

/** In a process of its own, so that what the bench does is not in it. */
export async function run(_names, { isQuick, progress }) {
  progress(0, 'raw and regate in turn');
  const child = spawn(process.execPath, [script, '--json', ...(isQuick ? ['--rounds', '20'] : [])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (data) => {
    text += data;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`own_cost.mjs ended with ${code}`);
  return JSON.parse(text);
}

export const tables = (costs) => [
  {
    note: 'ns of CPU per operation in Node, over a socket that answers at once, 1024 in flight; the ratio of medians, and the middle half of the rounds.',
    head: ['client', 'rounds', 'ns', 'of raw'],
    rows: Object.entries(costs).map(([name, list]) => [
      name,
      list.length,
      median(list).toFixed(0),
      name === 'raw' ? '' : shown(ratio(list, costs.raw)),
    ]),
  },
];

const shown = ({ ratio: middle, middleHalf: [low, high] }) =>
  `${middle.toFixed(3)} [${low.toFixed(3)}–${high.toFixed(3)}]`;

export const charts = () => [];
