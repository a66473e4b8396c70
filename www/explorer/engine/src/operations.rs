//! The operations of the scenario: what became of each attempt, and why.

use regate::policy::{
    Answer, AttemptEnd, AttemptId, Call, ClientState, CloseCode, Completion, Decision, Engine,
    ErrorCode, OperationError, OperationId, Redo, SocketId, Standing,
};

use crate::{
    explain::{Facts, limit_of, row_of},
    network::Performed,
    output::{Attempt, Operation, Outcome, Play},
    scenario::{OperationKind, Scenario},
};

/// More attempts than that, of all operations, are for no reader.
const MOST_ATTEMPTS_LISTED: u32 = 5_000;

/// What the engine has just been told.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Turn {
    Answered { attempt: u64, answer: Answer },
    Closed { code: u16 },
    Other,
}

/// An attempt that the engine may still hear of.
#[derive(Clone, Copy, Debug)]
struct Live {
    attempt: AttemptId,
    socket: SocketId,
    /// The operation's place in the scenario.
    place: usize,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    By(AttemptEnd),
    Result,
    /// Its time was over, or the client was closed: the outcome tells.
    WithOutcome,
}

#[derive(Debug)]
struct Tracked {
    id: Option<OperationId>,
    redo: Redo,
    known: Completion,
    attempts: u32,
    last_ended_at: u64,
    ended: Option<Ended>,
    settled: Option<Result<(), OperationError>>,
}

#[derive(Debug)]
pub(crate) struct Operations<'a> {
    scenario: &'a Scenario,
    tracked: Vec<Tracked>,
    live: Vec<Live>,
    /// Attempts so far.
    listed: u32,
    /// The places of operations that something happened to in this turn.
    touched: Vec<usize>,
}

impl<'a> Operations<'a> {
    pub(crate) fn new(scenario: &'a Scenario, play: &mut Play) -> Self {
        let redo = |kind| match kind {
            OperationKind::Write if !scenario.settings.redo_operations => Redo::Once,
            OperationKind::Read | OperationKind::Redo | OperationKind::Write => Redo::Redoable,
        };
        let tracked = scenario.operations.iter().map(|operation| Tracked {
            id: None,
            redo: redo(operation.kind),
            known: Completion::No,
            attempts: 0,
            last_ended_at: operation.at,
            ended: None,
            settled: None,
        });
        let tracked: Vec<_> = tracked.collect();
        play.operations = scenario
            .operations
            .iter()
            .zip(&tracked)
            .map(|(operation, tracked)| Operation {
                name: operation.name.clone(),
                kind: operation.kind.as_str(),
                at: operation.at,
                redoable: tracked.redo == Redo::Redoable,
                attempts: Default::default(),
                performed: Vec::new(),
                outcome: None,
            })
            .collect();
        Self { scenario, tracked, live: Vec::new(), listed: 0, touched: Vec::new() }
    }

    /// How many attempts have not ended.
    pub(crate) fn in_flight(&self) -> u64 {
        u64::try_from(self.live.len()).unwrap_or(0)
    }

    /// The call for an operation, which has this number from now on.
    pub(crate) fn make(&mut self, place: usize, id: OperationId) -> Option<Call> {
        let tracked = self.tracked.get_mut(place)?;
        tracked.id = Some(id);
        let timeout_milliseconds = self.scenario.operations.get(place)?.timeout_milliseconds;
        Some(Call { redo: tracked.redo, timeout_milliseconds, ..Call::once() })
    }

    /// A frame goes out: the operation's place in the scenario, and which of its attempts that is.
    pub(crate) fn sent(
        &mut self,
        now: u64,
        (operation, attempt, socket): (OperationId, AttemptId, SocketId),
        gateway: usize,
        play: &mut Play,
    ) -> Option<(usize, u32)> {
        let place = self.tracked.iter().position(|tracked| tracked.id == Some(operation))?;
        self.close_turn_of(now, place, None, play); // it is sent again in the same turn
        let tracked = self.tracked.get_mut(place)?;
        tracked.attempts += 1;
        let number = tracked.attempts;
        play.totals.attempts += 1;
        self.listed += 1;
        let attempts = &mut play.operations.get_mut(place)?.attempts;
        attempts.cut |= self.listed > MOST_ATTEMPTS_LISTED;
        attempts.push(Attempt {
            number,
            gateway,
            at: now,
            after_milliseconds: now - tracked.last_ended_at,
            ended: None,
            row: None,
            decision: None,
            because: None,
        });
        self.live.push(Live { attempt, socket, place });
        Some((place, number))
    }

    /// The engine has heard something: which attempts did that end?
    pub(crate) fn after(&mut self, now: u64, turn: Turn, engine: &Engine) {
        let in_flight = self.live.len();
        let over = |live: &Live| engine.operation_of(live.attempt).is_none();
        if !self.live.iter().any(over) {
            return;
        }
        let (ended, live): (Vec<_>, Vec<_>) = self.live.drain(..).partition(over);
        self.live = live;
        for Live { attempt, socket, place } in ended {
            let ended = match turn {
                Turn::Answered { attempt: answered, answer } if answered == attempt.as_u64() => {
                    by_answer(answer)
                }
                Turn::Closed { code } => Ended::By(by_close(code, in_flight)),
                Turn::Answered { .. } | Turn::Other => {
                    let alive = engine.sendable_socket() == Some(socket);
                    let closed = engine.state() == ClientState::Closed;
                    if alive || closed { Ended::WithOutcome } else { Ended::By(AttemptEnd::Lost) }
                }
            };
            if let Some(tracked) = self.tracked.get_mut(place) {
                tracked.ended = Some(ended);
                tracked.last_ended_at = now;
                if let Ended::By(end) = ended {
                    tracked.known = tracked.known.and(end.completion());
                }
            }
            self.touched.push(place);
        }
    }

