//! What the core tells the application, and what the failure log says.

use alloc::vec::Vec;

use super::{Cause, CloseCode, GatewayIndex, GaveUp, OperationError, OperationId, Verdict};

/// The state of the connection, as the application sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the contract has these five states and no more")]
pub enum ClientState {
    /// Nothing was asked for yet.
    Idle,
    /// Dialling for the first time since `connect()`.
    Connecting,
    /// A gateway is there.
    Connected,
    /// The connection was lost; dialling again.
    Reconnecting,
    /// Closed, by the application or because the client gave up.
    Closed,
}

impl ClientState {
    /// The state as events write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Connecting => "connecting",
            Self::Connected => "connected",
            Self::Reconnecting => "reconnecting",
            Self::Closed => "closed",
        }
    }
}

/// Why the state changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StateReason {
    /// The signal given to `connect()` aborted it.
    Aborted,
    /// The client gave up.
    GaveUp(GaveUp),
    /// The connection was lost, for this cause.
    Lost(Cause),
    /// A gateway opened.
    Opened,
    /// The application asked for it.
    Requested,
}

impl StateReason {
    /// The reason as events write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Aborted => "aborted",
            Self::GaveUp(why) => why.code().as_str(),
            Self::Lost(cause) => cause.as_str(),
            Self::Opened => "opened",
            Self::Requested => "requested",
        }
    }
}

/// Something the application is told, in the past tense.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// The dial of a gateway began.
    Dialled {
        /// Which gateway.
        gateway: GatewayIndex,
        /// Which round since dialling began, counted from 1.
        round: u32,
    },
    /// A dial failed.
    DialFailed {
        /// Which gateway.
        gateway: GatewayIndex,
        /// What it means for the round.
        verdict: Verdict,
        /// Why.
        cause: Cause,
    },
    /// A line for the log.
    Logged(LogLine),
    /// An operation has its outcome. Nothing more will be said of it.
    Settled {
        /// Which operation.
        operation: OperationId,
        /// Its answer was a result, or it failed.
        outcome: Result<(), OperationError>,
    },
    /// A subscription is live.
    Subscribed {
        /// Which subscription.
        operation: OperationId,
        /// Whether it was live before: then something may have been missed meanwhile.
        resumed: bool,
    },
    /// The connection changed its state.
    StateChanged {
        /// The state before.
        from: ClientState,
        /// The state now.
        to: ClientState,
        /// Why.
        reason: StateReason,
        /// The gateway that was opened or lost, where the change is about one.
        gateway: Option<GatewayIndex>,
    },
    /// A wait began.
    WaitBegan {
        /// How long it lasts.
        milliseconds: u64,
        /// The round that follows it, counted from 1.
        round: u32,
    },
}

impl Notice {
    /// The close code that a state change was caused by, where there is one.
    #[must_use]
    pub const fn close_code(&self) -> Option<CloseCode> {
        match self {
            Self::StateChanged { reason: StateReason::Lost(cause), .. }
            | Self::DialFailed { cause, .. } => cause.close_code(),
            Self::Dialled { .. }
            | Self::Logged(_)
            | Self::Settled { .. }
            | Self::Subscribed { .. }
            | Self::StateChanged { .. }
            | Self::WaitBegan { .. } => None,
        }
    }
}

/// How often a gateway failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FailureCount {
    /// Which gateway; `None` where there was no list to take one from.
    pub gateway: Option<GatewayIndex>,
    /// How many of its dials failed and of its connections were lost.
    pub failures: u32,
    /// Why the last of them did.
    pub last_cause: Cause,
}

/// A line for the log. One outage makes a handful of them, however long it lasts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogLine {
    /// The first failure of an outage.
    OutageBegan {
        /// The gateway that failed; `None` where there was no list to take one from.
        gateway: Option<GatewayIndex>,
        /// Why it failed.
        cause: Cause,
    },
    /// The outage goes on; at most once a minute.
    OutageGoesOn {
        /// Milliseconds since it began.
        milliseconds: u64,
        /// What has failed since the last line, by gateway.
        failures: Vec<FailureCount>,
    },
    /// A connection has become steady again.
    OutageEnded {
        /// The gateway that is connected.
        gateway: GatewayIndex,
        /// From the first failure to the opening of the connection that lasted.
        milliseconds: u64,
        /// How many rounds were begun, the one with the first failure included.
        rounds: u32,
        /// How many dials were made, the first that failed included.
        dials: u32,
    },
    /// The client gave up.
    GaveUp {
        /// Why.
        why: GaveUp,
        /// From the first failure on.
        milliseconds: u64,
        /// How many rounds were begun, the one with the first failure included.
        rounds: u32,
        /// How many dials were made, the first that failed included.
        dials: u32,
        /// What has failed since the last line, by gateway.
        failures: Vec<FailureCount>,
    },
}
