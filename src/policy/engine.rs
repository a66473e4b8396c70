//! The machines composed: what a client does, driven by events and time.
//!
//! # Example: a client whose one gateway is dead
//!
//! ```
//! use regate::policy::{
//!     Action, Cause, CloseCode, ConnectionSettings, Engine, Event, Instant, Ratio, Settings,
//! };
//!
//! let connection = ConnectionSettings { jitter: Ratio::ZERO, ..Default::default() };
//! let mut engine = Engine::new(Settings { connection, ..Default::default() }, 1, 7);
//! let mut now = Instant::default();
//! let mut dialled_at = Vec::new();
//! engine.handle_event(now, Event::ConnectRequested);
//! loop {
//!     while let Some(action) = engine.poll_action() {
//!         if let Action::Open { socket, .. } = action {
//!             dialled_at.push(now.as_milliseconds());
//!             let cause = Cause::Closed(CloseCode::ABNORMAL);
//!             engine.handle_event(now, Event::SocketFailed { socket, cause });
//!         }
//!     }
//!     let Some(at) = engine.poll_timeout() else { break };
//!     now = now.max(at);
//!     engine.handle_timeout(now);
//! }
//! assert_eq!(dialled_at[..6], [0, 250, 750, 1750, 3750, 7750]);
//! assert_eq!(dialled_at.len(), 17);
//! ```

mod actions;
mod carrying_out;
mod events;
#[cfg(test)]
mod tests;

use alloc::{collections::VecDeque, vec::Vec};

pub use actions::Action;
pub use events::{Event, SendFailure};

use super::{
    AttemptEnd, AttemptId, Call, Cause, ClientState, ConnectionSettings, GatewayIndex, InFlight,
    Instant, Limits, MessagingSettings, Notice, OperationCounts, OperationId, Rng, SocketId,
    Verdict,
    connection::{Connection, ConnectionEvent},
    failure_log::FailureLog,
    liveness::{Liveness, LivenessOutput},
    operations::{Link, Operations},
    time,
};

/// Everything an [`Engine`] is told once. See the fields' types for defaults and sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "to be written out with `..Default::default()`")]
pub struct Settings {
    /// How it dials.
    pub connection: ConnectionSettings,
    /// How it retries.
    pub messaging: MessagingSettings,
    /// How much may be pending.
    pub limits: Limits,
    /// Whether operations may be redone that do not say so themselves: false, from Hazelcast.
    pub redo_operations: bool,
    /// How the line is watched.
    pub heartbeat: Heartbeat,
}

/// How the line is watched: the options of `heartbeat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "to be written out with `..Default::default()`")]
pub struct Heartbeat {
    /// After how long a silence a ping is sent: 15,000 ms. 0 is never.
    pub period_milliseconds: u64,
}

impl Default for Heartbeat {
    fn default() -> Self {
        Self { period_milliseconds: 15_000 }
    }
}

/// A client without clock, sockets or payloads.
///
/// After every `handle_*` call, drain [`poll_action`](Self::poll_action), then ask
/// [`poll_timeout`](Self::poll_timeout) when to call [`handle_timeout`](Self::handle_timeout).
/// Late, stale and repeated events are legal and change nothing. See the
/// [module](self) for an example.
#[derive(Debug)]
pub struct Engine {
    connection: Connection,
    operations: Operations,
    liveness: Liveness,
    /// Pings that may still be answered. Few: one for each wait of the read schedule.
    pings: Vec<AttemptId>,
    buffered_bytes: u64,
    failure_log: FailureLog,
    actions: VecDeque<Action>,
}

/// More pings than that are never owed by a sensible read schedule.
const MOST_PINGS: usize = 64;

/// How many actions there is room for while none is pending.
const ROOM_KEPT: usize = 256;

impl Engine {
    /// A client of `gateways` gateways that takes its chance from `seed`. It is idle.
    #[must_use]
    pub fn new(settings: Settings, gateways: u32, seed: u64) -> Self {
        // Two generators, so that what operations draw never changes where the client dials.
        let mut rng = Rng::from_seed(seed);
        let operations_rng = Rng::from_seed(rng.up_to(u64::MAX));
        Self {
            connection: Connection::new(settings.connection, gateways, rng),
            operations: Operations::new(settings.messaging, settings.limits, operations_rng),
            liveness: Liveness::new(
                settings.heartbeat.period_milliseconds,
                settings.connection.read_timeouts,
            ),
            pings: Vec::new(),
            buffered_bytes: 0,
            failure_log: FailureLog::new(),
            actions: VecDeque::new(),
        }
    }

