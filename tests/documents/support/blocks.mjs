// The code of the documents, block by block.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { project } from '../../package/support/installed.mjs';

/** What users read: all of its code runs. */
export const documents = listed('README.md', 'www/guides/*.md');

/** Markdown of this repository, by patterns of git. */
export function listed(...patterns) {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns];
  return execFileSync('git', args, { cwd: project, encoding: 'utf8' }).trim().split('\n').sort();
}

/**
 * The blocks of a document. A comment before a block, `<!-- fixture: NAME -->`, names what it needs beside
 * itself to run, which is in fixtures.mjs.
 */
export function blocksOf(document) {
  const blocks = [];
  let block;
  let fixture;
  for (const [place, line] of readFileSync(join(project, document), 'utf8').split('\n').entries()) {
    const fence = /^```(\w*)$/.exec(line);
    if (fence !== null && block === undefined) {
      block = { document, title: `${document}:${place + 1}`, language: fence[1], fixture, text: '' };
    } else if (fence !== null) {
      blocks.push(block);
      block = undefined;
      fixture = undefined;
    } else if (block !== undefined) {
      block.text += `${line}\n`;
    } else if (line !== '') {
      fixture = /^<!-- fixture: ([\w-]+) -->$/.exec(line)?.[1];
    }
  }
  return blocks;
}

/** All blocks of some languages. */
export const blocksIn = (...languages) =>
  documents.flatMap(blocksOf).filter(({ language }) => languages.includes(language));
