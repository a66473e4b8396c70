use alloc::{boxed::Box, collections::VecDeque, vec::Vec};

use super::{
    Answer, AttemptEnd, AttemptId, Call, Decision, Limits, MessagingSettings, OperationCounts,
    OperationId, Redo, Standing,
    deadlines::Deadlines,
    decide,
    table::{Index, Slot, Store},
};
use crate::policy::{
    Cause, CloseCode, Completion, ErrorCode, GatewayIndex, Instant, LastFailure, OperationError,
    Rng, SocketId, time,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::policy) enum OperationOutput {
    Send { socket: SocketId, operation: OperationId, attempt: AttemptId },
    Settled { operation: OperationId, outcome: Result<(), OperationError> },
}

/// Where operations can be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::policy) enum Link {
    NotYet,
    Ready { socket: SocketId, gateway: GatewayIndex },
    Reconnecting,
    Closed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waiting { due_at: Instant },
    Queued { attempt: AttemptId, respond_by: Option<Instant> },
    InFlight { attempt: AttemptId, respond_by: Option<Instant> },
}

#[derive(Debug)]
struct Operation {
    id: OperationId,
    state: State,
    /// The deadline of it that counts; others in the heap do not.
    wake_at: Option<Instant>,
    made_at: Instant,
    time_out_at: Option<Instant>,
    delay_milliseconds: u64,
    messaging: Option<Box<MessagingSettings>>,
    redo: Redo,
    /// Over all attempts that have ended.
    known: Completion,
    attempts: u32,
    last_failure: LastFailure,
    gateway: Option<GatewayIndex>,
}

impl Operation {
    const fn attempt(&self) -> Option<AttemptId> {
        match self.state {
            State::Waiting { .. } => None,
            State::Queued { attempt, .. } | State::InFlight { attempt, .. } => Some(attempt),
        }
    }

    /// When it may no longer be sent, where that is limited.
    fn give_up_at(&self, settings: &MessagingSettings) -> Option<Instant> {
        settings.retry_timeout_milliseconds().map(|timeout| self.made_at.after(timeout))
    }
}

#[derive(Debug)]
pub(in crate::policy) struct Operations {
    messaging: MessagingSettings,
    limits: Limits,
    rng: Rng,
    link: Link,
    store: Store<Operation>,
    index: Index,
    deadlines: Deadlines,
    last_id: u64,
    waiting: u64,
    in_flight: u64,
    counts: OperationCounts,
    outputs: VecDeque<OperationOutput>,
}

impl Operations {
    pub(in crate::policy) const fn new(
        messaging: MessagingSettings,
        limits: Limits,
        rng: Rng,
    ) -> Self {
        Self {
            messaging,
            limits,
            rng,
            link: Link::NotYet,
            store: Store::new(),
            index: Index::new(),
            deadlines: Deadlines::new(),
            last_id: 0,
            waiting: 0,
            in_flight: 0,
            counts: OperationCounts {
                attempts: 0,
                retries: 0,
                overloaded: 0,
                unmatched_answers: 0,
            },
            outputs: VecDeque::new(),
        }
    }

    pub(in crate::policy) const fn reserve(&mut self) -> OperationId {
        self.last_id = self.last_id.saturating_add(1);
        OperationId(self.last_id)
    }

