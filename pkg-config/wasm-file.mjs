// Reads a wasm file as far as its size report and the removal of its names need it: sections, imports, function bodies, names.

const CODE = 10;
const IMPORT = 2;
const SECTION_NAMES = [
  'custom',
  'type',
  'import',
  'function',
  'table',
  'memory',
  'global',
  'export',
  'start',
  'element',
  'code',
  'data',
  'data count',
  'tag',
];

/** All sections in order: `{ id, name, start, body, end }` as offsets into the bytes. */
export function sections(bytes) {
  const found = [];
  let at = 8; // after the magic number and the version
  while (at < bytes.length) {
    const start = at;
    const id = bytes[at];
    const [length, body] = unsigned(bytes, at + 1);
    const name = id === 0 ? text(bytes, body)[0] : (SECTION_NAMES[id] ?? `section ${id}`);
    at = body + length;
    found.push({ id, name, start, body, end: at });
  }
  return found;
}

/** The same module without what engines do not read: names, producers, features. */
export function withoutCustomSections(bytes) {
  const kept = sections(bytes).filter(({ id }) => id !== 0);
  return Buffer.concat([bytes.subarray(0, 8), ...kept.map(({ start, end }) => bytes.subarray(start, end))]);
}

/** Every function defined in the module: `{ name, size }`. The name is empty where the file has none. */
export function functions(bytes) {
  const all = sections(bytes);
  const code = all.find(({ id }) => id === CODE);
  const names = functionNames(bytes, all);
  let index = importedFunctions(bytes, all);
  let [count, at] = unsigned(bytes, code.body);
  const found = [];
  for (; count > 0; count -= 1, index += 1) {
    const [length, body] = unsigned(bytes, at);
    found.push({ name: names.get(index) ?? '', size: body + length - at });
    at = body + length;
  }
  return found;
}

function functionNames(bytes, all) {
  const names = new Map();
  const section = all.find(({ id, name }) => id === 0 && name === 'name');
  if (!section) return names;
  let at = text(bytes, section.body)[1];
  while (at < section.end) {
    const kind = bytes[at];
    const [length, body] = unsigned(bytes, at + 1);
    at = body + length;
    if (kind !== 1) continue; // 1: names of functions
    let [count, next] = unsigned(bytes, body);
    for (; count > 0; count -= 1) {
      const [index, afterIndex] = unsigned(bytes, next);
      const [name, afterName] = text(bytes, afterIndex);
      names.set(index, name);
      next = afterName;
    }
  }
  return names;
}

function importedFunctions(bytes, all) {
  const section = all.find(({ id }) => id === IMPORT);
  if (!section) return 0;
  let [count, at] = unsigned(bytes, section.body);
  let imported = 0;
  for (; count > 0; count -= 1) {
    at = text(bytes, text(bytes, at)[1])[1];
    const kind = bytes[at];
    at += 1;
    if (kind === 0) {
      imported += 1;
      at = unsigned(bytes, at)[1];
    } else if (kind === 1) at = limits(bytes, at + 1);
    else if (kind === 2) at = limits(bytes, at);
    else if (kind === 3) at += 2;
    else at = unsigned(bytes, at + 1)[1];
  }
  return imported;
}

function limits(bytes, at) {
  const [flags, minimum] = unsigned(bytes, at);
  const afterMinimum = unsigned(bytes, minimum)[1];
  return flags & 1 ? unsigned(bytes, afterMinimum)[1] : afterMinimum;
}

function text(bytes, at) {
  const [length, body] = unsigned(bytes, at);
  return [bytes.toString('utf8', body, body + length), body + length];
}

/** An unsigned LEB128 number and the offset after it. */
function unsigned(bytes, at) {
  let value = 0;
  for (let scale = 1; ; scale *= 128, at += 1) {
    value += (bytes[at] & 127) * scale;
    if (bytes[at] < 128) return [value, at + 1];
  }
}
