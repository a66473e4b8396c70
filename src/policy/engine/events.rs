use alloc::vec::Vec;

use crate::policy::{
    Answer, AttemptId, Call, Cause, CloseRequest, GatewayIndex, Judgement, OperationId, SocketId,
    Verdict,
};

/// Why a frame did not go out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a frame has no other way not to go out")]
pub enum SendFailure {
    /// There is no frame: the operation could not be encoded again.
    NotEncoded,
    /// The socket was not open, so `send` was not called.
    NotOpen,
    /// `send` threw.
    Threw,
    /// `send` threw because the socket belongs to another request of the Worker.
    WrongContext,
}

/// What happened outside, in the past tense. The driver reports; it never decides.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a driver chooses among these; it never matches")]
pub enum Event {
    /// The application called `connect()`.
    ConnectRequested,
    /// The application called `reconnect()`.
    ReconnectRequested,
    /// The application called `close()`, or aborted `connect()`.
    CloseRequested(CloseRequest),
    /// The application made an operation, under a number from [`Engine::reserve_operation`](super::Engine::reserve_operation).
    Invoked {
        /// The reserved number.
        operation: OperationId,
        /// What is asked for.
        call: Call,
    },
    /// The caller's signal aborted the operation, or the subscription was given up.
    OperationAborted(OperationId),
    /// The application called `drain()`.
    DrainRequested,
    /// The application set the list of gateways.
    GatewaysSet(Vec<GatewayIndex>),
    /// The list that was asked for; `None` where it could not be had.
    GatewaysListed(Option<Vec<GatewayIndex>>),
    /// What the application says of the failure that it was asked about.
    FailureJudged(Judgement),
    /// The session hook is done.
    SessionDone(SocketId),
    /// The session hook failed, with a verdict of its own or none.
    SessionFailed {
        /// The socket it ran on.
        socket: SocketId,
        /// What it says that its failure means.
        verdict: Option<Verdict>,
    },
    /// The network came back, the tab was shown or the machine woke up, it seems.
    Woken,
    /// The page goes into the back/forward cache.
    PageHidden,
    /// The page came out of the back/forward cache.
    PageShown,
    /// The socket opened.
    SocketOpened(SocketId),
    /// The socket had an error; its close may follow.
    SocketErred(SocketId),
    /// The socket closed, or could not be made.
    SocketFailed {
        /// Which socket.
        socket: SocketId,
        /// Why.
        cause: Cause,
    },
    /// A frame did not go out.
    SendFailed {
        /// The socket it was for.
        socket: SocketId,
        /// The attempt it belonged to, if to any.
        attempt: Option<AttemptId>,
        /// Why.
        failure: SendFailure,
    },
    /// Anything came on the socket.
    Received(SocketId),
    /// How much the platform still has to send on the socket.
    BufferMeasured {
        /// Which socket.
        socket: SocketId,
        /// How many bytes.
        bytes: u64,
    },
    /// An answer came.
    Answered {
        /// The attempt whose id it carries.
        attempt: AttemptId,
        /// What it says.
        answer: Answer,
    },
}
