// The types as a user's compiler finds them: by every way of resolving, with the library of a page and of a worker.
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
export const module: WebAssembly.Module = wasm;
client.addEventListener('statechange', ({ detail }) => detail.to);
export default inline;
`;

for (const module of ['NodeNext', 'Preserve']) {
  for (const lib of ['DOM', 'WebWorker']) {
    test(`module ${module}, library ${lib}`, () => {
      const folder = join(installedProject(), `types-${module}-${lib}`);
      mkdirSync(folder);
      const compilerOptions = {
        lib: ['ES2022', lib, 'ESNext.Disposable'],
        module,
        noEmit: true,
        skipLibCheck: false,
        strict: true,
        target: 'ES2022',
        types: [],
      };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      writeFileSync(join(folder, 'program.ts'), PROGRAM);
      let output = '';
      try {
        execFileSync(join(project, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
      } catch (error) {
        output = error.stdout || String(error);
      }
      assert.equal(output, '');
    });
  }
}
