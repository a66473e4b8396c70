//! The connection: which socket is ours, and what happens when it fails.
//!
//! ```text
//!                 connect()               (Listing)             opened            session done
//!   Idle, Closed ----------> Pausing ---------------> Dialling --------> Greeting ------------> Connected
//!                              ^                          |                 | failed                | lost
//!                              |                          +-----------------+-----------------------+
//!                              |                                            v
//!                              +------------- the verdict ----------- (Judging)
//!        close(), or the client gives up: any state --> Closed
//! ```
//!
//! | in | on | does |
//! | --- | --- | --- |
//! | `Idle`, `Closed` | connect, reconnect | pauses for no time, so that a close in the same turn opens nothing |
//! | `Pausing` | the pause is over | dials the next gateway of the round, asking for the list first where that can change |
//! | `Pausing` | reconnect, a wake | dials at once; a wake keeps to the floor |
//! | `Listing` | the list | dials |
//! | `Listing` | no list, or past the dial limit | was a failed round |
//! | `Dialling` | opened | gives up the dial beside it; runs the session hook, or is connected |
//! | `Dialling` | neither for a while | dials the next gateway beside it |
//! | `Dialling`, `Greeting` | failed, or past its limit | the verdict: the next gateway at once, or a wait |
//! | `Connected` | not open, or `error` | gives `close` a little time to come |
//! | `Connected` | lost | the verdict; a steady one is forgiven everything before |
//! | `Judging` | judged | what the verdict says, and after it what was asked for meanwhile |
//! | any but `Idle`, `Closed` | the page is hidden | lets the socket go and sets no timer |
//! | `Hidden` | the page is shown | dials |
//! | any | close | lets the socket go and is silent |
//!
//! Where each connection is asked for ([`Reconnect::OnRequest`]), a loss and a close end in `Closed` too,
//! but keep what would have come next for the next `connect()`.
//!
//! `Listing`, `Greeting` and `Judging` are passed over where the application has no list function,
//! session hook or close policy. An event of a socket that is no longer ours changes nothing.

mod beside;
mod failures;
mod machine;
mod resting;
mod rounds;
mod settings;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;

pub(crate) use machine::Connection;
pub use settings::{ConnectionSettings, FirstConnect, Hooks, Ratio, Reconnect};

use super::{Cause, GatewayIndex, InFlight, Instant, Notice, StateReason, Verdict};

/// A socket, by a number that is never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SocketId(u64);

impl SocketId {
    /// The socket of this number.
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

/// Who ended the client, or the connection where each is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no fourth way")]
pub enum CloseRequest {
    /// The signal given to `connect()`: closes only a client that is still connecting.
    ConnectAborted,
    /// `close()`.
    Application,
    /// `close()` of a connection that has done its work: where each is asked for, the next one
    /// dials the same gateway at once. Where it is not connected, as [`Application`](Self::Application).
    Done,
}

/// What the application says of a failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "an answer has these two parts")]
pub struct Judgement {
    /// What the failure means; `None` for the default.
    pub verdict: Option<Verdict>,
    /// The least length of the next wait; it is not shortened by jitter, and counts for nothing.
    pub wait_milliseconds: u64,
}

/// What happened to a connection, in the past tense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionEvent {
    ConnectRequested,
    ReconnectRequested,
    CloseRequested(CloseRequest),
    /// The socket is open.
    Opened(SocketId),
    /// The session hook is done.
    Greeted(SocketId),
    /// An error event: the close that belongs to it may still come.
    Erred(SocketId),
    /// The socket was not open when something was to be sent.
    FoundNotOpen(SocketId),
    /// The socket failed for good; `verdict` is what was said with the failure, if anything.
    Failed {
        socket: SocketId,
        cause: Cause,
        in_flight: InFlight,
        verdict: Option<Verdict>,
    },
    Judged(Judgement),
    /// The list that was asked for; `None` where there is none to be had.
    Listed(Option<Vec<GatewayIndex>>),
    /// The application set the list.
    ListReplaced(Vec<GatewayIndex>),
    Woken,
    Hidden,
    Shown,
}

