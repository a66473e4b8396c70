//! What the shell asks of whoever owns the payloads: its one border to the application.

use alloc::rc::Weak;
use core::fmt;

use wasm_bindgen::JsValue;

use super::client::Inner;
use crate::policy::{AttemptId, Cause, Judgement, OperationId, SocketId, Verdict};

/// A gateway failed, as the application is asked about it.
#[derive(Debug)]
pub(super) struct Failure {
    /// Its origin and position.
    pub(super) gateway: JsValue,
    pub(super) cause: Cause,
    /// What the close event said; `undefined` where there was none.
    pub(super) reason: JsValue,
    /// What it means unless the application says otherwise.
    pub(super) verdict: Verdict,
}

/// The application, as the shell sees it: the npm package's object, or the client for Rust.
///
/// The shell is made for one of them at compile time. It holds no borrow when it asks, as each of
/// these may call straight back in.
pub(super) trait Application: Clone + 'static {
    /// What hears the messages of all sockets of a client.
    type Ear: fmt::Debug;

    /// Makes it, once for a client.
    fn make_ear(inner: Weak<Inner<Self>>) -> Self::Ear;

    /// The handler of the messages of this socket. It asks [`Inner::hear`] before it believes one.
    fn ear_on(&self, ear: &Self::Ear, socket: SocketId) -> JsValue;

    /// The frame of an operation under the id of this attempt; `undefined` where there is none.
    fn frame(&self, operation: OperationId, attempt: AttemptId) -> JsValue;

    /// There are notices to be pulled.
    fn take_notices(&self);

    /// A ping under this id; `undefined` where there is none.
    fn ping(&self, attempt: AttemptId) -> JsValue;

    /// The list of gateways is wanted.
    fn list(&self);

    /// The session hook is to run on this socket.
    fn greet(&self, socket: SocketId, gateway: JsValue);

    /// What a failure means.
    fn judge(&self, failure: Failure) -> Judgement;
}
