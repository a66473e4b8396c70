//! The connection: which socket is ours, and what happens when it fails.
//!
//! ```text
//!                 connect()                    a gateway opened
//!   Idle, Closed ----------> Pausing --> Dialling ------------> Connected
//!                              ^  ^         | failed                | lost
//!                              |  +---------+  (a wait a round)     |
//!                              +------------------------------------+
//!        close(), or the client gives up: any state --> Closed
//! ```
//!
//! | in | on | does |
//! | --- | --- | --- |
//! | `Idle`, `Closed` | connect, reconnect | pauses for no time, so that a close in the same turn opens nothing |
//! | `Pausing` | the pause is over | dials the next gateway of the round |
//! | `Pausing` | reconnect | dials at once |
//! | `Dialling` | opened | is connected; operations may go out |
//! | `Dialling` | failed, or past its limit | the verdict: the next gateway at once, or a wait |
//! | `Connected` | not open, or `error` | gives `close` a little time to come |
//! | `Connected` | lost | the verdict; a steady one is forgiven everything before |
//! | any | close | lets the socket go and is silent |
//!
//! An event of a socket that is no longer ours changes nothing.

mod settings;
#[cfg(test)]
mod tests;

use alloc::{collections::VecDeque, vec::Vec};
use core::mem;

pub use settings::{ConnectionSettings, FirstConnect, Ratio, Reconnect};

use super::{
    Cause, ClientState, CloseCode, GatewayIndex, GaveUp, InFlight, Instant, NextDial, Notice, Rng,
    Round, Schedule, StateReason, Verdict, default_verdict, time,
};

/// A socket, by a number that is never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SocketId(u64);

impl SocketId {
    /// The number, from 1 on.
    #[must_use]
    pub const fn as_u64(self) -> u64 {
        self.0
    }
}

/// Who ended the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no third way")]
pub enum CloseRequest {
    /// The signal given to `connect()`: closes only a client that is still connecting.
    ConnectAborted,
    /// `close()`.
    Application,
}

/// What happened to a connection, in the past tense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionEvent {
    ConnectRequested,
    ReconnectRequested,
    CloseRequested(CloseRequest),
    /// The socket is open.
    Opened(SocketId),
    /// An error event: the close that belongs to it may still come.
    Erred(SocketId),
    /// The socket was not open when something was to be sent.
    FoundNotOpen(SocketId),
    /// The socket failed for good.
    Failed {
        socket: SocketId,
        cause: Cause,
        in_flight: InFlight,
    },
}

/// What a connection wants of those around it, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionOutput {
    Open {
        socket: SocketId,
        gateway: GatewayIndex,
    },
    Close {
        socket: SocketId,
    },
    RoundBegan,
    /// Operations may go out on this socket.
    Ready {
        socket: SocketId,
        gateway: GatewayIndex,
    },
    /// The socket takes no more operations, though it is not lost yet.
    Halted,
    /// The connection is lost and the client goes on dialling.
    Lost {
        gateway: GatewayIndex,
        cause: Cause,
    },
    /// The connection has been connected long enough.
    Steadied {
        gateway: GatewayIndex,
        since: Instant,
    },
    /// The client is closed; `lost` is the connection whose loss was the end, and its cause.
    Ended {
        reason: StateReason,
        lost: Option<(GatewayIndex, Cause)>,
    },
    Notice(Notice),
}

/// What comes after a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    /// A round: the first, or the one that follows a wait.
    Round,
    /// The same gateway again, in the running round.
    Redial(GatewayIndex),
}

/// Each state owns the deadlines that can fire in it: leaving it cancels them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    Pausing {
        until: Instant,
        then: Then,
    },
    Dialling {
        socket: SocketId,
        gateway: GatewayIndex,
        give_up_at: Instant,
        /// What it will have failed of at `give_up_at`.
        cause: Cause,
    },
    Connected {
        socket: SocketId,
        gateway: GatewayIndex,
        since: Instant,
        /// `None` once it has been connected long enough.
        steady_at: Option<Instant>,
        /// When a socket that is known to be not open counts as lost, and of what.
        lost_at: Option<(Instant, Cause)>,
    },
    Closed,
}

