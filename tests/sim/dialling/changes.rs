//! What changes of state, losses and waits mean for the rounds.

use regate::policy::{
    Cause, ClientState, FirstConnect, GatewayIndex, GaveUp, Reconnect, StateReason, Verdict,
};

use super::{Dialling, Gateway, Judging, Next, Pace};
use crate::sim::Verdicts;

impl Dialling {
    pub(super) fn change(
        &mut self,
        now: u64,
        to: ClientState,
        reason: StateReason,
        gateway: Option<GatewayIndex>,
        v: &mut Verdicts,
    ) {
        match (to, reason) {
            (ClientState::Connecting, StateReason::Requested) => {
                self.begin_schedule();
                self.gateways.fill(Gateway::default());
                self.round_began_at = None;
                self.last_dialled = None;
                self.next = Next::Asked;
                self.ever_lost = false;
                self.judging = self.judging_next;
                self.pace = Pace::default();
                self.judged = None;
            }
            (ClientState::Connected, StateReason::Opened) => {
                let opened = self.connected.map(|(gateway, _)| gateway);
                v.require(opened == gateway, || format!("connected to {gateway:?}"));
            }
            (ClientState::Reconnecting, StateReason::Lost(cause)) => {
                v.require(self.ours.is_none(), || format!("{:?} is lost and kept", self.ours));
                let never = self.settings.reconnect == Reconnect::Never;
                let on_purpose = matches!(cause, Cause::Dropped | Cause::Hidden);
                v.require(!never || on_purpose, || "reconnects, never".to_owned());
                self.ever_lost = true;
                self.lose(now, cause);
            }
            (
                ClientState::Closed,
                StateReason::GaveUp(GaveUp::ScheduleSpent | GaveUp::NoGateway),
            ) if self.judging == Judging::Sockets => {}
            (ClientState::Closed, StateReason::GaveUp(GaveUp::ScheduleSpent)) => {
                v.require(self.gives_up() && self.waits_taken == self.waits.len(), || {
                    format!("gives up after {} waits of {:?}", self.waits_taken, self.waits)
                });
                let live = self.gateways.iter().filter(|gateway| !gateway.out);
                v.require(live.clone().all(|gateway| gateway.failed), || {
                    "gives up before the round is over".to_owned()
                });
            }
            (ClientState::Closed, StateReason::GaveUp(GaveUp::NoGateway)) => {
                v.require(self.gateways.iter().all(|gateway| gateway.out), || {
                    "a gateway is left".to_owned()
                });
            }
            (ClientState::Closed, StateReason::GaveUp(GaveUp::ConnectionLost)) => {
                v.require(self.settings.reconnect == Reconnect::Never, || "not never".to_owned());
            }
            (ClientState::Closed, StateReason::Requested | StateReason::Aborted) => {}
            _ => v.require(false, || format!("{to:?} because of {reason:?}")),
        }
    }

    pub(super) fn lose(&mut self, now: u64, cause: Cause) {
        let Some((gateway, opened_at)) = self.connected else { return };
        let steady = now >= opened_at + self.settings.steady_milliseconds;
        if steady {
            self.gateways.iter_mut().for_each(|gateway| gateway.refused = false);
        }
        let mut verdict = self.default_verdict(cause);
        let refused = self.gateways.get(gateway.position() as usize).is_some_and(|g| g.refused);
        if verdict == Verdict::Refresh && refused {
            verdict = Verdict::Stop;
        }
        if cause == Cause::Dropped {
            self.begin_schedule();
            self.next = Next::Asked;
        } else if steady {
            self.begin_schedule();
            self.gateways.iter_mut().for_each(|gateway| gateway.failed = false);
            if matches!(verdict, Verdict::Stop | Verdict::Refresh) {
                self.mark(gateway, verdict);
                let gateway = self.gateways.get_mut(gateway.position() as usize);
                gateway.into_iter().for_each(|gateway| gateway.failed = false);
            }
            self.next = Next::Floor;
        } else {
            self.mark(gateway, verdict);
        }
    }

    pub(super) fn mark(&mut self, gateway: GatewayIndex, verdict: Verdict) {
        if let Some(gateway) = self.gateways.get_mut(gateway.position() as usize) {
            gateway.failed = true;
            gateway.out |= verdict == Verdict::Stop;
            gateway.refused |= verdict == Verdict::Refresh;
        }
    }

    pub(super) fn wait(&mut self, now: u64, milliseconds: u64, v: &mut Verdicts) {
        v.require(self.ours.is_none(), || format!("waits while {:?} is pending", self.ours));
        if self.judging == Judging::Sockets {
            return;
        }
        let until = now + milliseconds;
        let waiting = matches!(self.next, Next::Wait { .. });
        v.require(!waiting, || "waits twice and dials nothing between".to_owned());
        if self.next == Next::Floor {
            let initial = u64::from(self.settings.connect_timeouts.initial_milliseconds());
            let floor = self.round_began_at.map_or(0, |began| began + initial);
            v.require(milliseconds <= initial, || format!("the floor is {initial} ms"));
            self.next = Next::Wait { until, floor };
            return;
        }
        let live = self.gateways.iter().filter(|gateway| !gateway.out);
        v.require(live.clone().all(|gateway| gateway.failed), || {
            "waits although a gateway has not been tried".to_owned()
        });
        let exact = match self.waits.get(self.waits_taken) {
            Some(&wait) => {
                self.waits_taken += 1;
                wait
            }
            None => {
                v.require(!self.gives_up(), || "the schedule is spent".to_owned());
                self.waits.last().copied().unwrap_or(0)
            }
        };
        let cap = u64::from(self.settings.connect_timeouts.max_single_milliseconds());
        let shortest = exact - self.settings.jitter.of(exact);
        let fits = (shortest..=exact.min(cap)).contains(&milliseconds);
        v.require(fits, || format!("waits {milliseconds} ms, not {shortest} to {exact}"));
        self.next = Next::Wait { until, floor: 0 };
    }

    pub(super) fn gives_up(&self) -> bool {
        if self.ever_lost {
            self.settings.reconnect != Reconnect::Always // what it dropped itself, it dials
        } else {
            self.settings.first_connect == FirstConnect::Schedule
        }
    }

    pub(super) fn begin_schedule(&mut self) {
        self.waits_taken = 0;
        self.gateways.iter_mut().for_each(|gateway| gateway.dials = 0);
    }
}
