//! What is known of each operation from outside: what was handed over, what was said of it.

use std::collections::{BTreeMap, BTreeSet};

use regate::policy::{
    Answer, AttemptId, Binding, Call, Completion, Instant, OperationError, OperationId, Purpose,
    Redo, SendFailure, SocketId,
};

#[derive(Debug)]
struct Operation {
    call: Call,
    made_at: u64,
    /// Handed to this socket, and not known to have ended.
    in_flight: Option<(AttemptId, SocketId)>,
    /// Handed over so often without a word that it was not performed.
    unknown: u32,
    sent: u32,
    answered: bool,
    /// The socket on which the subscription is live.
    live_on: Option<SocketId>,
    settled: bool,
}

#[derive(Debug, Default)]
pub(super) struct Operations {
    all: BTreeMap<OperationId, Operation>,
    attempts: BTreeMap<AttemptId, OperationId>,
    used: BTreeSet<u64>,
}

impl Operations {
    pub(super) fn reserve(&mut self, operation: OperationId) {
        assert!(self.used.insert(operation.as_u64()), "{operation:?} is given out twice");
    }

    pub(super) fn invoke(&mut self, now: u64, operation: OperationId, call: Call) {
        let fresh = Operation {
            call,
            made_at: now,
            in_flight: None,
            unknown: 0,
            sent: 0,
            answered: false,
            live_on: None,
            settled: false,
        };
        self.all.entry(operation).or_insert(fresh);
    }

    pub(super) fn ping(&mut self, attempt: AttemptId) {
        assert!(self.used.insert(attempt.as_u64()), "{attempt:?} is used twice");
    }

    pub(super) fn send(&mut self, socket: SocketId, id: OperationId, attempt: AttemptId) {
        let operation = self.all.get_mut(&id).expect("nobody made what is sent");
        assert!(!operation.settled, "{id:?} is settled and sent");
        let first = operation.sent == 0 && attempt.as_u64() == id.as_u64();
        assert!(first || self.used.insert(attempt.as_u64()), "{attempt:?} is used twice");
        assert_eq!(operation.in_flight, None, "{id:?} is in flight and sent");
        assert_ne!(operation.live_on, Some(socket), "{id:?} is live and issued");
        let redoable = operation.call.redo == Redo::Redoable || is_subscription(operation);
        assert!(
            redoable || operation.unknown == 0,
            "{id:?} may have been performed and is sent again"
        );
        if let Binding::Session(of) = operation.call.binding {
            assert_eq!(of, socket, "{id:?} is of another session");
            assert_eq!(operation.sent, 0, "{id:?} is of a session and run again");
        }
        operation.in_flight = Some((attempt, socket));
        operation.live_on = None;
        operation.unknown += 1;
        operation.sent += 1;
        self.attempts.insert(attempt, id);
    }

    fn end_attempt(&mut self, attempt: AttemptId) -> Option<&mut Operation> {
        let operation = self.all.get_mut(self.attempts.get(&attempt)?)?;
        operation.in_flight.take_if(|(flying, _)| *flying == attempt).map(|_| operation)
    }

    pub(super) fn answer(&mut self, attempt: AttemptId, answer: Answer) {
        let socket = self.attempts.get(&attempt).and_then(|id| self.all.get(id)?.in_flight);
        let Some(operation) = self.end_attempt(attempt) else { return };
        match answer {
            Answer::Retryable { .. }
            | Answer::Error { code: -32_700 | -32_600 | -32_601 | -32_602 } => {
                operation.unknown -= 1;
            }
            Answer::Result => {
                operation.answered = true;
                operation.live_on = socket.map(|(_, socket)| socket);
            }
            Answer::Error { .. } | Answer::Neither => {}
        }
    }

    pub(super) fn fail_send(&mut self, attempt: AttemptId, _: SendFailure) {
        if let Some(operation) = self.end_attempt(attempt) {
            operation.unknown -= 1;
        }
    }

    pub(super) fn lose(&mut self, socket: SocketId) {
        for operation in self.all.values_mut() {
            operation.in_flight.take_if(|(_, on)| *on == socket);
            operation.live_on.take_if(|on| *on == socket);
        }
    }

    pub(super) fn settle(
        &mut self,
        now: Instant,
        id: OperationId,
        outcome: Result<(), OperationError>,
    ) {
        let operation = self.all.get_mut(&id).expect("nobody made what is settled");
        assert!(!operation.settled, "{id:?} is settled twice");
        operation.settled = true;
        match outcome {
            Ok(()) => assert!(operation.answered && !is_subscription(operation), "{id:?} succeeds"),
            Err(error) => {
                let unknown = operation.unknown > 0 && error.completion == Completion::No;
                assert!(!unknown, "{id:?} may have been performed: {error:?}");
                assert!(operation.sent > 0 || error.completion == Completion::No, "{error:?}");
                assert!(error.attempts <= operation.sent, "{error:?}");
                let elapsed = now.as_milliseconds() - operation.made_at;
                assert!(error.elapsed_milliseconds <= elapsed, "{error:?}");
            }
        }
    }

    /// A subscription is told to be live.
    pub(super) fn subscribed(&self, id: OperationId) {
        let operation = &self.all[&id];
        assert!(operation.answered && !operation.settled, "{id:?} is live");
    }

    /// The newest but `back` of those that were made.
    pub(super) fn newest(&self, back: usize) -> Option<OperationId> {
        self.all.keys().rev().nth(back).copied()
    }

    /// As [`newest`](Self::newest), of those that are not settled.
    pub(super) fn newest_unsettled(&self, back: usize) -> Option<OperationId> {
        let unsettled = self.all.iter().rev().filter(|(_, operation)| !operation.settled);
        unsettled.map(|(&id, _)| id).nth(back)
    }

    /// The newest but `back` of the attempts that were handed over, over or not.
    pub(super) fn newest_attempt(&self, back: usize) -> Option<AttemptId> {
        self.attempts.keys().rev().nth(back).copied()
    }

    /// What is unsettled: requests, and subscriptions.
    pub(super) fn unsettled(&self) -> (u64, u64) {
        let unsettled = self.all.values().filter(|operation| !operation.settled);
        let (subscriptions, requests): (Vec<_>, Vec<_>) =
            unsettled.partition(|operation| is_subscription(operation));
        (requests.len() as u64, subscriptions.len() as u64)
    }

    /// Nobody waits beyond a timeout of his own.
    pub(super) fn check_timeouts(&self, now: u64) {
        for (id, operation) in &self.all {
            let at = operation
                .call
                .timeout_milliseconds
                .map(|span| operation.made_at.saturating_add(span));
            let over = at.is_some_and(|at| at <= now) && !operation.settled;
            assert!(!over, "{id:?} is not settled at {now}, and timed out at {at:?}");
        }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }
}

fn is_subscription(operation: &Operation) -> bool {
    operation.call.purpose == Purpose::Subscription
}
