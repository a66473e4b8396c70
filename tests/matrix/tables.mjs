// Holds the versions of oldest.mjs against MDN's tables, and the names in the package's scripts too.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { packageFolder } from '../package/support/installed.mjs';
import { ACCOUNTED_NAMES, NEEDED, oldest } from './oldest.mjs';

const BROWSERS = ['chrome', 'firefox', 'safari'];
/** What the package uses of a browser; a name of any other object is more likely one of ours. */
const USED_OBJECTS =
  /^(Abort(Controller|Signal)|Blob|Crypto|(Custom|Close|Message)?Event(Target)?|Performance|Response|Text(De|En)coder|URL|WebSocket)$/;

export const tables = {
  name: 'the oldest browsers, by MDN',
  async run() {
    const data = createRequire(import.meta.url)('@mdn/browser-compat-data');
    for (const [path, versions] of Object.entries(NEEDED))
      assert.deepEqual(versionsOf(at(data, path)), versions, path);
    const newer = newerNames(data);
    assert.ok(newer.size > 100, `only ${newer.size} names are newer`);
    const found = [...namesInPackage()].filter(
      (name) => newer.has(name) && !Object.hasOwn(ACCOUNTED_NAMES, name),
    );
    assert.deepEqual(found, [], 'newer than the oldest browsers');
    return { version: data.__meta.version, passed: Object.keys(NEEDED).length };
  },
};

const at = (data, path) => path.split('.').reduce((node, name) => node[name], data);

/** The first version of each browser that has a feature without a flag, a prefix or another name. */
function versionsOf({ __compat: { support } }) {
  return Object.fromEntries(BROWSERS.map((browser) => [browser, firstVersion([support[browser]].flat())]));
}

function firstVersion(statements) {
  const plain = statements.filter(
    ({ flags, prefix, alternative_name, partial_implementation, version_removed }) =>
      [flags, prefix, alternative_name, partial_implementation, version_removed].every((said) => !said),
  );
  const versions = plain.map(({ version_added }) => Number(String(version_added).replace('≤', '')));
  return Math.min(...versions.map((version) => (Number.isNaN(version) ? Number.POSITIVE_INFINITY : version)));
}

/** Names of members that no object had in those browsers. */
function newerNames(data) {
  const isOld = new Map();
  const objects = Object.entries(data.api).filter(([name]) => USED_OBJECTS.test(name));
  objects.push(...Object.entries(data.javascript.builtins), ...Object.entries(data.webassembly.api));
  for (const [object, members] of objects) {
    for (const [name, feature] of Object.entries({ ...members, [object]: members })) {
      if (feature.__compat === undefined) continue;
      const versions = versionsOf(feature);
      const isEverywhere = BROWSERS.every((browser) => versions[browser] <= oldest(browser));
      isOld.set(name, isEverywhere || isOld.get(name) === true);
    }
  }
  return new Set([...isOld].filter(([, old]) => !old).map(([name]) => name));
}

/** What stands behind a dot in the scripts, or after `new`. */
function namesInPackage() {
  const scripts = readdirSync(packageFolder()).filter((name) => name.endsWith('.js'));
  const text = scripts.map((name) => readFileSync(join(packageFolder(), name), 'utf8')).join('\n');
  return new Set([...text.matchAll(/(?:\.|\bnew )([A-Za-z_]\w+)/g)].map(([, name]) => name));
}
