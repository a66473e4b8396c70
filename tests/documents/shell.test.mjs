// Every command of the documents names what there is; those that cost nothing are run.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'smol-toml';
import { emptyFolder, project, tarball } from '../package/support/installed.mjs';
import { blocksOf, listed } from './support/blocks.mjs';

const read = (path) => readFileSync(join(project, path), 'utf8');
const makefile = read('Makefile');
const targets = new Set([...makefile.matchAll(/^([a-z-]+):/gm)].map(([, name]) => name));
const json = (path) => JSON.parse(read(path));

/** What must be true of a command, by its first word; each is given the words after it and where it stands. */
const COMMANDS = {
  make(words) {
    for (const word of words) {
      const [, variable] = /^([A-Z]+)=/.exec(word) ?? [];
      if (variable === undefined) assert.ok(targets.has(word), `no target ${word}`);
      else assert.ok(makefile.includes(`$(${variable})`), `no variable ${variable}`);
    }
  },
  node([script]) {
    assert.ok(existsSync(join(project, script)), script);
  },
  npm([command, ...words]) {
    assert.equal(command, 'install');
    for (const word of words) {
      if (word.endsWith('.tgz')) assert.ok(tarball.endsWith(word.replace(/^.*\/(?=pkg-config\/)/, '')), word);
      else assert.ok(word in json('package.json').devDependencies, word);
    }
  },
  npx([tool], document) {
    assert.ok(tool in json(join(dirname(document), 'package.json')).devDependencies, tool);
  },
  /** Run, in an empty crate. */
  cargo(words) {
    if (words[0] !== 'add') return checkCargo(words);
    const folder = emptyFolder();
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src/lib.rs'), '');
    writeFileSync(join(folder, 'Cargo.toml'), '[package]\nname = "app"\nedition = "2024"\n');
    const args = words.map((word) => (word === '/path/to/regate' ? project : word));
    execFileSync('cargo', [...args, '--offline', '--quiet'], { cwd: folder, stdio: 'pipe' });
    const { regate } = parse(readFileSync(join(folder, 'Cargo.toml'), 'utf8')).dependencies;
    assert.deepEqual(regate.features, [words[words.indexOf('--features') + 1]]);
  },
  cd() {},
  export(words) {
    for (const [, folder] of words.join(' ').matchAll(/\$PWD\/([^:"]+)/g))
      assert.ok(existsSync(join(project, folder)), folder);
  },
  'wasm-pack'([command, ...words]) {
    assert.ok(['build', 'test'].includes(command), command);
    const after = (flag) => words[words.indexOf(flag) + 1];
    if (command === 'build') assert.ok(existsSync(join(project, words[0], 'Cargo.toml')), words[0]);
    else checkCargo(['test', '--features', after('--features'), '--test', after('--test')]);
  },
};

/** Features and tests that there are. */
function checkCargo(words) {
  const { features, test: tests } = parse(read('Cargo.toml'));
  for (const [place, flag] of words.entries()) {
    const value = words[place + 1];
    if (flag === '--features') for (const name of value.split(',')) assert.ok(name in features, name);
    if (flag === '--manifest-path') assert.ok(existsSync(join(project, value)), value);
    if (flag === '--test')
      assert.ok(
        tests.some(({ name }) => name === value),
        value,
      );
  }
}

// The other examples are built and run by the tests of the crate.
for (const document of listed(
  'README.md',
  'www/guides/*.md',
  'benches/README.md',
  'examples/worker/README.md',
)) {
  const blocks = blocksOf(document).filter(({ language }) => language === 'sh');
  for (const { title, text } of blocks) {
    test(`${title} names what there is`, () => {
      const lines = text
        .replace(/\\\n/g, ' ')
        .replace(/(^|\s)#.*$/gm, '')
        .split('\n');
      const commands = lines.flatMap((line) => line.replace(/^\(|\)$/g, '').split('&&'));
      for (const command of commands.map((each) => each.trim().replace(/^\(|\)$/g, ''))) {
        if (command === '') continue;
        const [first, ...words] = command.split(/\s+/);
        assert.ok(first in COMMANDS, `nothing checks ${command}`);
        COMMANDS[first](words, document);
      }
    });
  }
}

test('every target that a text names there is', () => {
  for (const document of listed('*.md')) {
    for (const [, target] of read(document).matchAll(/`make ([a-z-]+)[^`]*`/g))
      assert.ok(targets.has(target), `${document}: make ${target}`);
  }
});
