//! What the connection does to operations: lets them out, holds them back, loses and ends them.

use super::{
    AttemptEnd, AttemptId,
    machine::{FLUSH_PAUSE_MILLISECONDS, Flush, Link, OperationOutput, Operations},
    operation::{Operation, State},
};
use crate::policy::{Cause, CloseCode, ErrorCode, GatewayIndex, Instant, LastFailure, SocketId};

impl Operations {
    /// The application called `connect()`: operations may wait again.
    pub(in crate::policy) fn start(&mut self) {
        self.link = Link::NotYet;
    }

    /// The session hook runs on this socket: what it makes may go out there.
    pub(in crate::policy) fn greet(&mut self, socket: SocketId, gateway: GatewayIndex) {
        self.greeting = Some((socket, gateway));
    }

    /// The socket of the session hook is gone.
    /// `except` are attempts that it did not take.
    pub(in crate::policy) fn end_greeting(
        &mut self,
        now: Instant,
        cause: Cause,
        except: &[AttemptId],
    ) {
        let Some((greeting, _)) = self.greeting.take() else { return };
        let end = self.end_by(cause);
        for slot in self.slots_in_order(|operation| operation.bound_to() == Some(greeting)) {
            self.lose_attempt(now, slot, end, cause, except);
        }
    }

    /// A connection is ready: what waits goes out, subscriptions first, in the order it was made.
    pub(in crate::policy) fn open(
        &mut self,
        now: Instant,
        socket: SocketId,
        gateway: GatewayIndex,
    ) {
        self.link = Link::Ready { socket, gateway };
        self.greeting = None;
        self.buffered_at_most = 0;
        self.allow(0);
        self.flush(now);
    }

    /// The platform takes so much more at once, where it has `buffered_bytes` to send already.
    fn allow(&mut self, buffered_bytes: u64) {
        self.allowance = match self.limits.max_buffered_bytes {
            0 => u64::MAX, // then nothing was let in to wait; what is retried must go out
            most => most.saturating_sub(buffered_bytes),
        };
    }

    /// Sends what waits and is due, for as long as the platform should take it.
    pub(super) fn flush(&mut self, now: Instant) {
        self.flush = Flush::Done;
        let due = |operation: &Operation| matches!(operation.state, State::Waiting { due_at } if due_at <= now);
        let subscriptions =
            self.slots_in_order(|operation| due(operation) && operation.is_subscription());
        let others =
            self.slots_in_order(|operation| due(operation) && !operation.is_subscription());
        for slot in subscriptions.into_iter().chain(others) {
            let bytes = self.store.get(slot).map_or(0, |operation| operation.bytes);
            if self.allowance == 0 {
                let measure_at = now.after(FLUSH_PAUSE_MILLISECONDS);
                self.flush = Flush::Paused { measure_at };
                return;
            }
            self.allowance = self.allowance.saturating_sub(bytes);
            self.go_or_wait(now, slot);
        }
    }

    /// The platform still has so much to send.
    pub(in crate::policy) fn measured(&mut self, now: Instant, buffered_bytes: u64) {
        self.buffered_at_most = buffered_bytes;
        if self.flush != Flush::Done {
            self.allow(buffered_bytes);
            self.flush(now);
        }
    }

    /// The pause of a flush is over, or the platform has not said what it has to send.
    pub(super) fn go_on_flushing(&mut self, now: Instant) {
        let Link::Ready { socket, .. } = self.link else { return };
        match self.flush {
            Flush::Paused { measure_at } if measure_at <= now => {
                self.flush = Flush::Measuring { until: now.after(FLUSH_PAUSE_MILLISECONDS) };
                self.outputs.push_back(OperationOutput::Measure { socket });
            }
            Flush::Measuring { until } if until <= now => {
                self.allow(0);
                self.flush(now);
            }
            Flush::Done | Flush::Paused { .. } | Flush::Measuring { .. } => {}
        }
    }

    /// The socket takes no more, though it is not lost yet: what is queued was never sent.
    pub(in crate::policy) fn halt(&mut self, now: Instant) {
        if matches!(self.link, Link::Ready { .. }) {
            self.link = Link::Reconnecting;
        }
        self.flush = Flush::Done;
        for slot in self.slots_in_order(|operation| matches!(operation.state, State::Queued { .. }))
        {
            self.end_attempt(now, slot, AttemptEnd::NeverSent, LastFailure::None, 0);
        }
    }

    /// The connection is lost; `except` are attempts that the socket did not take.
    pub(in crate::policy) fn lose(&mut self, now: Instant, cause: Cause, except: &[AttemptId]) {
        self.link = Link::Reconnecting;
        self.halt(now);
        let end = self.end_by(cause);
        for slot in self.slots_in_order(|operation| {
            matches!(operation.state, State::InFlight { .. } | State::Live)
                || operation.bound_to().is_some()
                || operation.is_subscription()
        }) {
            self.lose_attempt(now, slot, end, cause, except);
        }
    }

    /// The client is closed: everything is settled. What is in flight has a code of its own where
    /// the loss of its connection, by `cause`, is the end.
    pub(in crate::policy) fn close(
        &mut self,
        now: Instant,
        code: ErrorCode,
        cause: Option<Cause>,
        except: &[AttemptId],
    ) {
        self.link = Link::Closed;
        self.greeting = None;
        self.flush = Flush::Done;
        self.draining = false;
        let lost = cause.map(|cause| (self.end_by(cause).code(), cause));
        for slot in self.slots_in_order(|_| true) {
            let Some(operation) = self.store.get_mut(slot) else { continue };
            if operation.attempt().is_some_and(|attempt| except.contains(&attempt)) {
                continue;
            }
            let code = match (operation.state, lost) {
                (State::InFlight { .. }, Some((code, cause))) => {
                    operation.last_failure = LastFailure::Lost(cause);
                    code
                }
                _ => code,
            };
            self.fail(now, slot, code);
        }
    }

    /// What the loss of the socket by `cause` means for what was in flight on it.
    fn end_by(&self, cause: Cause) -> AttemptEnd {
        let handed_over = |operation: &Operation| matches!(operation.state, State::InFlight { .. });
        let alone =
            || self.store.iter().filter(|(_, operation)| handed_over(operation)).count() == 1;
        match cause.close_code() {
            Some(CloseCode::TOO_BIG) if alone() => AttemptEnd::BlamedAlone,
            Some(code) if code.blames_a_message() => AttemptEnd::BlamedAmongOthers,
            Some(_) | None => AttemptEnd::Lost,
        }
    }
}
