//! What is taken down of each request.

use regate::policy::{
    Answer, AttemptId, Binding, Completion, MessagingSettings, OperationError, Purpose, Redo,
    SendFailure, SocketId,
};

/// How an attempt ended, as far as the client can know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Answered(Answer),
    NotSent(SendFailure),
    /// Its socket was lost, with this code if with one.
    Lost(Option<u16>),
}

#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) id: AttemptId,
    pub(super) socket: SocketId,
    pub(super) sent_at: u64,
    pub(super) end: Option<(u64, End)>,
    pub(super) arrived: bool,
}

impl Attempt {
    pub(super) fn completion(&self) -> Completion {
        match self.end {
            Some((_, End::NotSent(_) | End::Answered(Answer::Retryable { .. }))) => Completion::No,
            Some((_, End::Answered(Answer::Error { code }))) if is_rejection(code) => {
                Completion::No
            }
            Some((_, End::Answered(Answer::Error { .. }))) => Completion::Yes,
            Some((_, End::Answered(Answer::Neither | Answer::Result) | End::Lost(_))) | None => {
                Completion::Maybe
            }
        }
    }

    /// Whether it counts: one that found the socket not open was never made.
    pub(super) fn counts(&self) -> bool {
        !matches!(self.end, Some((_, End::NotSent(SendFailure::NotOpen))))
    }
}

const fn is_rejection(code: i32) -> bool {
    matches!(code, -32_700 | -32_600 | -32_601 | -32_602)
}

#[derive(Debug)]
pub(super) struct Operation {
    pub(super) made_at: u64,
    /// How many others were unsettled when it was made.
    pub(super) others: u64,
    /// A limit was reached: it has to be refused.
    pub(super) too_many: bool,
    pub(super) purpose: Purpose,
    pub(super) binding: Binding,
    /// The one socket it may be sent on, where that is known.
    pub(super) bound_to: Option<SocketId>,
    pub(super) redo: Redo,
    pub(super) time_out_at: Option<u64>,
    pub(super) messaging: MessagingSettings,
    pub(super) attempts: Vec<Attempt>,
    pub(super) aborted: bool,
    /// Delays drawn so far.
    pub(super) delays: u32,
    /// It may go out from here on, and must not later than this.
    pub(super) due: (u64, u64),
    pub(super) executions: u32,
    pub(super) settled: Option<Result<(), OperationError>>,
}

impl Operation {
    pub(super) fn live(&self) -> Option<&Attempt> {
        self.attempts.last().filter(|attempt| attempt.end.is_none())
    }

    pub(super) fn is_subscription(&self) -> bool {
        self.purpose == Purpose::Subscription
    }

    pub(super) fn is_of_session(&self) -> bool {
        matches!(self.binding, Binding::Session(_))
    }

    pub(super) fn is_bound(&self) -> bool {
        self.binding != Binding::Anywhere
    }

    /// What is known of `attempt`: the result of a subscription is no end of it.
    pub(super) fn completion_of(&self, attempt: &Attempt) -> Completion {
        match attempt.end {
            Some((_, End::Answered(Answer::Result))) if self.is_subscription() => Completion::Yes,
            _ => attempt.completion(),
        }
    }

    pub(super) fn counted(&self) -> u64 {
        self.attempts.iter().filter(|attempt| attempt.counts()).count() as u64
    }

    pub(super) fn give_up_at(&self) -> Option<u64> {
        if self.is_subscription() {
            return None;
        }
        self.messaging.retry_timeout_milliseconds().map(|timeout| self.made_at + timeout)
    }

    /// Until when it may be sent: a timer may be late for the attempt at the very limit.
    pub(super) fn last_at(&self) -> Option<u64> {
        let at_limit = |at: u64| if (self.due.0..=self.due.1).contains(&at) { 1_000 } else { 0 };
        self.give_up_at().map(|at| at + at_limit(at))
    }
}
