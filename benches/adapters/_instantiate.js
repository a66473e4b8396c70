// The floor of what has wasm: compiles and instantiates regate's, calls nothing of it, and dials by hand.
import wasm from 'regate/regate_bg.wasm';

export { connect, meta } from './raw.js';

export async function ready() {
  const module = await WebAssembly.compileStreaming(fetch(wasm));
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] = () => {};
  }
  await WebAssembly.instantiate(module, imports);
}
