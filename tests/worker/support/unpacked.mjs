// The packed package where a project has it; it depends on nothing, so that is all that an installation does.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { tarball } from '../../package/support/installed.mjs';

/** Unpacks it for the project in this folder; says where. */
export function unpackFor(folder) {
  const target = join(folder, 'node_modules/regate');
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['xzf', tarball, '-C', target, '--strip-components=1']);
  return target;
}
