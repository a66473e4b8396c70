// Which browsers are new enough: what the package needs, and since when they have it by MDN's browser-compat-data, against
// which `make matrix` checks it.

/** The features that the wasm uses, by binaryen's names. */
export const WASM_FEATURES = {
  BulkMemory: 'webassembly.bulk-memory-operations',
  Multivalue: 'webassembly.multi-value',
  NontrappingFPToInt: 'webassembly.non-trapping-float-to-int-conversions',
  ReferenceTypes: 'webassembly.reference-types',
  SignExt: 'webassembly.sign-extension-operations',
};

/** What needs the newest browsers, by its place in that data, and the first version that has it. */
export const NEEDED = {
  'api.AbortSignal.reason': { chrome: 98, firefox: 97, safari: 15.4 },
  'api.EventTarget.EventTarget': { chrome: 64, firefox: 59, safari: 14 },
  'api.queueMicrotask': { chrome: 71, firefox: 69, safari: 12.1 },
  'javascript.builtins.Error.Error.options_cause_parameter': { chrome: 93, firefox: 91, safari: 15 },
  'javascript.classes.private_class_fields': { chrome: 74, firefox: 90, safari: 14.1 },
  'javascript.classes.private_class_methods': { chrome: 84, firefox: 90, safari: 15 },
  'javascript.operators.nullish_coalescing_assignment': { chrome: 85, firefox: 79, safari: 14 },
  'webassembly.bulk-memory-operations': { chrome: 75, firefox: 79, safari: 15.1 },
  'webassembly.multi-value': { chrome: 86, firefox: 78, safari: 13.1 },
  'webassembly.non-trapping-float-to-int-conversions': { chrome: 75, firefox: 64, safari: 15.1 },
  'webassembly.reference-types': { chrome: 96, firefox: 79, safari: 15.1 },
  'webassembly.sign-extension-operations': { chrome: 69, firefox: 62, safari: 14.1 },
};

/** Names that only newer browsers have, and why they may stand in the package. */
export const ACCOUNTED_NAMES = {
  detached: 'of a buffer: the glue does without where it is undefined',
  dispose: 'a symbol: one of its own stands in',
  error: 'of a logger or a message',
  memory: 'an export of the wasm',
  pause: 'of the exchange or a subscription',
};

/** The oldest version of a browser that has all of it. */
export const oldest = (browser) => Math.max(...Object.values(NEEDED).map((versions) => versions[browser]));
