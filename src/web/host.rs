//! What the shell wants of the package: the other side of the border.

use js_sys::{Array, Function};
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

    /// A ping under this id, or `undefined` where there is none.
    #[wasm_bindgen(method)]
    pub(super) fn ping(this: &Host, attempt: f64) -> JsValue;

    /// The list of gateways is wanted; it is to be reported by `listed`.
    #[wasm_bindgen(method)]
    pub(super) fn list(this: &Host);

    /// The session hook is to run on this socket.
    #[wasm_bindgen(method)]
    pub(super) fn greet(this: &Host, socket: f64, gateway: &str);

    /// What a failure means: `undefined`, or a verdict and the least length of the next wait.
    /// The code is below 0 where there was none.
    #[wasm_bindgen(method)]
    pub(super) fn judge(
        this: &Host,
        gateway: &str,
        code: i32,
        reason: &JsValue,
        verdict: &str,
    ) -> Option<Array>;

    /// A function that closes the socket whose late `open` it is called with.
    #[wasm_bindgen(method, getter)]
    pub(super) fn late(this: &Host) -> Function;

    /// A function that does nothing.
    #[wasm_bindgen(method, getter)]
    pub(super) fn ignore(this: &Host) -> Function;
}