impl ConnectionEvent {
    /// The socket that it happened to, where it happened to one.
    const fn socket(&self) -> Option<SocketId> {
        match *self {
            Self::Opened(socket)
            | Self::Greeted(socket)
            | Self::Erred(socket)
            | Self::FoundNotOpen(socket)
            | Self::Failed { socket, .. } => Some(socket),
            Self::ConnectRequested
            | Self::ReconnectRequested
            | Self::CloseRequested(_)
            | Self::Judged(_)
            | Self::Listed(_)
            | Self::ListReplaced(_)
            | Self::Woken
            | Self::Hidden
            | Self::Shown => None,
        }
    }
}

/// What a connection wants of those around it, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionOutput {
    Open {
        socket: SocketId,
        gateway: GatewayIndex,
    },
    Close {
        socket: SocketId,
    },
    /// The application is to say what a failure means.
    Judge {
        gateway: GatewayIndex,
        cause: Cause,
        verdict: Verdict,
    },
    /// The application is to give the list.
    AskForList,
    /// There was no list to be had.
    ListFailed,
    RoundBegan,
    /// The session hook is to run on this socket.
    Greet {
        socket: SocketId,
        gateway: GatewayIndex,
    },
    /// Operations may go out on this socket.
    Ready {
        socket: SocketId,
        gateway: GatewayIndex,
    },
    /// The socket takes no more operations, though it is not lost yet.
    Halted,
    /// A socket is lost on which the session hook was running.
    GreetingEnded {
        cause: Cause,
    },
    /// The connection is lost and the client goes on dialling.
    Lost {
        gateway: GatewayIndex,
        cause: Cause,
    },
    /// The connection has been connected long enough.
    Steadied {
        gateway: GatewayIndex,
        since: Instant,
    },
    /// The client is closed; `lost` is the connection whose loss was the end, and its cause.
    Ended {
        reason: StateReason,
        lost: Option<(GatewayIndex, Cause)>,
    },
    Notice(Notice),
}

/// What comes after a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    /// A round: the first, or the one that follows a wait.
    Round,
    /// The round that follows the loss of this gateway, and ends with it.
    RoundAfter(GatewayIndex),
    /// The next gateway of the running round.
    NextDial,
    /// The same gateway again, in the running round.
    Redial(GatewayIndex),
}

/// Why there is a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pause {
    /// To spread a fleet, or to let the turn end: a wake does not cut it short.
    Spread,
    /// A wait of the schedule, or up to the floor.
    Wait,
}

/// Whether what was lost had been connected long enough to forgive what came before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loss {
    Steady,
    Unsteady,
}

impl Loss {
    fn judge(now: Instant, steady_at: Option<Instant>) -> Self {
        if steady_at.is_none_or(|at| at <= now) { Self::Steady } else { Self::Unsteady }
    }
}

/// What failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failed {
    Dial,
    Connection(Loss),
}

/// What the application has asked for while it is asked itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Nothing,
    Reconnect,
}

/// Each state owns the deadlines that can fire in it: leaving it cancels them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    Pausing {
        until: Instant,
        pause: Pause,
        then: Then,
    },
    Listing {
        give_up_at: Instant,
        then: Then,
    },
    Dialling(Dial),
    Greeting {
        socket: SocketId,
        gateway: GatewayIndex,
        give_up_at: Instant,
        /// What it will have failed of at `give_up_at`.
        cause: Cause,
    },
    Connected {
        socket: SocketId,
        gateway: GatewayIndex,
        since: Instant,
        /// `None` once it has been connected long enough.
        steady_at: Option<Instant>,
        /// When a socket that is known to be not open counts as lost, and of what.
        lost_at: Option<(Instant, Cause)>,
    },
    Judging {
        gateway: GatewayIndex,
        cause: Cause,
        failed: Failed,
        verdict: Verdict,
        asked: Asked,
    },
    /// The page is in the back/forward cache.
    Hidden,
    Closed,
}

/// A dial that has neither opened nor failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Dial {
    socket: SocketId,
    gateway: GatewayIndex,
    give_up_at: Instant,
    /// What it will have failed of at `give_up_at`.
    cause: Cause,
    /// When the next gateway is dialled beside it, if ever.
    beside_at: Option<Instant>,
}

/// What comes once no dial is pending any more, instead of the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owed {
    Nothing,
    /// The list is asked for again before the next dial.
    List,
    /// A wait, and then this gateway again.
    Redial(GatewayIndex),
}

/// Why a client is dialling, which decides whether it ever stops by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Connecting,
    Reconnecting,
}
