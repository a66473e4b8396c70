// Builds the explorer's wasm from engine/, by the settings of the package: dist/explorer.js and dist/explorer_bg.wasm.
//   node www/explorer/build.mjs            compiles what changed, prints the sizes
//   ... --quiet                            says only what it does, not the sizes
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { printSizes } from '../../pkg-config/sizes.mjs';
import { BuildError, compile } from '../../pkg-config/wasm-build.mjs';

const folder = join(dirname(fileURLToPath(import.meta.url)), 'dist');
const outName = 'explorer';

try {
  compile({ crate: 'www/explorer/engine', outName, folder });
  if (!process.argv.includes('--quiet')) await printSizes(folder, outName);
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(`build: ${error.message}`);
  process.exit(1);
}
