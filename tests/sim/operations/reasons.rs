//! When an operation is to be settled, and why it may fail.

use regate::policy::{Answer, Completion, ErrorCode, Redo, SendFailure};

use super::{Asked, End, Operation};

impl Operation {
    /// When it is to be settled at the latest, while it stays as it is.
    pub(super) fn deadlines(&self) -> impl Iterator<Item = u64> {
        let wait = self.messaging.wait_for_response_milliseconds;
        let respond_by = self
            .live()
            .filter(|_| wait != 0 && !self.is_subscription())
            .map(|attempt| attempt.sent_at + wait);
        let give_up_at = self.give_up_at().filter(|_| self.live().is_none());
        self.time_out_at.into_iter().chain(respond_by).chain(give_up_at)
    }

    /// Whether `code` can be the reason of a failure now.
    pub(super) fn explains(
        &self,
        now: u64,
        code: ErrorCode,
        asked: Asked,
        overloaded: bool,
    ) -> bool {
        let last = self.attempts.last();
        let end = last.and_then(|attempt| attempt.end).map(|(_, end)| end);
        let in_flight = last.is_some_and(|attempt| attempt.end.is_none());
        let settings = &self.messaging;
        let redoable = self.redo == Redo::Redoable;
        let may_wait = (redoable && settings.retry_on_client_reconnecting)
            || (settings.retry_unsent_operations
                && self.attempts.iter().all(|attempt| attempt.completion() == Completion::No));
        let retries = settings.retry_timeout_seconds != 0;
        if asked.gave_up == Some(code) && !in_flight {
            return true;
        }
        match code {
            ErrorCode::Aborted => self.aborted,
            ErrorCode::ClientClosed => asked.close || asked.drain,
            ErrorCode::ConnectionLost if self.is_bound() && !in_flight => true,
            // Never sent, or about to be sent again when the socket was found not to be open.
            ErrorCode::ClientReconnecting => {
                !asked.ready && !may_wait && !in_flight && now >= self.due.0
            }
            ErrorCode::ConnectionLost => match end {
                Some(End::Lost(_)) if asked.gave_up.is_some() => true,
                Some(End::Lost(Some(1003 | 1007 | 1009))) => true,
                Some(End::Lost(_)) => {
                    !(retries && redoable && settings.retry_on_connection_lost && may_wait)
                }
                Some(End::NotSent(SendFailure::Threw)) => {
                    !(retries && may_wait) || asked.gave_up.is_some() || asked.drain
                }
                Some(End::Answered(_) | End::NotSent(_)) | None => false,
            },
            ErrorCode::MessageTooBig => end == Some(End::Lost(Some(1009))),
            ErrorCode::Overloaded => self.attempts.is_empty() && overloaded,
            ErrorCode::ProtocolError => end == Some(End::Answered(Answer::Neither)),
            ErrorCode::RemoteError => match end {
                Some(End::Answered(Answer::Error { .. })) => true,
                Some(End::Answered(Answer::Retryable { .. })) => {
                    !retries || (!asked.ready && !may_wait) || self.is_bound()
                }
                Some(End::Answered(_) | End::Lost(_) | End::NotSent(_)) | None => false,
            },
            ErrorCode::ResponseTimeout => {
                let wait = settings.wait_for_response_milliseconds;
                in_flight && wait != 0 && last.is_some_and(|last| now >= last.sent_at + wait)
            }
            ErrorCode::RetryTimeout => self.give_up_at().is_some_and(|at| {
                let floor = match end {
                    Some(End::Answered(Answer::Retryable { after_milliseconds: floor })) => floor,
                    Some(End::Answered(_) | End::Lost(_) | End::NotSent(_)) | None => 0,
                };
                !in_flight && now + floor >= at
            }),
            ErrorCode::Timeout => self.time_out_at.is_some_and(|at| now >= at),
            ErrorCode::WrongContext => end == Some(End::NotSent(SendFailure::WrongContext)),
            _ => false,
        }
    }
}
