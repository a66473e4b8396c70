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

use alloc::collections::VecDeque;

use super::{
    Answer, AttemptEnd, AttemptId, Call, Cause, ClientState, CloseRequest, ConnectionSettings,
    ErrorCode, GatewayIndex, GaveUp, InFlight, Instant, Limits, MessagingSettings, Notice,
    OperationCounts, OperationId, Rng, SocketId, StateReason,
    connection::{Connection, ConnectionEvent, ConnectionOutput},
    failure_log::FailureLog,
    operations::{Link, OperationOutput, Operations},
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
}

/// Why a frame did not go out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a frame has no other way not to go out")]
pub enum SendFailure {
    /// The socket was not open, so `send` was not called.
    NotOpen,
    /// `send` threw.
    Threw,
    /// `send` threw because the socket belongs to another request of the Worker.
    WrongContext,
}

/// What happened outside, in the past tense. The driver reports; it never decides.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a driver chooses among these; it never matches")]
pub enum Event {
    /// The application called `connect()`.
    ConnectRequested,
    /// The application called `reconnect()`.
    ReconnectRequested,
    /// The application called `close()`, or aborted `connect()`.
    CloseRequested(CloseRequest),
    /// The application made an operation, under a number from [`Engine::reserve_operation`].
    Invoked {
        /// The reserved number.
        operation: OperationId,
        /// What is asked for.
        call: Call,
    },
    /// The caller's signal aborted the operation.
    OperationAborted(OperationId),
    /// The socket opened.
    SocketOpened(SocketId),
    /// The socket had an error; its close may follow.
    SocketErred(SocketId),
    /// The socket closed, or could not be made.
    SocketFailed {
        /// Which socket.
        socket: SocketId,
        /// Why.
        cause: Cause,
    },
    /// A frame did not go out.
    SendFailed {
        /// The socket it was for.
        socket: SocketId,
        /// The attempt it belonged to, if to any.
        attempt: Option<AttemptId>,
        /// Why.
        failure: SendFailure,
    },
    /// An answer came.
    Answered {
        /// The attempt whose id it carries.
        attempt: AttemptId,
        /// What it says.
        answer: Answer,
    },
}

