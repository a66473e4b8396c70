//! The steps that an operation takes: what the machine does with one of them.

use super::{
    AttemptEnd, AttemptId, Decision, MessagingSettings, OperationId, Purpose, Standing, decide,
    machine::{Flush, Link, OperationOutput, Operations},
    operation::{Issue, Operation, State},
    table::Slot,
};
use crate::policy::{
    Cause, Completion, ErrorCode, GatewayIndex, Instant, LastFailure, OperationError, SocketId,
    time,
};

/// The longest delay between two issues of a subscription that is told to try again.
const LONGEST_SUBSCRIPTION_DELAY_MILLISECONDS: u64 = 60_000;

/// How late the timer of a last attempt may be for it to be made still.
const LAST_ATTEMPT_GRACE_MILLISECONDS: u64 = 1_000;

impl Operations {
    pub(super) fn settings<'a>(&'a self, operation: &'a Operation) -> &'a MessagingSettings {
        operation.messaging.as_deref().unwrap_or(&self.messaging)
    }

    pub(super) fn decide(&self, end: AttemptEnd, operation: &Operation) -> Decision {
        let standing = match self.link {
            Link::NotYet => Standing::NotYet,
            Link::Ready { .. } => Standing::Connected,
            Link::Reconnecting => Standing::Reconnecting,
            Link::Closed => return Decision::Fail(end.code()),
        };
        decide(end, operation.known, standing, operation.redo, self.settings(operation))
    }

    /// Where an operation may be sent now, if anywhere.
    fn target(&self, operation: &Operation) -> Option<(SocketId, GatewayIndex)> {
        let ready = match self.link {
            Link::Ready { socket, gateway } => Some((socket, gateway)),
            Link::NotYet | Link::Reconnecting | Link::Closed => None,
        };
        if operation.is_of_session() {
            let its_own = |&(socket, _): &(_, _)| operation.bound_to() == Some(socket);
            return self.greeting.or(ready).filter(its_own);
        }
        ready.filter(|&(socket, _)| operation.bound_to().is_none_or(|bound_to| bound_to == socket))
    }

    /// Sends what waits when it is due and can go, or sees to it that it wakes in time.
    pub(super) fn go_or_wait(&mut self, now: Instant, slot: Slot) {
        let Some(operation) = self.store.get(slot) else { return };
        let State::Waiting { due_at } = operation.state else { return };
        let give_up_at = operation.give_up_at(self.settings(operation));
        let time_out_at = operation.time_out_at;
        let due = due_at <= now;
        if time_out_at.is_some_and(|at| at <= now) {
            return self.fail(now, slot, ErrorCode::Timeout); // its timer is late
        }
        // The last attempt starts at the limit itself, for which no real timer is exact.
        let is_late = |at: Instant| {
            let last = due_at == at && now.since(at) <= LAST_ATTEMPT_GRACE_MILLISECONDS;
            at < now && !last
        };
        if give_up_at.is_some_and(is_late) {
            return self.fail(now, slot, ErrorCode::RetryTimeout);
        }
        let flushing = self.flush != Flush::Done && !operation.is_of_session();
        if let Some((socket, gateway)) = self.target(operation).filter(|_| due && !flushing) {
            return self.queue(now, slot, socket, gateway);
        }
        if give_up_at.is_some_and(|at| at <= now) {
            return self.fail(now, slot, ErrorCode::RetryTimeout);
        }
        let due_at = (!due).then_some(due_at);
        self.wake(slot, time::earlier(due_at, time::earlier(give_up_at, time_out_at)));
    }

    fn queue(&mut self, now: Instant, slot: Slot, socket: SocketId, gateway: GatewayIndex) {
        let Some(operation) = self.store.get(slot) else { return };
        let first = operation.attempts == 0 && operation.last_failure == LastFailure::None;
        let (id, time_out_at) = (operation.id, operation.time_out_at);
        let respond_by = match self.settings(operation).wait_for_response_milliseconds {
            0 => None,
            _ if operation.is_subscription() => None,
            wait => Some(now.after(wait)),
        };
        let attempt = if first {
            AttemptId(id.0)
        } else {
            let attempt = AttemptId(self.reserve().0);
            self.index.insert(attempt.0, slot);
            attempt
        };
        self.count_out(slot);
        if let Some(operation) = self.store.get_mut(slot) {
            operation.state = State::Queued { attempt };
            operation.gateway = Some(gateway);
        }
        self.count_in(slot);
        self.wake(slot, time::earlier(respond_by, time_out_at));
        self.outputs.push_back(OperationOutput::Send { socket, operation: id, attempt });
    }

    /// Counts an operation by its state; to be undone before that changes.
    pub(super) fn count_in(&mut self, slot: Slot) {
        let Some(operation) = self.store.get(slot) else { return };
        if operation.is_subscription() {
            self.subscriptions = self.subscriptions.saturating_add(1);
        } else if let State::Waiting { .. } = operation.state {
            self.waiting = self.waiting.saturating_add(1);
            self.waiting_bytes = self.waiting_bytes.saturating_add(operation.bytes);
        } else {
            self.in_flight = self.in_flight.saturating_add(1);
        }
    }

