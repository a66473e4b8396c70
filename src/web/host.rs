//! What the shell wants of the package: the other side of the border.

use js_sys::{Array, Function};
use wasm_bindgen::prelude::*;

// All of them are caught: what throws past wasm leaves its stack where it was, and a stack that
// only grows ends in a trap. The package lets none of them throw; an overflow can in any.
#[wasm_bindgen]
extern "C" {
    /// The object that the package hands over: it owns promises and payloads.
    #[derive(Clone, Debug)]
    pub type Host;

    /// The frame of an operation under the id of this attempt.
    #[wasm_bindgen(method, catch)]
    pub(super) fn frame(this: &Host, operation: f64, attempt: f64) -> Result<JsValue, JsValue>;

    /// A message came on the live socket.
    #[wasm_bindgen(method, catch)]
    pub(super) fn message(this: &Host, data: JsValue) -> Result<(), JsValue>;

    /// There are notices to be pulled.
    #[wasm_bindgen(method, catch)]
    pub(super) fn drain(this: &Host) -> Result<(), JsValue>;

    /// A ping under this id, or `undefined` where there is none.
    #[wasm_bindgen(method, catch)]
    pub(super) fn ping(this: &Host, attempt: f64) -> Result<JsValue, JsValue>;

    /// The list of gateways is wanted; it is to be reported by `listed`.
    #[wasm_bindgen(method, catch)]
    pub(super) fn list(this: &Host) -> Result<(), JsValue>;

    /// The session hook is to run on this socket.
    #[wasm_bindgen(method, catch)]
    pub(super) fn greet(this: &Host, socket: f64, gateway: &str) -> Result<(), JsValue>;

    /// What a failure means: `undefined`, or a verdict and the least length of the next wait.
    /// The code is below 0 where there was none.
    #[wasm_bindgen(method, catch)]
    pub(super) fn judge(
        this: &Host,
        gateway: &str,
        code: i32,
        reason: &JsValue,
        verdict: &str,
    ) -> Result<Option<Array>, JsValue>;

    /// A function that closes the socket whose late `open` it is called with.
    #[wasm_bindgen(method, getter)]
    pub(super) fn late(this: &Host) -> Function;

    /// A function that does nothing.
    #[wasm_bindgen(method, getter)]
    pub(super) fn ignore(this: &Host) -> Function;
}
