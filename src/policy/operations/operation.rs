use alloc::boxed::Box;

use super::{AttemptId, Call, MessagingSettings, OperationId, Purpose, Redo};
use crate::policy::{
    Completion, ErrorCode, GatewayIndex, Instant, LastFailure, OperationError, SocketId,
};

/// How far an operation has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Parked, delayed, or both: goes out when it is due and there is a connection.
    Waiting { due_at: Instant },
    /// About to be handed to a socket.
    Queued { attempt: AttemptId },
    /// Handed to a socket: it may be performed.
    InFlight { attempt: AttemptId },
    /// A subscription that was answered.
    Live,
}

/// Whether a subscription has been live: then its next issue resumes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Issue {
    First,
    Again,
}

/// The one socket that an operation may be sent on, where there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    ToNone,
    To(SocketId),
    /// That of the session hook which made it.
    ToSession(SocketId),
}

#[derive(Debug)]
pub(super) struct Operation {
    pub(super) id: OperationId,
    pub(super) state: State,
    /// The deadline of it that counts; others in the heap do not.
    pub(super) wake_at: Option<Instant>,
    pub(super) made_at: Instant,
    pub(super) time_out_at: Option<Instant>,
    pub(super) delay_milliseconds: u64,
    pub(super) bytes: u64,
    pub(super) messaging: Option<Box<MessagingSettings>>,
    pub(super) purpose: Purpose,
    pub(super) redo: Redo,
    pub(super) bound: Bound,
    pub(super) issue: Issue,
    /// Over all attempts that have ended.
    pub(super) known: Completion,
    pub(super) attempts: u32,
    pub(super) last_failure: LastFailure,
    pub(super) gateway: Option<GatewayIndex>,
}

impl Operation {
    /// One that is made now, without settings of its own, and neither bound nor sent.
    pub(super) fn new(now: Instant, id: OperationId, call: &Call) -> Self {
        Self {
            id,
            state: State::Waiting { due_at: now },
            wake_at: None,
            made_at: now,
            time_out_at: call.timeout_milliseconds.map(|timeout| now.after(timeout)),
            delay_milliseconds: 0,
            bytes: call.bytes,
            messaging: None,
            purpose: call.purpose,
            redo: call.redo,
            bound: Bound::ToNone,
            issue: Issue::First,
            known: Completion::No,
            attempts: 0,
            last_failure: LastFailure::None,
            gateway: None,
        }
    }

    pub(super) const fn attempt(&self) -> Option<AttemptId> {
        match self.state {
            State::Waiting { .. } | State::Live => None,
            State::Queued { attempt } | State::InFlight { attempt } => Some(attempt),
        }
    }

    pub(super) const fn is_subscription(&self) -> bool {
        matches!(self.purpose, Purpose::Subscription)
    }

    pub(super) const fn is_of_session(&self) -> bool {
        matches!(self.bound, Bound::ToSession(_))
    }

    /// The one socket that it may be sent on.
    pub(super) const fn bound_to(&self) -> Option<SocketId> {
        match self.bound {
            Bound::ToNone => None,
            Bound::To(socket) | Bound::ToSession(socket) => Some(socket),
        }
    }

    /// When it may no longer be sent, where that is limited.
    pub(super) fn give_up_at(&self, settings: &MessagingSettings) -> Option<Instant> {
        if self.is_subscription() {
            return None;
        }
        settings.retry_timeout_milliseconds().map(|timeout| self.made_at.after(timeout))
    }

    /// What its failure with `code` at this moment amounts to.
    pub(super) fn error(&self, now: Instant, code: ErrorCode) -> OperationError {
        let attempt = match self.state {
            State::InFlight { .. } => Completion::Maybe,
            State::Waiting { .. } | State::Queued { .. } | State::Live => Completion::No,
        };
        OperationError {
            code,
            completion: self.known.and(attempt),
            attempts: self.attempts,
            elapsed_milliseconds: now.since(self.made_at),
            gateway: self.gateway,
            last_failure: self.last_failure,
        }
    }
}
