//! Between the connections of a program that asks for each of them: round and schedule are kept.
//!
//! A library that opens a new WebSocket whenever it lost one would dial a dead cluster as fast as
//! it likes, if each began afresh. So what ends a connection is worked out to the next dial, and
//! kept until it is asked for: where the round goes on, and when it may at the earliest.

use super::{
    CloseRequest, Connection, ConnectionOutput, Dial, Loss, Pause, Phase, Reconnect, State, Then,
};
use crate::policy::{
    Cause, ClientState, GatewayIndex, GaveUp, InFlight, Instant, NextDial, StateReason, Verdict,
};

/// What a closed connection goes on with when it is asked for the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rest {
    /// No dial before.
    until: Instant,
    then: Then,
}

impl Connection {
    /// Whether connections are asked for one by one.
    pub(super) const fn is_asked_for_each(&self) -> bool {
        matches!(self.settings.reconnect, Reconnect::OnRequest)
    }

    /// Whether the next dial waits until it is asked for.
    pub(super) const fn must_be_asked(&self) -> bool {
        self.is_asked_for_each() && matches!(self.phase, Phase::Reconnecting)
    }

    /// Closes, and keeps what comes next until it is asked for.
    pub(super) fn rest(&mut self, until: Instant, then: Then, reason: StateReason) {
        self.rest = Some(Rest { until, then });
        self.end(reason, None);
    }

    /// Rests after a loss.
    pub(super) fn rest_after_loss(&mut self, until: Instant, then: Then) {
        self.rest(until, then, StateReason::GaveUp(GaveUp::ConnectionLost));
    }

    /// No gateway is left that may be dialled. Who asks for each connection may ask again, but no
    /// faster than the schedule: then all of them are tried once more.
    pub(super) fn end_without_gateway(&mut self, now: Instant) {
        let reason = StateReason::GaveUp(GaveUp::NoGateway);
        if !self.is_asked_for_each() {
            return self.end(reason, None);
        }
        let next = self.schedule.next_wait();
        let wait = self.draw_wait(next);
        self.round.clear_all();
        self.rest(now.after(wait), Then::Round, reason);
    }

    /// Goes on where the last connection stopped; `false` where there was none.
    pub(super) fn go_on_from_rest(&mut self, now: Instant, from: ClientState) -> bool {
        let Some(Rest { until, then }) = self.rest.take() else { return false };
        self.begin_to_connect(from, State::Pausing { until: now, pause: Pause::Spread, then });
        if until > now {
            self.pause(now, until.since(now), then);
        }
        true
    }

    /// The application leaves a connection that it asked for. Unless the work is done, it would
    /// not have left what works: the gateway counts as one that failed, but nobody is asked what
    /// that means.
    pub(super) fn leave(&mut self, now: Instant, request: CloseRequest) {
        let reason = StateReason::Requested;
        match self.state {
            State::Connected { gateway, lost_at: None, .. } if request == CloseRequest::Done => {
                self.rest_after_work(now, gateway);
            }
            State::Connected { socket, gateway, .. } => {
                self.push(ConnectionOutput::Close { socket });
                self.lose(now, gateway, Cause::Dropped, Some(Verdict::Next), InFlight::Nothing);
            }
            State::Dialling(Dial { socket, gateway, .. })
            | State::Greeting { socket, gateway, .. } => {
                self.abandon_beside();
                self.push(ConnectionOutput::Close { socket });
                if matches!(self.state, State::Greeting { .. }) {
                    self.push(ConnectionOutput::GreetingEnded { cause: Cause::Dropped });
                }
                // Its socket is gone: there is nothing left to let go of.
                self.state =
                    State::Pausing { until: now, pause: Pause::Spread, then: Then::NextDial };
                self.rest_after_failure(now, gateway);
            }
            State::Pausing { until, then, .. } => self.rest(until, then, reason),
            State::Listing { then, .. } => self.rest(self.floor(now), then, reason),
            State::Judging { gateway, .. } => self.rest_after_failure(now, gateway),
            State::Hidden => self.rest(self.floor(now), Then::Round, reason),
            State::Idle => self.end(reason, None),
            State::Closed => {}
        }
    }

    /// Rests where it is: the next connection is one to the same gateway. Round and schedule stay
    /// as they are, as a connection that was not steady proves nothing.
    fn rest_after_work(&mut self, now: Instant, gateway: GatewayIndex) {
        if self.forgive(now) == Loss::Steady {
            self.begin_schedule();
            self.round.begin_at(gateway);
            self.rounds = 1;
        }
        self.rest(now, Then::Redial(gateway), StateReason::Requested);
    }

    fn rest_after_failure(&mut self, now: Instant, gateway: GatewayIndex) {
        self.round.fail(gateway);
        match self.round.next_dial() {
            NextDial::Gateway(_) => self.rest(now, Then::NextDial, StateReason::Requested),
            NextDial::RoundOver => {
                let next = self.schedule.next_wait();
                let wait = self.draw_wait(next);
                self.rest(now.after(wait), Then::Round, StateReason::Requested);
            }
            NextDial::NoneLeft => self.end_without_gateway(now),
        }
    }
}
