//! How operations and connections fail, and what is known of a failed operation.

use super::{Cause, GatewayIndex};

/// What is known of a failed operation.
///
/// It belongs to the operation, not to its last attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::exhaustive_enums, reason = "the contract has these three answers and no more")]
pub enum Completion {
    /// It was not performed.
    No,
    /// The cluster ran it and answered with an error.
    Yes,
    /// It may have been performed.
    Maybe,
}

impl Completion {
    /// The completion as errors write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::Yes => "yes",
            Self::Maybe => "maybe",
        }
    }

    /// The completion of an operation, of whose attempts one more has ended so.
    ///
    /// One unknown attempt makes the operation unknown; one that was answered makes it known.
    #[must_use]
    pub const fn and(self, attempt: Self) -> Self {
        match (self, attempt) {
            (Self::Maybe, _) | (_, Self::Maybe) => Self::Maybe,
            (Self::Yes, _) | (_, Self::Yes) => Self::Yes,
            (Self::No, Self::No) => Self::No,
        }
    }
}

/// The codes that the core gives to failed operations and to clients that gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorCode {
    /// The caller's signal aborted the operation; JavaScript sees the signal's own reason.
    Aborted,
    /// The client was closed. Make a new operation after the next `connect()`.
    ClientClosed,
    /// The operation was never sent because the client is reconnecting, and it may not wait.
    ClientReconnecting,
    /// The connect schedule was spent before a gateway opened.
    ConnectTimeout,
    /// The connection was lost while the operation was in flight.
    ConnectionLost,
    /// The gateway closed the socket because this message was too big for it.
    MessageTooBig,
    /// No gateway is left that may be dialled.
    NoGateway,
    /// More operations wait, or are in flight, than the limits allow.
    Overloaded,
    /// The answer had neither a result nor an error.
    ProtocolError,
    /// The gateway answered with an error.
    RemoteError,
    /// No answer came within `messaging.waitForResponseMilliseconds`.
    ResponseTimeout,
    /// `messaging.retryTimeoutSeconds` was over before an attempt was answered.
    RetryTimeout,
    /// The operation's own `timeoutMilliseconds` was over.
    Timeout,
    /// The socket belongs to another request of the Worker.
    WrongContext,
}

impl ErrorCode {
    /// The code as `RegateError.code` has it; these strings never change their meaning.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Aborted => "ABORTED",
            Self::ClientClosed => "CLIENT_CLOSED",
            Self::ClientReconnecting => "CLIENT_RECONNECTING",
            Self::ConnectTimeout => "CONNECT_TIMEOUT",
            Self::ConnectionLost => "CONNECTION_LOST",
            Self::MessageTooBig => "MESSAGE_TOO_BIG",
            Self::NoGateway => "NO_GATEWAY",
            Self::Overloaded => "OVERLOADED",
            Self::ProtocolError => "PROTOCOL_ERROR",
            Self::RemoteError => "REMOTE_ERROR",
            Self::ResponseTimeout => "RESPONSE_TIMEOUT",
            Self::RetryTimeout => "RETRY_TIMEOUT",
            Self::Timeout => "TIMEOUT",
            Self::WrongContext => "WRONG_CONTEXT",
        }
    }
}

/// What ended the last attempt of an operation, where something did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LastFailure {
    /// Nothing: no attempt was made, or the last one has not ended.
    None,
    /// The gateway answered with an error. What it said stays with whoever drives the core.
    Answered,
    /// The connection was lost, for this cause.
    Lost(Cause),
}

/// Why an operation failed, and what is known of it.
///
/// # Errors
///
/// See [`ErrorCode`] for what can be done about each code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{}: performed: {}, {attempts} attempts in {elapsed_milliseconds} ms",
    code.as_str(),
    completion.as_str()
)]
#[non_exhaustive]
pub struct OperationError {
    /// What went wrong.
    pub code: ErrorCode,
    /// Whether the operation may have been performed.
    pub completion: Completion,
    /// How many attempts were made.
    pub attempts: u32,
    /// Time from the call to the failure.
    pub elapsed_milliseconds: u64,
    /// The gateway of the last attempt.
    pub gateway: Option<GatewayIndex>,
    /// What ended the last attempt.
    pub last_failure: LastFailure,
}

/// Why a client stopped dialling by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GaveUp {
    /// `networking.reconnect` is `never`, and the connection was lost.
    #[error("the connection was lost, and the client is not to reconnect")]
    ConnectionLost,
    /// Every gateway is out. Check the URLs and what the gateways say when they close.
    #[error("no gateway is left that may be dialled")]
    NoGateway,
    /// The schedule's waits are used up. Give it a larger `max`, or mend the gateways.
    #[error("the connect schedule is spent")]
    ScheduleSpent,
}

impl GaveUp {
    /// The code that errors carry for it.
    #[must_use]
    pub const fn code(self) -> ErrorCode {
        match self {
            Self::ConnectionLost => ErrorCode::ConnectionLost,
            Self::NoGateway => ErrorCode::NoGateway,
            Self::ScheduleSpent => ErrorCode::ConnectTimeout,
        }
    }
}