/// Why a client is dialling, which decides whether it ever stops by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Connecting,
    Reconnecting,
}

#[derive(Debug)]
pub(crate) struct Connection {
    settings: ConnectionSettings,
    round: Round,
    schedule: Schedule,
    rng: Rng,
    state: State,
    phase: Phase,
    last_wait_milliseconds: u64,
    round_began_at: Option<Instant>,
    rounds: u32,
    last_failures: Vec<Option<Cause>>,
    sockets: u64,
    outputs: VecDeque<ConnectionOutput>,
}

impl Connection {
    pub(crate) fn new(settings: ConnectionSettings, gateways: u32, mut rng: Rng) -> Self {
        let mut round = Round::new(gateways);
        if settings.shuffle_addresses {
            round.shuffle(&mut rng);
        }
        Self {
            last_failures: round.order().map(|_| None).collect(),
            round,
            schedule: Schedule::new(settings.connect_timeouts),
            settings,
            rng,
            state: State::Idle,
            phase: Phase::Connecting,
            last_wait_milliseconds: 0,
            round_began_at: None,
            rounds: 0,
            sockets: 0,
            outputs: VecDeque::new(),
        }
    }

    pub(crate) fn handle_event(&mut self, now: Instant, event: ConnectionEvent) {
        use ConnectionEvent as E;
        use State::{Closed, Connected, Dialling, Idle, Pausing};
        match (self.state, event) {
            (Idle | Closed, E::ConnectRequested | E::ReconnectRequested) => self.start(now),
            (Pausing { .. } | Dialling { .. } | Connected { .. }, E::ConnectRequested) => {}
            (Pausing { until, then }, E::ReconnectRequested) => {
                self.start_afresh_when_reconnecting(then);
                // A pause that is over ends by itself: no dial begins in the turn of `connect()`.
                if until > now {
                    self.resume(now, then);
                }
            }
            (Dialling { gateway, .. }, E::ReconnectRequested) => {
                self.start_afresh_when_reconnecting(Then::Redial(gateway));
            }
            (Connected { socket, gateway, .. }, E::ReconnectRequested) => {
                self.push(ConnectionOutput::Close { socket });
                self.round_began_at = None; // the application asked: the floor is not for it
                self.lose(now, gateway, Cause::Dropped, Verdict::Next, Loss::Steady);
            }

            (Dialling { socket: ours, gateway, .. }, E::Opened(socket)) if socket == ours => {
                self.hold(now, socket, gateway);
            }
            (Dialling { socket: ours, gateway, .. }, E::Erred(socket)) if socket == ours => {
                let cause = Cause::Closed(CloseCode::ABNORMAL);
                self.state = Dialling { socket, gateway, give_up_at: now, cause };
            }
            (Dialling { socket: ours, gateway, .. }, E::Failed { socket, cause, in_flight })
                if socket == ours =>
            {
                self.fail_dial(now, gateway, cause, in_flight)
            }

            (Connected { socket: ours, gateway, since, steady_at, lost_at }, E::Erred(socket))
                if socket == ours =>
            {
                let lost_at = Some((now, Cause::Closed(CloseCode::ABNORMAL)))
                    .filter(|&(at, _)| lost_at.is_none_or(|(earlier, _)| at < earlier))
                    .or(lost_at);
                self.state = Connected { socket, gateway, since, steady_at, lost_at };
                self.push(ConnectionOutput::Halted);
            }
            (
                Connected { socket: ours, gateway, since, steady_at, lost_at: None },
                E::FoundNotOpen(socket),
            ) if socket == ours => {
                let patience = self.settings.read_timeouts.total_milliseconds();
                let lost_at = Some((now.after(patience), Cause::NotOpen));
                self.state = Connected { socket, gateway, since, steady_at, lost_at };
                self.push(ConnectionOutput::Halted);
            }
            (
                Connected { socket: ours, gateway, steady_at, .. },
                E::Failed { socket, cause, in_flight },
            ) if socket == ours => {
                if cause.close_code().is_none() {
                    self.push(ConnectionOutput::Close { socket });
                }
                let verdict = default_verdict(cause, in_flight);
                self.lose(now, gateway, cause, verdict, Loss::judge(now, steady_at));
            }

            (Closed | Idle, E::CloseRequested(CloseRequest::ConnectAborted))
            | (Closed, E::CloseRequested(CloseRequest::Application)) => {}
            (Pausing { .. } | Dialling { .. }, E::CloseRequested(CloseRequest::ConnectAborted))
                if self.phase == Phase::Connecting =>
            {
                self.end(StateReason::Aborted, None)
            }
            (_, E::CloseRequested(CloseRequest::ConnectAborted)) => {}
            (
                Idle | Pausing { .. } | Dialling { .. } | Connected { .. },
                E::CloseRequested(CloseRequest::Application),
            ) => self.end(StateReason::Requested, None),

            // An event of a socket that is no longer ours, or one that says what is known.
            (
                Idle | Pausing { .. } | Dialling { .. } | Connected { .. } | Closed,
                E::Opened(_) | E::Erred(_) | E::FoundNotOpen(_) | E::Failed { .. },
            ) => {}
        }
    }

