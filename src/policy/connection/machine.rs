use alloc::{collections::VecDeque, vec::Vec};
use core::mem;

use super::{
    CloseRequest, ConnectionEvent, ConnectionOutput, ConnectionSettings, Failed, FirstConnect,
    Judgement, Loss, Pause, Phase, Reconnect, SocketId, State, Then,
};
use crate::policy::{
    Cause, ClientState, CloseCode, GatewayIndex, GaveUp, InFlight, Instant, NextDial, Notice, Rng,
    Round, Schedule, StateReason, Verdict, default_verdict, time,
};

#[derive(Debug)]
pub(crate) struct Connection {
    pub(super) settings: ConnectionSettings,
    round: Round,
    schedule: Schedule,
    rng: Rng,
    pub(super) state: State,
    phase: Phase,
    last_wait_milliseconds: u64,
    /// What the next wait must last at least.
    least_wait_milliseconds: u64,
    round_began_at: Option<Instant>,
    rounds: u32,
    last_failures: Vec<(GatewayIndex, Cause)>,
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
            outputs: VecDeque::new(),
        }
    }

    /// The whole transition table: a new state or event does not compile until it is placed here.
    pub(crate) fn handle_event(&mut self, now: Instant, event: ConnectionEvent) {
        use ConnectionEvent as E;
        use State::{
            Closed, Connected, Dialling, Greeting, Hidden, Idle, Judging, Listing, Pausing,
        };
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
            (Dialling { gateway, .. } | Greeting { gateway, .. }, E::ReconnectRequested) => {
                self.start_afresh_when_reconnecting(Then::Redial(gateway));
            }
            (Connected { socket, gateway, .. }, E::ReconnectRequested) => {
                self.push(ConnectionOutput::Close { socket });
                self.round_began_at = None; // the application asked: the floor is not for it
                self.lose(now, gateway, Cause::Dropped, None, InFlight::Something, Loss::Steady);
            }

            (Dialling { socket: ours, gateway, .. }, E::Opened(socket)) if socket == ours => {
                self.greet_or_hold(now, socket, gateway);
            }
            (Greeting { socket: ours, gateway, .. }, E::Greeted(socket)) if socket == ours => {
                self.hold(now, socket, gateway);
            }
            (Dialling { socket: ours, gateway, .. }, E::Erred(socket)) if socket == ours => {
                let cause = Cause::Closed(CloseCode::ABNORMAL);
                self.state = Dialling { socket, gateway, give_up_at: now, cause };
            }
            (Greeting { socket: ours, gateway, .. }, E::Erred(socket)) if socket == ours => {
                let cause = Cause::Closed(CloseCode::ABNORMAL);
                self.state = Greeting { socket, gateway, give_up_at: now, cause };
            }
            (
                Dialling { socket: ours, gateway, .. } | Greeting { socket: ours, gateway, .. },
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
                E::Failed { socket, cause, in_flight, verdict },
            ) if socket == ours => {
                if cause.close_code().is_none() {
                    self.push(ConnectionOutput::Close { socket });
                }
                self.lose(now, gateway, cause, verdict, in_flight, Loss::judge(now, steady_at));
            }

            (Judging { gateway, failed, verdict, cause }, E::Judged(judgement)) => {
                self.obey(now, gateway, cause, failed, judgement, verdict);
            }

            (Listing { then, .. }, E::Listed(Some(list))) if !list.is_empty() => {
                self.replace(&list);
                self.go(now, then);
            }
            (Listing { .. }, E::Listed(_)) => self.wait(now, Then::Round),
            (_, E::ListReplaced(list)) if !list.is_empty() => self.take_list(now, &list),

            (Pausing { until, pause: Pause::Wait, then }, E::Woken) => {
                let floor = self.floor(now).min(until);
                if floor <= now {
                    self.proceed(now, then);
                } else {
                    self.state = Pausing { until: floor, pause: Pause::Wait, then };
                }
            }
            (Pausing { .. } | Listing { .. } | Judging { .. }, E::Hidden) => self.hide(None),
            (
                Dialling { socket, gateway, .. }
                | Greeting { socket, gateway, .. }
                | Connected { socket, gateway, .. },
                E::Hidden,
            ) => self.hide(Some((socket, gateway))),
            (Hidden, E::Shown | E::ReconnectRequested) => self.begin_round_at_the_floor(now),

            (
                Pausing { .. }
                | Listing { .. }
                | Dialling { .. }
                | Greeting { .. }
                | Judging { .. }
                | Hidden,
                E::CloseRequested(CloseRequest::ConnectAborted),
            ) if self.phase == Phase::Connecting => {
                self.end(StateReason::Aborted, None);
            }
            (Closed, E::CloseRequested(CloseRequest::Application)) => {}
            (_, E::CloseRequested(CloseRequest::Application)) => {
                self.end(StateReason::Requested, None);
            }

            // What is asked for already is so, and an event of a socket that is no longer ours,
            // or of an answer that nobody waits for, changes nothing.
            (
                _,
                E::ConnectRequested
                | E::ReconnectRequested
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
            State::Listing { .. } => self.wait(now, Then::Round),
            State::Dialling { socket, gateway, cause, .. }
            | State::Greeting { socket, gateway, cause, .. } => {
                self.push(ConnectionOutput::Close { socket });
                self.fail_dial(now, gateway, cause, None, InFlight::Nothing);
            }
            State::Connected { socket, gateway, steady_at, lost_at: Some((at, cause)), .. }
                if at <= now =>
            {
                self.push(ConnectionOutput::Close { socket });
                let loss = Loss::judge(now, steady_at);
                self.lose(now, gateway, cause, None, InFlight::Something, loss);
            }
            State::Connected { socket, gateway, since, lost_at, .. } => {
                self.state = State::Connected { socket, gateway, since, steady_at: None, lost_at };
                self.round.accept_credentials();
                self.push(ConnectionOutput::Steadied { gateway, since });
            }
        }
    }

    /// The next deadline of the state.
    pub(crate) fn poll_timeout(&self) -> Option<Instant> {
        match self.state {
            State::Idle | State::Closed | State::Judging { .. } | State::Hidden => None,
            State::Pausing { until: at, .. }
            | State::Listing { give_up_at: at, .. }
            | State::Dialling { give_up_at: at, .. }
            | State::Greeting { give_up_at: at, .. } => Some(at),
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
                | State::Dialling { .. }
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
            | State::Dialling { .. }
            | State::Greeting { .. }
            | State::Judging { .. }
            | State::Hidden
            | State::Closed => None,
        }
    }

    /// Whether the page is hidden, so that no timer may run.
    pub(crate) const fn is_hidden(&self) -> bool {
        matches!(self.state, State::Hidden)
    }

    /// Why gateways failed last since `connect()`, in the order of their numbers.
    pub(crate) fn last_failures(&self) -> &[(GatewayIndex, Cause)] {
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
        if from != to {
            let notice = Notice::StateChanged { from, to, reason, gateway };
            self.push(ConnectionOutput::Notice(notice));
        }
    }

    fn start(&mut self, now: Instant) {
        let from = self.client_state();
        self.phase = Phase::Connecting;
        self.round.clear_all();
        self.last_failures.clear();
        self.round_began_at = None;
        self.least_wait_milliseconds = 0;
        self.begin_schedule();
        self.state = State::Pausing { until: now, pause: Pause::Spread, then: Then::Round };
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
                Then::NextDial | Then::Redial(_) => 1,
            };
        }
    }

    /// A pause is over: asks for the list first, where that can have changed.
    fn proceed(&mut self, now: Instant, then: Then) {
        if then == Then::Round {
            self.round_began_at = Some(now);
            self.rounds = self.rounds.saturating_add(1);
            self.push(ConnectionOutput::RoundBegan);
        }
        if self.settings.hooks.list {
            let give_up_at = now.after(u64::from(self.settings.connection_timeout_milliseconds));
            self.state = State::Listing { give_up_at, then };
            self.push(ConnectionOutput::AskForList);
        } else {
            self.go(now, then);
        }
    }

    fn go(&mut self, now: Instant, then: Then) {
        match then {
            Then::Round => {
                self.round.begin_next();
                self.dial_next(now);
            }
            Then::Redial(gateway) if self.round.lists(gateway) => self.dial(now, gateway),
            Then::NextDial | Then::Redial(_) => self.dial_next(now),
        }
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
        let least = mem::take(&mut self.least_wait_milliseconds);
        self.pause(now, wait.saturating_sub(shorter).max(least), then);
    }

    fn pause(&mut self, now: Instant, milliseconds: u64, then: Then) {
        self.state = State::Pausing { until: now.after(milliseconds), pause: Pause::Wait, then };
        let round = match then {
            Then::Round => self.rounds.saturating_add(1),
            Then::NextDial | Then::Redial(_) => self.rounds,
        };
        self.push(ConnectionOutput::Notice(Notice::WaitBegan { milliseconds, round }));
    }

    const fn gives_up(&self) -> bool {
        match self.phase {
            Phase::Connecting => matches!(self.settings.first_connect, FirstConnect::Schedule),
            Phase::Reconnecting => !matches!(self.settings.reconnect, Reconnect::Always),
        }
    }

    fn greet_or_hold(&mut self, now: Instant, socket: SocketId, gateway: GatewayIndex) {
        if !self.settings.hooks.session {
            return self.hold(now, socket, gateway);
        }
        let give_up_at = now.after(self.settings.session_timeout_milliseconds);
        self.state = State::Greeting { socket, gateway, give_up_at, cause: Cause::SessionLimit };
        self.push(ConnectionOutput::Greet { socket, gateway });
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
        said: Option<Verdict>,
        in_flight: InFlight,
    ) {
        self.note_failure(gateway, cause);
        if matches!(self.state, State::Greeting { .. }) {
            self.push(ConnectionOutput::GreetingEnded { cause });
        }
        // Its socket is gone: whatever comes next has nothing to let go of.
        self.state = State::Pausing { until: now, pause: Pause::Spread, then: Then::NextDial };
        let verdict = said.unwrap_or(default_verdict(cause, in_flight));
        self.judge(now, gateway, cause, Failed::Dial, verdict);
    }

    /// Asks the application what a failure means, where it has a say in that.
    fn judge(
        &mut self,
        now: Instant,
        gateway: GatewayIndex,
        cause: Cause,
        failed: Failed,
        verdict: Verdict,
    ) {
        if self.settings.hooks.close_policy && cause != Cause::Dropped {
            self.state = State::Judging { gateway, cause, failed, verdict };
            self.push(ConnectionOutput::Judge { gateway, cause, verdict });
        } else {
            self.obey(now, gateway, cause, failed, Judgement::default(), verdict);
        }
    }

    fn obey(
        &mut self,
        now: Instant,
        gateway: GatewayIndex,
        cause: Cause,
        failed: Failed,
        judgement: Judgement,
        default: Verdict,
    ) {
        let mut verdict = judgement.verdict.unwrap_or(default);
        if verdict == Verdict::Refresh && !self.round.refuse_credentials(gateway) {
            verdict = Verdict::Stop;
        }
        if verdict != Verdict::Stop {
            self.least_wait_milliseconds =
                self.least_wait_milliseconds.max(judgement.wait_milliseconds);
        }
        match failed {
            Failed::Dial => {
                let notice = Notice::DialFailed { gateway, verdict, cause };
                self.push(ConnectionOutput::Notice(notice));
                self.go_on(now, gateway, verdict);
            }
            Failed::Connection(Loss::Unsteady) => {
                self.go_on_after_a_loss(now, gateway, verdict);
            }
            Failed::Connection(Loss::Steady) => self.begin_anew(now, gateway, verdict),
        }
    }

    /// What a failed dial means for the round.
    pub(super) fn go_on(&mut self, now: Instant, gateway: GatewayIndex, verdict: Verdict) {
        match verdict {
            Verdict::Next => {
                self.round.fail(gateway);
                self.dial_next(now);
            }
            Verdict::Stop => {
                self.round.strike_out(gateway);
                self.dial_next(now);
            }
            Verdict::Refresh => {
                self.round.fail(gateway);
                self.continue_with_a_fresh_list(now);
            }
            Verdict::Same => {
                self.round.fail_and_stay(gateway);
                self.wait(now, Then::Redial(gateway));
            }
        }
    }

    /// What the loss of an unsteady connection means: a failure of its gateway in the round, but
    /// that the list is asked for again, and the fleet spread.
    fn go_on_after_a_loss(&mut self, now: Instant, gateway: GatewayIndex, verdict: Verdict) {
        match verdict {
            Verdict::Next | Verdict::Refresh => self.round.fail(gateway),
            Verdict::Stop => self.round.strike_out(gateway),
            Verdict::Same => return self.go_on(now, gateway, verdict),
        }
        self.continue_with_a_fresh_list(now);
    }

    /// Goes on with the round, where it is not over; else the list is asked for after the wait.
    fn continue_with_a_fresh_list(&mut self, now: Instant) {
        match self.round.next_dial() {
            NextDial::Gateway(_) => self.proceed_spread(now, Then::NextDial),
            NextDial::NoneLeft | NextDial::RoundOver => self.dial_next(now),
        }
    }

    /// A steady connection was lost: everything before is forgiven.
    fn begin_anew(&mut self, now: Instant, gateway: GatewayIndex, verdict: Verdict) {
        self.begin_schedule();
        self.round.accept_credentials();
        match verdict {
            Verdict::Same => {
                self.round.begin_at(gateway);
                self.rounds = 1;
                return self.go_on(now, gateway, verdict);
            }
            Verdict::Stop => self.round.strike_out(gateway),
            Verdict::Refresh => {
                self.round.refuse_credentials(gateway);
            }
            Verdict::Next => {}
        }
        self.round.begin_after(gateway);
        if self.round.next_dial() == NextDial::NoneLeft {
            return self.end(StateReason::GaveUp(GaveUp::NoGateway), None);
        }
        self.begin_round_at_the_floor(now);
    }

    pub(super) fn lose(
        &mut self,
        now: Instant,
        gateway: GatewayIndex,
        cause: Cause,
        said: Option<Verdict>,
        in_flight: InFlight,
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
            State::Pausing { until: now, pause: Pause::Spread, then: Then::NextDial },
            StateReason::Lost(cause),
            Some(gateway),
        );
        self.push(ConnectionOutput::Lost { gateway, cause });
        let verdict = said.unwrap_or(default_verdict(cause, in_flight));
        self.judge(now, gateway, cause, Failed::Connection(loss), verdict);
    }

    /// When a round may begin that no wait came before: `initial` after the last one began.
    fn floor(&self, now: Instant) -> Instant {
        let initial = u64::from(self.settings.connect_timeouts.initial_milliseconds());
        self.round_began_at.map_or(now, |began_at| began_at.after(initial))
    }

    /// Begins a round that no wait comes before, but not before the floor.
    fn begin_round_at_the_floor(&mut self, now: Instant) {
        let floor = self.floor(now);
        if floor > now {
            self.pause(now, floor.since(now), Then::Round);
        } else {
            self.proceed_spread(now, Then::Round);
        }
    }

    /// The first dial after a loss, delayed by a random part of the spread.
    fn proceed_spread(&mut self, now: Instant, then: Then) {
        match self.rng.up_to(self.settings.failover_spread_milliseconds) {
            0 => self.proceed(now, then),
            delay => {
                let until = now.after(delay);
                self.state = State::Pausing { until, pause: Pause::Spread, then };
            }
        }
    }

    /// The application set the list: what is dialled and listed no more is given up.
    fn take_list(&mut self, now: Instant, list: &[GatewayIndex]) {
        self.replace(list);
        self.round.clear_marks();
        match self.state {
            State::Dialling { socket, gateway, .. } | State::Greeting { socket, gateway, .. }
                if !self.round.lists(gateway) =>
            {
                if matches!(self.state, State::Greeting { .. }) {
                    self.push(ConnectionOutput::GreetingEnded { cause: Cause::Unlisted });
                }
                self.push(ConnectionOutput::Close { socket });
                self.dial_next(now);
            }
            State::Idle
            | State::Pausing { .. }
            | State::Listing { .. }
            | State::Dialling { .. }
            | State::Greeting { .. }
            | State::Connected { .. }
            | State::Judging { .. }
            | State::Hidden
            | State::Closed => {}
        }
    }

    fn replace(&mut self, list: &[GatewayIndex]) {
        let rng = self.settings.shuffle_addresses.then_some(&mut self.rng);
        self.round.replace(list, rng);
        self.last_failures.retain(|(gateway, _)| list.contains(gateway));
    }

    /// The page goes into the back/forward cache: leaves without a fault of anybody's.
    fn hide(&mut self, left: Option<(SocketId, GatewayIndex)>) {
        let connected = matches!(self.state, State::Connected { .. });
        if let Some((socket, gateway)) = left {
            self.push(ConnectionOutput::Close { socket });
            self.round.begin_at(gateway);
            if matches!(self.state, State::Greeting { .. }) {
                self.push(ConnectionOutput::GreetingEnded { cause: Cause::Hidden });
            }
        }
        if connected {
            self.phase = Phase::Reconnecting;
            self.begin_schedule();
        }
        let gateway = self.gateway();
        self.change(State::Hidden, StateReason::Lost(Cause::Hidden), gateway);
        if let Some(gateway) = gateway {
            self.push(ConnectionOutput::Lost { gateway, cause: Cause::Hidden });
        }
    }

    fn note_failure(&mut self, gateway: GatewayIndex, cause: Cause) {
        match self.last_failures.binary_search_by_key(&gateway, |&(gateway, _)| gateway) {
            Ok(place) => {
                if let Some(last) = self.last_failures.get_mut(place) {
                    last.1 = cause;
                }
            }
            Err(place) => self.last_failures.insert(place, (gateway, cause)),
        }
    }

    /// The end, until the application calls again: lets the socket go and says so.
    fn end(&mut self, reason: StateReason, cause: Option<Cause>) {
        let from = self.client_state();
        let gateway = self.gateway();
        match mem::replace(&mut self.state, State::Closed) {
            State::Dialling { socket, .. } => self.push(ConnectionOutput::Close { socket }),
            State::Greeting { socket, .. } => {
                self.push(ConnectionOutput::Close { socket });
                self.push(ConnectionOutput::GreetingEnded { cause: Cause::Dropped });
            }
            State::Connected { socket, .. } if cause.is_none() => {
                self.push(ConnectionOutput::Close { socket });
            }
            State::Connected { .. }
            | State::Idle
            | State::Pausing { .. }
            | State::Listing { .. }
            | State::Judging { .. }
            | State::Hidden
            | State::Closed => {}
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
