use alloc::{
    collections::{BinaryHeap, VecDeque},
    vec::Vec,
};

use super::{
    Answer, AttemptEnd, AttemptId, Binding, Call, Decision, Limits, MessagingSettings,
    OperationCounts, OperationId, Purpose,
    deadlines::Deadlines,
    operation::{Bound, Operation, State},
    table::{Index, Slot, Store},
};
use crate::policy::{
    Cause, ErrorCode, GatewayIndex, Instant, LastFailure, OperationError, Rng, SocketId, time,
};

/// How long a flush pauses when the platform has enough to send.
pub(super) const FLUSH_PAUSE_MILLISECONDS: u64 = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::policy) enum OperationOutput {
    Send {
        socket: SocketId,
        operation: OperationId,
        attempt: AttemptId,
    },
    Settled {
        operation: OperationId,
        outcome: Result<(), OperationError>,
    },
    /// A subscription is live; `resumed` when it was before, so that something may be missing.
    Subscribed {
        operation: OperationId,
        resumed: bool,
    },
    /// See how much the platform still has to send.
    Measure {
        socket: SocketId,
    },
    /// No answer came in time: is the line alive?
    Doubted,
}

/// Where operations can be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::policy) enum Link {
    NotYet,
    Ready { socket: SocketId, gateway: GatewayIndex },
    Reconnecting,
    Closed,
}

/// What was parked goes out piece by piece, so that the platform is not flooded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flush {
    Done,
    Paused {
        measure_at: Instant,
    },
    /// The platform was asked. One that does not tell by then is taken to have nothing to send.
    Measuring {
        until: Instant,
    },
}

#[derive(Debug)]
pub(in crate::policy) struct Operations {
    pub(super) messaging: MessagingSettings,
    pub(super) limits: Limits,
    pub(super) rng: Rng,
    pub(super) link: Link,
    /// The socket whose session hook is running.
    pub(super) greeting: Option<(SocketId, GatewayIndex)>,
    pub(super) flush: Flush,
    /// How many more bytes may be sent before the platform is asked what it still has to send.
    pub(super) allowance: u64,
    /// What the platform has to send at most: what it said last, and all it was handed since.
    pub(super) buffered_at_most: u64,
    pub(super) store: Store<Operation>,
    pub(super) index: Index,
    pub(super) deadlines: Deadlines,
    last_id: u64,
    pub(super) waiting: u64,
    pub(super) waiting_bytes: u64,
    pub(super) in_flight: u64,
    pub(super) subscriptions: u64,
    pub(super) draining: bool,
    pub(super) counts: OperationCounts,
    pub(super) outputs: VecDeque<OperationOutput>,
}

impl Operations {
    pub(in crate::policy) fn new(messaging: MessagingSettings, limits: Limits, rng: Rng) -> Self {
        Self {
            messaging,
            limits,
            rng,
            link: Link::NotYet,
            greeting: None,
            flush: Flush::Done,
            allowance: 0,
            buffered_at_most: 0,
            store: Store::new(),
            index: Index::new(),
            deadlines: Deadlines::new(),
            last_id: 0,
            waiting: 0,
            waiting_bytes: 0,
            in_flight: 0,
            subscriptions: 0,
            draining: false,
            counts: OperationCounts::default(),
            outputs: VecDeque::new(),
        }
    }

    pub(in crate::policy) const fn reserve(&mut self) -> OperationId {
        self.last_id = self.last_id.saturating_add(1);
        OperationId(self.last_id)
    }

    pub(in crate::policy) fn invoke(&mut self, now: Instant, id: OperationId, call: Call) {
        if !self.is_reserved(id) {
            return;
        }
        let (binding, buffered_bytes) = (call.binding, call.buffered_bytes);
        if buffered_bytes > 0 || self.asks_for_buffer(call.bytes) {
            self.buffered_at_most = buffered_bytes;
        }
        let mut operation = Operation::new(now, id, &call);
        operation.messaging = call.messaging;
        if let Err(code) = self.admit(now, &mut operation, binding, buffered_bytes) {
            if code == ErrorCode::Overloaded {
                self.counts.overloaded = self.counts.overloaded.saturating_add(1);
            }
            return self.refuse(now, &operation, code);
        }
        if let Some(slot) = self.store.insert(operation) {
            self.count_in(slot);
            self.index.insert(id.0, slot);
            self.go_or_wait(now, slot);
        }
    }

