//! The client as the package wraps it.

use alloc::{boxed::Box, rc::Rc};

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::{
    Host,
    client::{Inner, Parts},
    clock, events, gateways, host,
    options::{self, Numbers},
};
use crate::policy::{
    Answer, AttemptId, Binding, Call, CloseRequest, Event, OperationId, Purpose, Reconnect, Redo,
    SocketId,
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
const GATHERED: u32 = 32;

/// What happened or is wanted, as the package says it; anything else is that time has passed.
const CONNECT: u8 = 1;
const RECONNECT: u8 = 2;
const CLOSE: u8 = 3;
const ABORT_CONNECT: u8 = 4;
const CLOSE_WHEN_DONE: u8 = 5;
const DRAIN: u8 = 6;
const WOKEN: u8 = 7;
const HIDDEN: u8 = 8;
const SHOWN: u8 = 9;
const ABORT: u8 = 10;
const SESSION_DONE: u8 = 11;

/// What the package asks for; anything else are the counters.
const GATEWAY: u8 = 0;
const FAILURES: u8 = 1;

/// What the application wants to be asked, as the package adds it up.
const ASKED_FOR_LIST: u32 = 1;
const ASKED_FOR_VERDICTS: u32 = 2;
const ASKED_FOR_SESSIONS: u32 = 4;
/// Every connection is asked for by `connect()`, and goes on where the last one stopped.
const ASKS_FOR_EACH: u32 = 8;

/// A client, for the package to wrap: it owns promises and payloads, this owns sockets and time.
///
/// No method calls back into the package; each leaves its notices to be pulled.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Core {
    inner: Rc<Inner<Host>>,
}