    /// A number for the next operation, which is also the id of its first attempt.
    pub const fn reserve_operation(&mut self) -> OperationId {
        self.operations.reserve()
    }

    /// [`Event::Invoked`] for a driver that can send straight away: says on which socket to send the
    /// operation's first frame, now, which is its first attempt then. `None` where it does not go out
    /// at once: then there are actions to be polled, as after any event.
    ///
    /// Most operations go out at once, and this is several times as fast.
    #[must_use]
    pub fn invoke(&mut self, now: Instant, operation: OperationId, call: Call) -> Option<SocketId> {
        let nothing_before = self.actions.is_empty();
        let at_once =
            nothing_before.then(|| self.operations.invoke_at_once(now, operation, &call)).flatten();
        if at_once.is_none() {
            self.handle_event(now, Event::Invoked { operation, call });
        }
        at_once
    }

    /// [`Event::SendFailed`] for the attempts of several operations, which were to go out in one frame.
    pub fn fail_sends(
        &mut self,
        now: Instant,
        socket: SocketId,
        attempts: &[AttemptId],
        failure: SendFailure,
    ) {
        self.fail_send(now, socket, attempts, failure);
    }

    /// [`Event::Received`] and [`Event::Answered`] with a result, for a driver that resolves straight
    /// away: says which operation has succeeded. `None` where it is not so simple: then nothing has
    /// happened but that the message was received.
    #[must_use]
    pub fn take_result(
        &mut self,
        now: Instant,
        socket: SocketId,
        attempt: AttemptId,
    ) -> Option<OperationId> {
        self.hear(now, socket);
        self.operations.take_result(attempt)
    }

    /// Feeds one event.
    pub fn handle_event(&mut self, now: Instant, event: Event) {
        match event {
            Event::ConnectRequested => {
                self.connection.handle_event(now, ConnectionEvent::ConnectRequested);
                self.restart_operations();
            }
            Event::ReconnectRequested => {
                self.connection.handle_event(now, ConnectionEvent::ReconnectRequested);
                self.restart_operations();
            }
            Event::CloseRequested(request) => {
                self.connection.handle_event(now, ConnectionEvent::CloseRequested(request));
            }
            Event::DrainRequested => self.operations.drain(),
            Event::GatewaysSet(list) => {
                self.connection.handle_event(now, ConnectionEvent::ListReplaced(list));
            }
            Event::GatewaysListed(list) => {
                self.connection.handle_event(now, ConnectionEvent::Listed(list));
            }
            Event::FailureJudged(judgement) => {
                self.connection.handle_event(now, ConnectionEvent::Judged(judgement));
            }
            Event::SessionDone(socket) => {
                self.connection.handle_event(now, ConnectionEvent::Greeted(socket));
            }
            Event::SessionFailed { socket, verdict } => {
                self.fail(now, socket, Cause::SessionFailed, verdict);
            }
            Event::Woken => {
                self.connection.handle_event(now, ConnectionEvent::Woken);
                self.doubt(now);
            }
            Event::PageHidden => self.connection.handle_event(now, ConnectionEvent::Hidden),
            Event::PageShown => self.connection.handle_event(now, ConnectionEvent::Shown),
            Event::Invoked { operation, call } => self.operations.invoke(now, operation, call),
            Event::OperationAborted(operation) => self.operations.abort(now, operation),
            Event::SocketOpened(socket) => {
                self.connection.handle_event(now, ConnectionEvent::Opened(socket));
            }
            Event::SocketErred(socket) => {
                self.connection.handle_event(now, ConnectionEvent::Erred(socket));
            }
            Event::SocketFailed { socket, cause } => self.fail(now, socket, cause, None),
            Event::SendFailed { socket, attempt, failure } => {
                return self.fail_send(now, socket, attempt.as_slice(), failure);
            }
            Event::Received(socket) => return self.hear(now, socket),
            Event::BufferMeasured { socket, bytes } => self.measure(now, socket, bytes),
            Event::Answered { attempt, answer } => {
                if !self.take_ping(attempt) {
                    self.operations.answer(now, attempt, answer);
                }
            }
        }
        self.carry_out(now, &[]);
    }