    pub(crate) fn handle_timeout(&mut self, now: Instant) {
        if self.poll_timeout().is_none_or(|at| at > now) {
            return;
        }
        match self.state {
            State::Idle | State::Closed => {}
            State::Pausing { then, .. } => self.resume(now, then),
            State::Dialling { socket, gateway, cause, .. } => {
                self.push(ConnectionOutput::Close { socket });
                self.fail_dial(now, gateway, cause, InFlight::Nothing);
            }
            State::Connected { socket, gateway, steady_at, lost_at: Some((at, cause)), .. }
                if at <= now =>
            {
                self.push(ConnectionOutput::Close { socket });
                let verdict = default_verdict(cause, InFlight::Something);
                self.lose(now, gateway, cause, verdict, Loss::judge(now, steady_at));
            }
            State::Connected { socket, gateway, since, lost_at, .. } => {
                self.state = State::Connected { socket, gateway, since, steady_at: None, lost_at };
                self.push(ConnectionOutput::Steadied { gateway, since });
            }
        }
    }

    /// The next deadline of the state.
    pub(crate) fn poll_timeout(&self) -> Option<Instant> {
        match self.state {
            State::Idle | State::Closed => None,
            State::Pausing { until: at, .. } | State::Dialling { give_up_at: at, .. } => Some(at),
            State::Connected { steady_at, lost_at, .. } => {
                time::earlier(steady_at, lost_at.map(|(at, _)| at))
            }
        }
    }

    pub(crate) fn poll_output(&mut self) -> Option<ConnectionOutput> {
        self.outputs.pop_front()
    }

    pub(crate) const fn client_state(&self) -> ClientState {
        match (self.state, self.phase) {
            (State::Idle, _) => ClientState::Idle,
            (State::Pausing { .. } | State::Dialling { .. }, Phase::Connecting) => {
                ClientState::Connecting
            }
            (State::Pausing { .. } | State::Dialling { .. }, Phase::Reconnecting) => {
                ClientState::Reconnecting
            }
            (State::Connected { .. }, _) => ClientState::Connected,
            (State::Closed, _) => ClientState::Closed,
        }
    }

    /// The gateway that is connected.
    pub(crate) const fn gateway(&self) -> Option<GatewayIndex> {
        match self.state {
            State::Connected { gateway, .. } => Some(gateway),
            State::Idle | State::Pausing { .. } | State::Dialling { .. } | State::Closed => None,
        }
    }

    /// Why each gateway, in the order of the list, failed last since `connect()`.
    pub(crate) fn last_failures(&self) -> &[Option<Cause>] {
        &self.last_failures
    }

    fn push(&mut self, output: ConnectionOutput) {
        self.outputs.push_back(output);
    }

    /// Moves to `state`, and tells the application where that is another of its states.
    fn change(&mut self, state: State, reason: StateReason, gateway: Option<GatewayIndex>) {
        let from = self.client_state();
        self.state = state;
        let to = self.client_state();
        self.push(ConnectionOutput::Notice(Notice::StateChanged { from, to, reason, gateway }));
    }

