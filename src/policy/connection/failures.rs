//! What a failed dial and a lost connection mean.

use core::mem;

use super::{
    Asked, Connection, ConnectionOutput, Dial, Failed, Judgement, Loss, Owed, Pause, Phase,
    Reconnect, State, Then,
};
use crate::policy::{
    Cause, ClientState, GatewayIndex, GaveUp, InFlight, Instant, NextDial, Notice, StateReason,
    Verdict, default_verdict,
};

impl Connection {
    pub(super) fn fail_dial(
        &mut self,
        now: Instant,
        gateway: GatewayIndex,
        cause: Cause,
        said: Option<Verdict>,
        in_flight: InFlight,
    ) {
        self.note_failure(Some(gateway), cause);
        if matches!(self.state, State::Greeting { .. }) {
            self.push(ConnectionOutput::GreetingEnded { cause });
        }
        // Its socket is gone: whatever comes next has nothing to let go of.
        self.state = State::Pausing { until: now, pause: Pause::Spread, then: Then::NextDial };
        let verdict = said.unwrap_or(default_verdict(cause, in_flight));
        self.judge(now, gateway, cause, Failed::Dial, verdict);
    }

    /// Asks the application what a failure means, where it has a say in that.
    pub(super) fn judge(
        &mut self,
        now: Instant,
        gateway: GatewayIndex,
        cause: Cause,
        failed: Failed,
        verdict: Verdict,
    ) {
        if self.settings.hooks.close_policy && cause != Cause::Dropped {
            self.state = State::Judging { gateway, cause, failed, verdict, asked: Asked::Nothing };
            self.push(ConnectionOutput::Judge { gateway, cause, verdict });
        } else {
            self.obey(now, gateway, cause, failed, Judgement::default(), verdict);
        }
    }

    pub(super) fn obey(
        &mut self,
        now: Instant,
        gateway: GatewayIndex,
        cause: Cause,
        failed: Failed,
        judgement: Judgement,
        default: Verdict,
    ) {
        let mut verdict = judgement.verdict.unwrap_or(default);
        if verdict == Verdict::Same && !self.round.lists(gateway) {
            verdict = Verdict::Next; // it is never dialled again
        }
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
            Failed::Connection(Loss::Steady) => self.begin_anew(now, gateway, cause, verdict),
        }
    }

    /// What a failed dial means for the round.
    pub(super) fn go_on(&mut self, now: Instant, gateway: GatewayIndex, verdict: Verdict) {
        match verdict {
            Verdict::Next => self.round.fail(gateway),
            Verdict::Stop => self.round.strike_out(gateway),
            Verdict::Refresh => {
                self.round.fail(gateway);
                if self.owed == Owed::Nothing && self.settings.hooks.list {
                    self.owed = Owed::List; // a gateway that is dialled again is dialled with a new list
                }
            }
            Verdict::Same => {
                self.round.fail_and_stay(gateway);
                self.owed = Owed::Redial(gateway);
            }
        }
        self.go_on_dialling(now);
    }

    /// What the loss of an unsteady connection means: a failure of its gateway in the round, but
    /// that the list is asked for again, and the fleet spread.
    pub(super) fn go_on_after_a_loss(
        &mut self,
        now: Instant,
        gateway: GatewayIndex,
        verdict: Verdict,
    ) {
        match verdict {
            Verdict::Next | Verdict::Refresh => self.round.fail(gateway),
            Verdict::Stop => self.round.strike_out(gateway),
            Verdict::Same => return self.go_on(now, gateway, verdict),
        }
        match self.round.next_dial() {
            NextDial::Gateway(_) => self.proceed_spread(now, Then::NextDial),
            NextDial::NoneLeft | NextDial::RoundOver => self.dial_next(now),
        }
    }

    /// A steady connection was lost, or one was dropped: a round begins after it.
    pub(super) fn begin_anew(
        &mut self,
        now: Instant,
        gateway: GatewayIndex,
        cause: Cause,
        verdict: Verdict,
    ) {
        match verdict {
            Verdict::Same => {
                self.round.begin_at(gateway);
                self.rounds = 1;
                return self.go_on(now, gateway, verdict);
            }
            Verdict::Stop => self.round.strike_out(gateway),
            Verdict::Next | Verdict::Refresh => {}
        }
        self.round.begin_after(gateway);
        if self.round.next_dial() == NextDial::NoneLeft {
            return self.end_without_gateway(now);
        }
        let then = Then::RoundAfter(gateway);
        if cause == Cause::Dropped && !self.is_asked_for_each() {
            self.proceed(now, then); // the application asked: nothing holds it back
        } else if self.floor(now) > now {
            self.begin_round_at_the_floor(now, then);
        } else {
            self.proceed_spread(now, then);
        }
    }

    pub(super) fn lose(
        &mut self,
        now: Instant,
        gateway: GatewayIndex,
        cause: Cause,
        said: Option<Verdict>,
        in_flight: InFlight,
    ) {
        // What the application drops begins afresh too, but only steadiness forgives.
        let steady = self.forgive(now);
        let drops = cause == Cause::Dropped && !self.is_asked_for_each();
        let loss = if drops { Loss::Steady } else { steady };
        if cause != Cause::Dropped {
            self.note_failure(Some(gateway), cause);
        }
        let verdict = said.unwrap_or(default_verdict(cause, in_flight));
        if self.settings.reconnect == Reconnect::Never && cause != Cause::Dropped {
            if self.settings.hooks.close_policy {
                self.push(ConnectionOutput::Judge { gateway, cause, verdict }); // to be told only
            }
            return self.end(StateReason::GaveUp(GaveUp::ConnectionLost), Some(cause));
        }
        self.phase = Phase::Reconnecting;
        if loss == Loss::Steady {
            self.begin_schedule();
        }
        self.change(
            State::Pausing { until: now, pause: Pause::Spread, then: Then::NextDial },
            StateReason::Lost(cause),
            Some(gateway),
        );
        self.push(ConnectionOutput::Lost { gateway, cause });
        self.judge(now, gateway, cause, Failed::Connection(loss), verdict);
    }

    /// The connection ends: says whether it was steady, which forgives what came before.
    pub(super) fn forgive(&mut self, now: Instant) -> Loss {
        let State::Connected { since, gateway, steady_at, .. } = self.state else {
            return Loss::Unsteady;
        };
        let loss = Loss::judge(now, steady_at);
        if loss == Loss::Steady && steady_at.is_some() {
            self.steady(gateway, since); // its timer is late
        }
        loss
    }

    /// The connection has been connected long enough.
    pub(super) fn steady(&mut self, gateway: GatewayIndex, since: Instant) {
        self.round.accept_credentials();
        self.push(ConnectionOutput::Steadied { gateway, since });
    }

    pub(super) fn note_failure(&mut self, gateway: Option<GatewayIndex>, cause: Cause) {
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
    pub(super) fn end(&mut self, reason: StateReason, cause: Option<Cause>) {
        let from = self.client_state();
        let gateway = self.gateway();
        self.abandon_beside();
        match mem::replace(&mut self.state, State::Closed) {
            State::Dialling(Dial { socket, .. }) | State::Greeting { socket, .. } => {
                self.push(ConnectionOutput::Close { socket });
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
