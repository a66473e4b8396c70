/** The compiled module, as Workers and bundlers import it; an object where the platform's types know no WebAssembly. */
declare const module: typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } }
  ? Module
  : object;
export default module;