    fn count_out(&mut self, slot: Slot) {
        let Some(operation) = self.store.get(slot) else { return };
        if operation.is_subscription() {
            self.subscriptions = self.subscriptions.saturating_sub(1);
        } else if let State::Waiting { .. } = operation.state {
            self.waiting = self.waiting.saturating_sub(1);
            self.waiting_bytes = self.waiting_bytes.saturating_sub(operation.bytes);
        } else {
            self.in_flight = self.in_flight.saturating_sub(1);
        }
    }

    /// Makes `at` the one deadline of the operation that counts.
    fn wake(&mut self, slot: Slot, at: Option<Instant>) {
        let Some(operation) = self.store.get_mut(slot) else { return };
        if operation.wake_at == at {
            return;
        }
        operation.wake_at = at;
        if let Some(at) = at {
            self.deadlines.push(at, slot);
        }
        self.tidy();
    }

    pub(super) fn tidy(&mut self) {
        let store = &self.store;
        self.deadlines.tidy(store.len(), |at, slot| {
            store.get(slot).is_some_and(|operation| operation.wake_at == Some(at))
        });
    }

    /// A subscription was answered with a result.
    pub(super) fn go_live(&mut self, slot: Slot) {
        let Some(operation) = self.store.get_mut(slot) else { return };
        if let Some(attempt) = operation.attempt()
            && attempt.0 != operation.id.0
        {
            self.index.remove(attempt.0);
        }
        operation.state = State::Live;
        operation.delay_milliseconds = 0;
        operation.known = operation.known.and(Completion::Yes);
        let resumed = core::mem::replace(&mut operation.issue, Issue::Again) == Issue::Again;
        let subscribed = OperationOutput::Subscribed { operation: operation.id, resumed };
        self.wake(slot, None);
        self.outputs.push_back(subscribed);
    }

    /// The connection of an operation is lost.
    ///
    /// `except` are attempts that their socket did not take.
    pub(super) fn lose_attempt(
        &mut self,
        now: Instant,
        slot: Slot,
        end: AttemptEnd,
        cause: Cause,
        except: &[AttemptId],
    ) {
        let Some(operation) = self.store.get_mut(slot) else { return };
        if operation.attempt().is_some_and(|attempt| except.contains(&attempt)) {
            return;
        }
        match operation.state {
            State::Live => operation.state = State::Waiting { due_at: now },
            // It is written on every new socket, whatever the old gateway asked for.
            State::Waiting { .. } if operation.is_subscription() => {
                operation.state = State::Waiting { due_at: now };
                self.wake(slot, None);
            }
            State::InFlight { .. } => {
                self.end_attempt(now, slot, end, LastFailure::Lost(cause), 0);
            }
            State::Waiting { .. } | State::Queued { .. } => {
                operation.last_failure = LastFailure::Lost(cause);
                self.fail(now, slot, ErrorCode::ConnectionLost); // bound to what is gone
            }
        }
    }

    /// An attempt has ended, or could not be made: retries the operation or fails it.
    pub(super) fn end_attempt(
        &mut self,
        now: Instant,
        slot: Slot,
        end: AttemptEnd,
        failure: LastFailure,
        retry_after_milliseconds: u64,
    ) {
        let Some(operation) = self.store.get_mut(slot) else { return };
        operation.known = operation.known.and(end.completion());
        if failure != LastFailure::None {
            operation.last_failure = failure;
        }
        if operation.is_subscription() {
            return self.end_issue(now, slot, end, retry_after_milliseconds);
        }
        self.bring_back(now, slot);
        let Some(operation) = self.store.get(slot) else { return };
        if operation.is_of_session() {
            return self.fail(now, slot, bound_code(end)); // its hook decides what comes next
        }
        if operation.bound_to().is_some() && self.target(operation).is_none() {
            return self.fail(now, slot, bound_code(end));
        }
        match self.decide(end, operation) {
            Decision::Fail(code) => self.fail(now, slot, code),
            Decision::Retry => self.retry(now, slot, end, retry_after_milliseconds),
        }
    }

    /// An issue of a subscription has ended: it waits for the next, unless it was refused.
    fn end_issue(&mut self, now: Instant, slot: Slot, end: AttemptEnd, retry_after: u64) {
        self.bring_back(now, slot);
        if self.link == Link::Closed {
            // The client gave up because of this, or had drained all but this.
            let never_sent = end == AttemptEnd::NeverSent;
            let code = if never_sent { ErrorCode::ClientClosed } else { end.code() };
            return self.fail(now, slot, code);
        }
        match end {
            AttemptEnd::AnsweredError | AttemptEnd::AnsweredRejected => {
                return self.fail(now, slot, ErrorCode::RemoteError);
            }
            AttemptEnd::AnsweredNeither => {
                return self.fail(now, slot, ErrorCode::ProtocolError);
            }
            AttemptEnd::AnsweredRetryable => {
                let delay = self.next_delay(slot).max(retry_after);
                let delay = delay.min(LONGEST_SUBSCRIPTION_DELAY_MILLISECONDS.max(retry_after));
                if let Some(operation) = self.store.get_mut(slot) {
                    operation.state = State::Waiting { due_at: now.after(delay) };
                }
            }
            // Its own request may be what the gateway objected to.
            AttemptEnd::BlamedAmongOthers | AttemptEnd::BlamedAlone => {
                return self.fail(now, slot, end.code());
            }
            AttemptEnd::Lost
            | AttemptEnd::NeverSent
            | AttemptEnd::ResponseTimedOut
            | AttemptEnd::SendThrew
            | AttemptEnd::WrongContext => {}
        }
        self.go_or_wait(now, slot);
    }