    pub(in crate::policy) fn invoke(&mut self, now: Instant, id: OperationId, call: Call) {
        if id.0 == 0 || id.0 > self.last_id || self.index.get(id.0).is_some() {
            return; // not reserved, or made already
        }
        let time_out_at = call.timeout_milliseconds.map(|timeout| now.after(timeout));
        let operation = Operation {
            id,
            state: State::Waiting { due_at: now },
            wake_at: None,
            made_at: now,
            time_out_at,
            delay_milliseconds: 0,
            messaging: call.messaging,
            redo: call.redo,
            known: Completion::No,
            attempts: 0,
            last_failure: LastFailure::None,
            gateway: None,
        };
        if time_out_at.is_some_and(|at| at <= now) {
            return self.refuse(now, &operation, ErrorCode::Timeout);
        }
        let in_flight_limit = self.limits.max_in_flight_operations;
        let full = match self.link {
            Link::Closed => return self.refuse(now, &operation, ErrorCode::ClientClosed),
            Link::Ready { .. } => in_flight_limit != 0 && self.in_flight >= in_flight_limit,
            Link::NotYet => self.waiting >= self.limits.max_pending_operations,
            Link::Reconnecting => {
                if let Decision::Fail(code) = self.decide(AttemptEnd::NeverSent, &operation) {
                    return self.refuse(now, &operation, code);
                }
                self.waiting >= self.limits.max_pending_operations
            }
        };
        if full {
            self.counts.overloaded = self.counts.overloaded.saturating_add(1);
            return self.refuse(now, &operation, ErrorCode::Overloaded);
        }
        match self.store.insert(operation) {
            Ok(slot) => {
                self.waiting = self.waiting.saturating_add(1);
                self.index.insert(id.0, slot);
                self.go_or_wait(now, slot);
            }
            Err(operation) => self.refuse(now, &operation, ErrorCode::Overloaded),
        }
    }

    /// An answer came on the live socket; says whether it belonged to anything.
    pub(in crate::policy) fn answer(&mut self, now: Instant, attempt: AttemptId, answer: Answer) {
        let live = |state: &State| matches!(state, State::InFlight { .. });
        let Some(slot) = self.find_attempt(attempt, live) else {
            self.counts.unmatched_answers = self.counts.unmatched_answers.saturating_add(1);
            return;
        };
        let (end, after) = match answer {
            Answer::Result => return self.settle(now, slot, Ok(())),
            Answer::Retryable { after_milliseconds } => {
                (AttemptEnd::AnsweredRetryable, after_milliseconds)
            }
            Answer::Error { code: -32_700 | -32_600 | -32_601 | -32_602 } => {
                (AttemptEnd::AnsweredRejected, 0)
            }
            Answer::Error { .. } => (AttemptEnd::AnsweredError, 0),
            Answer::Neither => (AttemptEnd::AnsweredNeither, 0),
        };
        self.end_attempt(now, slot, end, LastFailure::Answered, after);
    }

    /// The caller wants no more of it.
    pub(in crate::policy) fn abort(&mut self, now: Instant, id: OperationId) {
        if let Some(slot) = self.find_operation(id) {
            self.fail(now, slot, ErrorCode::Aborted);
        }
    }

    /// The frame of `attempt` is about to be handed to the socket: `false` when it must not be.
    pub(in crate::policy) fn hand_over(&mut self, socket: SocketId, attempt: AttemptId) -> bool {
        if !matches!(self.link, Link::Ready { socket: live, .. } if live == socket) {
            return false;
        }
        let queued = |state: &State| matches!(state, State::Queued { .. });
        let Some(slot) = self.find_attempt(attempt, queued) else { return false };
        let Some(operation) = self.store.get_mut(slot) else { return false };
        if let State::Queued { attempt, respond_by } = operation.state {
            operation.state = State::InFlight { attempt, respond_by };
            operation.attempts = operation.attempts.saturating_add(1);
            self.counts.attempts = self.counts.attempts.saturating_add(1);
            if operation.attempts > 1 {
                self.counts.retries = self.counts.retries.saturating_add(1);
            }
        }
        true
    }

    /// The socket did not take the frame of `attempt`: it was not open, or `send` threw.
    ///
    /// To be called after the connection was told, so that it is decided with what is true now.
    pub(in crate::policy) fn take_back(
        &mut self,
        now: Instant,
        attempt: AttemptId,
        end: AttemptEnd,
        cause: Cause,
    ) {
        let live = |state: &State| matches!(state, State::InFlight { .. });
        let Some(slot) = self.find_attempt(attempt, live) else { return };
        if end == AttemptEnd::NeverSent
            && let Some(operation) = self.store.get_mut(slot)
        {
            if operation.attempts > 1 {
                self.counts.retries = self.counts.retries.saturating_sub(1);
            }
            operation.attempts = operation.attempts.saturating_sub(1);
            self.counts.attempts = self.counts.attempts.saturating_sub(1);
        }
        self.end_attempt(now, slot, end, LastFailure::Lost(cause), 0);
    }

