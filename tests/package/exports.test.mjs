// Which entry each condition of `exports` leads to, and that no entry is more than what is used of it.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { build, transform } from 'esbuild';
import { installedProject, packageFolder, runModule } from './support/installed.mjs';

/** Bundles a text beside the installed package. */
const bundle = (contents, more) =>
  build({
    bundle: true,
    format: 'esm',
    loader: { '.wasm': 'empty' },
    logLevel: 'error',
    metafile: true,
    minify: true,
    stdin: { contents, resolveDir: installedProject() },
    write: false,
    ...more,
  });

/** What tools set, by themselves or as their users tell them. */
const TOOLS = [
  ['esbuild for browsers', { platform: 'browser' }, 'web', 'inline'],
  ['esbuild for nothing in particular', { platform: 'neutral' }, 'web', 'inline'],
  ['esbuild for Node', { platform: 'node' }, 'inline', 'inline'],
  ['Vite', { conditions: ['browser', 'import', 'module', 'production'] }, 'web', 'inline'],
  ['webpack for workers', { conditions: ['worker', 'browser', 'import', 'module'] }, 'web', 'inline'],
  ['wrangler', { conditions: ['workerd', 'worker', 'browser'] }, 'workerd', 'workerd'],
];

for (const [tool, settings, main, inline] of TOOLS) {
  test(`${tool} finds index.${main}.js, and index.${inline}.js as regate/inline`, async () => {
    const entries = { regate: main, 'regate/inline': inline };
    for (const [name, entry] of Object.entries(entries)) {
      const { metafile } = await bundle(`export * from '${name}'`, settings);
      const found = Object.keys(metafile.inputs).filter((path) => /\/index\.\w+\.js$/.test(path));
      assert.deepEqual(
        found.map((path) => path.split('/').at(-1)),
        [`index.${entry}.js`],
        name,
      );
    }
  });
}

test('Node finds index.inline.js, the wasm and package.json, and nothing that is not exported', async () => {
  const names = [
    'regate',
    'regate/inline',
    'regate/regate_bg.wasm',
    'regate/package.json',
    'regate/client.js',
  ];
  const text = `
    for (const name of ${JSON.stringify(names)}) {
      try { console.log(import.meta.resolve(name).split('/').at(-1)); } catch (error) { console.log(error.code); }
    }`;
  const found = ['index.inline.js', 'index.inline.js', 'regate_bg.wasm', 'package.json'];
  const { stdout } = await runModule(text);
  assert.deepEqual(stdout.trim().split('\n'), [...found, 'ERR_PACKAGE_PATH_NOT_EXPORTED']);
  const { stdout: asWorker } = await runModule(text, { flags: ['--conditions=workerd'] });
  assert.deepEqual(asWorker.trim().split('\n').slice(0, 2), ['index.workerd.js', 'index.workerd.js']);
});

test('no file awaits at its top level', async () => {
  for (const name of readdirSync(packageFolder()).filter((file) => file.endsWith('.js'))) {
    const text = readFileSync(join(packageFolder(), name), 'utf8');
    await transform(text, { format: 'esm', logLevel: 'silent', supported: { 'top-level-await': false } });
  }
});

test('what is not used is not bundled, and what is used is', async () => {
  const size = async (contents) => (await bundle(contents)).outputFiles[0].contents.length;
  assert.equal(await size("import 'regate/inline'"), 0);
  assert.ok((await size("export { completionOf } from 'regate/inline'")) < 1000);
  assert.ok((await size("export { RegateError } from 'regate/inline'")) < 8000);
  assert.ok((await size("export { tcpTimeouts } from 'regate/inline'")) < 20_000);
  const wasm = readFileSync(join(packageFolder(), 'regate_bg.wasm')).length;
  assert.ok((await size("export { init } from 'regate/inline'")) > wasm, 'the wasm is in it');
});
