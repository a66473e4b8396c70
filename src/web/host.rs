//! What the shell wants of the package: the other side of the border.

use js_sys::Function;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// The object that the package hands over: it owns promises and payloads.
    #[derive(Clone, Debug)]
    pub type Host;

    /// The frame of an operation under the id of this attempt.
    #[wasm_bindgen(method)]
    pub(super) fn frame(this: &Host, operation: f64, attempt: f64) -> JsValue;

    /// A message came on the live socket.
    #[wasm_bindgen(method)]
    pub(super) fn message(this: &Host, data: JsValue);

    /// There are notices to be pulled.
    #[wasm_bindgen(method)]
    pub(super) fn drain(this: &Host);

    /// A function that closes the socket whose late `open` it is called with.
    #[wasm_bindgen(method, getter)]
    pub(super) fn late(this: &Host) -> Function;

    /// A function that does nothing.
    #[wasm_bindgen(method, getter)]
    pub(super) fn ignore(this: &Host) -> Function;
}