    /// Whether an operation may be taken in: what is, is never refused later.
    fn admit(
        &self,
        now: Instant,
        operation: &mut Operation,
        binding: Binding,
        buffered_bytes: u64,
    ) -> Result<(), ErrorCode> {
        let limits = &self.limits;
        let of_session = matches!(binding, Binding::Session(_));
        let of_farewell = operation.purpose == Purpose::Farewell;
        if self.link == Link::Closed || self.draining && !of_session && !of_farewell {
            return Err(ErrorCode::ClientClosed); // but what drains may have to log in once more
        }
        if operation.time_out_at.is_some_and(|at| at <= now) {
            return Err(ErrorCode::Timeout);
        }
        if self.store.is_full() {
            return Err(ErrorCode::Overloaded);
        }
        if self.is_too_big(operation.bytes) && !of_farewell {
            return Err(ErrorCode::MessageTooBig);
        }
        match (binding, self.link) {
            (Binding::Anywhere, _) => {}
            (Binding::Connection, Link::Ready { socket, .. }) => {
                operation.bound = Bound::To(socket);
            }
            (Binding::Session(socket), _) if self.is_greeting(socket) => {
                operation.bound = Bound::ToSession(socket);
                return Ok(());
            }
            (Binding::Connection | Binding::Session(_), _) => {
                return Err(ErrorCode::ConnectionLost);
            }
        }
        if of_farewell {
            return Ok(());
        }
        if operation.purpose == Purpose::Subscription {
            let most = limits.max_in_flight_operations;
            let full = most != 0 && self.subscriptions >= most;
            return if full { Err(ErrorCode::Overloaded) } else { Ok(()) };
        }
        let sends_now = match self.link {
            Link::Ready { .. } => self.flush == Flush::Done,
            Link::NotYet => false,
            Link::Reconnecting => match self.decide(AttemptEnd::NeverSent, operation) {
                Decision::Fail(code) => return Err(code),
                Decision::Retry => false,
            },
            Link::Closed => return Err(ErrorCode::ClientClosed),
        };
        let most_bytes = limits.max_buffered_bytes;
        let full = if sends_now {
            !self.has_room_in_flight() || self.overfills(operation.bytes, buffered_bytes)
        } else {
            self.waiting >= limits.max_pending_operations
                || most_bytes == 0
                || self.waiting_bytes.saturating_add(operation.bytes) > most_bytes
        };
        if full { Err(ErrorCode::Overloaded) } else { Ok(()) }
    }

    pub(in crate::policy) fn is_greeting(&self, socket: SocketId) -> bool {
        self.greeting.is_some_and(|(greeting, _)| greeting == socket)
    }

    pub(in crate::policy) const fn is_draining(&self) -> bool {
        self.draining
    }

    /// Whether a message without an answer may go out beside what the platform still has to send.
    pub(in crate::policy) const fn admit_notification(
        &mut self,
        bytes: u64,
        buffered_bytes: u64,
    ) -> bool {
        let admitted = !self.is_too_big(bytes) && !self.overfills(bytes, buffered_bytes);
        self.buffered_at_most = buffered_bytes;
        if admitted {
            self.buffered_at_most = self.buffered_at_most.saturating_add(bytes);
        }
        admitted
    }

    /// Whether what the platform still has to send matters for an operation of so many bytes. It
    /// cannot while all that it was handed since it was last asked would fit.
    pub(in crate::policy) const fn asks_for_buffer(&self, bytes: u64) -> bool {
        self.overfills(bytes, self.buffered_at_most)
    }

    /// Whether a number was given out and is not used yet.
    pub(super) fn is_reserved(&self, id: OperationId) -> bool {
        id.0 != 0 && id.0 <= self.last_id && self.index.get(id.0).is_none()
    }

    pub(super) const fn has_room_in_flight(&self) -> bool {
        let most = self.limits.max_in_flight_operations;
        most == 0 || self.in_flight < most
    }

    pub(super) const fn is_too_big(&self, bytes: u64) -> bool {
        let most = self.limits.max_message_bytes;
        most != 0 && bytes > most
    }

    /// Whether it is more than the platform should have to send. One message may always be.
    pub(super) const fn overfills(&self, bytes: u64, buffered_bytes: u64) -> bool {
        buffered_bytes > 0 && buffered_bytes.saturating_add(bytes) > self.limits.max_buffered_bytes
    }

