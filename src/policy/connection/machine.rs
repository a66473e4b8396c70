use alloc::{collections::VecDeque, vec::Vec};

use super::{
    Asked, CloseRequest, ConnectionEvent, ConnectionOutput, ConnectionSettings, Dial, Owed, Pause,
    Phase, State, Then, resting::Rest,
};
use crate::policy::{
    Cause, ClientState, CloseCode, GatewayIndex, InFlight, Instant, Notice, Rng, Round, Schedule,
    StateReason, time,
};

#[derive(Debug)]
pub(crate) struct Connection {
    pub(super) settings: ConnectionSettings,
    pub(super) round: Round,
    pub(super) schedule: Schedule,
    pub(super) rng: Rng,
    pub(super) state: State,
    pub(super) phase: Phase,
    pub(super) last_wait_milliseconds: u64,
    /// What the next wait must last at least.
    pub(super) least_wait_milliseconds: u64,
    pub(super) round_began_at: Option<Instant>,
    pub(super) rounds: u32,
    pub(super) last_failures: Vec<(Option<GatewayIndex>, Cause)>,
    pub(super) sockets: u64,
    /// The other of two dials, while dialling or asking about the one.
    pub(super) beside: Option<Dial>,
    pub(super) owed: Owed,
    /// What happened to the other of two dials while the application is asked about the one.
    pub(super) deferred: Vec<ConnectionEvent>,
    /// While it is closed and keeps what comes next.
    pub(super) rest: Option<Rest>,
    outputs: VecDeque<ConnectionOutput>,
}

impl Connection {
    pub(crate) fn new(settings: ConnectionSettings, gateways: u32, mut rng: Rng) -> Self {
        let mut round = Round::new(gateways);
        if settings.shuffle_addresses {
            round.shuffle(&mut rng);
        }
        Self {
            round,
            schedule: Schedule::new(settings.connect_timeouts),
            settings,
            rng,
            state: State::Idle,
            phase: Phase::Connecting,
            last_wait_milliseconds: 0,
            least_wait_milliseconds: 0,
            round_began_at: None,
            rounds: 0,
            last_failures: Vec::new(),
            sockets: 0,
            beside: None,
            owed: Owed::Nothing,
            deferred: Vec::new(),
            rest: None,
            outputs: VecDeque::new(),
        }
    }

