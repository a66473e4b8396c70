//! Going round the gateways: the first dial, the next one, the waits, and the list.

use core::mem;

use super::{
    Connection, ConnectionOutput, Dial, FirstConnect, Loss, Pause, Phase, Reconnect, SocketId,
    State, Then,
};
use crate::policy::{
    Cause, ClientState, GatewayIndex, GaveUp, Instant, NextDial, Notice, Schedule, StateReason,
};

impl Connection {
    pub(super) fn start(&mut self, now: Instant) {
        let from = self.client_state();
        self.phase = Phase::Connecting;
        self.last_failures.clear();
        if self.go_on_from_rest(now, from) {
            return;
        }
        self.round.clear_all();
        self.round_began_at = None;
        self.begin_schedule();
        self.begin_to_connect(
            from,
            State::Pausing { until: now, pause: Pause::Spread, then: Then::Round },
        );
    }

    pub(super) fn begin_to_connect(&mut self, from: ClientState, state: State) {
        self.state = state;
        self.push(ConnectionOutput::Notice(Notice::StateChanged {
            from,
            to: self.client_state(),
            reason: StateReason::Requested,
            gateway: None,
        }));
    }

    pub(super) fn begin_schedule(&mut self) {
        self.schedule = Schedule::new(self.settings.connect_timeouts);
        self.rounds = 0;
        self.least_wait_milliseconds = 0;
    }

    pub(super) fn start_afresh_when_reconnecting(&mut self, next: Then) {
        if self.phase == Phase::Reconnecting {
            self.begin_schedule();
            self.rounds = match next {
                Then::Round | Then::RoundAfter(_) => 0,
                Then::NextDial | Then::Redial(_) => 1,
            };
        }
    }

