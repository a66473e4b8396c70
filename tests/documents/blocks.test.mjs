// Every block of JavaScript and TypeScript in the documents runs, with the packed package, against gateways.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { transform } from 'esbuild';
import { startCluster } from '../gateways/cluster.mjs';
import { installedProject, project } from '../package/support/installed.mjs';
import { blocksIn, blocksOf, documents } from './support/blocks.mjs';
import { fixtures } from './support/fixtures.mjs';

/** What runs a block, by its language. */
const RUN_BY = {
  html: 'tests/documents/page.test.mjs',
  js: 'this, or what its fixture names',
  rust: 'cargo test --doc',
  sh: 'tests/documents/shell.test.mjs',
  text: 'tests/package/documents.test.mjs',
  ts: 'this, and tests/documents/types.test.mjs',
};

test('each block is of a language that something runs, and has a fixture that there is', () => {
  const used = new Set(['plain']);
  for (const { title, language, fixture } of documents.flatMap(blocksOf)) {
    assert.ok(language in RUN_BY, `${title}: ${language}`);
    if (fixture === undefined) continue;
    assert.ok(fixture in fixtures, `${title}: ${fixture}`);
    used.add(fixture);
  }
  assert.deepEqual([...used].sort(), Object.keys(fixtures).sort());
});

const cluster = await startCluster({ count: 3, rememberKeys: true });
after(() => cluster.stop());

for (const block of blocksIn('js', 'ts')) {
  const fixture = fixtures[block.fixture ?? 'plain'];
  if (fixture.by !== undefined) continue;
  test(`${block.title} runs`, async () => {
    const { printed, complaints } = await run(block, fixture);
    await cluster.heal();
    assert.equal(complaints, fixture.after === undefined ? '' : complaints); // a gateway that is killed is warned of
    for (const [, line] of block.text.matchAll(/ \/\/ prints (.*)$/gm)) {
      assert.ok(printed.includes(line), `it does not print ${line}, but\n${printed.join('\n')}`);
    }
  });
}

/** Runs a block in a thread of its own, which has the package, `ws` and the stand-ins of its fixture. */
async function run({ language, text }, { modules = {}, after: follow }) {
  const folder = mkdtempSync(join(installedProject(), 'block-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(project, 'node_modules/ws'), join(folder, 'node_modules/ws'));
  for (const [name, module] of Object.entries(modules)) {
    const place = join(folder, 'node_modules', name);
    mkdirSync(place);
    writeFileSync(join(place, 'package.json'), '{"type":"module","exports":"./index.js"}');
    writeFileSync(join(place, 'index.js'), module);
  }
  cpSync(join(import.meta.dirname, 'support/world.mjs'), join(folder, 'world.mjs'));
  const program = join(folder, 'block.mjs');
  writeFileSync(program, language === 'ts' ? (await transform(text, { loader: 'ts' })).code : text);

  const workerData = { program: pathToFileURL(program).href, urls: cluster.urls };
  const thread = new Worker(join(folder, 'world.mjs'), { stdout: true, stderr: true, workerData });
  const printed = [];
  let complaints = '';
  let heard = () => {};
  thread.stdout.on('data', (data) => {
    printed.push(...String(data).trimEnd().split('\n'));
    heard();
  });
  thread.stderr.on('data', (data) => {
    complaints += data;
  });
  const line = async (wanted, times = 1) => {
    while (printed.filter((each) => each === wanted).length < times) {
      await new Promise((resolve) => {
        heard = resolve;
      });
    }
  };
  const failed = new Promise((_, reject) => {
    thread.on('error', reject);
    thread.on('exit', () => reject(new Error(`it ended before its last line\n${complaints}`)));
  });
  failed.catch(() => {}); // once it is told to end
  await Promise.race([new Promise((resolve) => thread.once('message', resolve)), failed]);
  if (follow !== undefined) await Promise.race([follow({ cluster, line }), failed]);
  await thread.terminate();
  return { printed, complaints };
}

test('the Rust of every document is among the examples that cargo runs', () => {
  const lib = readFileSync(join(project, 'src/lib.rs'), 'utf8');
  for (const { document } of blocksIn('rust'))
    assert.ok(lib.includes(`#[doc = include_str!("../${document}")]`), document);
});