    /// The whole transition table: a new state or event does not compile until it is placed here.
    pub(crate) fn handle_event(&mut self, now: Instant, event: ConnectionEvent) {
        use ConnectionEvent as E;
        use State::{
            Closed, Connected, Dialling, Greeting, Hidden, Idle, Judging, Listing, Pausing,
        };
        if self.makes_wait(&event) {
            return;
        }
        match (self.state, event) {
            (Idle | Closed, E::ConnectRequested | E::ReconnectRequested) => self.start(now),
            (Pausing { until, then, .. }, E::ReconnectRequested) => {
                self.start_afresh_when_reconnecting(then);
                // A pause that is over ends by itself: no dial begins in the turn of `connect()`.
                if until > now {
                    self.proceed(now, then);
                }
            }
            (Listing { then, .. }, E::ReconnectRequested) => {
                self.start_afresh_when_reconnecting(then);
            }
            (Dialling(Dial { gateway, .. }) | Greeting { gateway, .. }, E::ReconnectRequested) => {
                self.start_afresh_when_reconnecting(Then::Redial(gateway));
            }
            (Judging { gateway, cause, failed, verdict, .. }, E::ReconnectRequested) => {
                let asked = Asked::Reconnect;
                self.state = Judging { gateway, cause, failed, verdict, asked };
            }
            (Hidden, E::ReconnectRequested) => {
                self.start_afresh_when_reconnecting(Then::Round);
                self.proceed(now, Then::Round);
            }
            (Connected { socket, gateway, .. }, E::ReconnectRequested) => {
                self.push(ConnectionOutput::Close { socket });
                self.lose(now, gateway, Cause::Dropped, None, InFlight::Something);
            }

            (Dialling(Dial { socket: ours, gateway, .. }), E::Opened(socket)) if socket == ours => {
                self.abandon_beside();
                self.greet_or_hold(now, socket, gateway);
            }
            (
                Greeting { socket: ours, gateway, cause: Cause::SessionLimit, .. },
                E::Greeted(socket),
            ) if socket == ours => {
                self.hold(now, socket, gateway);
            }
            // Done or not, its socket is: it is known not to be open.
            (Greeting { .. }, E::Greeted(_)) => {}
            (Dialling(dial), E::Erred(socket)) if socket == dial.socket => {
                let cause = Cause::Closed(CloseCode::ABNORMAL);
                self.state = Dialling(Dial { give_up_at: now, cause, ..dial });
            }
            (Greeting { socket: ours, gateway, .. }, E::Erred(socket)) if socket == ours => {
                let cause = Cause::Closed(CloseCode::ABNORMAL);
                self.state = Greeting { socket, gateway, give_up_at: now, cause };
            }
            (
                Greeting { socket: ours, gateway, give_up_at, cause: Cause::SessionLimit },
                E::FoundNotOpen(socket),
            ) if socket == ours => {
                let patience = self.settings.read_timeouts.total_milliseconds();
                let give_up_at = give_up_at.min(now.after(patience));
                self.state = Greeting { socket, gateway, give_up_at, cause: Cause::NotOpen };
            }
            // Only a session hook that is running can fail.
            (Dialling(_) | Connected { .. }, E::Failed { cause: Cause::SessionFailed, .. }) => {}
            (
                Dialling(Dial { socket: ours, gateway, .. })
                | Greeting { socket: ours, gateway, .. },
                E::Failed { socket, cause, in_flight, verdict },
            ) if socket == ours => {
                if cause.close_code().is_none() && matches!(self.state, Greeting { .. }) {
                    self.push(ConnectionOutput::Close { socket });
                }
                self.fail_dial(now, gateway, cause, verdict, in_flight);
            }

            (Connected { socket: ours, gateway, since, steady_at, lost_at }, E::Erred(socket))
                if socket == ours =>
            {
                // Where it is known not to be open, and the timer is late, it is lost already.
                let at = lost_at.map_or(now, |(at, _)| at.min(now));
                let lost_at = Some((at, Cause::Closed(CloseCode::ABNORMAL)));
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
                Connected { socket: ours, gateway, .. },
                E::Failed { socket, cause, in_flight, verdict },
            ) if socket == ours => {
                if cause.close_code().is_none() {
                    self.push(ConnectionOutput::Close { socket });
                }
                self.lose(now, gateway, cause, verdict, in_flight);
            }

            (Judging { gateway, failed, verdict, cause, asked }, E::Judged(judgement)) => {
                self.obey(now, gateway, cause, failed, judgement, verdict);
                // The application called `reconnect()` when it heard of the failure.
                if asked == Asked::Reconnect && self.state != Closed {
                    self.handle_event(now, E::ReconnectRequested);
                }
                self.handle_deferred(now);
            }

            (Listing { then, .. }, E::Listed(Some(list))) if !list.is_empty() => {
                self.relist(&list, then);
                self.go(now, then);
            }
            (Listing { .. }, E::Listed(_)) => self.fail_list(now),
            (_, E::ListReplaced(list)) if !list.is_empty() => self.take_list(now, &list),

            (Pausing { until, pause: Pause::Wait, then }, E::Woken) => {
                let floor = self.floor(now).min(until);
                if floor <= now {
                    self.proceed(now, then);
                } else {
                    self.state = Pausing { until: floor, pause: Pause::Wait, then };
                }
            }
            (Pausing { .. } | Listing { .. } | Judging { .. }, E::Hidden) => self.hide(now, None),
            (
                Dialling(Dial { socket, gateway, .. })
                | Greeting { socket, gateway, .. }
                | Connected { socket, gateway, .. },
                E::Hidden,
            ) => self.hide(now, Some((socket, gateway))),
            (Hidden, E::Shown) => self.begin_round_at_the_floor(now, Then::Round),

            (
                Pausing { .. }
                | Listing { .. }
                | Dialling(_)
                | Greeting { .. }
                | Judging { .. }
                | Hidden,
                E::CloseRequested(CloseRequest::ConnectAborted),
            ) if self.phase == Phase::Connecting => {
                self.end(StateReason::Aborted, None);
            }
            (Closed, E::CloseRequested(CloseRequest::Application | CloseRequest::Done)) => {}
            (_, E::CloseRequested(request @ (CloseRequest::Application | CloseRequest::Done)))
                if self.is_asked_for_each() =>
            {
                self.leave(now, request);
            }
            (_, E::CloseRequested(CloseRequest::Application | CloseRequest::Done)) => {
                self.end(StateReason::Requested, None);
            }

            // What is asked for already is so, and an event of a socket that is no longer ours,
            // or of an answer that nobody waits for, changes nothing.
            (
                _,
                E::ConnectRequested
                | E::CloseRequested(CloseRequest::ConnectAborted)
                | E::Opened(_)
                | E::Greeted(_)
                | E::Erred(_)
                | E::FoundNotOpen(_)
                | E::Failed { .. }
                | E::Judged(_)
                | E::Listed(_)
                | E::ListReplaced(_)
                | E::Woken
                | E::Hidden
                | E::Shown,
            ) => {}
        }
    }

