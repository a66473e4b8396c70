//! The client as the package wraps it: an engine, its socket and its timer.

use alloc::{boxed::Box, collections::VecDeque, rc::Rc, string::String, vec::Vec};
use core::{
    cell::{Cell, RefCell},
    fmt,
};

use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::{
    Host, clock,
    events::{self, FailureView},
    gateways::{Gateways, Schemes, read_list},
    options::{Options, read_messaging},
    socket::Socket,
    timer::Timer,
};
use crate::policy::{
    Action, Answer, AttemptId, Binding, Call, Cause, CloseRequest, Engine, Event, GatewayIndex,
    Judgement, Notice, OperationId, Purpose, Redo, SendFailure, Settings, SocketId, Verdict,
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

/// Wake signals, as the package says them; anything else is a page that is shown again.
const WOKEN: u8 = 0;
const HIDDEN: u8 = 1;

/// What the client is made of. Nothing here is borrowed while JavaScript runs.
pub(super) struct Inner {
    engine: RefCell<Engine>,
    settings: Settings,
    gateways: RefCell<Gateways>,
    /// What the last close event said; for the close policy alone.
    close_reason: RefCell<JsValue>,
    constructor: Option<js_sys::Function>,
    foreign_names: Vec<JsValue>,
    sockets: RefCell<Vec<Socket>>,
    timer: RefCell<Timer>,
    notices: RefCell<VecDeque<Notice>>,
    /// There while anything may still happen. Without one the client can be collected.
    host: RefCell<Option<Host>>,
    /// The frame of the operation that is being made, so that it need not be asked for.
    fresh_frame: RefCell<Option<(OperationId, JsValue)>>,
    pumping: Cell<Pumping>,
    counts: Cell<ShellCounts>,
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inner").finish_non_exhaustive() // URLs hold secrets
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pumping {
    Busy,
    Idle,
}

#[derive(Clone, Copy, Debug, Default)]
struct ShellCounts {
    dials: u32,
    messages: u64,
}

/// What `stats()` shows. Counters run from the making of the client.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Stats {
    state: &'static str,
    dials: u32,
    messages_received: f64,
    pending_operations: f64,
    in_flight_operations: f64,
    subscriptions: f64,
    succeeded: f64,
    failed_no: f64,
    failed_maybe: f64,
    failed_yes: f64,
    attempts: f64,
    retries: f64,
    overloaded: f64,
    unmatched_answers: f64,
}

impl Inner {
    /// Feeds an event that JavaScript's own call brings: the package pulls the notices itself.
    fn handle(self: &Rc<Self>, event: Event) {
        self.engine.borrow_mut().handle_event(clock::now(), event);
        self.pump();
    }

    /// Feeds an event of a socket or the timer, and sends the package for the notices.
    pub(super) fn handle_from_outside(self: &Rc<Self>, event: Event) {
        self.handle(event);
        self.call_for_notices();
    }

    fn handle_timeout(self: &Rc<Self>) {
        self.engine.borrow_mut().handle_timeout(clock::now());
        self.pump();
    }

    fn call_for_notices(&self) {
        let any = !self.notices.borrow().is_empty();
        let host = self.host.borrow().clone();
        if let (true, Some(host)) = (any, host) {
            host.drain();
        }
    }

    /// A message of a socket that may be ours.
    pub(super) fn receive(&self, id: SocketId, data: JsValue) {
        if !self.sockets.borrow().iter().any(|socket| socket.id() == id) {
            return;
        }
        let mut counts = self.counts.get();
        counts.messages = counts.messages.saturating_add(1);
        self.counts.set(counts);
        self.engine.borrow_mut().handle_event(clock::now(), Event::Received(id));
        let host = self.host.borrow().clone();
        if let Some(host) = host {
            host.message(data);
        }
        self.call_for_notices();
    }

    /// The socket is closed: nothing more is to be done with it.
    pub(super) fn forget_socket(&self, id: SocketId) {
        drop(self.take_socket(id));
    }

    pub(super) fn note_close_reason(&self, reason: JsValue) {
        *self.close_reason.borrow_mut() = reason;
    }

    fn take_socket(&self, id: SocketId) -> Option<Socket> {
        let mut sockets = self.sockets.borrow_mut();
        let position = sockets.iter().position(|socket| socket.id() == id)?;
        Some(sockets.swap_remove(position))
    }

    /// Does what the engine wants until it wants no more. A nested call returns at once: the
    /// outer one finds what it left, so that actions keep their order.
    fn pump(self: &Rc<Self>) {
        if self.pumping.replace(Pumping::Busy) == Pumping::Busy {
            return;
        }
        loop {
            let next = self.engine.borrow_mut().poll_action(); // the borrow ends on this line
            let Some(action) = next else { break };
            self.perform(action);
        }
        self.pumping.set(Pumping::Idle);
        let deadline = self.engine.borrow().poll_timeout();
        let weak = Rc::downgrade(self);
        self.timer.borrow_mut().arm(deadline, move || {
            if let Some(inner) = weak.upgrade() {
                inner.timer.borrow_mut().fired();
                inner.handle_timeout();
                inner.call_for_notices();
            }
        });
        self.let_host_go();
    }

    /// Forgets the package's object once nothing can happen that it must hear of.
    fn let_host_go(&self) {
        if self.notices.borrow().is_empty() && self.engine.borrow().is_quiet() {
            drop(self.host.borrow_mut().take());
        }
    }

    fn perform(self: &Rc<Self>, action: Action) {
        match action {
            Action::Open { socket, gateway } => self.open(socket, gateway),
            Action::Close { socket } => {
                if let Some(socket) = self.take_socket(socket) {
                    socket.let_go();
                }
            }
            Action::AskForGateways => {
                if let Some(host) = self.host() {
                    host.list();
                }
            }
            Action::Judge { gateway, cause, verdict } => self.judge(gateway, cause, verdict),
            Action::Greet { socket, gateway } => {
                if let Some(host) = self.host() {
                    host.greet(clock::to_number(socket.as_u64()), &self.label(gateway));
                }
            }
            Action::MeasureBuffer { socket } => {
                let bytes = self.buffered_bytes(socket);
                let event = Event::BufferMeasured { socket, bytes };
                self.engine.borrow_mut().handle_event(clock::now(), event);
            }
            Action::Ping { socket, attempt } => {
                let ping = self.host().map(|host| host.ping(clock::to_number(attempt.as_u64())));
                if let Some(ping) = ping.filter(|ping| !ping.is_undefined()) {
                    self.send(socket, None, &ping);
                }
            }
            Action::Send { socket, operation, attempt } => {
                let frame = self.frame(operation, attempt);
                self.send(socket, Some(attempt), &frame);
            }
            Action::Tell(notice) => self.notices.borrow_mut().push_back(notice),
        }
    }

    fn host(&self) -> Option<Host> {
        self.host.borrow().clone()
    }

    fn open(self: &Rc<Self>, id: SocketId, gateway: GatewayIndex) {
        let mut counts = self.counts.get();
        counts.dials = counts.dials.saturating_add(1);
        self.counts.set(counts);
        let gateway = self.gateways.borrow().get(gateway).cloned();
        let opened = match (gateway, self.constructor.as_ref(), self.host()) {
            (Some(gateway), Some(constructor), Some(host)) => {
                let url = gateway.url.as_str().into();
                Socket::open(id, constructor, &url, &gateway.protocols, host, self)
            }
            _ => Err(Cause::ConstructorThrew),
        };
        match opened {
            Ok(socket) => self.sockets.borrow_mut().push(socket),
            Err(cause) => {
                let event = Event::SocketFailed { socket: id, cause };
                self.engine.borrow_mut().handle_event(clock::now(), event);
            }
        }
    }

    /// Asks the application what a failure means, and reports what it says.
    fn judge(&self, gateway: GatewayIndex, cause: Cause, verdict: Verdict) {
        let reason = self.close_reason.replace(JsValue::UNDEFINED);
        let code = cause.close_code().map_or(-1, |code| i32::from(code.as_u16()));
        let reason = if code < 0 { JsValue::UNDEFINED } else { reason };
        let said = self
            .host()
            .and_then(|host| host.judge(&self.label(gateway), code, &reason, verdict.as_str()));
        let judgement = said.map_or(Judgement::default(), |said| Judgement {
            verdict: said.get(0).as_string().as_deref().and_then(Verdict::from_text),
            wait_milliseconds: clock::to_u64(said.get(1).as_f64().unwrap_or(0.0)),
        });
        self.engine.borrow_mut().handle_event(clock::now(), Event::FailureJudged(judgement));
    }

    fn take_list(&self, list: &JsValue) -> Result<Vec<GatewayIndex>, JsValue> {
        let protocols = self.gateways.borrow().protocols();
        let entries = read_list(list, &protocols, Schemes::WebSocket)?;
        let kept = self.engine.borrow().gateway();
        Ok(self.gateways.borrow_mut().take(entries, kept))
    }

    fn buffered_bytes(&self, id: SocketId) -> u64 {
        let sockets = self.sockets.borrow();
        let socket = sockets.iter().find(|socket| socket.id() == id);
        socket.map_or(0, Socket::buffered_bytes)
    }

    fn frame(&self, operation: OperationId, attempt: AttemptId) -> JsValue {
        let fresh = self.fresh_frame.borrow_mut().take();
        match fresh {
            Some((of, frame)) if of == operation && attempt.as_u64() == operation.as_u64() => frame,
            other => {
                *self.fresh_frame.borrow_mut() = other;
                let host = self.host.borrow().clone();
                let numbers = (operation.as_u64(), attempt.as_u64());
                host.map_or(JsValue::UNDEFINED, |host| {
                    host.frame(clock::to_number(numbers.0), clock::to_number(numbers.1))
                })
            }
        }
    }

    fn send(&self, id: SocketId, attempt: Option<AttemptId>, frame: &JsValue) -> bool {
        let sender =
            self.sockets.borrow().iter().find(|socket| socket.id() == id).map(Socket::sender);
        let sent = if frame.is_undefined() {
            Err(SendFailure::NotEncoded)
        } else {
            sender.map_or(Err(SendFailure::NotOpen), |sender| sender.send(frame))
        };
        let Err(failure) = sent else { return true };
        let event = Event::SendFailed { socket: id, attempt, failure };
        self.engine.borrow_mut().handle_event(clock::now(), event);
        false
    }

    fn label(&self, index: GatewayIndex) -> String {
        self.gateways.borrow().label(index)
    }
}

/// A client, for the package to wrap: it owns promises and payloads, this owns sockets and time.
///
/// No method calls back into the package; each leaves its notices to be pulled.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Core {
    inner: Rc<Inner>,
}

