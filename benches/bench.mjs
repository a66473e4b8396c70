// `make bench`: regate beside its peers, section by section, into benches/results/DATE (a quick run into benches/results/quick).
//   node benches/bench.mjs                                  every section
//   node benches/bench.mjs --section bundle,throughput      some of them
//   node benches/bench.mjs --clients regate,partysocket     some clients
//   node benches/bench.mjs --quick                          few repetitions: to see that it works
//   node benches/bench.mjs --wait-for-quiet 60              before each section, seconds to wait for others to leave the machine alone
// A section that is measured again on the same day takes the place of the earlier one.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { run } from '../tests/demo/lifetime.mjs';
import { Terminal } from '../tests/demo/terminal.mjs';
import { Browser } from './lib/browser.mjs';
import { adapterNames, versionOf } from './lib/bundle.mjs';
import { draw } from './lib/chart.mjs';
import { checkAdapters } from './lib/check.mjs';
import { Gateways } from './lib/gateways.mjs';
import { waitForQuiet, watchOthers } from './lib/quiet.mjs';
import { markdown, markdownSection } from './lib/report.mjs';

const SECTIONS = [
  'bundle',
  'first_dial',
  'own_cost',
  'throughput',
  'pending',
  'timers',
  'failover',
  'dead',
  'loss',
  'instructions',
  'policy',
];
const VARIANTS = ['graphql-ws-retry', 'regate-batch', 'regate-batch-singly', 'regate-unsent'];
const LIMIT_MILLISECONDS = 60 * 60 * 1000;

async function main(life) {
  const { sections, clients, isQuick, quietMilliseconds } = choose();
  const terminal = new Terminal();
  const browser = await Browser.launch(life);
  const gateways = new Gateways(life);
  const machine = describe(browser);
  const folder = fileURLToPath(new URL(`results/${isQuick ? 'quick' : machine.date}`, import.meta.url));
  mkdirSync(folder, { recursive: true });
  terminal.progress(0, 'does every adapter answer?');
  await checkAdapters(clients, { browser, gateways });
  for (const [at, name] of sections.entries()) {
    const section = await import(`./sections/${name}.mjs`);
    const progress = (part, text) => {
      const said = `${section.title}: ${text}`;
      terminal.progress((at + part) / sections.length, said);
    };
    progress(0, 'waiting for a quiet machine');
    await waitForQuiet(quietMilliseconds);
    const names = clients.filter((client) => takesPart(client, section));
    const found = await measure(section, names, { browser, gateways, isQuick, progress });
    save(folder, machine, name, found);
    terminal.line(`\n${markdownSection(await viewOf(name, found.result), found)}`);
  }
  terminal.endProgress();
  await write(folder);
  terminal.line(`\nwritten to ${folder}`);
  return 0;
}

/** Variants of a client are measured only where a section names them. */
const takesPart = (client, { leftOut = [], variants = [] }) =>
  VARIANTS.includes(client) ? variants.includes(client) : !leftOut.includes(client);

function choose() {
  const text = { type: 'string' };
  const { values } = parseArgs({
    options: { section: text, clients: text, quick: { type: 'boolean' }, 'wait-for-quiet': text },
  });
  return {
    sections: chosen(values.section, SECTIONS),
    clients: chosen(values.clients, adapterNames()),
    isQuick: values.quick === true,
    quietMilliseconds: Number(values['wait-for-quiet'] ?? 0) * 1000,
  };
}

function chosen(list, all) {
  const names = list ? list.split(',') : all;
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new Error(`there is no "${unknown.join(', ')}" among ${all.join(', ')}`);
  return names;
}

const describe = (browser) => ({
  date: new Date().toISOString().slice(0, 10),
  version: versionOf('regate'),
  chromium: browser.version,
  node: process.version,
  cores: cpus().length,
  model: cpus()[0].model,
});

async function measure(section, names, bench) {
  const began = performance.now();
  const coresOfOthers = watchOthers();
  const result = await section.run(names, bench);
  const conditions = {
    date: new Date().toISOString().slice(0, 16).replace('T', ' '),
    seconds: (performance.now() - began) / 1000,
    coresOfOthers: coresOfOthers(),
    cores: cpus().length,
    isQuick: bench.isQuick,
  };
  return { conditions, result };
}

const resultsFile = (folder) => join(folder, 'results.json');

function read(folder) {
  const file = resultsFile(folder);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { sections: {} };
}

/** At once, so that what a run has found is not lost with its end. */
function save(folder, machine, name, found) {
  const { sections } = read(folder);
  const all = { machine, sections: { ...sections, [name]: found } };
  writeFileSync(resultsFile(folder), `${JSON.stringify(all, null, 1)}\n`);
}

async function viewOf(name, result) {
  const { title, tables, charts } = await import(`./sections/${name}.mjs`);
  return { title, tables: tables(result), charts: charts(result) };
}

/** Report and charts of all that the folder knows. */
async function write(folder) {
  const { machine, sections } = read(folder);
  const texts = [];
  for (const name of SECTIONS.filter((one) => Object.hasOwn(sections, one))) {
    const view = await viewOf(name, sections[name].result);
    texts.push(markdownSection(view, sections[name]));
    for (const chart of view.charts) writeFileSync(join(folder, `${chart.name}.svg`), draw(chart));
  }
  writeFileSync(join(folder, 'README.md'), markdown(machine, texts));
}

await run(main, { limitMilliseconds: LIMIT_MILLISECONDS });
