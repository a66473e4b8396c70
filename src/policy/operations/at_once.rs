//! The short way, which most operations take: sent as they are made, settled as they are answered.
//!
//! Nothing is queued on it, which makes it several times as fast as the long way by outputs. Where
//! an operation cannot take it, nothing has happened.

use super::{
    AttemptId, Binding, Call, OperationId, Purpose,
    machine::{Flush, Link, Operations},
    operation::{Operation, State},
};
use crate::policy::{Instant, SocketId, time};

impl Operations {
    /// Takes in and hands over an operation whose frame can go out at once, on the socket that is
    /// said.
    pub(in crate::policy) fn invoke_at_once(
        &mut self,
        now: Instant,
        id: OperationId,
        call: &Call,
    ) -> Option<SocketId> {
        let Link::Ready { socket, gateway } = self.link else { return None };
        let plain = call.purpose == Purpose::Request
            && call.binding == Binding::Anywhere
            && call.messaging.is_none()
            && call.timeout_milliseconds != Some(0);
        let is_measured = call.buffered_bytes > 0 || self.asks_for_buffer(call.bytes);
        let buffered = if is_measured { call.buffered_bytes } else { self.buffered_at_most };
        let fits = !self.store.is_full()
            && !self.is_too_big(call.bytes)
            && self.has_room_in_flight()
            && !self.overfills(call.bytes, buffered);
        let undisturbed = self.flush == Flush::Done && !self.draining && self.outputs.is_empty();
        if !(plain && fits && undisturbed && self.is_reserved(id)) {
            return None;
        }
        let respond_by = match self.messaging.wait_for_response_milliseconds {
            0 => None,
            wait => Some(now.after(wait)),
        };
        let mut operation = Operation::new(now, id, call);
        let wake_at = time::earlier(respond_by, operation.time_out_at);
        operation.state = State::InFlight { attempt: AttemptId(id.0) };
        operation.attempts = 1;
        operation.gateway = Some(gateway);
        operation.wake_at = wake_at;
        let slot = self.store.insert(operation)?;
        self.index.insert(id.0, slot);
        if let Some(at) = wake_at {
            self.deadlines.push(at, slot);
            self.tidy();
        }
        self.in_flight = self.in_flight.saturating_add(1);
        self.counts.attempts = self.counts.attempts.saturating_add(1);
        self.buffered_at_most = buffered.saturating_add(call.bytes);
        Some(socket)
    }

    /// Settles what a result has come for; `None` where more comes of that than its success.
    pub(in crate::policy) fn take_result(&mut self, attempt: AttemptId) -> Option<OperationId> {
        if self.draining {
            return None;
        }
        let slot = self.index.get(attempt.0)?;
        let operation = self.store.get(slot)?;
        if operation.state != (State::InFlight { attempt }) || operation.is_subscription() {
            return None;
        }
        let (id, purpose) = (operation.id, operation.purpose);
        self.store.remove(slot);
        self.index.remove(id.0);
        if attempt.0 != id.0 {
            self.index.remove(attempt.0);
        }
        self.tidy();
        self.in_flight = self.in_flight.saturating_sub(1);
        if purpose == Purpose::Request {
            self.counts.succeeded = self.counts.succeeded.saturating_add(1);
        }
        Some(id)
    }
}