    /// An answer came on the live socket; says whether it belonged to anything.
    pub(in crate::policy) fn answer(&mut self, now: Instant, attempt: AttemptId, answer: Answer) {
        let live = |state: &State| matches!(state, State::InFlight { .. });
        let Some(slot) = self.find_attempt(attempt, live) else {
            self.counts.unmatched_answers = self.counts.unmatched_answers.saturating_add(1);
            return;
        };
        let (end, after) = match answer {
            Answer::Result if self.store.get(slot).is_some_and(Operation::is_subscription) => {
                return self.go_live(slot);
            }
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
        let ready = matches!(self.link, Link::Ready { socket: live, .. } if live == socket);
        let greeting = self.greeting.is_some_and(|(greeting, _)| greeting == socket);
        if !ready && !greeting {
            return false;
        }
        let queued = |state: &State| matches!(state, State::Queued { .. });
        let Some(slot) = self.find_attempt(attempt, queued) else { return false };
        let Some(operation) = self.store.get_mut(slot) else { return false };
        operation.state = State::InFlight { attempt };
        operation.attempts = operation.attempts.saturating_add(1);
        self.buffered_at_most = self.buffered_at_most.saturating_add(operation.bytes);
        self.counts.attempts = self.counts.attempts.saturating_add(1);
        if operation.attempts > 1 {
            self.counts.retries = self.counts.retries.saturating_add(1);
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
        if end == AttemptEnd::NeverSent {
            self.uncount_attempt(slot);
        }
        self.end_attempt(now, slot, end, LastFailure::Lost(cause), 0);
    }

    /// There is no frame for `attempt`: its operation ends without it.
    pub(in crate::policy) fn drop_attempt(&mut self, now: Instant, attempt: AttemptId) {
        let live = |state: &State| matches!(state, State::InFlight { .. });
        let Some(slot) = self.find_attempt(attempt, live) else { return };
        self.uncount_attempt(slot);
        self.bring_back(now, slot);
        self.fail(now, slot, ErrorCode::Aborted);
    }

    /// An attempt that was handed over did not go out after all.
    fn uncount_attempt(&mut self, slot: Slot) {
        let Some(operation) = self.store.get_mut(slot) else { return };
        if operation.attempts > 1 {
            self.counts.retries = self.counts.retries.saturating_sub(1);
        }
        operation.attempts = operation.attempts.saturating_sub(1);
        self.counts.attempts = self.counts.attempts.saturating_sub(1);
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

    /// The application wants to close once everything is settled: nothing new is taken in.
    pub(in crate::policy) fn drain(&mut self) {
        self.draining = self.link != Link::Closed;
    }

    /// Whether there was a wish to drain, and nothing is left.
    pub(in crate::policy) const fn is_drained(&self) -> bool {
        self.draining && self.waiting == 0 && self.in_flight == 0
    }

    pub(in crate::policy) fn handle_timeout(&mut self, now: Instant) {
        self.go_on_flushing(now);
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
                State::Live => {}
                State::Waiting { .. } => self.go_or_wait(now, slot),
                State::Queued { .. } => self.fail(now, slot, ErrorCode::ResponseTimeout),
                State::InFlight { .. } => {
                    let end = AttemptEnd::ResponseTimedOut;
                    self.end_attempt(now, slot, end, LastFailure::None, 0);
                    self.outputs.push_back(OperationOutput::Doubted);
                }
            }
        }
    }

    /// The next deadline; one that no longer counts is harmless.
    pub(in crate::policy) fn poll_timeout(&self) -> Option<Instant> {
        let flush = match self.flush {
            Flush::Done => None,
            Flush::Paused { measure_at: at } | Flush::Measuring { until: at } => Some(at),
        };
        time::earlier(flush, self.deadlines.next_at())
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

    /// How many subscriptions there are.
    pub(in crate::policy) const fn subscriptions(&self) -> u64 {
        self.subscriptions
    }

    pub(in crate::policy) const fn counts(&self) -> &OperationCounts {
        &self.counts
    }

    pub(in crate::policy) const fn link(&self) -> Link {
        self.link
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

    /// Such operations, in the order they were made.
    pub(super) fn slots_in_order(&self, is: impl Fn(&Operation) -> bool) -> Vec<Slot> {
        let found: BinaryHeap<(OperationId, Slot)> = self
            .store
            .iter()
            .filter(|(_, operation)| is(operation))
            .map(|(slot, operation)| (operation.id, slot))
            .collect();
        // A heap, as the deadlines have one: the library's sort would be as large as all of this module.
        found.into_sorted_vec().into_iter().map(|(_, slot)| slot).collect()
    }
}