    /// Turns a queued or sent operation into one that waits.
    pub(super) fn bring_back(&mut self, now: Instant, slot: Slot) {
        let Some(operation) = self.store.get(slot) else { return };
        let Some(attempt) = operation.attempt() else { return };
        if attempt.0 != operation.id.0 {
            self.index.remove(attempt.0);
        }
        self.count_out(slot);
        if let Some(operation) = self.store.get_mut(slot) {
            operation.state = State::Waiting { due_at: now };
        }
        self.count_in(slot);
    }

    fn retry(&mut self, now: Instant, slot: Slot, end: AttemptEnd, retry_after: u64) {
        let Some(operation) = self.store.get(slot) else { return };
        if end == AttemptEnd::NeverSent {
            return self.go_or_wait(now, slot); // parking is no attempt
        }
        let settings = *self.settings(operation);
        let Some(give_up_at) = operation.give_up_at(&settings) else {
            return self.fail(now, slot, end.code());
        };
        let left = give_up_at.since(now);
        if left == 0 || retry_after > left {
            return self.fail(now, slot, ErrorCode::RetryTimeout);
        }
        let fast = u64::from(operation.attempts) < settings.max_fast_invocation_count;
        let delay = if fast { 0 } else { self.next_delay(slot) };
        let due_at = now.after(delay.max(retry_after).min(left));
        if let Some(operation) = self.store.get_mut(slot) {
            operation.state = State::Waiting { due_at };
        }
        self.go_or_wait(now, slot);
    }

    /// The delay before the next attempt: twice the one before, then lengthened by chance.
    fn next_delay(&mut self, slot: Slot) -> u64 {
        let Some(operation) = self.store.get(slot) else { return 0 };
        let settings = *self.settings(operation);
        let next = match operation.delay_milliseconds {
            0 => settings.min_retry_delay_milliseconds,
            previous => previous.saturating_add(previous),
        };
        if let Some(operation) = self.store.get_mut(slot) {
            operation.delay_milliseconds = next;
        }
        next.saturating_add(self.rng.up_to(settings.jitter.of(next)))
    }

    /// Says no to what was never taken in.
    pub(super) fn refuse(&mut self, now: Instant, operation: &Operation, code: ErrorCode) {
        let outcome = Err(operation.error(now, code));
        self.tell(operation.id, operation.purpose, outcome);
    }

    pub(super) fn fail(&mut self, now: Instant, slot: Slot, code: ErrorCode) {
        if let Some(operation) = self.store.get(slot) {
            let error = operation.error(now, code);
            self.settle(now, slot, Err(error));
        }
    }

    pub(super) fn settle(&mut self, now: Instant, slot: Slot, outcome: Result<(), OperationError>) {
        self.bring_back(now, slot);
        self.count_out(slot);
        let Some(operation) = self.store.get(slot) else { return };
        let (id, purpose) = (operation.id, operation.purpose);
        self.store.remove(slot);
        self.index.remove(id.0);
        self.tidy();
        self.tell(id, purpose, outcome);
    }

    fn tell(&mut self, id: OperationId, purpose: Purpose, outcome: Result<(), OperationError>) {
        let counter = match outcome {
            Ok(()) => &mut self.counts.succeeded,
            Err(OperationError { completion: Completion::No, .. }) => &mut self.counts.failed_no,
            Err(OperationError { completion: Completion::Maybe, .. }) => {
                &mut self.counts.failed_maybe
            }
            Err(OperationError { completion: Completion::Yes, .. }) => &mut self.counts.failed_yes,
        };
        if purpose == Purpose::Request {
            *counter = counter.saturating_add(1);
        }
        self.outputs.push_back(OperationOutput::Settled { operation: id, outcome });
    }
}

/// The code of an operation that is bound to a connection and cannot be sent on it again.
const fn bound_code(end: AttemptEnd) -> ErrorCode {
    match end {
        AttemptEnd::NeverSent => ErrorCode::ConnectionLost,
        AttemptEnd::AnsweredError
        | AttemptEnd::AnsweredNeither
        | AttemptEnd::AnsweredRejected
        | AttemptEnd::AnsweredRetryable
        | AttemptEnd::BlamedAmongOthers
        | AttemptEnd::BlamedAlone
        | AttemptEnd::Lost
        | AttemptEnd::ResponseTimedOut
        | AttemptEnd::SendThrew
        | AttemptEnd::WrongContext => end.code(),
    }
}