#[wasm_bindgen]
impl Core {
    /// A client of these options and this list, whose sockets come from `constructor`. `hooks` adds up: 1 where
    /// the list is asked for, 2 a close policy, 4 a session hook, 8 where every connection is asked for. Nothing is
    /// dialled, armed or listened to.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(
        options: &Numbers,
        list: &Array,
        constructor: JsValue,
        seed: f64,
        hooks: u32,
    ) -> Core {
        let mut settings = options::read(options);
        let connection = &mut settings.connection;
        connection.hooks.list = hooks & ASKED_FOR_LIST != 0;
        connection.hooks.close_policy = hooks & ASKED_FOR_VERDICTS != 0;
        connection.hooks.session = hooks & ASKED_FOR_SESSIONS != 0;
        if hooks & ASKS_FOR_EACH != 0 {
            connection.reconnect = Reconnect::OnRequest;
        }
        let (gateways, seed) = (gateways::of_row(list), clock::to_u64(seed));
        Self { inner: Inner::make(Parts { settings, gateways, constructor, seed }) }
    }

    /// Something happened, or is wanted: `kind` is its number in the package's `events.js`, `number`
    /// that of an operation or a socket. After a `connect()` the first dial comes with the next
    /// tick.
    pub fn handle(&self, host: &Host, kind: u8, number: f64) {
        self.inner.attach(host);
        let number = clock::to_u64(number);
        self.inner.handle(match kind {
            CONNECT => Event::ConnectRequested,
            RECONNECT => Event::ReconnectRequested,
            CLOSE => Event::CloseRequested(CloseRequest::Application),
            ABORT_CONNECT => Event::CloseRequested(CloseRequest::ConnectAborted),
            CLOSE_WHEN_DONE => Event::CloseRequested(CloseRequest::Done),
            DRAIN => Event::DrainRequested,
            WOKEN => Event::Woken,
            HIDDEN => Event::PageHidden,
            SHOWN => Event::PageShown,
            ABORT => Event::OperationAborted(OperationId::from_u64(number)),
            SESSION_DONE => Event::SessionDone(SocketId::from_u64(number)),
            _ => return self.inner.handle_timeout(),
        });
    }

    /// A number for the next operation, which is the id of its first frame.
    pub fn reserve(&self) -> f64 {
        clock::to_number(self.inner.engine.borrow_mut().reserve_operation().as_u64())
    }

    /// Makes an operation under a reserved number. `frame` is its first frame of `bytes` bytes.
    /// `kind` adds up: 0 not to be redone, 1 to be redone, 2 as the client; 4 bound to its
    /// connection; 8 a subscription, 16 the end of one. A timeout that is no number is none; `socket` is that of a
    /// session hook, else 0. `messaging` has the options of the call's own; `undefined` for none.
    ///
    /// Says with -1 whether there are notices, else 0; of one that is gathered (32) and can go out
    /// at once on which socket, by [`send_gathered`](Self::send_gathered).
    #[expect(clippy::too_many_arguments, reason = "numbers cross the border cheaply, objects not")]
    pub fn invoke(
        &self,
        host: &Host,
        number: f64,
        frame: &JsValue,
        bytes: f64,
        kind: u32,
        timeout_milliseconds: f64,
        socket: f64,
        messaging: Option<Numbers>,
    ) -> f64 {
        let messaging = messaging.map(|numbers| {
            let mut settings = self.inner.settings;
            options::set(&mut settings, &numbers);
            Box::new(settings.messaging)
        });
        let redoable = kind & REDO_ALWAYS != 0
            || kind & REDO_AS_CLIENT != 0 && self.inner.settings.redo_operations;
        let timeout_milliseconds =
            (!timeout_milliseconds.is_nan()).then(|| clock::to_u64(timeout_milliseconds));
        let operation = OperationId::from_u64(clock::to_u64(number));
        let session = SocketId::from_u64(clock::to_u64(socket));
        self.inner.attach(host);
        let bytes = clock::to_u64(bytes);
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
            bytes,
            buffered_bytes: self.inner.buffered_bytes_before(bytes),
            messaging,
        };
        match self.inner.invoke(operation, call, frame, kind & GATHERED != 0) {
            Some(socket) => clock::to_number(socket.as_u64()),
            None if self.has_notices() => -1.0,
            None => 0.0,
        }
    }

    /// Sends the first frames of gathered operations in one, on the socket that was said.
    #[wasm_bindgen(js_name = sendGathered)]
    pub fn send_gathered(&self, socket: f64, frame: &JsValue, operations: &Numbers) {
        let socket = SocketId::from_u64(clock::to_u64(socket));
        self.inner
            .send_gathered(socket, frame, || operations.rest().map(AttemptId::from_u64).collect());
    }

    /// A message came on this socket. Says whether that is still ours: else it is of no account.
    pub fn heard(&self, socket: f64) -> bool {
        self.inner.hear(SocketId::from_u64(clock::to_u64(socket)), clock::now())
    }

    /// An answer to the frame of this id came on this socket: `kind` 0 for a result, 1 for "try
    /// again" (`number` milliseconds later at the soonest), 2 for another error (`number` is its
    /// code), and 3 for neither. Says which operation it settled with success, or minus the
    /// operation that it belonged to, or 0; no number where the socket is ours no more.
    pub fn answered(&self, socket: f64, id: f64, kind: u8, number: f64) -> f64 {
        let socket = SocketId::from_u64(clock::to_u64(socket));
        let attempt = AttemptId::from_u64(clock::to_u64(id));
        if !self.inner.holds(socket) {
            return f64::NAN;
        }
        if kind == ANSWERED_RESULT
            && let Some(operation) = self.inner.take_result(socket, attempt)
        {
            return clock::to_number(operation.as_u64());
        }
        let now = clock::now();
        self.inner.hear(socket, now);
        let operation = self.inner.engine.borrow().operation_of(attempt);
        let answer = match kind {
            ANSWERED_RESULT => Answer::Result,
            ANSWERED_RETRYABLE => Answer::Retryable { after_milliseconds: clock::to_u64(number) },
            ANSWERED_ERROR => Answer::Error { code: clock::to_i32(number) },
            _ => Answer::Neither,
        };
        self.inner.handle_at(now, Event::Answered { attempt, answer });
        operation.map_or(0.0, |operation| clock::negated(clock::to_number(operation.as_u64())))
    }

    /// The list of `setGateways()`, or what the list function gave; empty for nothing.
    #[wasm_bindgen(js_name = takeList)]
    pub fn take_list(&self, list: &Array, is_set: bool) {
        let list = gateways::of_row(list);
        let taken = if list.is_empty() { None } else { Some(self.inner.take_list(list)) };
        self.inner.handle(if is_set {
            Event::GatewaysSet(taken.unwrap_or_default())
        } else {
            Event::GatewaysListed(taken)
        });
    }

    /// The session hook on this socket failed, with the verdict of this number, or 0 for none. Says whether that
    /// matters: it does not where the socket is gone already.
    #[wasm_bindgen(js_name = sessionFailed)]
    pub fn session_failed(&self, socket: f64, verdict: u32) -> bool {
        let socket = SocketId::from_u64(clock::to_u64(socket));
        let verdict = host::verdict_of(verdict.into());
        let matters = self.inner.holds(socket);
        self.inner.handle(Event::SessionFailed { socket, verdict });
        matters
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
    pub fn state(&self) -> JsValue {
        self.inner.engine.borrow().state().as_str().into()
    }

    /// What the package asks for: 0 the full URL of the gateway that is connected, which may hold a
    /// secret; 1 why each gateway failed last since `connect()`, as rows; 2 counters and gauges, in
    /// the order in which the package names them. Counters run from the making of the client.
    pub fn tell(&self, what: u8) -> JsValue {
        let engine = self.inner.engine.borrow();
        match what {
            GATEWAY => engine
                .gateway()
                .map_or(JsValue::UNDEFINED, |gateway| self.inner.gateways.borrow().url(gateway)),
            FAILURES => {
                let label = |gateway| self.inner.label(gateway);
                events::failures_to_rows(engine.last_failures(), label).into()
            }
            _ => {
                let counts = engine.operation_counts();
                events::numbers_to_row([
                    u64::from(self.inner.dials.get()),
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
                ])
                .into()
            }
        }
    }

    fn has_notices(&self) -> bool {
        !self.inner.notices.borrow().is_empty()
    }
}