    /// The operation that `attempt` is in flight for.
    pub(in crate::policy) fn operation_of(&self, attempt: AttemptId) -> Option<OperationId> {
        let in_flight = |state: &State| matches!(state, State::InFlight { .. });
        let slot = self.find_attempt(attempt, in_flight)?;
        self.store.get(slot).map(|operation| operation.id)
    }

    /// Whether any frame that was handed to a socket is unanswered.
    pub(in crate::policy) fn any_handed_over(&self) -> bool {
        self.store.iter().any(|(_, operation)| matches!(operation.state, State::InFlight { .. }))
    }

    /// A connection is ready: what waits goes out, in the order it was made.
    pub(in crate::policy) fn open(
        &mut self,
        now: Instant,
        socket: SocketId,
        gateway: GatewayIndex,
    ) {
        self.link = Link::Ready { socket, gateway };
        for slot in self
            .slots_in_order(|state| matches!(*state, State::Waiting { due_at } if due_at <= now))
        {
            self.go_or_wait(now, slot);
        }
    }

    /// The socket takes no more, though it is not lost yet: what is queued was never sent.
    pub(in crate::policy) fn halt(&mut self, now: Instant) {
        if matches!(self.link, Link::Ready { .. }) {
            self.link = Link::Reconnecting;
        }
        for slot in self.slots_in_order(|state| matches!(state, State::Queued { .. })) {
            self.end_attempt(now, slot, AttemptEnd::NeverSent, LastFailure::None, 0);
        }
    }

    /// The connection is lost; `except` is an attempt that the socket did not take.
    pub(in crate::policy) fn lose(
        &mut self,
        now: Instant,
        cause: Cause,
        except: Option<AttemptId>,
    ) {
        self.link = Link::Reconnecting;
        self.halt(now);
        let alone = self.in_flight == 1;
        let end = match cause.close_code() {
            Some(CloseCode::TOO_BIG) if alone => AttemptEnd::BlamedAlone,
            Some(code) if code.blames_a_message() => AttemptEnd::BlamedAmongOthers,
            Some(_) | None => AttemptEnd::Lost,
        };
        for slot in self.slots_in_order(|state| matches!(state, State::InFlight { .. })) {
            if self.store.get(slot).and_then(Operation::attempt) != except || except.is_none() {
                self.end_attempt(now, slot, end, LastFailure::Lost(cause), 0);
            }
        }
    }

    /// The client is closed: everything is settled, what is in flight with a code of its own.
    pub(in crate::policy) fn close(
        &mut self,
        now: Instant,
        waiting: ErrorCode,
        in_flight: ErrorCode,
        cause: Option<Cause>,
        except: Option<AttemptId>,
    ) {
        self.link = Link::Closed;
        for slot in self.slots_in_order(|_| true) {
            let Some(operation) = self.store.get_mut(slot) else { continue };
            if except.is_some() && operation.attempt() == except {
                continue;
            }
            let code = match (operation.state, cause) {
                (State::InFlight { .. }, Some(cause)) => {
                    operation.last_failure = LastFailure::Lost(cause);
                    in_flight
                }
                (State::InFlight { .. }, None) => in_flight,
                (State::Waiting { .. } | State::Queued { .. }, _) => waiting,
            };
            self.fail(now, slot, code);
        }
    }

    /// The application called `connect()`: operations may wait again.
    pub(in crate::policy) fn start(&mut self) {
        self.link = Link::NotYet;
    }

