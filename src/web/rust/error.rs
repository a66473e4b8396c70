//! How operations and clients fail, for Rust.

use alloc::{boxed::Box, string::String, vec::Vec};
use core::{error, fmt};

use wasm_bindgen::prelude::*;

use super::RemoteError;
use crate::policy::{Cause, Completion, ErrorCode, LastFailure, OperationError};

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The result is not what the caller wants it to be: the operation was performed.
    DecodeFailed,
    /// The request cannot be written as JSON.
    EncodeFailed,
    /// A gateway of the list is none, or the list is empty.
    InvalidOption,
    /// The platform has no WebSocket, and none was given.
    NoWebSocket,
    /// What the policy core says of an operation, or of a client that ended.
    Policy(ErrorCode),
}

impl ErrorKind {
    /// The code as text: as in JavaScript, with `DECODE_FAILED` beside it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DecodeFailed => "DECODE_FAILED",
            Self::EncodeFailed => "ENCODE_FAILED",
            Self::InvalidOption => "INVALID_OPTION",
            Self::NoWebSocket => "NO_WEBSOCKET",
            Self::Policy(code) => code.as_str(),
        }
    }
}

/// Why an operation, or connecting, failed, and what is known of the operation.
///
/// Its text, by `Display` and by `Debug`, names gateways by origin and position only, and shows no
/// parameter and no answer. What a gateway answered, and what serde says of a value, is its
/// [`source`](error::Error::source): who prints that too prints what may be a secret.
///
/// # Example
///
/// ```
/// # async fn offer(client: regate::Client) {
/// use regate::{Error, policy::Completion};
///
/// let offered: Result<u32, Error> = client.invoke("queue.offer", ["item"]).await;
/// if let Err(error) = offered {
///     match error.completion() {
///         Completion::No => println!("not performed: offer it again"),
///         Completion::Maybe => println!("may have been performed: look before you offer it again"),
///         Completion::Yes => println!("performed, and answered with {:?}", error.remote()),
///     }
/// }
/// # }
/// ```
#[derive(Clone)]
pub struct Error(Box<Parts>);

#[derive(Clone)]
struct Parts {
    kind: ErrorKind,
    completion: Completion,
    attempts: u32,
    elapsed_milliseconds: u64,
    gateway: Option<String>,
    lost: Option<Cause>,
    remote: Option<RemoteError>,
    failures: Vec<(String, Cause)>,
    /// What is wrong with a list.
    detail: String,
    conversion: Option<ConversionError>,
}

/// What serde says of a value, which it may show.
#[derive(Clone, Debug)]
struct ConversionError(String);

impl Error {
    /// Of what was never begun.
    pub(super) fn new(kind: ErrorKind) -> Self {
        Self(Box::new(Parts {
            kind,
            completion: Completion::No,
            attempts: 0,
            elapsed_milliseconds: 0,
            gateway: None,
            lost: None,
            remote: None,
            failures: Vec::new(),
            detail: String::new(),
            conversion: None,
        }))
    }

    /// Of a request that cannot be written as JSON.
    pub(super) fn of_request(why: String) -> Self {
        let mut error = Self::new(ErrorKind::EncodeFailed);
        error.0.conversion = Some(ConversionError(why));
        error
    }

    /// The gateway performed the operation, and its result is not what the caller wants it to be.
    pub(super) fn of_result(why: String, attempts: u32, elapsed_milliseconds: u64) -> Self {
        let mut error = Self::new(ErrorKind::DecodeFailed);
        error.0.completion = Completion::Yes;
        error.0.attempts = attempts;
        error.0.elapsed_milliseconds = elapsed_milliseconds;
        error.0.conversion = Some(ConversionError(why));
        error
    }

    /// At this gateway, unless it names one.
    pub(super) fn at(mut self, gateway: impl FnOnce() -> Option<String>) -> Self {
        if self.0.attempts > 0 && self.0.gateway.is_none() {
            self.0.gateway = gateway();
        }
        self
    }

