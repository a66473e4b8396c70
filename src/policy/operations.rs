//! Operations: what becomes of each request, from its call to its one outcome.
//!
//! ```text
//!              not connected, or delayed
//!   invoke ------------------------------> Waiting <---------------+
//!      |                                      | ready and due      | retried
//!      +------------------------------------> Queued --> InFlight -+--> settled
//!                      connected                    handed over
//! ```
//!
//! | in | on | does |
//! | --- | --- | --- |
//! | `Waiting` | the connection is ready, and its delay is over | is queued, in the order the operations were made |
//! | `Waiting` | the retry timeout is over | fails with `RETRY_TIMEOUT` |
//! | `Queued` | its frame is handed to the socket | is in flight: from here on it may be performed |
//! | `Queued` | the connection is lost | was never sent |
//! | `InFlight` | answered with a result | is settled |
//! | `InFlight` | any other end | what [`decide`] says |
//! | any | aborted, timed out, closed | is settled; its frame, if it has not left, never will |
//!
//! Whatever was settled is removed everywhere, so a late or repeated answer finds nothing.

mod deadlines;
mod decision;
mod machine;
mod settings;
mod table;
#[cfg(test)]
mod tests;

use alloc::boxed::Box;

pub use decision::{AttemptEnd, Decision, Redo, Standing, decide};
pub use settings::{Limits, MessagingSettings};

pub(super) use machine::{Link, OperationOutput, Operations};

/// An operation, by a number that is never used twice. It is also the id of its first attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationId(u64);

impl OperationId {
    /// The operation of this number.
    #[must_use]
    pub const fn from_u64(number: u64) -> Self {
        Self(number)
    }

    /// The number, from 1 on.
    #[must_use]
    pub const fn as_u64(self) -> u64 {
        self.0
    }
}

/// An attempt, by the id that its frame carries: never 0, never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttemptId(u64);

impl AttemptId {
    /// The attempt of this id.
    #[must_use]
    pub const fn from_u64(id: u64) -> Self {
        Self(id)
    }

    /// The id, from 1 on.
    #[must_use]
    pub const fn as_u64(self) -> u64 {
        self.0
    }
}

/// What a caller asks for, apart from the payload.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "to be written out with `..Call::once()`")]
pub struct Call {
    /// Whether it may be run again.
    pub redo: Redo,
    /// How long it may take in all; `None` for no limit of its own.
    pub timeout_milliseconds: Option<u64>,
    /// Settings of its own; `None` for those of the client.
    pub messaging: Option<Box<MessagingSettings>>,
}

impl Call {
    /// A call that may not be run again.
    #[must_use]
    pub const fn once() -> Self {
        Self { redo: Redo::Once, timeout_milliseconds: None, messaging: None }
    }

    /// A call that may be run again.
    #[must_use]
    pub const fn redoable() -> Self {
        Self { redo: Redo::Redoable, timeout_milliseconds: None, messaging: None }
    }
}

/// What the gateway answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "an answer has no other form")]
pub enum Answer {
    /// An error that says: not performed, try again.
    Retryable {
        /// Not before so many milliseconds.
        after_milliseconds: u64,
    },
    /// Any other error.
    Error {
        /// The code of the error: JSON-RPC numbers what it did not even try.
        code: i32,
    },
    /// Neither a result nor an error.
    Neither,
    /// A result.
    Result,
}

/// What is counted and dropped, or happened more often than callers were told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OperationCounts {
    /// Attempts handed to a socket.
    pub attempts: u64,
    /// Attempts beyond the first of their operation.
    pub retries: u64,
    /// Operations refused because of a limit.
    pub overloaded: u64,
    /// Answers to nothing that is in flight: late, repeated or made up.
    pub unmatched_answers: u64,
}
