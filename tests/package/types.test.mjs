// The types as a user's compiler finds them: by every way of resolving, beside the types of every platform.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { installedProject, project } from './support/installed.mjs';

const PROGRAM = `
import { connect } from 'regate';
import { connect as inline } from 'regate/inline';
import wasm from 'regate/regate_bg.wasm';
const client = await connect({ gateways: ['wss://a.example'] });
export const text: string = await client.invoke<string>('m');
export const module: object = wasm;
client.addEventListener('statechange', ({ detail }) => detail.to);
export default inline;
`;

const SOCKETS = `
import { GatewaySocket } from 'regate';
const socket = new GatewaySocket('wss://a.example');
socket.onopen = () => socket.send('text');
socket.onmessage = ({ data }) => data.length;
socket.onclose = ({ code, reason, wasClean }) => [code.toFixed(), reason.length, wasClean === true];
socket.onerror = ({ error }) => error?.code;
socket.addEventListener('close', ({ code }) => code.toFixed());
socket.addEventListener('error', ({ error }) => error?.failures);
`;
const MODULE = "import wasm from 'regate/regate_bg.wasm'; export const module: WebAssembly.Module = wasm;";
const DISPOSED =
  "import type { ClusterClient } from 'regate'; export const end = (client: ClusterClient) => client[Symbol.dispose]();";

// What a project may have: the library of its compiler, left out for the default one of its target, and types of its platform.
const setups = [
  ...['NodeNext', 'Preserve'].flatMap((module) =>
    ['DOM', 'WebWorker'].map((lib) => ({
      module,
      lib: ['ES2022', lib, 'ESNext.Disposable'],
      disposes: true,
    })),
  ),
  { lib: undefined },
  { lib: ['ES2022', 'WebWorker'] },
  { lib: ['ES2023', 'DOM', 'DOM.Iterable'] },
  { lib: ['ES2022'], types: ['node'], disposes: true },
  { lib: ['ES2022'], types: ['@cloudflare/workers-types'] },
];
const platforms = join(project, 'tests/types/node_modules');

for (const { module = 'NodeNext', lib, types = [], disposes = false } of setups) {
  const name = [`module ${module}`, `library ${lib ?? 'by default'}`, ...types].join(', ');
  test(`compiles: ${name}`, () => {
    const folder = join(installedProject(), name.replaceAll(/[^\w]+/g, '-'));
    mkdirSync(folder);
    const compilerOptions = {
      lib,
      module,
      noEmit: true,
      skipLibCheck: false,
      strict: true,
      target: 'ES2022',
      typeRoots: [platforms, join(platforms, '@types')],
      types,
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'program.ts'), PROGRAM);
    writeFileSync(join(folder, 'sockets.ts'), SOCKETS);
    if (types[0] !== 'node') writeFileSync(join(folder, 'module.ts'), MODULE); // its types know no WebAssembly
    if (disposes) writeFileSync(join(folder, 'disposed.ts'), DISPOSED);
    let output = '';
    try {
      execFileSync(join(project, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
    } catch (error) {
      output = error.stdout || String(error);
    }
    assert.equal(output, '');
  });
}