    /// A pause is over: asks for the list first, where that can have changed.
    pub(super) fn proceed(&mut self, now: Instant, then: Then) {
        if self.must_be_asked() {
            return self.rest_after_loss(now, then);
        }
        if then != Then::NextDial {
            self.round_began_at = Some(now); // for the floor, a gateway that is redialled is a round
        }
        if matches!(then, Then::Round | Then::RoundAfter(_)) {
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

    /// The first dial after a loss, delayed by a random part of the spread.
    pub(super) fn proceed_spread(&mut self, now: Instant, then: Then) {
        match self.rng.up_to(self.settings.failover_spread_milliseconds) {
            0 => self.proceed(now, then),
            delay if self.must_be_asked() => self.rest_after_loss(now.after(delay), then),
            delay => {
                let until = now.after(delay);
                self.state = State::Pausing { until, pause: Pause::Spread, then };
            }
        }
    }

    pub(super) fn go(&mut self, now: Instant, then: Then) {
        match then {
            Then::Round => {
                self.round.begin_next();
                self.dial_next(now);
            }
            Then::RoundAfter(lost) => {
                self.round.begin_after(lost);
                self.dial_next(now);
            }
            Then::Redial(gateway) if self.round.lists(gateway) => self.dial(now, gateway),
            Then::NextDial | Then::Redial(_) => self.dial_next(now),
        }
    }

    pub(super) fn dial_next(&mut self, now: Instant) {
        match self.round.next_dial() {
            NextDial::Gateway(gateway) => self.dial(now, gateway),
            NextDial::NoneLeft => self.end_without_gateway(now),
            NextDial::RoundOver => self.wait(now, Then::Round),
        }
    }

    pub(super) fn dial(&mut self, now: Instant, gateway: GatewayIndex) {
        self.sockets = self.sockets.saturating_add(1);
        let socket = SocketId(self.sockets);
        let give_up_at = now.after(u64::from(self.settings.connection_timeout_milliseconds));
        let (cause, beside_at) = (Cause::DialLimit, self.beside_at(now));
        self.state = State::Dialling(Dial { socket, gateway, give_up_at, cause, beside_at });
        self.round.begin_dial(gateway);
        self.push(ConnectionOutput::Open { socket, gateway });
        self.push(ConnectionOutput::Notice(Notice::Dialled { gateway, round: self.rounds }));
    }

    /// Takes the next wait of the schedule, or gives up where it is spent and this is the end.
    pub(super) fn wait(&mut self, now: Instant, then: Then) {
        let next = self.schedule.next_wait();
        let gives_up = next.is_none() && self.gives_up();
        if gives_up && !self.is_asked_for_each() {
            return self.end(StateReason::GaveUp(GaveUp::ScheduleSpent), None);
        }
        let milliseconds = self.draw_wait(next);
        if gives_up {
            // Whoever asks again at once is in no better place: the last wait repeats.
            let reason = StateReason::GaveUp(GaveUp::ScheduleSpent);
            self.rest(now.after(milliseconds), then, reason);
        } else {
            self.pause(now, milliseconds, then);
        }
    }

    /// How long a wait of the schedule is now: jittered, and as long as was asked for at the least.
    pub(super) fn draw_wait(&mut self, next: Option<u64>) -> u64 {
        let wait = next.unwrap_or(self.last_wait_milliseconds);
        self.last_wait_milliseconds = wait;
        let shorter = self.rng.up_to(self.settings.jitter.of(wait));
        let least = mem::take(&mut self.least_wait_milliseconds);
        wait.saturating_sub(shorter).max(least)
    }

    pub(super) fn pause(&mut self, now: Instant, milliseconds: u64, then: Then) {
        if self.must_be_asked() {
            return self.rest_after_loss(now.after(milliseconds), then);
        }
        self.state = State::Pausing { until: now.after(milliseconds), pause: Pause::Wait, then };
        let round = match then {
            Then::Round | Then::RoundAfter(_) => self.rounds.saturating_add(1),
            Then::NextDial | Then::Redial(_) => self.rounds,
        };
        self.push(ConnectionOutput::Notice(Notice::WaitBegan { milliseconds, round }));
    }

    /// When a round may begin that no wait came before: `initial` after the last one began.
    pub(super) fn floor(&self, now: Instant) -> Instant {
        let initial = u64::from(self.settings.connect_timeouts.initial_milliseconds());
        self.round_began_at.map_or(now, |began_at| began_at.after(initial))
    }

    /// Begins a round that no wait comes before, but not before the floor.
    pub(super) fn begin_round_at_the_floor(&mut self, now: Instant, then: Then) {
        let floor = self.floor(now);
        if floor > now {
            self.pause(now, floor.since(now), then);
        } else {
            self.proceed(now, then);
        }
    }

    pub(super) const fn gives_up(&self) -> bool {
        match self.phase {
            Phase::Connecting => matches!(self.settings.first_connect, FirstConnect::Schedule),
            Phase::Reconnecting => {
                !matches!(self.settings.reconnect, Reconnect::Always | Reconnect::OnRequest)
            }
        }
    }

    pub(super) fn greet_or_hold(&mut self, now: Instant, socket: SocketId, gateway: GatewayIndex) {
        if !self.settings.hooks.session {
            return self.hold(now, socket, gateway);
        }
        let give_up_at = now.after(self.settings.session_timeout_milliseconds);
        self.state = State::Greeting { socket, gateway, give_up_at, cause: Cause::SessionLimit };
        self.push(ConnectionOutput::Greet { socket, gateway });
    }

    pub(super) fn hold(&mut self, now: Instant, socket: SocketId, gateway: GatewayIndex) {
        let steady_at = Some(now.after(self.settings.steady_milliseconds));
        let state = State::Connected { socket, gateway, since: now, steady_at, lost_at: None };
        // What is parked goes out before anything that the application sends when it hears of it.
        self.push(ConnectionOutput::Ready { socket, gateway });
        self.change(state, StateReason::Opened, Some(gateway));
    }

    /// The application set the list: what is dialled and listed no more is given up.
    pub(super) fn take_list(&mut self, now: Instant, list: &[GatewayIndex]) {
        self.relist(list, Then::Round);
        self.round.clear_marks();
        if let Some(other) = self.beside.take_if(|other| !self.round.lists(other.gateway)) {
            self.push(ConnectionOutput::Close { socket: other.socket });
        }
        match self.state {
            State::Dialling(Dial { socket, gateway, .. })
            | State::Greeting { socket, gateway, .. }
                if !self.round.lists(gateway) =>
            {
                self.push(ConnectionOutput::Close { socket });
                if matches!(self.state, State::Greeting { .. }) {
                    self.push(ConnectionOutput::GreetingEnded { cause: Cause::Unlisted });
                }
                // Its socket is gone: whatever comes next has nothing to let go of.
                self.state =
                    State::Pausing { until: now, pause: Pause::Spread, then: Then::NextDial };
                self.go_on_dialling(now);
            }
            // What is asked for is older than what was set: it would bring back what is gone.
            State::Listing { then, .. } => self.go(now, then),
            State::Idle
            | State::Pausing { .. }
            | State::Dialling(_)
            | State::Greeting { .. }
            | State::Connected { .. }
            | State::Judging { .. }
            | State::Hidden
            | State::Closed => {}
        }
    }

    /// There was no list to be had: that is a failed round.
    pub(super) fn fail_list(&mut self, now: Instant) {
        self.note_failure(None, Cause::ListFailed);
        self.push(ConnectionOutput::ListFailed);
        self.wait(now, Then::Round);
    }

    /// The list that was asked for. What it brings into a running round waits for the next one,
    /// which asks again: else a function and refusals could keep a round going without a pause.
    pub(super) fn relist(&mut self, list: &[GatewayIndex], then: Then) {
        let rng = self.settings.shuffle_addresses.then_some(&mut self.rng);
        match then {
            Then::Round | Then::RoundAfter(_) => self.round.replace(list, rng),
            Then::NextDial | Then::Redial(_) => self.round.replace_meanwhile(list, rng),
        }
        self.last_failures
            .retain(|(gateway, _)| gateway.is_some_and(|gateway| list.contains(&gateway)));
    }

    /// The page goes into the back/forward cache: leaves without a fault of anybody's.
    pub(super) fn hide(&mut self, now: Instant, left: Option<(SocketId, GatewayIndex)>) {
        let connected = self.gateway();
        self.abandon_beside();
        if let Some((socket, gateway)) = left {
            self.push(ConnectionOutput::Close { socket });
            self.round.begin_at(gateway);
            if matches!(self.state, State::Greeting { .. }) {
                self.push(ConnectionOutput::GreetingEnded { cause: Cause::Hidden });
            }
        }
        if connected.is_some() {
            self.phase = Phase::Reconnecting;
            if self.forgive(now) == Loss::Steady {
                self.begin_schedule();
            }
        }
        self.change(State::Hidden, StateReason::Lost(Cause::Hidden), connected);
        if let Some(gateway) = connected {
            self.push(ConnectionOutput::Lost { gateway, cause: Cause::Hidden });
        }
    }
}
