// Proves that no test of a browser suite is silently left out: on wasm a plain `#[test]` is compiled away, and the runner exits with 0.
// Looks at tests/web.rs, tests/web/ and src/web; prints every offending line.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

let found = 0;
for (const path of ['tests/web.rs', 'tests/web', 'src/web.rs', 'src/web'].flatMap(rustFiles)) {
  const lines = readFileSync(path, 'utf8').split('\n');
  // `use wasm_bindgen_test::wasm_bindgen_test as test` makes #[test] the right one.
  if (lines.some((line) => /wasm_bindgen_test as test\b/.test(line))) continue;
  lines.forEach((line, index) => {
    if (!/#\[\s*test\s*\]/.test(line)) return;
    console.log(`${path}:${index + 1}: a plain #[test] is not run on wasm: use #[wasm_bindgen_test]`);
    found += 1;
  });
}
process.exit(found > 0 ? 1 : 0);

function rustFiles(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return path.endsWith('.rs') ? [path] : [];
  return readdirSync(path).flatMap((name) => rustFiles(join(path, name)));
}
