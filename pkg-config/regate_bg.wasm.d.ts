/** What `import module from "regate/regate_bg.wasm"` gives where wasm files are modules (workerd); other bundlers give an address. */
declare const module: WebAssembly.Module;
export default module;