    pub(in crate::policy) fn handle_timeout(&mut self, now: Instant) {
        while let Some((at, slot)) = self.deadlines.pop_due(now) {
            let Some(operation) = self.store.get_mut(slot) else { continue };
            if operation.wake_at != Some(at) {
                continue; // of a state that is over
            }
            operation.wake_at = None;
            if operation.time_out_at.is_some_and(|at| at <= now) {
                self.fail(now, slot, ErrorCode::Timeout);
                continue;
            }
            match operation.state {
                State::Waiting { .. } => self.go_or_wait(now, slot),
                State::Queued { .. } => self.fail(now, slot, ErrorCode::ResponseTimeout),
                State::InFlight { .. } => {
                    let end = AttemptEnd::ResponseTimedOut;
                    self.end_attempt(now, slot, end, LastFailure::None, 0);
                }
            }
        }
    }

    /// The next deadline; one that no longer counts is harmless.
    pub(in crate::policy) fn poll_timeout(&self) -> Option<Instant> {
        self.deadlines.next_at()
    }

    pub(in crate::policy) fn poll_output(&mut self) -> Option<OperationOutput> {
        self.outputs.pop_front()
    }

    /// How many operations are parked or delayed.
    pub(in crate::policy) const fn waiting(&self) -> u64 {
        self.waiting
    }

    /// How many operations were sent and are unanswered.
    pub(in crate::policy) const fn in_flight(&self) -> u64 {
        self.in_flight
    }

    pub(in crate::policy) const fn counts(&self) -> &OperationCounts {
        &self.counts
    }

    pub(in crate::policy) const fn link(&self) -> Link {
        self.link
    }

    fn settings<'a>(&'a self, operation: &'a Operation) -> &'a MessagingSettings {
        operation.messaging.as_deref().unwrap_or(&self.messaging)
    }

    fn decide(&self, end: AttemptEnd, operation: &Operation) -> Decision {
        let standing = match self.link {
            Link::NotYet => Standing::NotYet,
            Link::Ready { .. } => Standing::Connected,
            Link::Reconnecting => Standing::Reconnecting,
            Link::Closed => return Decision::Fail(end.code()),
        };
        decide(end, operation.known, standing, operation.redo, self.settings(operation))
    }

    fn find_operation(&self, id: OperationId) -> Option<Slot> {
        let slot = self.index.get(id.0)?;
        self.store.get(slot).is_some_and(|operation| operation.id == id).then_some(slot)
    }

    fn find_attempt(&self, attempt: AttemptId, is: impl Fn(&State) -> bool) -> Option<Slot> {
        let slot = self.index.get(attempt.0)?;
        let operation = self.store.get(slot)?;
        (operation.attempt() == Some(attempt) && is(&operation.state)).then_some(slot)
    }

    /// The operations in such a state, in the order they were made.
    fn slots_in_order(&self, is: impl Fn(&State) -> bool) -> Vec<Slot> {
        let mut found: Vec<(OperationId, Slot)> = self
            .store
            .iter()
            .filter(|(_, operation)| is(&operation.state))
            .map(|(slot, operation)| (operation.id, slot))
            .collect();
        found.sort_unstable();
        found.into_iter().map(|(_, slot)| slot).collect()
    }

