use crate::policy::{AttemptId, Cause, GatewayIndex, Notice, OperationId, SocketId, Verdict};

/// What to do outside, in the imperative. The driver obeys, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a driver must be able to obey every action")]
pub enum Action {
    /// Open a socket to a gateway.
    Open {
        /// The socket's number.
        socket: SocketId,
        /// Where to.
        gateway: GatewayIndex,
    },
    /// Let a socket go: detach it, close it with 1000, and ignore whatever it still says.
    Close {
        /// Which socket.
        socket: SocketId,
    },
    /// Ask the application for its list, and report [`Event::GatewaysListed`](super::Event::GatewaysListed).
    AskForGateways,
    /// Ask the application what a failure means, and report [`Event::FailureJudged`](super::Event::FailureJudged).
    Judge {
        /// The gateway that failed.
        gateway: GatewayIndex,
        /// Why.
        cause: Cause,
        /// What it means unless the application says otherwise.
        verdict: Verdict,
    },
    /// Run the session hook on this socket, and report how it ended.
    Greet {
        /// Which socket.
        socket: SocketId,
        /// The gateway behind it.
        gateway: GatewayIndex,
    },
    /// Report [`Event::BufferMeasured`](super::Event::BufferMeasured), where the platform tells.
    MeasureBuffer {
        /// Of which socket.
        socket: SocketId,
    },
    /// Send a ping; any answer will do.
    Ping {
        /// On which socket.
        socket: SocketId,
        /// The id that the frame carries.
        attempt: AttemptId,
    },
    /// Send an attempt of an operation.
    Send {
        /// On which socket.
        socket: SocketId,
        /// Whose payload.
        operation: OperationId,
        /// The id that the frame carries.
        attempt: AttemptId,
    },
    /// Tell the application.
    Tell(Notice),
}
