//! The client as the package wraps it.

use alloc::{boxed::Box, rc::Rc, string::String, vec::Vec};

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::{
    Host,
    client::{Inner, Parts},
    clock, events,
    options::{Options, read_messaging},
};
use crate::policy::{
    Answer, AttemptId, Binding, Call, CloseRequest, Event, Notice, OperationId, Purpose, Reconnect,
    Redo, SocketId, Verdict,
};

/// How an answer was, as the package says it.
const ANSWERED_RESULT: u8 = 0;
const ANSWERED_RETRYABLE: u8 = 1;
const ANSWERED_ERROR: u8 = 2;

/// What a call may be, as the package says it: one of the first two, and any of the others.
const REDO_ALWAYS: u32 = 1;
const REDO_AS_CLIENT: u32 = 2;
const BOUND: u32 = 4;
const SUBSCRIPTION: u32 = 8;
const FAREWELL: u32 = 16;

/// How a client is closed, as the package says it; anything else is `close()`.
const CLOSED_BY_ABORT: u8 = 1;
const CLOSED_WHEN_DONE: u8 = 2;

/// Wake signals, as the package says them; anything else is a page that is shown again.
const WOKEN: u8 = 0;
const HIDDEN: u8 = 1;

/// A client, for the package to wrap: it owns promises and payloads, this owns sockets and time.
///
/// No method calls back into the package; each leaves its notices to be pulled.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Core {
    inner: Rc<Inner<Host>>,
    foreign_names: Vec<JsValue>,
}

