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
    socket::{Ears, Sender, Socket},
    timer::{self, Timer},
};
#[cfg(feature = "npm")]
use crate::policy::Call;
use crate::policy::{
    Action, AttemptId, Cause, Engine, Event, GatewayIndex, Instant, Notice, OperationId,
    SendFailure, Settings, SocketId, Verdict,
};

/// What the client is made of. Nothing here is borrowed while JavaScript runs.
pub(super) struct Inner<A: Application> {
    pub(super) engine: RefCell<Engine>,
    pub(super) settings: Settings,
    pub(super) gateways: RefCell<Gateways>,
    /// What the last close event said; for the close policy alone.
    close_reason: RefCell<JsValue>,
    constructor: JsValue,
    ears: Ears,
    pub(super) callback: A::Callback,
    sockets: RefCell<Vec<Socket>>,
    timer: RefCell<Timer<A::Alarm>>,
    pub(super) notices: RefCell<VecDeque<Notice>>,
    /// There while anything may still happen. Without it the client can be collected.
    application: RefCell<Option<A>>,
    pumping: Cell<Pumping>,
    pub(super) dials: Cell<u32>,
    /// The reading of the clock at which the last operation was made, if no result came since.
    #[cfg(feature = "npm")]
    made_at: Cell<Option<Instant>>,
    /// Of gathered operations, which the application has yet to send.
    #[cfg(feature = "npm")]
    gathered_bytes: Cell<u64>,
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

impl<A: Application> fmt::Debug for Inner<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inner").finish_non_exhaustive() // URLs hold secrets
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pumping {
    Busy,
    Idle,
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
            callback: A::make_callback(weak.clone()),
            engine: RefCell::new(engine),
            settings,
            gateways: RefCell::new(gateways),
            close_reason: RefCell::default(),
            constructor,
            sockets: RefCell::default(),
            timer: RefCell::new(Timer::new()),
            notices: RefCell::default(),
            application: RefCell::default(),
            pumping: Cell::new(Pumping::Idle),
            dials: Cell::default(),
            #[cfg(feature = "npm")]
            made_at: Cell::default(),
            #[cfg(feature = "npm")]
            gathered_bytes: Cell::default(),
        })
    }

    /// Feeds an event that JavaScript's own call brings: the package pulls the notices itself.
    pub(super) fn handle(self: &Rc<Self>, event: Event) {
        self.handle_at(clock::now(), event);
    }

    /// The same for who has read the clock.
    pub(super) fn handle_at(self: &Rc<Self>, now: Instant, event: Event) {
        self.engine.borrow_mut().handle_event(now, event);
        self.pump();
    }

    /// Feeds an event of a socket or the timer, and sends the package for the notices.
    pub(super) fn handle_from_outside(self: &Rc<Self>, event: Event) {
        self.handle(event);
        self.call_for_notices();
    }

    /// Makes an operation, and sends its first frame where that can go out at once; where it
    /// cannot, the application is asked for it when it can. One that is `gathered` is only said to
    /// go out at once, on this socket: the application sends it with others.
    #[cfg(feature = "npm")]
    pub(super) fn invoke(
        self: &Rc<Self>,
        operation: OperationId,
        call: Call,
        frame: &JsValue,
        gathered: bool,
    ) -> Option<SocketId> {
        let (now, bytes) = (clock::now(), call.bytes);
        self.made_at.set(Some(now));
        let at_once = self.engine.borrow_mut().invoke(now, operation, call);
        let attempt = AttemptId::from_u64(operation.as_u64());
        match at_once {
            Some(_) if gathered => {
                self.gathered_bytes.set(self.gathered_bytes.get().saturating_add(bytes));
                return at_once;
            }
            Some(socket) if self.send(socket, Some(attempt), frame) => self.arm(),
            Some(_) | None => self.pump(),
        }
        None
    }

    /// A result came on a socket that is ours; says which operation has succeeded by it alone.
    ///
    /// Reading the clock would cost as much as all the rest. So where an operation was made since
    /// the result before, it is taken to have come then: a ping may come too early by the time of
    /// one answer. While an answer to a ping is owed the clock is read.
    #[cfg(feature = "npm")]
    pub(super) fn take_result(&self, socket: SocketId, attempt: AttemptId) -> Option<OperationId> {
        let made_at = self.made_at.take().filter(|_| !self.engine.borrow().owes_an_answer());
        let now = made_at.unwrap_or_else(clock::now);
        self.engine.borrow_mut().take_result(now, socket, attempt)
    }

    pub(super) fn handle_timeout(self: &Rc<Self>) {
        let now = clock::now();
        self.engine.borrow_mut().handle_timeout(now);
        self.pump();
    }

    pub(super) fn handle_timer(self: &Rc<Self>) {
        let fired = self.timer.borrow_mut().replace(None);
        drop(fired);
        self.handle_timeout();
        self.call_for_notices();
    }

    pub(super) fn call_for_notices(&self) {
        let any = !self.notices.borrow().is_empty();
        if let (true, Some(application)) = (any, self.application()) {
            application.take_notices();
        }
    }

    /// A message came on a socket; says whether that is still ours.
    pub(super) fn hear(&self, id: SocketId, now: Instant) -> bool {
        let holds = self.holds(id);
        if holds {
            self.engine.borrow_mut().handle_event(now, Event::Received(id));
        }
        holds
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
        self.arm();
        self.let_application_go();
    }

    /// Sees to it that the timer fires in time. What is set and let go is JavaScript's.
    fn arm(self: &Rc<Self>) {
        let deadline = self.engine.borrow().poll_timeout();
        if !self.timer.borrow().is_to_move(deadline) {
            return;
        }
        let running = deadline.and_then(|at| {
            let (milliseconds, fires_at) = timer::step_towards(at, clock::now());
            A::set_alarm(self, milliseconds).map(|alarm| (fires_at, alarm))
        });
        let before = self.timer.borrow_mut().replace(running);
        drop(before);
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
                let now = clock::now();
                self.engine.borrow_mut().handle_event(now, event);
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

    pub(super) fn application(&self) -> Option<A> {
        self.application.borrow().clone()
    }

    fn open(self: &Rc<Self>, id: SocketId, gateway: GatewayIndex) {
        self.dials.set(self.dials.get().saturating_add(1));
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
                let on_message = self.application().map(|it| it.ear_on(&self.callback, id));
                // It may say at once that it is closed.
                sender.listen(&self.ears, &on_message.unwrap_or(JsValue::NULL));
            }
            Err(cause) => {
                let event = Event::SocketFailed { socket: id, cause };
                let now = clock::now();
                self.engine.borrow_mut().handle_event(now, event);
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
        let now = clock::now();
        self.engine.borrow_mut().handle_event(now, Event::FailureJudged(judgement));
    }

    pub(super) fn take_list(&self, list: Vec<Gateway>) -> Vec<GatewayIndex> {
        let kept = self.engine.borrow().gateway();
        self.gateways.borrow_mut().take(list, kept)
    }

    /// What the platform still has to send, where that matters for an operation of so many bytes.
    pub(super) fn buffered_bytes_before(&self, bytes: u64) -> u64 {
        let asked = self.engine.borrow().socket_to_measure(bytes);
        asked.map_or(0, |socket| self.buffered_bytes(socket).saturating_add(self.gathered()))
    }

    /// What was gathered and is not sent yet.
    fn gathered(&self) -> u64 {
        #[cfg(feature = "npm")]
        return self.gathered_bytes.get();
        #[cfg(not(feature = "npm"))]
        return 0;
    }

    fn buffered_bytes(&self, id: SocketId) -> u64 {
        let socket = self.sender(id); // the borrow ends here: asking may call back
        socket.map_or(0, |socket| socket.buffered_bytes())
    }

    fn sender(&self, id: SocketId) -> Option<Sender> {
        self.sockets.borrow().iter().find(|socket| socket.id() == id).map(Socket::sender)
    }

    /// `None` where the application has settled the operation while it was asked.
    fn frame(&self, operation: OperationId, attempt: AttemptId) -> Option<JsValue> {
        let application = self.application();
        let frame = application.map(|it| it.frame(operation, attempt)).unwrap_or_default();
        let lives = self.engine.borrow().operation_of(attempt) == Some(operation);
        lives.then_some(frame)
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
            self.engine.borrow_mut().admit_notification(bytes, buffered)
                && self.send(socket, None, frame)
        });
        if !sent {
            self.pump();
        }
        sent
    }

    pub(super) fn send(&self, id: SocketId, attempt: Option<AttemptId>, frame: &JsValue) -> bool {
        let Err(failure) = self.try_send(id, frame) else { return true };
        let now = clock::now();
        self.engine.borrow_mut().fail_sends(now, id, attempt.as_slice(), failure);
        false
    }

    fn try_send(&self, id: SocketId, frame: &JsValue) -> Result<(), SendFailure> {
        if frame.is_undefined() {
            return Err(SendFailure::NotEncoded);
        }
        let sender = self.sender(id);
        sender.map_or(Err(SendFailure::NotOpen), |sender| sender.send(frame))
    }

    /// Sends the frames of several operations, which were made for this, in one.
    #[cfg(feature = "npm")]
    pub(super) fn send_gathered(
        self: &Rc<Self>,
        id: SocketId,
        frame: &JsValue,
        attempts: impl FnOnce() -> Vec<AttemptId>,
    ) {
        self.gathered_bytes.set(0);
        match self.try_send(id, frame) {
            Ok(()) => self.arm(),
            Err(failure) => {
                let (now, attempts) = (clock::now(), attempts());
                self.engine.borrow_mut().fail_sends(now, id, &attempts, failure);
                self.pump();
            }
        }
    }

    pub(super) fn label(&self, index: GatewayIndex) -> JsValue {
        self.gateways.borrow().label(index)
    }
}
