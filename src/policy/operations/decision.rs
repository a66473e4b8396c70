//! Whether an operation is run again: one pure function, with its table beside it.

use super::MessagingSettings;
use crate::policy::{Completion, ErrorCode};

/// Whether an operation may be performed a second time without harm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no third case")]
pub enum Redo {
    /// It may: it only reads, or the caller says so.
    Redoable,
    /// It may not.
    Once,
}

/// Where the connection stands when the decision falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the table of decisions has these columns")]
pub enum Standing {
    /// Operations can be sent.
    Connected,
    /// Not connected yet since `connect()`, or `connect()` was not called.
    NotYet,
    /// The connection was lost, or its socket is not open; the client dials again.
    Reconnecting,
}

/// What ended an attempt, or kept it from being made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "each is a row of the table of decisions")]
pub enum AttemptEnd {
    /// Answered with an error of the gateway's own.
    AnsweredError,
    /// Answered with neither a result nor an error.
    AnsweredNeither,
    /// Answered with an error that says it was not even tried: -32700, -32600, -32601, -32602.
    AnsweredRejected,
    /// Answered "not performed, try again".
    AnsweredRetryable,
    /// Sent, then closed with 1003, 1007 or 1009 while others were in flight too.
    BlamedAmongOthers,
    /// Sent, then closed with 1009 while nothing else was in flight.
    BlamedAlone,
    /// Sent, then the connection was lost.
    Lost,
    /// Never sent: there was no open socket.
    NeverSent,
    /// No answer within `waitForResponseMilliseconds`.
    ResponseTimedOut,
    /// `send` threw.
    SendThrew,
    /// `send` threw because the socket belongs to another request of the Worker.
    WrongContext,
}

impl AttemptEnd {
    /// Every end, in the order of the table.
    pub const ALL: [Self; 11] = [
        Self::NeverSent,
        Self::SendThrew,
        Self::WrongContext,
        Self::Lost,
        Self::BlamedAmongOthers,
        Self::BlamedAlone,
        Self::AnsweredRetryable,
        Self::AnsweredRejected,
        Self::AnsweredError,
        Self::AnsweredNeither,
        Self::ResponseTimedOut,
    ];

    /// What is known of the attempt itself.
    #[must_use]
    pub const fn completion(self) -> Completion {
        match self {
            Self::NeverSent
            | Self::SendThrew
            | Self::WrongContext
            | Self::AnsweredRetryable
            | Self::AnsweredRejected => Completion::No,
            Self::AnsweredError => Completion::Yes,
            Self::Lost
            | Self::BlamedAmongOthers
            | Self::BlamedAlone
            | Self::AnsweredNeither
            | Self::ResponseTimedOut => Completion::Maybe,
        }
    }

    /// The code of an operation that fails because of it.
    #[must_use]
    pub const fn code(self) -> ErrorCode {
        match self {
            Self::NeverSent => ErrorCode::ClientReconnecting,
            Self::SendThrew | Self::Lost | Self::BlamedAmongOthers => ErrorCode::ConnectionLost,
            Self::WrongContext => ErrorCode::WrongContext,
            Self::BlamedAlone => ErrorCode::MessageTooBig,
            Self::AnsweredRetryable | Self::AnsweredRejected | Self::AnsweredError => {
                ErrorCode::RemoteError
            }
            Self::AnsweredNeither => ErrorCode::ProtocolError,
            Self::ResponseTimedOut => ErrorCode::ResponseTimeout,
        }
    }
}

/// What becomes of an operation when an attempt has ended, or could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no third case")]
pub enum Decision {
    /// It is run again, within its time.
    Retry,
    /// It fails.
    Fail(ErrorCode),
}

/// Decides whether an operation is run again.
///
/// `known` is the completion of the operation over all its attempts, this one included.
///
/// | what ended the attempt | this attempt | the operation is retried when |
/// | --- | --- | --- |
/// | never sent, not connected yet | no | always |
/// | never sent, reconnecting | no | redoable and `retryOnClientReconnecting`; or `retryUnsentOperations` |
/// | `send` threw | no | as the row above |
/// | `send` threw, wrong context | no | never |
/// | sent, then lost | maybe | redoable and `retryOnConnectionLost` |
/// | sent, then closed with 1003, 1007, 1009 | maybe | never |
/// | answered "not performed, try again" | no | always |
/// | answered with -32700, -32600, -32601, -32602 | no | never |
/// | answered with any other error | yes | never |
/// | answered with neither | maybe | never |
/// | no answer in time | maybe | never |
///
/// Where the client is reconnecting at that moment, the second row must agree too; for it, an
/// operation of which no attempt can have been performed counts as never sent.
///
/// # Example
///
/// ```
/// use regate::policy::{
///     AttemptEnd, Completion, Decision, ErrorCode, MessagingSettings, Redo, Standing, decide,
/// };
///
/// let settings = MessagingSettings::default();
/// let lost = |redo| {
///     decide(AttemptEnd::Lost, Completion::Maybe, Standing::Reconnecting, redo, &settings)
/// };
/// assert_eq!(lost(Redo::Redoable), Decision::Retry);
/// assert_eq!(lost(Redo::Once), Decision::Fail(ErrorCode::ConnectionLost));
/// ```
#[must_use]
pub fn decide(
    end: AttemptEnd,
    known: Completion,
    standing: Standing,
    redo: Redo,
    settings: &MessagingSettings,
) -> Decision {
    let redoable = redo == Redo::Redoable;
    let may_wait = redoable && settings.retry_on_client_reconnecting
        || known == Completion::No && settings.retry_unsent_operations;
    let own_row = match end {
        AttemptEnd::AnsweredRetryable => true,
        AttemptEnd::NeverSent => standing == Standing::NotYet || may_wait,
        AttemptEnd::SendThrew => may_wait,
        AttemptEnd::Lost => redoable && settings.retry_on_connection_lost,
        AttemptEnd::AnsweredError
        | AttemptEnd::AnsweredNeither
        | AttemptEnd::AnsweredRejected
        | AttemptEnd::BlamedAmongOthers
        | AttemptEnd::BlamedAlone
        | AttemptEnd::ResponseTimedOut
        | AttemptEnd::WrongContext => false,
    };
    let can_wait_now = standing != Standing::Reconnecting || may_wait;
    if own_row && can_wait_now { Decision::Retry } else { Decision::Fail(end.code()) }
}

