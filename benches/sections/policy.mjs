// One step of a backoff: libraries for JavaScript in Chromium, crates natively (../backoff).
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { policyScript } from '../lib/bundle.mjs';
import { spread, summary } from '../lib/stats.mjs';

export const title = 'One step of a backoff';
export const isAlone = true;

const folder = fileURLToPath(new URL('../backoff', import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? fileURLToPath(new URL('../../target', import.meta.url));

export async function run(_names, { browser, progress }) {
  progress(0, 'cargo build --release');
  const flags = ['run', '--quiet', '--release', '--locked', '--target-dir', join(target, 'backoff')];
  const { stdout } = await promisify(execFile)('cargo', flags, { cwd: folder });
  progress(0.7, 'in Chromium');
  const page = await browser.blank();
  await page.script(await policyScript());
  const measured = await page.evaluate(() => globalThis.measurePolicies());
  await page.close();
  const javascript = Object.entries(measured).map(([name, times]) => [name, summary(times)]);
  return { javascript: Object.fromEntries(javascript), native: JSON.parse(stdout) };
}

export const tables = ({ javascript, native }) => [
  {
    note: 'ns, median [least–most] of 9 rounds of episodes of 16 steps, making it included; and of a schedule that has reached its longest wait.',
    head: ['step', 'ns', 'at its longest'],
    rows: [
      ...Object.entries(javascript).map(([name, times]) => [`JavaScript: ${name}`, spread(times, 1), '']),
      ...Object.entries(native).map(([name, { episode, steady }]) => [
        `native: ${name}`,
        spread(summary(episode), 2),
        spread(summary(steady), 2),
      ]),
    ],
  },
];

export const charts = () => [];
