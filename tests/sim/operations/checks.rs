//! What must hold of requests whenever a client has come to rest.

use regate::policy::{Answer, Redo, SendFailure, SocketId};

use super::{End, Operations, Wakes};
use crate::sim::Verdicts;

impl Operations {
    /// Every subscription was issued on `socket`, and is live or still unanswered.
    pub(crate) fn check_subscriptions(&self, socket: Option<SocketId>, v: &mut Verdicts) {
        for (id, o) in self.operations.iter().filter(|(_, o)| o.settled.is_none()) {
            let last = o.attempts.last().map(|attempt| attempt.socket);
            v.require(!o.is_subscription() || last == socket, || {
                format!("{id:?} is not issued on {socket:?}")
            });
        }
    }

    /// To be asked after each turn. `ready` is the socket on which operations can go out;
    /// `ours` the one there is, whether or not they can.
    pub(crate) fn after_turn(
        &mut self,
        ready: Option<SocketId>,
        ours: Option<SocketId>,
        poll_timeout: Option<u64>,
        wakes: Wakes,
        v: &mut Verdicts,
    ) {
        self.flushing = None;
        let may_pause = self.is_limited_in_bytes();
        for (id, operation) in self.operations.iter().filter(|(_, o)| o.settled.is_none()) {
            if ready.is_some() && !may_pause {
                v.require(!operation.attempts.is_empty(), || format!("{id:?} stays parked"));
                let issued = operation.attempts.last().map(|attempt| attempt.socket) == ready;
                let waits = operation.due.1 > self.ready_at && operation.live().is_none();
                v.require(!operation.is_subscription() || issued || waits, || {
                    format!("{id:?} is not issued on {ready:?}")
                });
            }
            let bound_to = operation.bound_to.filter(|_| operation.is_bound());
            v.require(bound_to.is_none() || bound_to == ours, || {
                format!("{id:?} outlives the connection that it is bound to")
            });
            if let Some(last) = operation.attempts.last()
                && let Some((ended_at, end)) = last.end
            {
                let for_good = match end {
                    End::Answered(Answer::Retryable { .. }) if operation.is_subscription() => false,
                    End::Answered(Answer::Retryable { after_milliseconds }) => operation
                        .give_up_at()
                        .is_none_or(|give_up_at| ended_at + after_milliseconds > give_up_at),
                    End::Answered(Answer::Result) => !operation.is_subscription(),
                    End::Answered(_) => true,
                    End::Lost(Some(1003 | 1007 | 1009)) => true,
                    End::Lost(_) => operation.redo == Redo::Once,
                    End::NotSent(failure) => {
                        failure == SendFailure::WrongContext && !operation.is_subscription()
                    }
                } || operation.is_of_session();
                v.require(!for_good, || format!("{id:?} has ended and is not settled"));
            }
            let refused = operation.aborted || operation.too_many;
            v.require(!refused, || format!("{id:?} was aborted, or is too much, and lives"));
            for at in operation.deadlines().filter(|_| wakes == Wakes::Due) {
                v.require(poll_timeout.is_some_and(|next| next <= at), || {
                    format!("nobody wakes for {id:?} at {at} ms")
                });
            }
        }
    }

    /// To be asked after a timer was served: what was due before has happened.
    pub(crate) fn after_timeout(&self, now: u64, ready: bool, v: &mut Verdicts) {
        for (id, operation) in self.operations.iter().filter(|(_, o)| o.settled.is_none()) {
            v.require(operation.deadlines().all(|at| at >= now), || format!("{id:?} is overdue"));
            let live = operation.attempts.last().is_some_and(|attempt| {
                matches!(attempt.end, Some((_, End::Answered(Answer::Result))))
            });
            let can_go = ready && operation.live().is_none() && !live;
            let can_go = can_go && !self.is_limited_in_bytes();
            v.require(!can_go || operation.due.1 >= now, || {
                format!("{id:?} was to be retried by {}", operation.due.1)
            });
        }
    }
}