#[cfg(test)]
mod tests {
    use super::{AttemptEnd, Decision, Redo, Standing, decide};
    use crate::policy::{Completion, ErrorCode, MessagingSettings};

    /// The contract's table, written a second time as data: retried when, by row.
    fn row(end: AttemptEnd) -> (&'static str, Completion, &'static str, ErrorCode) {
        use AttemptEnd as E;
        use Completion::{Maybe, No, Yes};
        use ErrorCode as C;
        match end {
            E::NeverSent => ("never sent", No, "reconnecting row", C::ClientReconnecting),
            E::SendThrew => ("send threw", No, "reconnecting row", C::ConnectionLost),
            E::WrongContext => ("wrong context", No, "never", C::WrongContext),
            E::Lost => ("lost", Maybe, "redoable and connection lost", C::ConnectionLost),
            E::BlamedAmongOthers => ("1003, 1007, 1009", Maybe, "never", C::ConnectionLost),
            E::BlamedAlone => ("1009 alone", Maybe, "never", C::MessageTooBig),
            E::AnsweredRetryable => ("try again", No, "always", C::RemoteError),
            E::AnsweredRejected => ("rejected", No, "never", C::RemoteError),
            E::AnsweredError => ("error", Yes, "never", C::RemoteError),
            E::AnsweredNeither => ("neither", Maybe, "never", C::ProtocolError),
            E::ResponseTimedOut => ("no answer", Maybe, "never", C::ResponseTimeout),
        }
    }

    #[test]
    fn every_combination_follows_the_table() {
        let flags = [false, true];
        let mut combinations = 0;
        for end in AttemptEnd::ALL {
            for standing in [Standing::Connected, Standing::NotYet, Standing::Reconnecting] {
                for known in [Completion::No, Completion::Yes, Completion::Maybe] {
                    for redoable in flags {
                        for (lost, reconnecting, unsent) in flags.into_iter().flat_map(|a| {
                            flags.into_iter().flat_map(move |b| flags.map(|c| (a, b, c)))
                        }) {
                            let (label, completion, when, code) = row(end);
                            let known = known.and(completion);
                            let waits =
                                (redoable && reconnecting) || (unsent && known == Completion::No);
                            let own = match when {
                                "always" => true,
                                "never" => false,
                                "reconnecting row" if end == AttemptEnd::NeverSent => {
                                    waits || standing == Standing::NotYet
                                }
                                "reconnecting row" => waits,
                                "redoable and connection lost" => redoable && lost,
                                other => panic!("{other}"),
                            };
                            let expected = if own && (standing != Standing::Reconnecting || waits) {
                                Decision::Retry
                            } else {
                                Decision::Fail(code)
                            };
                            let settings = MessagingSettings {
                                retry_on_connection_lost: lost,
                                retry_on_client_reconnecting: reconnecting,
                                retry_unsent_operations: unsent,
                                ..MessagingSettings::DEFAULT
                            };
                            let redo = if redoable { Redo::Redoable } else { Redo::Once };
                            assert_eq!(
                                decide(end, known, standing, redo, &settings),
                                expected,
                                "{label}: {standing:?} {known:?} {redo:?} {settings:?}"
                            );
                            combinations += 1;
                        }
                    }
                }
            }
        }
        assert_eq!(combinations, 11 * 3 * 3 * 2 * 8);
    }

    #[test]
    fn the_completion_of_an_operation_is_that_of_all_its_attempts() {
        use Completion::{Maybe, No, Yes};
        for (attempts, known) in [
            (&[][..], No),
            (&[No, No], No),
            (&[No, Yes], Yes),
            (&[Maybe, No], Maybe),
            (&[Maybe, Yes], Maybe),
            (&[No, Yes, Maybe], Maybe),
        ] {
            let folded = attempts.iter().fold(No, |known, &attempt| known.and(attempt));
            assert_eq!(folded, known, "{attempts:?}");
        }
    }
}
