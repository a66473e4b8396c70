//! What a client is made of: an engine, its sockets and its timer.

use alloc::{collections::VecDeque, rc::Rc, vec::Vec};
use core::{
    cell::{Cell, RefCell},
    fmt,
};

use wasm_bindgen::prelude::*;

use super::{
    application::{Application, Failure},
    clock,
    gateways::{Gateway, Gateways},
    socket::{Ears, Socket},
    timer::Timer,
};
use crate::policy::{
    Action, AttemptId, Cause, Engine, Event, GatewayIndex, Notice, OperationId, SendFailure,
    Settings, SocketId, Verdict,
};

/// What the client is made of. Nothing here is borrowed while JavaScript runs.
pub(super) struct Inner<A> {
    pub(super) engine: RefCell<Engine>,
    pub(super) settings: Settings,
    pub(super) gateways: RefCell<Gateways>,
    /// What the last close event said; for the close policy alone.
    close_reason: RefCell<JsValue>,
    constructor: JsValue,
    ears: Ears,
    sockets: RefCell<Vec<Socket>>,
    timer: RefCell<Timer>,
    pub(super) notices: RefCell<VecDeque<Notice>>,
    /// There while anything may still happen. Without it the client can be collected.
    application: RefCell<Option<A>>,
    /// The frame of the operation that is being made, so that it need not be asked for.
    pub(super) fresh_frame: RefCell<Option<(OperationId, JsValue)>>,
    pumping: Cell<Pumping>,
    pub(super) counts: Cell<ShellCounts>,
}

/// What a client is made from.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) settings: Settings,
    /// The list; of no account where it is to be asked for.
    pub(super) gateways: Vec<Gateway>,
    /// That of sockets; `undefined` where there is none.
    pub(super) constructor: JsValue,
    pub(super) seed: u64,
}

impl<A> fmt::Debug for Inner<A> {
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
pub(super) struct ShellCounts {
    pub(super) dials: u32,
    pub(super) messages: u64,
}

impl<A: Application> Inner<A> {
    /// Nothing is dialled, armed or listened to.
    pub(super) fn make(parts: Parts) -> Rc<Self> {
        let Parts { settings, gateways: list, constructor, seed } = parts;
        let mut gateways = Gateways::default();
        // Where they are asked for, that is before the first round.
        let count = u32::try_from(gateways.take(list, None).len()).unwrap_or(u32::MAX);
        let engine = Engine::new(settings, count, seed);
        Rc::new_cyclic(|weak| Self {
            ears: Ears::of(weak.clone()),
            engine: RefCell::new(engine),
            settings,
            gateways: RefCell::new(gateways),
            close_reason: RefCell::default(),
            constructor,
            sockets: RefCell::default(),
            timer: RefCell::new(Timer::of(weak.clone())),
            notices: RefCell::default(),
            application: RefCell::default(),
            fresh_frame: RefCell::default(),
            pumping: Cell::new(Pumping::Idle),
            counts: Cell::default(),
        })
    }

    /// Feeds an event that JavaScript's own call brings: the package pulls the notices itself.
    pub(super) fn handle(self: &Rc<Self>, event: Event) {
        self.engine.borrow_mut().handle_event(clock::now(), event);
        self.pump();
    }

    /// Feeds an event of a socket or the timer, and sends the package for the notices.
    pub(super) fn handle_from_outside(self: &Rc<Self>, event: Event) {
        self.handle(event);
        self.call_for_notices();
    }

    pub(super) fn handle_timeout(self: &Rc<Self>) {
        self.engine.borrow_mut().handle_timeout(clock::now());
        self.pump();
    }

    pub(super) fn handle_timer(self: &Rc<Self>) {
        self.timer.borrow_mut().fired();
        self.handle_timeout();
        self.call_for_notices();
    }

    fn call_for_notices(&self) {
        let any = !self.notices.borrow().is_empty();
        if let (true, Some(application)) = (any, self.application()) {
            application.take_notices();
        }
    }

    /// A message of a socket that may be ours.
    pub(super) fn receive(&self, id: SocketId, data: JsValue) {
        if !self.holds(id) {
            return;
        }
        let mut counts = self.counts.get();
        counts.messages = counts.messages.saturating_add(1);
        self.counts.set(counts);
        self.engine.borrow_mut().handle_event(clock::now(), Event::Received(id));
        if let Some(application) = self.application() {
            application.take_message(data);
        }
        self.call_for_notices();
    }

    /// The socket is closed, and closed from here too: in workerd that is what answers the gateway,
    /// which otherwise waits for it.
    pub(super) fn forget_socket(&self, id: SocketId) {
        if let Some(socket) = self.take_socket(id) {
            socket.let_go();
        }
    }

    pub(super) fn note_close_reason(&self, reason: JsValue) {
        *self.close_reason.borrow_mut() = reason;
    }

    /// Whether this socket is still ours.
    pub(super) fn holds(&self, id: SocketId) -> bool {
        self.sockets.borrow().iter().any(|socket| socket.id() == id)
    }

    fn take_socket(&self, id: SocketId) -> Option<Socket> {
        let mut sockets = self.sockets.borrow_mut();
        let position = sockets.iter().position(|socket| socket.id() == id)?;
        Some(sockets.swap_remove(position))
    }