    fn start(&mut self, now: Instant) {
        let from = self.client_state();
        self.phase = Phase::Connecting;
        self.round.clear_all();
        self.last_failures.fill(None);
        self.round_began_at = None;
        self.begin_schedule();
        self.state = State::Pausing { until: now, then: Then::Round };
        self.push(ConnectionOutput::Notice(Notice::StateChanged {
            from,
            to: self.client_state(),
            reason: StateReason::Requested,
            gateway: None,
        }));
    }

    fn begin_schedule(&mut self) {
        self.schedule = Schedule::new(self.settings.connect_timeouts);
        self.rounds = 0;
    }

    fn start_afresh_when_reconnecting(&mut self, next: Then) {
        if self.phase == Phase::Reconnecting {
            self.begin_schedule();
            self.rounds = match next {
                Then::Round => 0,
                Then::Redial(_) => 1,
            };
        }
    }

    /// A pause is over: the wait between two rounds, or the one before a gateway's second dial.
    fn resume(&mut self, now: Instant, then: Then) {
        match then {
            Then::Round => self.begin_round(now),
            Then::Redial(gateway) => self.dial(now, gateway),
        }
    }

    fn begin_round(&mut self, now: Instant) {
        self.round.begin_next();
        self.round_began_at = Some(now);
        self.rounds = self.rounds.saturating_add(1);
        self.push(ConnectionOutput::RoundBegan);
        self.dial_next(now);
    }

    fn dial_next(&mut self, now: Instant) {
        match self.round.next_dial() {
            NextDial::Gateway(gateway) => self.dial(now, gateway),
            NextDial::NoneLeft => self.end(StateReason::GaveUp(GaveUp::NoGateway), None),
            NextDial::RoundOver => self.wait(now, Then::Round),
        }
    }

    fn dial(&mut self, now: Instant, gateway: GatewayIndex) {
        self.sockets = self.sockets.saturating_add(1);
        let socket = SocketId(self.sockets);
        let give_up_at = now.after(u64::from(self.settings.connection_timeout_milliseconds));
        self.state = State::Dialling { socket, gateway, give_up_at, cause: Cause::DialLimit };
        self.push(ConnectionOutput::Open { socket, gateway });
        self.push(ConnectionOutput::Notice(Notice::Dialled { gateway, round: self.rounds }));
    }

    /// Takes the next wait of the schedule, or gives up where it is spent and this is the end.
    fn wait(&mut self, now: Instant, then: Then) {
        let wait = match self.schedule.next_wait() {
            Some(wait) => wait,
            None if self.gives_up() => {
                return self.end(StateReason::GaveUp(GaveUp::ScheduleSpent), None);
            }
            None => self.last_wait_milliseconds,
        };
        self.last_wait_milliseconds = wait;
        let shorter = self.rng.up_to(self.settings.jitter.of(wait));
        self.pause(now, wait.saturating_sub(shorter), then);
    }

    fn pause(&mut self, now: Instant, milliseconds: u64, then: Then) {
        self.state = State::Pausing { until: now.after(milliseconds), then };
        let round = match then {
            Then::Round => self.rounds.saturating_add(1),
            Then::Redial(_) => self.rounds,
        };
        self.push(ConnectionOutput::Notice(Notice::WaitBegan { milliseconds, round }));
    }

    const fn gives_up(&self) -> bool {
        match self.phase {
            Phase::Connecting => matches!(self.settings.first_connect, FirstConnect::Schedule),
            Phase::Reconnecting => matches!(self.settings.reconnect, Reconnect::Schedule),
        }
    }

    fn hold(&mut self, now: Instant, socket: SocketId, gateway: GatewayIndex) {
        let steady_at = Some(now.after(self.settings.steady_milliseconds));
        let state = State::Connected { socket, gateway, since: now, steady_at, lost_at: None };
        // What is parked goes out before anything that the application sends when it hears of it.
        self.push(ConnectionOutput::Ready { socket, gateway });
        self.change(state, StateReason::Opened, Some(gateway));
    }

    fn fail_dial(
        &mut self,
        now: Instant,
        gateway: GatewayIndex,
        cause: Cause,
        in_flight: InFlight,
    ) {
        // Its socket is gone: whatever comes next has nothing to let go of.
        self.state = State::Pausing { until: now, then: Then::Round };
        self.note_failure(gateway, cause);
        let verdict = default_verdict(cause, in_flight);
        self.push(ConnectionOutput::Notice(Notice::DialFailed { gateway, verdict, cause }));
        self.go_on(now, gateway, verdict);
    }

