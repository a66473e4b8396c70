import init, * as engine from '../dist/explorer.js';

let give;
const ready = new Promise((resolve) => {
  give = resolve;
}).then((module) => init({ module_or_path: module }));

addEventListener('message', async ({ data: { module, id, name, text } }) => {
  if (module !== undefined) return give(module);
  try {
    await ready;
    postMessage({ id, text: engine[name](text) });
  } catch (error) {
    postMessage({ id, failed: String(error.message) });
  }
  return undefined;
});
