//! What becomes of each request, judged by the contract and by the gateways' journal.

mod checks;
mod reasons;
mod record;

use std::collections::BTreeMap;

use regate::policy::{
    Answer, AttemptId, Binding, Call, Completion, ErrorCode, MessagingSettings, OperationError,
    OperationId, Purpose, Redo, SendFailure, Settings, SocketId,
};

use super::{Verdicts, network::Executed};
use record::{Attempt, End, Operation};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    InFlight,
    Pending,
}

#[derive(Debug)]
pub(crate) struct Operations {
    settings: Settings,
    operations: BTreeMap<OperationId, Operation>,
    owners: BTreeMap<AttemptId, OperationId>,
    newest_id: u64,
    /// The sends since the connection became ready, in this very turn: subscriptions first.
    flushing: Option<(Purpose, OperationId)>,
    /// The newest number when the connection became ready.
    waited_up_to: u64,
    ready_at: u64,
}

/// Whether timers run at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wakes {
    Due,
    /// The page is put away.
    Never,
}

/// What the application asked for, beside making operations.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asked {
    pub(crate) close: bool,
    /// Operations can go out.
    pub(crate) ready: bool,
    /// Calls were made while there were actions that had not been obeyed.
    pub(crate) amid_actions: bool,
    pub(crate) gave_up: Option<ErrorCode>,
    pub(crate) drain: bool,
}

impl Operations {
    pub(crate) fn new(settings: Settings) -> Self {
        Self {
            settings,
            operations: BTreeMap::new(),
            owners: BTreeMap::new(),
            newest_id: 0,
            flushing: None,
            waited_up_to: 0,
            ready_at: 0,
        }
    }

    pub(crate) fn newest(&self, back: usize) -> Option<OperationId> {
        self.operations.keys().rev().nth(back).copied()
    }

    /// An attempt that is over, counted back from the newest.
    pub(crate) fn finished_attempt(&self, back: usize) -> Option<AttemptId> {
        let of = |id: &OperationId| self.operations.get(id);
        let unsettled = |id: &OperationId| of(id).is_some_and(|o| o.settled.is_none());
        let live = |id: &OperationId| of(id).and_then(Operation::live).map(|live| live.id);
        let over = |&(attempt, id): &(&AttemptId, &OperationId)| {
            !unsettled(id) || live(id) != Some(*attempt)
        };
        let mut finished: Vec<_> = self.owners.iter().rev().filter(over).collect();
        finished.sort_by_key(|&(_, id)| !unsettled(id)); // those that could do harm come first
        finished.get(back).map(|&(&attempt, _)| attempt)
    }

    pub(crate) const fn newest_id(&self) -> u64 {
        self.newest_id
    }

    /// How many attempts were made.
    pub(crate) fn attempts(&self) -> u64 {
        self.operations.values().map(Operation::counted).sum()
    }

