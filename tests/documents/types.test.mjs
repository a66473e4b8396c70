// Every block of TypeScript compiles: of the documents, and of the examples in the declarations.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { emptyFolder, project } from '../package/support/installed.mjs';
import { blocksIn } from './support/blocks.mjs';

const TYPES = 'pkg-config/index.d.ts';
const declarations = readFileSync(join(project, TYPES), 'utf8');

/** What the examples of the declarations take as given: names of the package, and these. */
const NAMES =
  'ClusterClient, completionOf, connect, GatewaySocket, init, RegateError, retry, tcpTimeouts, type ClientOptions';
const GIVEN = `
declare const client: import('regate').ClusterClient;
declare const gateways: readonly string[];
declare function createClient(options: object): void;
declare const mqtt: { connect(url: string, options: { createWebsocket(url: string, protocols: string[]): unknown }): void };
declare function token(): Promise<string>;
`;

/** The examples, each a module of its own. A member of an object, as for `headers`, is put into one. */
const EXAMPLE = /\* @example.*\n(?: *\*.*\n)*? *\* ```ts\n((?: *\*.*\n)*?) *\* ```/g;
const examples = [...declarations.matchAll(EXAMPLE)].map(([, text], place) => {
  const code = text.replace(/^ *\* ?/gm, '');
  const whole = /^\w+: /.test(code)
    ? `export const part: Partial<ClientOptions> = { ${code.trim()} };`
    : code;
  const imports = /^import/m.test(code) ? '' : `import { ${NAMES} } from 'regate';`;
  return { name: `declarations-${place}.ts`, text: `${imports}\n${whole}\nexport {};\n` };
});

function compile(files, types) {
  const folder = emptyFolder();
  for (const { name, text } of files) writeFileSync(join(folder, name), text);
  const paths = { regate: [join(project, TYPES)], 'regate/inline': [join(project, TYPES)] };
  const installed = join(project, 'tests/types/node_modules');
  const compilerOptions = {
    lib: types.length > 0 ? ['ES2022'] : ['ES2022', 'DOM', 'ESNext.Disposable'],
    module: 'Preserve',
    noEmit: true,
    paths,
    skipLibCheck: true,
    strict: true,
    target: 'ES2022',
    typeRoots: [installed, join(installed, '@types')],
    types,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const tsc = join(project, 'node_modules/.bin/tsc');
  return spawnSync(tsc, ['-p', folder], { encoding: 'utf8' }).stdout;
}

test('the examples of the declarations compile', () => {
  assert.equal(examples.length, declarations.split('```ts').length - 1, 'each is found');
  assert.equal(compile([...examples, { name: 'given.d.ts', text: GIVEN }], []), '');
});

test('the TypeScript of the documents compiles', () => {
  const blocks = blocksIn('ts');
  for (const [fixture, types] of [
    ['worker-types', ['@cloudflare/workers-types']],
    [undefined, []],
  ]) {
    const files = blocks
      .filter((block) => block.fixture === fixture)
      .map(({ text }, place) => ({ name: `block-${place}.ts`, text }));
    if (files.length > 0) assert.equal(compile(files, types), '', fixture);
  }
});