    /// What a failure in the running round means for it.
    fn go_on(&mut self, now: Instant, gateway: GatewayIndex, verdict: Verdict) {
        match verdict {
            Verdict::Next | Verdict::Refresh => self.round.fail(gateway),
            Verdict::Stop => self.round.strike_out(gateway),
            Verdict::Same => {
                self.round.fail_and_stay(gateway);
                return self.wait(now, Then::Redial(gateway));
            }
        }
        self.dial_next(now);
    }

    fn lose(
        &mut self,
        now: Instant,
        gateway: GatewayIndex,
        cause: Cause,
        verdict: Verdict,
        loss: Loss,
    ) {
        if let State::Connected { since, steady_at: Some(at), .. } = self.state
            && at <= now
        {
            self.push(ConnectionOutput::Steadied { gateway, since }); // its timer is late
        }
        if cause != Cause::Dropped {
            self.note_failure(gateway, cause);
        }
        if self.settings.reconnect == Reconnect::Never && cause != Cause::Dropped {
            return self.end(StateReason::GaveUp(GaveUp::ConnectionLost), Some(cause));
        }
        self.phase = Phase::Reconnecting;
        self.change(
            State::Pausing { until: now, then: Then::Round },
            StateReason::Lost(cause),
            Some(gateway),
        );
        self.push(ConnectionOutput::Lost { gateway, cause });
        match (loss, verdict) {
            (Loss::Unsteady, _) => self.go_on(now, gateway, verdict),
            (Loss::Steady, Verdict::Same) => {
                self.begin_schedule();
                self.round.begin_at(gateway);
                self.rounds = 1;
                self.go_on(now, gateway, verdict);
            }
            (Loss::Steady, Verdict::Next | Verdict::Refresh | Verdict::Stop) => {
                self.begin_schedule();
                if verdict == Verdict::Stop {
                    self.round.strike_out(gateway);
                }
                self.round.begin_after(gateway);
                if self.round.next_dial() == NextDial::NoneLeft {
                    return self.end(StateReason::GaveUp(GaveUp::NoGateway), None);
                }
                self.begin_round_at_the_floor(now);
            }
        }
    }

    /// Begins a round that no wait comes before, but not sooner than `initial` after the last.
    fn begin_round_at_the_floor(&mut self, now: Instant) {
        let initial = u64::from(self.settings.connect_timeouts.initial_milliseconds());
        match self.round_began_at.map(|began_at| began_at.after(initial)) {
            Some(floor) if floor > now => self.pause(now, floor.since(now), Then::Round),
            Some(_) | None => self.begin_round(now),
        }
    }

    fn note_failure(&mut self, gateway: GatewayIndex, cause: Cause) {
        let position = usize::try_from(gateway.position()).unwrap_or(usize::MAX);
        if let Some(last) = self.last_failures.get_mut(position) {
            *last = Some(cause);
        }
    }

    /// The end, until the application calls again: lets the socket go and says so.
    fn end(&mut self, reason: StateReason, cause: Option<Cause>) {
        let from = self.client_state();
        let gateway = self.gateway();
        match mem::replace(&mut self.state, State::Closed) {
            State::Dialling { socket, .. } => self.push(ConnectionOutput::Close { socket }),
            State::Connected { socket, .. } if cause.is_none() => {
                self.push(ConnectionOutput::Close { socket });
            }
            State::Connected { .. } | State::Idle | State::Pausing { .. } | State::Closed => {}
        }
        self.push(ConnectionOutput::Notice(Notice::StateChanged {
            from,
            to: ClientState::Closed,
            reason,
            gateway,
        }));
        self.push(ConnectionOutput::Ended { reason, lost: gateway.zip(cause) });
    }
}

/// Whether what was lost had been connected long enough to forgive what came before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loss {
    Steady,
    Unsteady,
}

impl Loss {
    fn judge(now: Instant, steady_at: Option<Instant>) -> Self {
        if steady_at.is_none_or(|at| at <= now) { Self::Steady } else { Self::Unsteady }
    }
}