    /// Requests that have no outcome yet, and whether they are in flight.
    pub(crate) fn unsettled(&self) -> impl Iterator<Item = (OperationId, bool)> + '_ {
        let open = self
            .operations
            .iter()
            .filter(|(_, operation)| operation.settled.is_none() && !operation.is_subscription());
        open.map(|(&id, operation)| (id, operation.live().is_some()))
    }

    pub(crate) fn in_flight(&self) -> u64 {
        self.unsettled().filter(|&(_, in_flight)| in_flight).count() as u64
    }

    pub(crate) fn subscriptions(&self) -> u64 {
        let live = |o: &&Operation| o.settled.is_none() && o.is_subscription();
        self.operations.values().filter(live).count() as u64
    }

    /// Whether anything that was handed to a socket is unanswered.
    pub(crate) fn any_live(&self) -> bool {
        self.operations.values().any(|o| o.settled.is_none() && o.live().is_some())
    }

    /// Whether bytes are so limited that a flush may pause.
    fn is_limited_in_bytes(&self) -> bool {
        self.settings.limits.max_buffered_bytes < 1_000
    }

    /// An operation is made; `limit` is the one that counts, where that is known.
    pub(crate) fn on_invoke(
        &mut self,
        now: u64,
        id: OperationId,
        call: &Call,
        limit: Option<Limit>,
        bound_to: Option<SocketId>,
        v: &mut Verdicts,
    ) {
        let apart = call.purpose == Purpose::Subscription || call.binding != Binding::Anywhere;
        let limit = limit.filter(|_| !apart && !self.is_limited_in_bytes());
        let in_flight = self.in_flight();
        let others = self.unsettled().count() as u64;
        let limits = self.settings.limits;
        let too_many = match limit {
            None => false,
            Some(Limit::InFlight) => {
                limits.max_in_flight_operations != 0 && in_flight >= limits.max_in_flight_operations
            }
            Some(Limit::Pending) => others - in_flight >= limits.max_pending_operations,
        };
        v.require(id.as_u64() > self.newest_id, || format!("{id:?} is not a new number"));
        self.newest_id = self.newest_id.max(id.as_u64());
        let messaging = call.messaging.as_deref().copied().unwrap_or(self.settings.messaging);
        let operation = Operation {
            made_at: now,
            others,
            too_many,
            purpose: call.purpose,
            binding: call.binding,
            bound_to: bound_to.filter(|_| call.binding != Binding::Anywhere),
            redo: call.redo,
            time_out_at: call.timeout_milliseconds.map(|timeout| now + timeout),
            messaging,
            attempts: Vec::new(),
            aborted: false,
            delays: 0,
            due: (now, now),
            executions: 0,
            settled: None,
        };
        self.operations.insert(id, operation);
    }

    pub(crate) fn on_abort(&mut self, id: OperationId) {
        if let Some(operation) = self.operations.get_mut(&id) {
            operation.aborted = true;
        }
    }

    /// Takes down that `id` is handed to `socket`.
    pub(crate) fn on_send(
        &mut self,
        now: u64,
        socket: SocketId,
        id: OperationId,
        attempt: AttemptId,
        v: &mut Verdicts,
    ) {
        let of_another = OperationId::from_u64(attempt.as_u64());
        let fresh = of_another == id || !self.operations.contains_key(&of_another);
        v.require(attempt.as_u64() != 0 && fresh && !self.owners.contains_key(&attempt), || {
            format!("{attempt:?} was used before")
        });
        self.newest_id = self.newest_id.max(attempt.as_u64());
        self.owners.insert(attempt, id);
        let Some(operation) = self.operations.get_mut(&id) else {
            return v.require(false, || format!("{id:?} was never made"));
        };
        v.require(operation.settled.is_none(), || format!("{id:?} is settled and sent"));
        v.require(operation.live().is_none(), || format!("{id:?} has two live attempts"));
        let first = operation.attempts.is_empty();
        v.require(first == (attempt.as_u64() == id.as_u64()), || {
            format!("{id:?}: the first attempt, and it alone, has the operation's number")
        });
        v.require(operation.time_out_at.is_none_or(|at| now <= at), || {
            format!("{id:?} is sent after its timeout")
        });
        let may_be_done = |attempt: &Attempt| attempt.completion() != Completion::No;
        if operation.is_bound() {
            let bound_to = *operation.bound_to.get_or_insert(socket);
            v.require(bound_to == socket, || format!("{id:?} is bound, and sent on another"));
        }
        v.require(first || !operation.is_of_session(), || format!("{id:?}: the session retries"));
        let may_repeat = |attempt: &&Attempt| {
            let not_sent = matches!(
                attempt.end,
                Some((_, End::NotSent(_) | End::Answered(Answer::Retryable { .. })))
            );
            attempt.socket == socket && !not_sent
        };
        let issued = operation.attempts.iter().find(may_repeat);
        v.require(issued.is_none() || !operation.is_subscription(), || {
            format!("{id:?} is issued twice on {socket:?}")
        });
        v.require(
            operation.redo == Redo::Redoable || !operation.attempts.iter().any(may_be_done),
            || format!("{id:?} may not be redone and is sent again"),
        );
        match operation.give_up_at() {
            None if operation.is_subscription() => {}
            None => v.require(operation.counted() == 0, || format!("{id:?} is retried at all")),
            Some(at) => {
                v.require(operation.last_at().is_none_or(|last| now <= last), || {
                    format!("{id:?} is sent beyond its retry timeout")
                });
                let at_limit = |attempt: &&Attempt| attempt.counts() && attempt.sent_at >= at;
                let before = operation.attempts.iter().filter(at_limit).count();
                v.require(now < at || before == 0, || format!("{id:?}: two at the very limit"));
            }
        }
        v.require(now >= operation.due.0, || {
            format!("{id:?} is retried before its delay is over at {}", operation.due.0)
        });
        // What a handler makes in the same turn is newer than all that waited.
        if let Some((purpose, last)) = self.flushing.filter(|_| id.as_u64() <= self.waited_up_to) {
            let before = purpose == operation.purpose && last < id
                || purpose == Purpose::Subscription && operation.purpose == Purpose::Request;
            v.require(before, || format!("{id:?} goes out after {last:?}"));
            self.flushing = Some((operation.purpose, id));
        }
        operation.attempts.push(Attempt {
            id: attempt,
            socket,
            sent_at: now,
            end: None,
            arrived: false,
        });
    }

    /// A socket of ours has opened: what was parked goes out in this turn.
    pub(crate) const fn on_connected(&mut self, now: u64) {
        self.ready_at = now;
        self.flushing = Some((Purpose::Subscription, OperationId::from_u64(0)));
        self.waited_up_to = self.newest_id;
    }

    pub(crate) fn on_send_failed(&mut self, now: u64, attempt: AttemptId, failure: SendFailure) {
        self.end_attempt(now, attempt, End::NotSent(failure));
    }

    /// An answer is reported. One to an attempt that is over ends nothing.
    pub(crate) fn on_answer(&mut self, now: u64, attempt: AttemptId, answer: Answer) {
        self.end_attempt(now, attempt, End::Answered(answer));
    }

    /// A socket is no longer ours: what was in flight on it is unknown from now on.
    pub(crate) fn on_socket_gone(&mut self, now: u64, socket: SocketId, code: Option<u16>) {
        let on_it = |operation: &Operation| {
            operation.live().filter(|attempt| attempt.socket == socket).map(|attempt| attempt.id)
        };
        for operation in self.operations.values_mut().filter(|o| o.is_subscription()) {
            operation.due = (now, now); // it is written on every new socket
        }
        let unsettled = self.operations.values().filter(|operation| operation.settled.is_none());
        for attempt in unsettled.filter_map(on_it).collect::<Vec<_>>() {
            self.end_attempt(now, attempt, End::Lost(code));
        }
    }

    fn end_attempt(&mut self, now: u64, attempt: AttemptId, end: End) {
        let Some(operation) = self.owners.get(&attempt).and_then(|id| self.operations.get_mut(id))
        else {
            return;
        };
        if operation.settled.is_some() || operation.live().is_none_or(|live| live.id != attempt) {
            return;
        }
        if let Some(last) = operation.attempts.last_mut() {
            last.end = Some((now, end));
        }
        let floor = match end {
            End::Answered(Answer::Retryable { after_milliseconds }) => after_milliseconds,
            End::NotSent(SendFailure::NotOpen) => {
                operation.due = (now, now);
                return;
            }
            End::Answered(_) | End::Lost(_) | End::NotSent(_) => 0,
        };
        let MessagingSettings {
            max_fast_invocation_count,
            min_retry_delay_milliseconds,
            jitter,
            ..
        } = operation.messaging;
        let mut delay = (0, 0);
        if operation.is_subscription() {
            operation.due = (now, now);
            match end {
                End::Answered(Answer::Result) => operation.delays = 0,
                End::Answered(Answer::Retryable { .. }) => {
                    let exact = min_retry_delay_milliseconds << operation.delays.min(20);
                    operation.delays += 1;
                    let most = 60_000.max(floor);
                    let due = |delay: u64| now + delay.max(floor).min(most);
                    operation.due = (due(exact), due(exact + jitter.of(exact)));
                }
                End::Answered(_) | End::Lost(_) | End::NotSent(_) => {}
            }
            return;
        }
        if operation.counted() >= max_fast_invocation_count {
            let exact = min_retry_delay_milliseconds << operation.delays;
            operation.delays += 1;
            delay = (exact, exact + jitter.of(exact));
        }
        let left = operation.give_up_at().map_or(0, |at| at.saturating_sub(now));
        let due = |delay: u64| now + delay.max(floor).min(left);
        operation.due = (due(delay.0), due(delay.1));
    }

    /// A frame came to a gateway, which carried it out or not.
    pub(crate) fn on_arrival(
        &mut self,
        id: OperationId,
        attempt: AttemptId,
        executed: Executed,
        v: &mut Verdicts,
    ) {
        let Some(operation) = self.operations.get_mut(&id) else { return };
        for sent in operation.attempts.iter_mut().filter(|sent| sent.id == attempt) {
            v.require(!sent.arrived, || format!("{attempt:?} arrived twice"));
            sent.arrived = true;
        }
        if executed == Executed::NotDone {
            return;
        }
        operation.executions += 1;
        v.require(operation.redo == Redo::Redoable || operation.executions == 1, || {
            format!("{id:?} may not be redone and was executed twice")
        });
        let said_no = matches!(
            operation.settled,
            Some(Err(OperationError { completion: Completion::No, .. }))
        );
        v.require(!said_no, || format!("{id:?} failed with completion no and is executed"));
    }

    pub(crate) fn on_settled(
        &mut self,
        now: u64,
        id: OperationId,
        outcome: Result<(), OperationError>,
        asked: Asked,
        v: &mut Verdicts,
    ) {
        let limits = self.settings.limits;
        let in_flight = self.in_flight();
        let waiting = self.unsettled().filter(|&(other, live)| other != id && !live).count();
        let Some(operation) = self.operations.get_mut(&id) else {
            return v.require(false, || format!("{id:?} was never made"));
        };
        v.require(operation.settled.is_none(), || format!("{id:?} is settled twice"));
        operation.settled = Some(outcome);
        let Err(error) = outcome else {
            v.require(!operation.is_subscription(), || format!("{id:?} has an outcome"));
            let answered = operation.attempts.last().and_then(|attempt| attempt.end);
            v.require(matches!(answered, Some((_, End::Answered(Answer::Result)))), || {
                format!("{id:?} succeeded without a result")
            });
            return v.require(operation.executions > 0, || {
                format!("{id:?} succeeded and was never executed")
            });
        };
        let known = operation.attempts.iter().map(|attempt| operation.completion_of(attempt));
        let known = known.fold(Completion::No, Completion::and);
        v.require(error.completion == known, || {
            format!("{id:?}: completion {:?}, where {known:?} is known", error.completion)
        });
        v.require(error.completion != Completion::No || operation.executions == 0, || {
            format!("{id:?} failed with completion no and was executed")
        });
        v.require(error.completion != Completion::Yes || operation.executions > 0, || {
            format!("{id:?} failed with completion yes and was never executed")
        });
        v.require(u64::from(error.attempts) == operation.counted(), || {
            format!("{id:?}: {} attempts, not {}", error.attempts, operation.counted())
        });
        v.require(error.elapsed_milliseconds == now - operation.made_at, || {
            format!("{id:?}: {} ms are not true", error.elapsed_milliseconds)
        });
        let overloaded = (limits.max_in_flight_operations != 0
            && in_flight >= limits.max_in_flight_operations)
            || waiting as u64 >= limits.max_pending_operations
            || (asked.amid_actions && operation.others >= limits.max_in_flight_operations)
            || self.settings.limits.max_buffered_bytes < 1_000
            || (operation.is_subscription() && limits.max_in_flight_operations != 0);
        let holds = operation.explains(now, error.code, asked, overloaded);
        v.require(holds, || format!("{id:?} failed with {} for no reason", error.code.as_str()));
    }
}
