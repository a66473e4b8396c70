//! What the shell asks of whoever owns the payloads: its one border to the application.

use alloc::rc::{Rc, Weak};
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
    /// What JavaScript calls of it, for all sockets and alarms of a client.
    type Callback: fmt::Debug;
    /// An alarm of the platform, which is let go by being dropped.
    type Alarm: fmt::Debug;

    /// Makes it, once for a client.
    fn make_callback(inner: Weak<Inner<Self>>) -> Self::Callback;

    /// The handler of the messages of this socket. It asks [`Inner::hear`] before it believes one.
    fn ear_on(&self, callback: &Self::Callback, socket: SocketId) -> JsValue;

    /// Calls [`Inner::handle_timer`] after so many milliseconds; `None` where the platform refuses.
    fn set_alarm(inner: &Rc<Inner<Self>>, milliseconds: u32) -> Option<Self::Alarm>;

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
