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
//! A subscription goes the same way, but is live when it is answered, and waits again whenever its
//! connection is lost: first of all that waits. It has no timeouts.
//!
//! Whatever was settled is removed everywhere, so a late or repeated answer finds nothing.

mod at_once;
mod deadlines;
mod decision;
mod link;
mod machine;
mod operation;
mod settings;
mod steps;
mod table;
#[cfg(test)]
mod tests;

use alloc::boxed::Box;

pub use decision::{AttemptEnd, Decision, Redo, Standing, decide};
pub use settings::{Limits, MessagingSettings};

pub(super) use machine::{Link, OperationOutput, Operations};

use super::SocketId;

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

/// What an operation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no fourth case")]
pub enum Purpose {
    /// One answer.
    Request,
    /// To be told again and again: it is issued anew on every connection, until it is aborted.
    Subscription,
    /// To end a subscription at the gateway. No limit and no draining keeps it back, and it counts
    /// nowhere: what it would leave behind is worse.
    Farewell,
}

/// Where an operation may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no fourth case")]
pub enum Binding {
    /// To whichever gateway is connected.
    Anywhere,
    /// Only on the connection that there is when it is made.
    Connection,
    /// Only on this socket, whose session hook makes it; it is not run again.
    Session(SocketId),
}

/// What a caller asks for, apart from the payload.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "to be written out with `..Call::once()`")]
pub struct Call {
    /// What it is for.
    pub purpose: Purpose,
    /// Where it may be sent.
    pub binding: Binding,
    /// Whether it may be run again.
    pub redo: Redo,
    /// How long it may take in all; `None` for no limit of its own.
    pub timeout_milliseconds: Option<u64>,
    /// The length of its frame, for the limits.
    pub bytes: u64,
    /// What the platform still has to send at this moment, where the engine asks for it by
    /// [`Engine::socket_to_measure`](super::Engine::socket_to_measure) and the platform tells; else 0.
    pub buffered_bytes: u64,
    /// Settings of its own; `None` for those of the client.
    pub messaging: Option<Box<MessagingSettings>>,
}

impl Call {
    /// A call that may not be run again.
    #[must_use]
    pub const fn once() -> Self {
        Self {
            purpose: Purpose::Request,
            binding: Binding::Anywhere,
            redo: Redo::Once,
            timeout_milliseconds: None,
            bytes: 0,
            buffered_bytes: 0,
            messaging: None,
        }
    }

    /// A call that may be run again.
    #[must_use]
    pub const fn redoable() -> Self {
        let mut call = Self::once();
        call.redo = Redo::Redoable;
        call
    }

    /// A call that asks to be told again and again.
    #[must_use]
    pub const fn subscription() -> Self {
        let mut call = Self::redoable();
        call.purpose = Purpose::Subscription;
        call
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
    /// Operations that were answered with a result.
    pub succeeded: u64,
    /// Operations that failed and were not performed.
    pub failed_no: u64,
    /// Operations that failed and may have been performed.
    pub failed_maybe: u64,
    /// Operations that were performed and answered with an error.
    pub failed_yes: u64,
    /// Attempts handed to a socket.
    pub attempts: u64,
    /// Attempts beyond the first of their operation.
    pub retries: u64,
    /// Operations refused because of a limit.
    pub overloaded: u64,
    /// Answers to nothing that is in flight: late, repeated or made up.
    pub unmatched_answers: u64,
}