#[wasm_bindgen]
impl Core {
    /// Reads the options. Nothing is dialled, armed or listened to. With `asked_for_each` every
    /// connection is asked for by `connect()`, and goes on where the last one stopped.
    ///
    /// # Errors
    ///
    /// What is wrong with an option, as an array that the package makes a `RegateError` of.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &JsValue, drawn_seed: f64, asked_for_each: bool) -> Result<Core, JsValue> {
        let Options { mut settings, gateways, protocols, constructor, seed, foreign, .. } =
            Options::parse(options)?;
        if asked_for_each {
            settings.connection.reconnect = Reconnect::OnRequest;
        }
        let seed = seed.unwrap_or(clock::to_u64(drawn_seed));
        let parts = Parts { settings, gateways, protocols, constructor, seed };
        Ok(Self { inner: Inner::make(parts)?, foreign_names: foreign })
    }

    /// Names of an existing configuration that mean nothing here.
    #[wasm_bindgen(getter, js_name = foreignNames)]
    pub fn foreign_names(&self) -> Vec<JsValue> {
        self.foreign_names.clone()
    }

    /// Whether there is a constructor of sockets.
    #[wasm_bindgen(getter, js_name = hasWebSocket)]
    pub fn has_web_socket(&self) -> bool {
        self.inner.constructor.is_some()
    }

    /// `connect()`. The first dial comes with the next [`tick`](Self::tick).
    pub fn connect(&self, host: &Host) {
        self.inner.attach(host);
        self.inner.handle(Event::ConnectRequested);
    }

    /// `reconnect()`.
    pub fn reconnect(&self, host: &Host) {
        self.inner.attach(host);
        self.inner.handle(Event::ReconnectRequested);
    }

    /// `kind` is 0 for `close()`, 1 for the abort of `connect()`, 2 for the `close()` of a
    /// connection that has done its work.
    pub fn close(&self, kind: u8) {
        self.inner.handle(Event::CloseRequested(match kind {
            CLOSED_BY_ABORT => CloseRequest::ConnectAborted,
            CLOSED_WHEN_DONE => CloseRequest::Done,
            _ => CloseRequest::Application,
        }));
    }

    /// Time has passed: does what is due.
    pub fn tick(&self) {
        self.inner.handle_timeout();
    }

    /// A number for the next operation, which is the id of its first frame.
    pub fn reserve(&self) -> f64 {
        clock::to_number(self.inner.engine.borrow_mut().reserve_operation().as_u64())
    }

    /// Makes an operation under a reserved number. `frame` is its first frame of `bytes` bytes.
    /// `kind` adds up: 0 not to be redone, 1 to be redone, 2 as the client; 4 bound to its
    /// connection; 8 a subscription, 16 the end of one. A timeout that is no number is none; `socket` is that of a
    /// session hook, else 0. Says whether there are notices.
    ///
    /// # Errors
    ///
    /// What is wrong with `messaging`, the settings of the call's own. Nothing was made then.
    #[expect(clippy::too_many_arguments, reason = "numbers cross the border cheaply, objects not")]
    pub fn invoke(
        &self,
        host: &Host,
        number: f64,
        frame: JsValue,
        bytes: f64,
        kind: u32,
        timeout_milliseconds: f64,
        socket: f64,
        messaging: &JsValue,
    ) -> Result<bool, JsValue> {
        let messaging = if messaging.is_undefined() {
            None
        } else {
            read_messaging(&self.inner.settings.messaging, messaging)?.map(Box::new)
        };
        let redoable = kind & REDO_ALWAYS != 0
            || kind & REDO_AS_CLIENT != 0 && self.inner.settings.redo_operations;
        let timeout_milliseconds =
            (!timeout_milliseconds.is_nan()).then(|| clock::to_u64(timeout_milliseconds));
        let operation = OperationId::from_u64(clock::to_u64(number));
        let session = SocketId::from_u64(clock::to_u64(socket));
        self.inner.attach(host);
        *self.inner.fresh_frame.borrow_mut() = Some((operation, frame));
        let sendable = self.inner.engine.borrow().sendable_socket();
        let call = Call {
            purpose: if kind & SUBSCRIPTION != 0 {
                Purpose::Subscription
            } else if kind & FAREWELL != 0 {
                Purpose::Farewell
            } else {
                Purpose::Request
            },
            binding: if session.as_u64() != 0 {
                Binding::Session(session)
            } else if kind & BOUND != 0 {
                Binding::Connection
            } else {
                Binding::Anywhere
            },
            redo: if redoable { Redo::Redoable } else { Redo::Once },
            timeout_milliseconds,
            bytes: clock::to_u64(bytes),
            buffered_bytes: sendable.map_or(0, |socket| self.inner.buffered_bytes(socket)),
            messaging,
        };
        self.inner.handle(Event::Invoked { operation, call });
        *self.inner.fresh_frame.borrow_mut() = None;
        Ok(self.has_notices())
    }

    /// The caller's signal aborted the operation.
    pub fn abort(&self, operation: f64) {
        let operation = OperationId::from_u64(clock::to_u64(operation));
        self.inner.handle(Event::OperationAborted(operation));
    }

    /// An answer to the frame of this id: `kind` 0 for a result, 1 for "try again" (`number`
    /// milliseconds later at the soonest), 2 for another error (`number` is its code), and 3 for
    /// neither. Says which operation it settled with success, or minus the operation that it
    /// belonged to, or 0.
    pub fn answered(&self, id: f64, kind: u8, number: f64) -> f64 {
        let attempt = AttemptId::from_u64(clock::to_u64(id));
        let Some(operation) = self.inner.engine.borrow().operation_of(attempt) else {
            self.inner.handle(Event::Answered { attempt, answer: Answer::Neither });
            return 0.0;
        };
        let answer = match kind {
            ANSWERED_RESULT => Answer::Result,
            ANSWERED_RETRYABLE => Answer::Retryable { after_milliseconds: clock::to_u64(number) },
            ANSWERED_ERROR => Answer::Error { code: clock::to_i32(number) },
            _ => Answer::Neither,
        };
        self.inner.handle(Event::Answered { attempt, answer });
        let number = clock::to_number(operation.as_u64());
        let mut notices = self.inner.notices.borrow_mut();
        match notices.back() {
            // Only by this answer: a retry may have been answered while it was being sent.
            Some(Notice::Settled { operation: settled, outcome: Ok(()) })
                if *settled == operation && kind == ANSWERED_RESULT =>
            {
                notices.pop_back();
                number
            }
            Some(_) | None => clock::negated(number),
        }
    }

    /// What the list function gave; `undefined` for nothing. Says what is wrong with it, or
    /// `undefined` where it can be used.
    pub fn listed(&self, list: &JsValue) -> JsValue {
        let (taken, wrong) = match self.inner.take_list(list) {
            Ok(taken) => (Some(taken), JsValue::UNDEFINED),
            Err(wrong) => (None, wrong),
        };
        self.inner.handle(Event::GatewaysListed(taken));
        wrong
    }

    /// `setGateways()`.
    ///
    /// # Errors
    ///
    /// What is wrong with the list.
    #[wasm_bindgen(js_name = setGateways)]
    pub fn set_gateways(&self, list: &JsValue) -> Result<(), JsValue> {
        let taken = self.inner.take_list(list)?;
        self.inner.handle(Event::GatewaysSet(taken));
        Ok(())
    }

    /// The session hook on this socket is done.
    #[wasm_bindgen(js_name = sessionDone)]
    pub fn session_done(&self, socket: f64) {
        let socket = SocketId::from_u64(clock::to_u64(socket));
        self.inner.handle(Event::SessionDone(socket));
    }

    /// The session hook on this socket failed, with such a verdict or none. Says whether that
    /// matters: it does not where the socket is gone already.
    #[wasm_bindgen(js_name = sessionFailed)]
    pub fn session_failed(&self, socket: f64, verdict: &JsValue) -> bool {
        let socket = SocketId::from_u64(clock::to_u64(socket));
        let verdict = verdict.as_string().as_deref().and_then(Verdict::from_text);
        let matters = self.inner.holds(socket);
        self.inner.handle(Event::SessionFailed { socket, verdict });
        matters
    }

    /// `drain()`.
    pub fn drain(&self) {
        self.inner.handle(Event::DrainRequested);
    }

    /// A wake signal: 0 the network or the machine is back, 1 the page is hidden, 2 it is shown.
    pub fn wake(&self, kind: u8) {
        self.inner.handle(match kind {
            WOKEN => Event::Woken,
            HIDDEN => Event::PageHidden,
            _ => Event::PageShown,
        });
    }

    /// Sends a message of `bytes` bytes that has no answer on the socket of a session hook, or,
    /// for 0, on that of the connection; `false` when it was dropped.
    pub fn notify(&self, frame: &JsValue, bytes: f64, socket: f64) -> bool {
        let session = Some(clock::to_u64(socket)).filter(|&number| number != 0);
        self.inner.notify(session.map(SocketId::from_u64), clock::to_u64(bytes), frame)
    }

    /// The next notice as a row: its kind and its values; `undefined` where there is none.
    pub fn notice(&self) -> Option<Array> {
        let next = self.inner.notices.borrow_mut().pop_front();
        if next.is_none() {
            self.inner.let_application_go();
        }
        next.map(|notice| events::to_row(&notice, |gateway| self.inner.label(gateway)))
    }

    /// The state of the connection.
    #[wasm_bindgen(getter)]
    pub fn state(&self) -> String {
        self.inner.engine.borrow().state().as_str().into()
    }

    /// The full URL of the gateway that is connected. It may hold a secret.
    #[wasm_bindgen(getter)]
    pub fn gateway(&self) -> Option<String> {
        let gateway = self.inner.engine.borrow().gateway()?;
        self.inner.gateways.borrow().get(gateway).map(|gateway| gateway.url.clone())
    }

    /// Why each gateway failed last since `connect()`, as rows.
    pub fn failures(&self) -> Array {
        let engine = self.inner.engine.borrow();
        events::failures_to_rows(engine.last_failures(), |gateway| self.inner.label(gateway))
    }

    /// Counters and gauges, in the order in which the package names them. Counters run from the
    /// making of the client.
    pub fn stats(&self) -> Box<[f64]> {
        let engine = self.inner.engine.borrow();
        let shell = self.inner.counts.get();
        let counts = engine.operation_counts();
        let numbers = [
            u64::from(shell.dials),
            shell.messages,
            engine.pending_operations(),
            engine.in_flight_operations(),
            engine.subscriptions(),
            counts.succeeded,
            counts.failed_no,
            counts.failed_maybe,
            counts.failed_yes,
            counts.attempts,
            counts.retries,
            counts.overloaded,
            counts.unmatched_answers,
        ];
        Box::new(numbers.map(clock::to_number))
    }

    fn has_notices(&self) -> bool {
        !self.inner.notices.borrow().is_empty()
    }
}