    /// Sends what waits when it is due and can go, or sees to it that it wakes in time.
    fn go_or_wait(&mut self, now: Instant, slot: Slot) {
        let Some(operation) = self.store.get(slot) else { return };
        let State::Waiting { due_at } = operation.state else { return };
        let give_up_at = operation.give_up_at(self.settings(operation));
        let time_out_at = operation.time_out_at;
        let due = due_at <= now;
        if time_out_at.is_some_and(|at| at <= now) {
            return self.fail(now, slot, ErrorCode::Timeout); // its timer is late
        }
        if give_up_at.is_some_and(|at| at < now) {
            return self.fail(now, slot, ErrorCode::RetryTimeout);
        }
        match self.link {
            Link::Ready { socket, gateway } if due => {
                return self.queue(now, slot, socket, gateway);
            }
            Link::NotYet | Link::Ready { .. } | Link::Reconnecting | Link::Closed => {}
        }
        if give_up_at == Some(now) {
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
            wait => Some(now.after(wait)),
        };
        let attempt = if first {
            AttemptId(id.0)
        } else {
            let attempt = AttemptId(self.reserve().0);
            self.index.insert(attempt.0, slot);
            attempt
        };
        if let Some(operation) = self.store.get_mut(slot) {
            operation.state = State::Queued { attempt, respond_by };
            operation.gateway = Some(gateway);
        }
        self.waiting = self.waiting.saturating_sub(1);
        self.in_flight = self.in_flight.saturating_add(1);
        self.wake(slot, time::earlier(respond_by, time_out_at));
        self.outputs.push_back(OperationOutput::Send { socket, operation: id, attempt });
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

    fn tidy(&mut self) {
        let store = &self.store;
        self.deadlines.tidy(store.len(), |at, slot| {
            store.get(slot).is_some_and(|operation| operation.wake_at == Some(at))
        });
    }

    /// An attempt has ended, or could not be made: retries the operation or fails it.
    fn end_attempt(
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
        self.bring_back(now, slot);
        let Some(operation) = self.store.get(slot) else { return };
        match self.decide(end, operation) {
            Decision::Fail(code) => self.fail(now, slot, code),
            Decision::Retry => self.retry(now, slot, end, retry_after_milliseconds),
        }
    }

    /// Turns a queued or sent operation into one that waits.
    fn bring_back(&mut self, now: Instant, slot: Slot) {
        let Some(operation) = self.store.get_mut(slot) else { return };
        let Some(attempt) = operation.attempt() else { return };
        operation.state = State::Waiting { due_at: now };
        if attempt.0 != operation.id.0 {
            self.index.remove(attempt.0);
        }
        self.in_flight = self.in_flight.saturating_sub(1);
        self.waiting = self.waiting.saturating_add(1);
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
        let delay = if fast {
            0
        } else {
            let next = match operation.delay_milliseconds {
                0 => settings.min_retry_delay_milliseconds,
                previous => previous.saturating_mul(2),
            };
            if let Some(operation) = self.store.get_mut(slot) {
                operation.delay_milliseconds = next;
            }
            next.saturating_add(self.rng.up_to(settings.jitter.of(next)))
        };
        let due_at = now.after(delay.max(retry_after).min(left));
        if let Some(operation) = self.store.get_mut(slot) {
            operation.state = State::Waiting { due_at };
        }
        self.go_or_wait(now, slot);
    }

    /// Says no to what was never taken in.
    fn refuse(&mut self, now: Instant, operation: &Operation, code: ErrorCode) {
        let outcome = Err(error(now, operation, code));
        self.outputs.push_back(OperationOutput::Settled { operation: operation.id, outcome });
    }

    fn fail(&mut self, now: Instant, slot: Slot, code: ErrorCode) {
        if let Some(operation) = self.store.get(slot) {
            let error = error(now, operation, code);
            self.settle(now, slot, Err(error));
        }
    }

    fn settle(&mut self, now: Instant, slot: Slot, outcome: Result<(), OperationError>) {
        self.bring_back(now, slot);
        let Some(operation) = self.store.remove(slot) else { return };
        self.index.remove(operation.id.0);
        self.waiting = self.waiting.saturating_sub(1);
        self.tidy();
        self.outputs.push_back(OperationOutput::Settled { operation: operation.id, outcome });
    }
}

fn error(now: Instant, operation: &Operation, code: ErrorCode) -> OperationError {
    let attempt = match operation.state {
        State::InFlight { .. } => Completion::Maybe,
        State::Waiting { .. } | State::Queued { .. } => Completion::No,
    };
    OperationError {
        code,
        completion: operation.known.and(attempt),
        attempts: operation.attempts,
        elapsed_milliseconds: now.since(operation.made_at),
        gateway: operation.gateway,
        last_failure: operation.last_failure,
    }
}