    /// Of an operation; `gateway` is its label, `answer` the message that came last.
    pub(super) fn of_operation(
        failed: &OperationError,
        gateway: Option<String>,
        answer: Option<&JsValue>,
    ) -> Self {
        let answered = matches!(failed.last_failure, LastFailure::Answered);
        let mut error = Self::new(ErrorKind::Policy(failed.code));
        error.0.completion = failed.completion;
        error.0.attempts = failed.attempts;
        error.0.elapsed_milliseconds = failed.elapsed_milliseconds;
        error.0.gateway = gateway;
        if let LastFailure::Lost(cause) = failed.last_failure {
            error.0.lost = Some(cause);
        }
        error.0.remote = answer.filter(|_| answered).and_then(RemoteError::of);
        error
    }

    /// Of a client that ended.
    pub(super) fn of_client(code: ErrorCode) -> Self {
        Self::new(ErrorKind::Policy(code))
    }

    /// With the last failure of each gateway.
    pub(super) fn with_failures(mut self, failures: Vec<(String, Cause)>) -> Self {
        self.0.failures = failures;
        self
    }

    /// Of what is wrong with a list: the entry, and the rule that it breaks.
    pub(super) fn of_list(name: &str, rule: &str) -> Self {
        let mut error = Self::new(ErrorKind::InvalidOption);
        error.0.detail = alloc::format!("{name} {rule}");
        error
    }

    /// What went wrong.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Whether the operation may have been performed. Of connecting it is [`Completion::No`].
    #[must_use]
    pub const fn completion(&self) -> Completion {
        self.0.completion
    }

    /// How many attempts were made.
    #[must_use]
    pub const fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// Milliseconds from the call to the failure.
    #[must_use]
    pub const fn elapsed_milliseconds(&self) -> u64 {
        self.0.elapsed_milliseconds
    }

    /// The gateway of the last attempt, by origin and position.
    #[must_use]
    pub fn gateway(&self) -> Option<&str> {
        self.0.gateway.as_deref()
    }

    /// Why the connection of the last attempt was lost, if it was.
    #[must_use]
    pub const fn lost(&self) -> Option<Cause> {
        self.0.lost
    }

    /// What the gateway answered, if that is what ended the last attempt.
    #[must_use]
    pub const fn remote(&self) -> Option<&RemoteError> {
        self.0.remote.as_ref()
    }

    /// Why each gateway failed last, where the client gave up.
    #[must_use]
    pub fn failures(&self) -> &[(String, Cause)] {
        &self.0.failures
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = &self.0;
        f.write_str(parts.kind.as_str())?;
        if let (Some(gateway), Some(cause)) = (&parts.gateway, parts.lost) {
            write!(f, ": {gateway}: {}", Shown(cause))?;
        }
        match parts.kind {
            ErrorKind::DecodeFailed => f.write_str(": the result is not of the type asked for")?,
            ErrorKind::EncodeFailed => f.write_str(
                ": params must be a list, an object or () that JSON holds, whole numbers within ±(2^53-1)",
            )?,
            ErrorKind::InvalidOption => write!(f, ": {}", parts.detail)?,
            ErrorKind::NoWebSocket | ErrorKind::Policy(_) => {}
        }
        for (gateway, cause) in &parts.failures {
            write!(f, "; {gateway}: {}", Shown(*cause))?;
        }
        if parts.attempts > 0 {
            let (attempts, elapsed) = (parts.attempts, parts.elapsed_milliseconds);
            write!(f, "; {attempts} attempts in {elapsed} ms")?;
        }
        write!(f, "; performed: {}", parts.completion.as_str())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Error").field(&format_args!("{self}")).finish()
    }
}

/// A cause with its close code.
struct Shown(Cause);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str())?;
        match self.0.close_code() {
            Some(code) => write!(f, " {}", code.as_u16()),
            None => Ok(()),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        let remote = self.0.remote.as_ref().map(|remote| remote as _);
        remote.or(self.0.conversion.as_ref().map(|conversion| conversion as _))
    }
}

impl fmt::Display for ConversionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl error::Error for ConversionError {}
