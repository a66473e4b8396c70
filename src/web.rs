//! What JavaScript sees.
use wasm_bindgen::prelude::*;

/// A first sign of life.
#[wasm_bindgen]
pub fn version() -> alloc::string::String {
    alloc::string::String::from(env!("CARGO_PKG_VERSION"))
}