    /// Does what the engine wants until it wants no more. A nested call returns at once: the
    /// outer one finds what it left, so that actions keep their order.
    pub(super) fn pump(self: &Rc<Self>) {
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
        self.timer.borrow_mut().arm(deadline);
        self.let_application_go();
    }

    /// Holds on to the application for as long as anything can happen that it must hear of.
    pub(super) fn attach(&self, application: &A) {
        let mut attached = self.application.borrow_mut();
        if attached.is_none() {
            *attached = Some(application.clone());
        }
    }

    /// Forgets the application once nothing can happen that it must hear of.
    pub(super) fn let_application_go(&self) {
        if self.pumping.get() == Pumping::Busy {
            return; // there may be more to tell
        }
        if self.notices.borrow().is_empty() && self.engine.borrow().is_quiet() {
            drop(self.application.borrow_mut().take());
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
                if let Some(application) = self.application() {
                    application.list();
                }
            }
            Action::Judge { gateway, cause, verdict } => self.judge(gateway, cause, verdict),
            Action::Greet { socket, gateway } => {
                if let Some(application) = self.application() {
                    application.greet(socket, self.label(gateway));
                }
            }
            Action::MeasureBuffer { socket } => {
                let bytes = self.buffered_bytes(socket);
                let event = Event::BufferMeasured { socket, bytes };
                self.engine.borrow_mut().handle_event(clock::now(), event);
            }
            Action::Ping { socket, attempt } => {
                let ping = self.application().map(|application| application.ping(attempt));
                self.send(socket, Some(attempt), &ping.unwrap_or_default());
            }
            Action::Send { socket, operation, attempt } => {
                if let Some(frame) = self.frame(operation, attempt) {
                    self.send(socket, Some(attempt), &frame);
                }
            }
            Action::Tell(notice) => self.notices.borrow_mut().push_back(notice),
        }
    }

    fn application(&self) -> Option<A> {
        self.application.borrow().clone()
    }

    fn open(self: &Rc<Self>, id: SocketId, gateway: GatewayIndex) {
        let mut counts = self.counts.get();
        counts.dials = counts.dials.saturating_add(1);
        self.counts.set(counts);
        let gateway = self.gateways.borrow().get(gateway).cloned();
        let opened = match gateway {
            Some(gateway) => {
                let constructor = self.constructor.unchecked_ref();
                Socket::open(id, constructor, &gateway.url, &gateway.protocols)
            }
            None => Err(Cause::ConstructorThrew),
        };
        match opened {
            Ok(socket) => {
                let sender = socket.sender();
                self.sockets.borrow_mut().push(socket);
                sender.listen(&self.ears); // which may say at once that it is closed
            }
            Err(cause) => {
                let event = Event::SocketFailed { socket: id, cause };
                self.engine.borrow_mut().handle_event(clock::now(), event);
            }
        }
    }

    /// Asks the application what a failure means, and reports what it says.
    fn judge(&self, gateway: GatewayIndex, cause: Cause, verdict: Verdict) {
        let reason = self.close_reason.replace(JsValue::UNDEFINED);
        let reason = if cause.close_code().is_some() { reason } else { JsValue::UNDEFINED };
        let gateway = self.label(gateway);
        let failure = Failure { gateway, cause, reason, verdict };
        let judgement =
            self.application().map(|application| application.judge(failure)).unwrap_or_default();
        self.engine.borrow_mut().handle_event(clock::now(), Event::FailureJudged(judgement));
    }

    pub(super) fn take_list(&self, list: Vec<Gateway>) -> Vec<GatewayIndex> {
        let kept = self.engine.borrow().gateway();
        self.gateways.borrow_mut().take(list, kept)
    }

    pub(super) fn buffered_bytes(&self, id: SocketId) -> u64 {
        let sockets = self.sockets.borrow();
        let socket = sockets.iter().find(|socket| socket.id() == id);
        socket.map_or(0, Socket::buffered_bytes)
    }

    /// `None` where the application has settled the operation while it was asked.
    fn frame(&self, operation: OperationId, attempt: AttemptId) -> Option<JsValue> {
        let fresh = self.fresh_frame.borrow_mut().take();
        match fresh {
            Some((of, frame)) if of == operation && attempt.as_u64() == operation.as_u64() => {
                Some(frame)
            }
            other => {
                *self.fresh_frame.borrow_mut() = other;
                let application = self.application();
                let frame = application.map(|it| it.frame(operation, attempt)).unwrap_or_default();
                let lives = self.engine.borrow().operation_of(attempt) == Some(operation);
                lives.then_some(frame)
            }
        }
    }

    /// Sends a message of `bytes` bytes that has no answer, on the socket of a session hook or on
    /// that of the connection; `false` when it was dropped.
    pub(super) fn notify(
        self: &Rc<Self>,
        session: Option<SocketId>,
        bytes: u64,
        frame: &JsValue,
    ) -> bool {
        let socket = self.engine.borrow().notification_socket(session);
        let sent = socket.is_some_and(|socket| {
            let buffered = self.buffered_bytes(socket);
            self.engine.borrow().admits_notification(bytes, buffered)
                && self.send(socket, None, frame)
        });
        if !sent {
            self.pump();
        }
        sent
    }

    pub(super) fn send(&self, id: SocketId, attempt: Option<AttemptId>, frame: &JsValue) -> bool {
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

    pub(super) fn label(&self, index: GatewayIndex) -> JsValue {
        self.gateways.borrow().label(index)
    }
}