/// What to do outside, in the imperative. The driver obeys, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a driver must be able to obey every action")]
pub enum Action {
    /// Open a socket to a gateway.
    Open {
        /// The socket's number.
        socket: SocketId,
        /// Where to.
        gateway: GatewayIndex,
    },
    /// Let a socket go: detach it, close it with 1000, and ignore whatever it still says.
    Close {
        /// Which socket.
        socket: SocketId,
    },
    /// Send an attempt of an operation.
    Send {
        /// On which socket.
        socket: SocketId,
        /// Whose payload.
        operation: OperationId,
        /// The id that the frame carries.
        attempt: AttemptId,
    },
    /// Tell the application.
    Tell(Notice),
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
    failure_log: FailureLog,
    actions: VecDeque<Action>,
}

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
            failure_log: FailureLog::new(),
            actions: VecDeque::new(),
        }
    }

    /// A number for the next operation, which is also the id of its first attempt.
    pub const fn reserve_operation(&mut self) -> OperationId {
        self.operations.reserve()
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
            Event::Invoked { operation, call } => self.operations.invoke(now, operation, call),
            Event::OperationAborted(operation) => self.operations.abort(now, operation),
            Event::SocketOpened(socket) => {
                self.connection.handle_event(now, ConnectionEvent::Opened(socket));
            }
            Event::SocketErred(socket) => {
                self.connection.handle_event(now, ConnectionEvent::Erred(socket));
            }
            Event::SocketFailed { socket, cause } => self.fail(now, socket, cause),
            Event::SendFailed { socket, attempt, failure } => {
                return self.fail_send(now, socket, attempt, failure);
            }
            Event::Answered { attempt, answer } => self.operations.answer(now, attempt, answer),
        }
        self.carry_out(now, None);
    }

    /// Says that time has passed. Calling early or twice is harmless.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.connection.handle_timeout(now);
        self.carry_out(now, None);
        self.operations.handle_timeout(now);
        self.carry_out(now, None);
        if let Some(line) = self.failure_log.handle_timeout(now) {
            self.actions.push_back(Action::Tell(Notice::Logged(line)));
        }
    }

    /// When to call [`handle_timeout`](Self::handle_timeout) next, or `None` for never.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Instant> {
        time::earlier(
            self.connection.poll_timeout(),
            time::earlier(self.operations.poll_timeout(), self.failure_log.poll_timeout()),
        )
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
            if let Action::Send { socket, attempt, .. } = action
                && !self.operations.hand_over(socket, attempt)
            {
                continue;
            }
            return Some(action);
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

    /// Why each gateway, in the order of the list, failed last since `connect()`.
    #[must_use]
    pub fn last_failures(&self) -> &[Option<Cause>] {
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
    }

    fn restart_operations(&mut self) {
        if self.operations.link() == Link::Closed {
            self.operations.start();
        }
    }

    fn fail(&mut self, now: Instant, socket: SocketId, cause: Cause) {
        let in_flight =
            if self.operations.any_handed_over() { InFlight::Something } else { InFlight::Nothing };
        let event = ConnectionEvent::Failed { socket, cause, in_flight };
        self.connection.handle_event(now, event);
    }

    fn fail_send(
        &mut self,
        now: Instant,
        socket: SocketId,
        attempt: Option<AttemptId>,
        failure: SendFailure,
    ) {
        let attempt = attempt.filter(|&attempt| self.operations.operation_of(attempt).is_some());
        let (end, cause) = match failure {
            SendFailure::NotOpen => (AttemptEnd::NeverSent, Cause::NotOpen),
            SendFailure::Threw => (AttemptEnd::SendThrew, Cause::SendThrew),
            SendFailure::WrongContext => (AttemptEnd::WrongContext, Cause::WrongContext),
        };
        if failure == SendFailure::NotOpen {
            self.connection.handle_event(now, ConnectionEvent::FoundNotOpen(socket));
        } else {
            self.fail(now, socket, cause);
        }
        self.carry_out(now, attempt);
        if let Some(attempt) = attempt {
            self.operations.take_back(now, attempt, end, cause);
            self.carry_out(now, None);
        }
    }

    /// Does what the machines want of each other, and queues what they want of the driver.
    ///
    /// `except` is the attempt that is about to be taken back: the loss of its socket is not
    /// what ended it.
    fn carry_out(&mut self, now: Instant, except: Option<AttemptId>) {
        while let Some(output) = self.connection.poll_output() {
            match output {
                ConnectionOutput::Open { socket, gateway } => {
                    self.failure_log.dialled();
                    self.actions.push_back(Action::Open { socket, gateway });
                }
                ConnectionOutput::Close { socket } => {
                    self.actions.push_back(Action::Close { socket });
                }
                ConnectionOutput::Ready { socket, gateway } => {
                    self.operations.open(now, socket, gateway);
                    self.pass_on();
                }
                ConnectionOutput::Halted => {
                    self.operations.halt(now);
                    self.pass_on();
                }
                ConnectionOutput::Lost { gateway, cause } => {
                    if cause != Cause::Dropped {
                        self.log_failure(now, gateway, cause);
                    }
                    self.operations.lose(now, cause, except);
                    self.pass_on();
                }
                ConnectionOutput::RoundBegan => self.failure_log.round_began(),
                ConnectionOutput::Steadied { gateway, since } => {
                    if let Some(line) = self.failure_log.steadied(gateway, since) {
                        self.actions.push_back(Action::Tell(Notice::Logged(line)));
                    }
                }
                ConnectionOutput::Ended { reason, lost } => {
                    if let Some((gateway, cause)) = lost {
                        self.log_failure(now, gateway, cause);
                    }
                    self.end(now, reason, lost.map(|(_, cause)| cause), except);
                }
                ConnectionOutput::Notice(notice) => {
                    if let Notice::DialFailed { gateway, cause, .. } = notice {
                        self.log_failure(now, gateway, cause);
                    }
                    self.actions.push_back(Action::Tell(notice));
                }
            }
        }
        self.pass_on();
    }

    fn end(
        &mut self,
        now: Instant,
        reason: StateReason,
        cause: Option<Cause>,
        except: Option<AttemptId>,
    ) {
        let gave_up = if let StateReason::GaveUp(why) = reason { Some(why) } else { None };
        if let Some(line) = self.failure_log.ended(now, gave_up) {
            self.actions.push_back(Action::Tell(Notice::Logged(line)));
        }
        let waiting = gave_up.map_or(ErrorCode::ClientClosed, GaveUp::code);
        let in_flight =
            if gave_up.is_some() { ErrorCode::ConnectionLost } else { ErrorCode::ClientClosed };
        self.operations.close(now, waiting, in_flight, cause, except);
        self.pass_on();
    }

    fn log_failure(&mut self, now: Instant, gateway: GatewayIndex, cause: Cause) {
        if let Some(line) = self.failure_log.failed(now, gateway, cause) {
            self.actions.push_back(Action::Tell(Notice::Logged(line)));
        }
    }

    fn pass_on(&mut self) {
        while let Some(output) = self.operations.poll_output() {
            self.actions.push_back(match output {
                OperationOutput::Send { socket, operation, attempt } => {
                    Action::Send { socket, operation, attempt }
                }
                OperationOutput::Settled { operation, outcome } => {
                    Action::Tell(Notice::Settled { operation, outcome })
                }
            });
        }
    }
}