    pub(crate) fn handle_timeout(&mut self, now: Instant) {
        if self.poll_timeout().is_none_or(|at| at > now) {
            return;
        }
        match self.state {
            State::Idle | State::Closed | State::Judging { .. } | State::Hidden => {}
            State::Pausing { then, .. } => self.proceed(now, then),
            State::Listing { .. } => self.fail_list(now),
            State::Dialling(dial) => self.handle_dials_timeout(now, dial),
            State::Greeting { socket, gateway, cause, .. } => {
                self.push(ConnectionOutput::Close { socket });
                self.fail_dial(now, gateway, cause, None, InFlight::Nothing);
            }
            State::Connected { socket, gateway, lost_at: Some((at, cause)), .. } if at <= now => {
                self.push(ConnectionOutput::Close { socket });
                self.lose(now, gateway, cause, None, InFlight::Something);
            }
            State::Connected { socket, gateway, since, lost_at, .. } => {
                self.state = State::Connected { socket, gateway, since, steady_at: None, lost_at };
                self.steady(gateway, since);
            }
        }
    }

    /// The next deadline of the state.
    pub(crate) fn poll_timeout(&self) -> Option<Instant> {
        match self.state {
            State::Idle | State::Closed | State::Judging { .. } | State::Hidden => None,
            State::Pausing { until: at, .. }
            | State::Listing { give_up_at: at, .. }
            | State::Greeting { give_up_at: at, .. } => Some(at),
            State::Dialling(dial) => self.dials_timeout(dial),
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
            (State::Connected { .. }, _) => ClientState::Connected,
            (State::Closed, _) => ClientState::Closed,
            (
                State::Pausing { .. }
                | State::Listing { .. }
                | State::Dialling(_)
                | State::Greeting { .. }
                | State::Judging { .. }
                | State::Hidden,
                phase,
            ) => match phase {
                Phase::Connecting => ClientState::Connecting,
                Phase::Reconnecting => ClientState::Reconnecting,
            },
        }
    }

    /// The gateway that is connected.
    pub(crate) const fn gateway(&self) -> Option<GatewayIndex> {
        match self.state {
            State::Connected { gateway, .. } => Some(gateway),
            State::Idle
            | State::Pausing { .. }
            | State::Listing { .. }
            | State::Dialling(_)
            | State::Greeting { .. }
            | State::Judging { .. }
            | State::Hidden
            | State::Closed => None,
        }
    }

    /// Whether it is closed and keeps what comes next for when it is asked for.
    pub(crate) const fn is_resting(&self) -> bool {
        self.rest.is_some()
    }

    /// Whether the page is hidden, so that no timer may run.
    pub(crate) const fn is_hidden(&self) -> bool {
        matches!(self.state, State::Hidden)
    }

    /// Why gateways failed last since `connect()`, in the order of their numbers; before them, where
    /// there was no list to be had, that.
    pub(crate) fn last_failures(&self) -> &[(Option<GatewayIndex>, Cause)] {
        &self.last_failures
    }

    pub(super) fn push(&mut self, output: ConnectionOutput) {
        self.outputs.push_back(output);
    }

    /// Moves to `state`, and tells the application where that is another of its states.
    pub(super) fn change(
        &mut self,
        state: State,
        reason: StateReason,
        gateway: Option<GatewayIndex>,
    ) {
        let from = self.client_state();
        self.state = state;
        let to = self.client_state();
        if from != to {
            let notice = Notice::StateChanged { from, to, reason, gateway };
            self.push(ConnectionOutput::Notice(notice));
        }
    }
}
