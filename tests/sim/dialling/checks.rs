//! What must hold of sockets and waits whenever a client has come to rest.

use regate::policy::ClientState;

use super::{Dialling, Judging, Next};
use crate::sim::Verdicts;

impl Dialling {
    /// To be asked after each turn: a client that is to dial has something that wakes it.
    pub(crate) fn after_turn(&self, poll_timeout: Option<u64>, v: &mut Verdicts) {
        let wakes = |at: u64| poll_timeout.is_some_and(|next| next <= at);
        let raced = self.ours.is_some_and(|ours| ours.opened_at.is_some());
        v.require(self.beside.is_none() || !raced, || {
            format!("{:?} is not abandoned", self.beside)
        });
        let other = self.beside.is_none_or(|other| wakes(self.limit_of(other)));
        v.require(other, || format!("nobody ends the dial of {:?}", self.beside));
        match self.state {
            ClientState::Idle | ClientState::Closed => {
                v.require(self.ours.is_none(), || format!("{:?} is left over", self.ours));
            }
            ClientState::Connecting | ClientState::Reconnecting => match (self.ours, self.next) {
                (Some(ours), _) => v.require(wakes(self.limit_of(ours)), || {
                    format!("nobody ends the dial of {ours:?}")
                }),
                (None, Next::Wait { until, .. }) if self.judging == Judging::All => {
                    v.require(wakes(until), || format!("nobody dials at {until}"));
                }
                (None, _) => {
                    v.require(poll_timeout.is_some(), || "nobody ever dials".to_owned());
                }
            },
            ClientState::Connected => {
                let doomed_at = self.ours.and_then(|ours| ours.doomed_at);
                v.require(self.ours.is_some(), || "connected by nothing".to_owned());
                v.require(doomed_at.is_none_or(wakes), || format!("{:?} stays", self.ours));
            }
        }
    }

    /// To be asked after a timer was served: what was due before has happened.
    pub(crate) fn after_timeout(&self, now: u64, v: &mut Verdicts) {
        let dialling = matches!(self.state, ClientState::Connecting | ClientState::Reconnecting);
        let over = self.beside.is_some_and(|other| now > self.limit_of(other));
        v.require(!over, || format!("{:?} is over its limit", self.beside));
        match (self.ours, self.next) {
            (Some(ours), _) => {
                let over = ours.ready_at.is_none() && now > self.limit_of(ours);
                v.require(!over, || format!("{ours:?} is over its limit"));
                let lost = ours.doomed_at.is_some_and(|at| now > at);
                v.require(!lost, || format!("{ours:?} is not open and stays"));
            }
            (None, Next::Wait { until, .. }) if dialling && self.judging == Judging::All => {
                v.require(now <= until, || format!("the wait was over at {until}"));
            }
            (None, _) => {}
        }
    }
}