    pub(crate) fn settled(&mut self, id: OperationId, outcome: Result<(), OperationError>) {
        let place = self.tracked.iter().position(|tracked| tracked.id == Some(id));
        let Some(place) = place else { return };
        if let Some(tracked) = self.tracked.get_mut(place) {
            tracked.settled = Some(outcome);
            self.touched.push(place);
        }
    }

    /// Everything that the turn led to is known.
    pub(crate) fn close_turn(&mut self, now: u64, engine: &Engine, play: &mut Play) {
        for place in std::mem::take(&mut self.touched) {
            self.close_turn_of(now, place, Some(engine), play);
        }
    }

    fn close_turn_of(&mut self, now: u64, place: usize, engine: Option<&Engine>, play: &mut Play) {
        let Some(tracked) = self.tracked.get_mut(place) else { return };
        let (ended, settled) = (tracked.ended.take(), tracked.settled.take());
        let Some(operation) = play.operations.get_mut(place) else { return };
        let Some(scenario) = self.scenario.operations.get(place) else { return };
        if ended.is_none() && settled.is_none() {
            return;
        }
        let code = settled.and_then(Result::err).map(|error| error.code);
        let end = match (ended, code) {
            (Some(Ended::By(end)), _) => Some(end),
            (Some(Ended::WithOutcome), Some(ErrorCode::ResponseTimeout)) => {
                Some(AttemptEnd::ResponseTimedOut)
            }
            (None, Some(ErrorCode::ClientReconnecting)) => Some(AttemptEnd::NeverSent),
            (Some(Ended::Result | Ended::WithOutcome) | None, _) => None,
        };
        // An answer came from a connection; all else that a decision is made of came with its loss.
        let standing = match end {
            Some(
                AttemptEnd::AnsweredRetryable
                | AttemptEnd::AnsweredError
                | AttemptEnd::AnsweredNeither
                | AttemptEnd::AnsweredRejected
                | AttemptEnd::ResponseTimedOut,
            ) => Standing::Connected,
            _ => Standing::Reconnecting,
        };
        let facts = end.map(|end| Facts {
            end,
            known: tracked.known.and(end.completion()),
            standing,
            redo: tracked.redo,
            kind: scenario.kind,
            settings: self.scenario.settings.messaging,
        });
        let gave_up = engine.is_some_and(|engine| engine.state() == ClientState::Closed);
        let (row, because) = match (facts, code) {
            (None, None) => ("result", Vec::new()),
            (None, Some(code)) => (limit_of(code), settings_of(limit_of(code))),
            (Some(facts), Some(code)) if facts.decide() == Decision::Retry => {
                let limit = match code {
                    _ if gave_up => "gaveUp",
                    ErrorCode::Timeout => limit_of(code), // over while the machine slept, as well
                    _ => "retryTimeout",
                };
                (limit, settings_of(limit))
            }
            (Some(facts), _) => (row_of(facts.end, facts.standing), facts.because()),
        };
        if ended.is_some()
            && let Some(attempt) = operation.attempts.last_mut()
        {
            attempt.ended = Some(now);
            attempt.row = Some(facts.map_or(row, |facts| row_of(facts.end, facts.standing)));
            attempt.decision = Some(match settled {
                None => "retried",
                Some(Ok(())) => "answered",
                Some(Err(_)) => "failed",
            });
            attempt.because = Some(because.clone());
        }
        let Some(settled) = settled else { return };
        let error = settled.err();
        operation.outcome = Some(Outcome {
            at: now,
            code: error.map_or("OK", |error| error.code.as_str()),
            completion: error.map_or(Completion::Yes, |error| error.completion).as_str(),
            attempts: error.map_or(tracked.attempts, |error| error.attempts),
            elapsed_milliseconds: now - scenario.at,
            row,
            because,
        });
    }

    /// What the gateways did, which no client knows.
    pub(crate) fn reveal(performed: &[Performed], play: &mut Play) {
        for &Performed { at, operation, gateway, number: attempt } in performed {
            if let Some(operation) = play.operations.get_mut(operation) {
                play.totals.performed += 1;
                operation.performed.push(crate::output::Performed { at, gateway, attempt });
            }
        }
    }
}

const fn by_answer(answer: Answer) -> Ended {
    match answer {
        Answer::Result => Ended::Result,
        Answer::Retryable { .. } => Ended::By(AttemptEnd::AnsweredRetryable),
        Answer::Error { code: -32_700 | -32_600 | -32_601 | -32_602 } => {
            Ended::By(AttemptEnd::AnsweredRejected)
        }
        Answer::Error { .. } => Ended::By(AttemptEnd::AnsweredError),
        Answer::Neither => Ended::By(AttemptEnd::AnsweredNeither),
    }
}

fn by_close(code: u16, in_flight: usize) -> AttemptEnd {
    let code = CloseCode::from_event(code);
    match code.blames_a_message() {
        true if code == CloseCode::TOO_BIG && in_flight == 1 => AttemptEnd::BlamedAlone,
        true => AttemptEnd::BlamedAmongOthers,
        false => AttemptEnd::Lost,
    }
}

/// The option that sets a limit, where one does.
fn settings_of(limit: &'static str) -> Vec<&'static str> {
    match limit {
        "retryTimeout" => vec!["retryTimeoutSeconds"],
        "timeout" => vec!["timeoutMilliseconds"],
        "overloaded" => vec!["limits"],
        _ => Vec::new(),
    }
}
