// Prints which features of WebAssembly a file uses, as JSON: those without which it is not valid. A program of its own, as
// binaryen writes to stderr where a file is not valid.
//   node tests/matrix/wasm_features.mjs FILE

import { readFileSync } from 'node:fs';
import binaryen from 'binaryen';

const bytes = readFileSync(process.argv[2]);
// Two of binaryen's features are parts of others, and go with them.
const { All, MVP, BulkMemoryOpt, CallIndirectOverlong, ...features } = binaryen.Features;
features.BulkMemory |= BulkMemoryOpt;
features.ReferenceTypes |= CallIndirectOverlong;

function isValid(enabled) {
  const module = binaryen.readBinary(bytes);
  module.setFeatures(enabled);
  const valid = module.validate() === 1;
  module.dispose();
  return valid;
}

if (!isValid(All)) throw new Error(`${process.argv[2]} is not valid with all features`);
const used = Object.entries(features).filter(([, feature]) => !isValid(All & ~feature));
const enough = used.reduce((sum, [, feature]) => sum | feature, MVP);
if (!isValid(enough)) throw new Error(`${process.argv[2]} needs more than ${used}`);
console.log(JSON.stringify(used.map(([name]) => name)));
