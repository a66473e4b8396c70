//! The policy core: when to dial which gateway, what may be run again, and what is known of it.
//!
//! Everything here is told what time it is and what happened, and says what to do. It has no
//! clock, no chance of its own, no socket, no callback and no panic, so that the same events give
//! the same actions on every target. Start with [`Engine`], which is the whole client;
//! [`TcpTimeouts`], [`Round`] and [`decide`] stand alone.

mod connection;
pub mod engine;
mod error;
pub mod failure_log;
mod gateways;
mod liveness;
mod notice;
mod operations;
pub mod options;
mod retry;
mod rng;
pub mod tcp_timeouts;
mod time;
mod verdict;

pub use connection::{
    CloseRequest, ConnectionSettings, FirstConnect, Hooks, Judgement, Ratio, Reconnect, SocketId,
};
pub use engine::{Action, Engine, Event, Heartbeat, SendFailure, Settings};
pub use error::{Completion, ErrorCode, GaveUp, LastFailure, OperationError};
pub use gateways::{GatewayIndex, NextDial, Round};
pub use notice::{ClientState, FailureCount, LogLine, Notice, StateReason};
pub use operations::{
    Answer, AttemptEnd, AttemptId, Binding, Call, Decision, Limits, MessagingSettings,
    OperationCounts, OperationId, Purpose, Redo, Standing, decide,
};
pub use retry::{AttemptFailure, Retry, RetryStep};
pub use rng::Rng;
pub use tcp_timeouts::{
    ParseTcpTimeoutsError, Schedule, TcpTimeouts, TcpTimeoutsField, TcpTimeoutsWarning, Waits,
};
pub use time::Instant;
pub use verdict::{Cause, CloseCode, HttpStatus, InFlight, Verdict, default_verdict};
