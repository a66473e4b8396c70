// Holds instruction counts and byte sizes against recorded.json. Needs the packed package (`make package`) and valgrind.
//   node benches/recorded.mjs             compares; ends with a line "N passed, N failed"
//   node benches/recorded.mjs --accept    records what is measured (`make accept`)
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildPaths, countInstructions, growths, labelOf, MOST_PER_TENFOLD } from './lib/instructions.mjs';
import { compare, toolchainNote } from './lib/recorded.mjs';
import { measureSizes } from './lib/sizes.mjs';

const file = fileURLToPath(new URL('recorded.json', import.meta.url));
const print = (command, ...args) => execFileSync(command, args, { encoding: 'utf8' }).trim();

/** All that numbers depend on and that no lock file holds. Two builds of one std differ in the names of its files. */
function toolchain() {
  const folder = print('rustc', '--print', 'target-libdir', '--target', 'wasm32-unknown-unknown');
  const std = readdirSync(folder).map((name) => /^libstd-(\w+)\.rlib$/.exec(name)?.[1]);
  return {
    rustc: print('rustc', '--version').replace('rustc ', ''),
    "wasm's std": std.find((hash) => hash),
    host: /^host: (.+)$/m.exec(print('rustc', '-vV'))[1],
    valgrind: print('valgrind', '--version').replace('valgrind-', ''),
    node: process.version,
  };
}

async function main() {
  const counts = await countInstructions(await buildPaths());
  const instructions = counts.map((row) => [labelOf(row), Number(row.instructions.toFixed(1))]);
  const measured = {
    toolchain: toolchain(),
    instructions: Object.fromEntries(instructions),
    bytes: Object.fromEntries(await measureSizes()),
  };
  for (const unit of ['instructions', 'bytes'])
    for (const [name, number] of Object.entries(measured[unit])) console.log(`${name}: ${number} ${unit}`);
  if (process.argv.includes('--accept')) writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`);

  const recorded = JSON.parse(readFileSync(file, 'utf8'));
  const checks = [...compare(recorded, measured), ...growths(counts).map(checked)];
  const findings = checks.filter(({ said }) => said !== undefined);
  for (const { passes, said } of findings) console.log(`${passes ? 'note' : 'FAIL'}: ${said}`);
  const other = toolchainNote(recorded.toolchain, measured.toolchain);
  if (other && findings.length > 0) console.log(`note: ${other}`);
  const failed = checks.filter(({ passes }) => !passes).length;
  console.log(`${checks.length - failed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

/** Whether a path grows with the logarithm of what is pending, at most. */
function checked({ name, from, to, perTenfold }) {
  const passes = perTenfold <= MOST_PER_TENFOLD;
  const grows = `${name}: from ${from} to ${to} pending, each tenfold costs ${perTenfold.toFixed(1)} instructions`;
  return { passes, said: passes ? undefined : `${grows}, at most ${MOST_PER_TENFOLD} would be O(log n)` };
}

await main();
