import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { Terminal } from './terminal.mjs';

const LIFETIME = new URL('./lifetime.mjs', import.meta.url);

/** Runs a program that makes a folder and says its name; how it ended, and whether the folder is gone. */
async function ends(body, { options = '{}', signal } = {}) {
  const program = `import { run } from '${LIFETIME}';
    await run(async (life) => { console.log(life.temporaryFolder('regate-lifetime-test')); ${body} }, ${options});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  if (signal !== undefined) child.kill(signal);
  const [code] = await once(child, 'close');
  return { code, isGone: !existsSync(line.trim()) };
}

const HANG = 'setInterval(() => {}, 1000); return new Promise(() => {});';

test('every way out cleans up, and tells by the code which it was', async () => {
  assert.deepEqual(await ends('return 0;'), { code: 0, isGone: true });
  assert.deepEqual(await ends('return 3;'), { code: 3, isGone: true });
  assert.deepEqual(await ends("throw new Error('no');"), { code: 1, isGone: true });
  assert.deepEqual(await ends(HANG, { signal: 'SIGINT' }), { code: 130, isGone: true });
  assert.deepEqual(await ends(HANG, { signal: 'SIGTERM' }), { code: 143, isGone: true });
  assert.deepEqual(await ends(HANG, { options: '{ limitMilliseconds: 50 }' }), { code: 1, isGone: true });
});

test('one clean-up that fails does not keep the others', async () => {
  const body = "life.defer(() => { throw new Error('no'); }); return 0;";
  assert.deepEqual(await ends(body), { code: 0, isGone: true });
});

test('no control characters where the terminal cannot redraw', () => {
  const shown = (isTTY) => {
    let text = '';
    const terminal = new Terminal({ isTTY, columns: 40, write: (part) => (text += part) });
    terminal.progress(0.5, 'half');
    terminal.line('one');
    terminal.endProgress();
    return text;
  };
  assert.equal(shown(false), 'one\n');
  assert.match(shown(true), /\[#{12}-{12}\] +50 %/);
});