    /// Says that time has passed. Calling early or twice is harmless.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.connection.handle_timeout(now);
        self.carry_out(now, &[]);
        self.operations.handle_timeout(now);
        self.carry_out(now, &[]);
        if let Some(output) = self.liveness.handle_timeout(now) {
            self.watch(now, output);
            self.carry_out(now, &[]);
        }
        if let Some(line) = self.failure_log.handle_timeout(now) {
            self.actions.push_back(Action::Tell(Notice::Logged(line)));
        }
    }

    /// When to call [`handle_timeout`](Self::handle_timeout) next, or `None` for never.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Instant> {
        if self.connection.is_hidden() {
            return None;
        }
        let machines =
            time::earlier(self.connection.poll_timeout(), self.operations.poll_timeout());
        // An outage goes on while nobody asks for a connection, but there is nothing to say of it.
        let log = self.failure_log.poll_timeout().filter(|_| !self.connection.is_resting());
        let watch = time::earlier(self.liveness.poll_timeout(), log);
        time::earlier(machines, watch)
    }

    /// The next thing to do.
    pub fn poll_action(&mut self) -> Option<Action> {
        loop {
            let Some(action) = self.actions.pop_front() else {
                if self.actions.capacity() > ROOM_KEPT {
                    self.actions = VecDeque::new(); // nothing is kept of a burst that is over
                }
                return None;
            };
            // From here on a sent operation may be performed, unless the driver says otherwise.
            let stale = match action {
                Action::Send { socket, attempt, .. } => !self.operations.hand_over(socket, attempt),
                Action::MeasureBuffer { socket } | Action::Ping { socket, .. } => {
                    self.sendable_socket() != Some(socket)
                }
                Action::AskForGateways
                | Action::Close { .. }
                | Action::Greet { .. }
                | Action::Judge { .. }
                | Action::Open { .. }
                | Action::Tell(_) => false,
            };
            if !stale {
                return Some(action);
            }
        }
    }

    /// The operation that this attempt is in flight for.
    #[must_use]
    pub fn operation_of(&self, attempt: AttemptId) -> Option<OperationId> {
        self.operations.operation_of(attempt)
    }

    /// The state of the connection.
    #[must_use]
    pub const fn state(&self) -> ClientState {
        self.connection.client_state()
    }

    /// The gateway that is connected.
    #[must_use]
    pub const fn gateway(&self) -> Option<GatewayIndex> {
        self.connection.gateway()
    }

    /// The socket on which a message without an answer may go out now.
    #[must_use]
    pub const fn sendable_socket(&self) -> Option<SocketId> {
        match self.operations.link() {
            Link::Ready { socket, .. } => Some(socket),
            Link::NotYet | Link::Reconnecting | Link::Closed => None,
        }
    }

    /// The socket on which a message without an answer may go out now: that of the connection, or,
    /// for a session hook that runs on `session`, that one.
    #[must_use]
    pub fn notification_socket(&self, session: Option<SocketId>) -> Option<SocketId> {
        match session {
            Some(socket) => Some(socket).filter(|_| self.operations.is_greeting(socket)),
            None => self.sendable_socket().filter(|_| !self.operations.is_draining()),
        }
    }

    /// Whether the line is in doubt: a ping was sent, and nothing came since.
    #[must_use]
    pub const fn owes_an_answer(&self) -> bool {
        self.liveness.owes_an_answer()
    }

    /// The socket whose buffer matters for an operation of so many bytes: its driver measures it,
    /// and says so in [`Call::buffered_bytes`](super::Call::buffered_bytes). `None` where all that
    /// was handed over since the platform was last asked fits, so that it need not be asked.
    #[must_use]
    pub fn socket_to_measure(&self, bytes: u64) -> Option<SocketId> {
        self.sendable_socket().filter(|_| self.operations.asks_for_buffer(bytes))
    }

    /// Whether the limits let a message without an answer out now: how long it is, and how much the
    /// platform still has to send before it. One that is let out counts as handed over.
    ///
    /// Such a message has nobody to tell of its fate, so that what does not fit is dropped.
    #[must_use]
    pub const fn admit_notification(&mut self, bytes: u64, buffered_bytes: u64) -> bool {
        self.operations.admit_notification(bytes, buffered_bytes)
    }

    /// Why gateways failed last since `connect()`, in the order of their numbers; before them, as
    /// `None`, that there was no list to be had.
    #[must_use]
    pub fn last_failures(&self) -> &[(Option<GatewayIndex>, Cause)] {
        self.connection.last_failures()
    }

    /// How many operations are parked or delayed.
    #[must_use]
    pub const fn pending_operations(&self) -> u64 {
        self.operations.waiting()
    }

    /// How many operations were sent and are unanswered.
    #[must_use]
    pub const fn in_flight_operations(&self) -> u64 {
        self.operations.in_flight()
    }

    /// How many subscriptions there are.
    #[must_use]
    pub const fn subscriptions(&self) -> u64 {
        self.operations.subscriptions()
    }

    /// What was counted since the client was made.
    #[must_use]
    pub const fn operation_counts(&self) -> &OperationCounts {
        self.operations.counts()
    }

    /// Whether nothing will happen until the application calls again.
    #[must_use]
    pub const fn is_quiet(&self) -> bool {
        matches!(self.state(), ClientState::Idle | ClientState::Closed)
            && self.operations.waiting() == 0
            && self.operations.subscriptions() == 0
    }

    fn restart_operations(&mut self) {
        if self.operations.link() == Link::Closed {
            self.operations.start();
        }
    }

    fn fail(&mut self, now: Instant, socket: SocketId, cause: Cause, verdict: Option<Verdict>) {
        let in_flight =
            if self.operations.any_handed_over() { InFlight::Something } else { InFlight::Nothing };
        let event = ConnectionEvent::Failed { socket, cause, in_flight, verdict };
        self.connection.handle_event(now, event);
    }

    /// Something came: that is life, whatever it says. On every message, so no more than that.
    fn hear(&mut self, now: Instant, socket: SocketId) {
        if self.sendable_socket() == Some(socket) {
            self.liveness.heard(now);
        }
    }

    /// There is reason to doubt the line.
    fn doubt(&mut self, now: Instant) {
        if let Some(output) = self.liveness.probe(now) {
            self.watch(now, output);
        }
    }

    fn watch(&mut self, now: Instant, output: LivenessOutput) {
        let Some(socket) = self.sendable_socket() else { return };
        match output {
            LivenessOutput::Measure => {
                self.actions.push_back(Action::MeasureBuffer { socket });
            }
            LivenessOutput::Ping => {
                let attempt = AttemptId::from_u64(self.operations.reserve().as_u64());
                if self.pings.len() >= MOST_PINGS {
                    self.pings.remove(0);
                }
                self.pings.push(attempt);
                self.actions.push_back(Action::MeasureBuffer { socket });
                self.actions.push_back(Action::Ping { socket, attempt });
            }
            LivenessOutput::Dead => self.fail(now, socket, Cause::HeartbeatLost, None),
        }
    }

    /// A buffer that grows empty is life as well: somebody acknowledges what was sent.
    fn measure(&mut self, now: Instant, socket: SocketId, bytes: u64) {
        if self.sendable_socket() != Some(socket) {
            return;
        }
        if bytes < self.buffered_bytes {
            self.liveness.heard(now);
        }
        self.buffered_bytes = bytes;
        self.operations.measured(now, bytes);
    }

    /// Whether it is a ping that was answered. Pings stand outside everything that is counted.
    fn take_ping(&mut self, attempt: AttemptId) -> bool {
        let owed = self.pings.len();
        self.pings.retain(|&ping| ping != attempt);
        self.pings.len() < owed
    }

    fn fail_send(
        &mut self,
        now: Instant,
        socket: SocketId,
        attempts: &[AttemptId],
        failure: SendFailure,
    ) {
        let (end, cause) = match failure {
            SendFailure::NotEncoded => {
                for &attempt in attempts {
                    if self.take_ping(attempt) {
                        self.liveness.heard(now); // no answer is owed to what was never sent
                    } else {
                        self.operations.drop_attempt(now, attempt);
                    }
                }
                return self.carry_out(now, &[]);
            }
            SendFailure::NotOpen => (AttemptEnd::NeverSent, Cause::NotOpen),
            SendFailure::Threw => (AttemptEnd::SendThrew, Cause::SendThrew),
            SendFailure::WrongContext => (AttemptEnd::WrongContext, Cause::WrongContext),
        };
        if failure == SendFailure::NotOpen {
            self.connection.handle_event(now, ConnectionEvent::FoundNotOpen(socket));
        } else {
            self.fail(now, socket, cause, None);
        }
        self.carry_out(now, attempts);
        for &attempt in attempts {
            self.operations.take_back(now, attempt, end, cause);
        }
        self.carry_out(now, &[]);
    }
}