#[wasm_bindgen]
impl Core {
    /// Reads the options. Nothing is dialled, armed or listened to.
    ///
    /// # Errors
    ///
    /// What is wrong with an option, as an array that the package makes a `RegateError` of.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &JsValue, drawn_seed: f64) -> Result<Core, JsValue> {
        let Options { settings, gateways: list, protocols, constructor, seed, foreign, .. } =
            Options::parse(options)?;
        let mut gateways = Gateways::new(protocols);
        let count = if settings.connection.hooks.list {
            0 // they are asked for before the first round
        } else {
            let entries = read_list(&list, &gateways.protocols(), Schemes::WebSocket)?;
            u32::try_from(gateways.take(entries, None).len()).unwrap_or(u32::MAX)
        };
        let seed = seed.unwrap_or(clock::to_u64(drawn_seed));
        let engine = Engine::new(settings, count, seed);
        let constructor = constructor.or_else(platform_constructor);
        let inner = Rc::new(Inner {
            engine: RefCell::new(engine),
            settings,
            gateways: RefCell::new(gateways),
            close_reason: RefCell::default(),
            constructor,
            foreign_names: foreign,
            sockets: RefCell::default(),
            timer: RefCell::default(),
            notices: RefCell::default(),
            host: RefCell::default(),
            fresh_frame: RefCell::default(),
            pumping: Cell::new(Pumping::Idle),
            counts: Cell::default(),
        });
        Ok(Self { inner })
    }

    /// Names of an existing configuration that mean nothing here.
    #[wasm_bindgen(getter, js_name = foreignNames)]
    pub fn foreign_names(&self) -> Vec<JsValue> {
        self.inner.foreign_names.clone()
    }

    /// Whether there is a constructor of sockets.
    #[wasm_bindgen(getter, js_name = hasWebSocket)]
    pub fn has_web_socket(&self) -> bool {
        self.inner.constructor.is_some()
    }

    /// `connect()`. The first dial comes with the next [`tick`](Self::tick).
    pub fn connect(&self, host: &Host) {
        self.attach(host);
        self.inner.handle(Event::ConnectRequested);
    }

    /// `reconnect()`.
    pub fn reconnect(&self, host: &Host) {
        self.attach(host);
        self.inner.handle(Event::ReconnectRequested);
    }

    /// `close()`, or the abort of `connect()`.
    pub fn close(&self, aborted: bool) {
        let request =
            if aborted { CloseRequest::ConnectAborted } else { CloseRequest::Application };
        self.inner.handle(Event::CloseRequested(request));
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
    /// connection; 8 a subscription. A timeout that is no number is none; `socket` is that of a
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
        self.attach(host);
        *self.inner.fresh_frame.borrow_mut() = Some((operation, frame));
        let sendable = self.inner.engine.borrow().sendable_socket();
        let call = Call {
            purpose: if kind & SUBSCRIPTION != 0 {
                Purpose::Subscription
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
            Some(Notice::Settled { operation: settled, outcome: Ok(()) })
                if *settled == operation =>
            {
                notices.pop_back();
                number
            }
            Some(_) | None => clock::negated(number),
        }
    }

    /// What the list function gave; `undefined` for nothing. Says whether it could be used.
    pub fn listed(&self, list: &JsValue) -> bool {
        let taken = self.inner.take_list(list).ok();
        let usable = taken.is_some();
        self.inner.handle(Event::GatewaysListed(taken));
        usable
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

    /// The session hook on this socket failed, with such a verdict or none.
    #[wasm_bindgen(js_name = sessionFailed)]
    pub fn session_failed(&self, socket: f64, verdict: &JsValue) {
        let socket = SocketId::from_u64(clock::to_u64(socket));
        let verdict = verdict.as_string().as_deref().and_then(Verdict::from_text);
        self.inner.handle(Event::SessionFailed { socket, verdict });
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

    /// Sends a message that has no answer on the socket of a session hook, or, for 0, on that of
    /// the connection; `false` when it was dropped.
    pub fn notify(&self, frame: &JsValue, socket: f64) -> bool {
        let socket = match clock::to_u64(socket) {
            0 => self.inner.engine.borrow().sendable_socket(),
            number => Some(SocketId::from_u64(number)),
        };
        let sent = socket.is_some_and(|socket| self.inner.send(socket, None, frame));
        if !sent {
            self.inner.pump();
        }
        sent
    }

    /// The next notice as a plain object, or `undefined`.
    pub fn notice(&self) -> JsValue {
        let next = self.inner.notices.borrow_mut().pop_front();
        match next {
            Some(notice) => events::to_object(&notice, |gateway| self.inner.label(gateway)),
            None => {
                self.inner.let_host_go();
                JsValue::UNDEFINED
            }
        }
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

    /// Why each gateway failed last since `connect()`: a list of plain objects.
    pub fn failures(&self) -> JsValue {
        let engine = self.inner.engine.borrow();
        let views: Vec<FailureView> = engine
            .last_failures()
            .iter()
            .map(|&(gateway, cause)| FailureView::new(self.inner.label(gateway), cause))
            .collect();
        events::serialise(&views)
    }

    /// Counters and gauges as a plain object.
    pub fn stats(&self) -> JsValue {
        let engine = self.inner.engine.borrow();
        let shell = self.inner.counts.get();
        let counts = engine.operation_counts();
        events::serialise(&Stats {
            state: engine.state().as_str(),
            dials: shell.dials,
            messages_received: clock::to_number(shell.messages),
            pending_operations: clock::to_number(engine.pending_operations()),
            in_flight_operations: clock::to_number(engine.in_flight_operations()),
            subscriptions: clock::to_number(engine.subscriptions()),
            succeeded: clock::to_number(counts.succeeded),
            failed_no: clock::to_number(counts.failed_no),
            failed_maybe: clock::to_number(counts.failed_maybe),
            failed_yes: clock::to_number(counts.failed_yes),
            attempts: clock::to_number(counts.attempts),
            retries: clock::to_number(counts.retries),
            overloaded: clock::to_number(counts.overloaded),
            unmatched_answers: clock::to_number(counts.unmatched_answers),
        })
    }

    fn attach(&self, host: &Host) {
        let mut attached = self.inner.host.borrow_mut();
        if attached.is_none() {
            *attached = Some(host.clone());
        }
    }

    fn has_notices(&self) -> bool {
        !self.inner.notices.borrow().is_empty()
    }
}

fn platform_constructor() -> Option<js_sys::Function> {
    js_sys::Reflect::get(&js_sys::global(), &"WebSocket".into()).ok()?.dyn_into().ok()
}
