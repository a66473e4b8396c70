//! What the failure of a gateway means for the round.

/// What a failed dial or a lost connection means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the contract has these four verdicts and no more")]
pub enum Verdict {
    /// The gateway joins the failed set; the next one is dialled.
    Next,
    /// The same gateway is dialled again after the next wait.
    Same,
    /// As [`Next`](Self::Next), and the list of gateways should be asked for again.
    Refresh,
    /// The gateway is not dialled again.
    Stop,
}

impl Verdict {
    /// All of them, in an order that stays.
    pub const ALL: [Self; 4] = [Self::Next, Self::Same, Self::Refresh, Self::Stop];

    /// The verdict as events and `closePolicy` write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Next => "next",
            Self::Same => "same",
            Self::Refresh => "refresh",
            Self::Stop => "stop",
        }
    }

    /// The verdict that is written so.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.as_str() == text)
    }
}

/// Why a dial failed or a connection was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// The application called `reconnect()`.
    Dropped,
    /// The gateway, or the platform, closed the socket with this code; 1006 when there was none.
    Closed(CloseCode),
    /// The dial neither opened nor failed within its limit.
    DialLimit,
    /// The function that gives the headers of the handshake failed, or what it gave are none. Only a
    /// transport that sends headers can tell.
    HeadersFailed,
    /// No byte came while answers to pings were owed.
    HeartbeatLost,
    /// The page went into the back/forward cache.
    Hidden,
    /// There was no list of gateways to be had: this is no gateway's failure.
    ListFailed,
    /// The constructor of the socket threw something other than what makes a gateway unusable.
    ConstructorThrew,
    /// The socket was not open although no close was seen, and none followed.
    NotOpen,
    /// The gateway, or what stands before it, answered the handshake with this HTTP status. Only a
    /// transport that sees the answer can tell.
    Refused(HttpStatus),
    /// `send` threw.
    SendThrew,
    /// The session hook failed.
    SessionFailed,
    /// The session hook was not done within `networking.sessionTimeoutMilliseconds`.
    SessionLimit,
    /// The gateway is not in the list any more.
    Unlisted,
    /// The page may not open it: the constructor threw a SecurityError, as for a `ws:` URL from an
    /// `https:` page.
    Forbidden,
    /// The platform does not understand this URL: the constructor threw a SyntaxError.
    Unusable,
    /// The socket belongs to another request of the Worker.
    WrongContext,
}

impl Cause {
    /// A short name, the same in events, errors and logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dropped => "reconnect() was called",
            Self::Closed(_) => "closed",
            Self::DialLimit => "dial limit",
            Self::HeadersFailed => "the headers function failed",
            Self::HeartbeatLost => "heartbeat lost",
            Self::Hidden => "page hidden",
            Self::ListFailed => "the function gave no list",
            Self::ConstructorThrew => "constructor threw",
            Self::NotOpen => "socket was not open",
            Self::Refused(_) => "refused with HTTP status",
            Self::SendThrew => "send threw",
            Self::SessionFailed => "session hook failed",
            Self::SessionLimit => "session hook limit",
            Self::Unlisted => "not listed any more",
            Self::Forbidden => "not allowed from this page (https: needs wss:)",
            Self::Unusable => "unusable URL",
            Self::WrongContext => "wrong context",
        }
    }

    /// The close code, where there is one.
    #[must_use]
    pub const fn close_code(self) -> Option<CloseCode> {
        match self {
            Self::Closed(code) => Some(code),
            Self::Dropped
            | Self::DialLimit
            | Self::ConstructorThrew
            | Self::HeadersFailed
            | Self::HeartbeatLost
            | Self::Hidden
            | Self::ListFailed
            | Self::NotOpen
            | Self::Refused(_)
            | Self::SendThrew
            | Self::SessionFailed
            | Self::SessionLimit
            | Self::Unlisted
            | Self::Forbidden
            | Self::Unusable
            | Self::WrongContext => None,
        }
    }

    /// The HTTP status that the handshake was refused with, where there is one.
    #[must_use]
    pub const fn http_status(self) -> Option<HttpStatus> {
        if let Self::Refused(status) = self { Some(status) } else { None }
    }
}

/// A status of HTTP, as RFC 9110 section 15 numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpStatus(u16);

impl HttpStatus {
    /// The status of an answer.
    #[must_use]
    pub const fn from_response(status: u16) -> Self {
        Self(status)
    }

    /// The number.
    #[must_use]
    pub const fn as_u16(self) -> u16 {
        self.0
    }
}

/// A WebSocket close code, as RFC 6455 section 7.4 numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CloseCode(u16);

impl CloseCode {
    /// Closed without a closing handshake.
    pub const ABNORMAL: Self = Self(1006);
    /// The gateway could not make sense of a message: it was too big.
    pub const TOO_BIG: Self = Self(1009);

    /// The code of a close event; 0, which some platforms report, counts as 1006.
    #[must_use]
    pub const fn from_event(code: u16) -> Self {
        if code == 0 { Self::ABNORMAL } else { Self(code) }
    }

    /// The number.
    #[must_use]
    pub const fn as_u16(self) -> u16 {
        self.0
    }

    /// Whether the gateway says that a message itself made it close: 1003, 1007 or 1009.
    ///
    /// Sending that message to the next gateway would take down one after the other.
    #[must_use]
    pub const fn blames_a_message(self) -> bool {
        matches!(self.0, 1003 | 1007 | 1009)
    }
}

/// Whether any operation was in flight on the socket when it closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no third case")]
pub enum InFlight {
    /// None was.
    Nothing,
    /// At least one was.
    Something,
}

/// The table of verdicts.
///
/// | close code | verdict |
/// | --- | --- |
/// | 1008, 4401, 4403 | `refresh`: the token is bad or has expired |
/// | 1002, 1010, and 4400 to 4499 but 4401, 4403, 4408, 4429 | `stop`: it would say the same again |
/// | 1003, 1007 when nothing was in flight | `stop`: it objects to the connection, not to a message |
/// | any other, 1000 and 1005 among them | `next` |
///
/// Without a close code: a handshake that was refused with the HTTP status 401 or 403 is `refresh`, a
/// URL that the platform refuses is `stop`, all else is `next`.
///
/// # Example
///
/// ```
/// use regate::policy::{Cause, CloseCode, InFlight, Verdict, default_verdict};
///
/// let going_away = Cause::Closed(CloseCode::from_event(1001));
/// assert_eq!(default_verdict(going_away, InFlight::Something), Verdict::Next);
/// ```
#[must_use]
pub const fn default_verdict(cause: Cause, in_flight: InFlight) -> Verdict {
    match cause {
        Cause::Closed(code) => match (code.0, in_flight) {
            (1008 | 4401 | 4403, _) => Verdict::Refresh,
            (4408 | 4429, _) => Verdict::Next,
            (1002 | 1010 | 4400..=4499, _) | (1003 | 1007, InFlight::Nothing) => Verdict::Stop,
            _ => Verdict::Next,
        },
        Cause::Refused(HttpStatus(401 | 403)) => Verdict::Refresh,
        Cause::Forbidden | Cause::Unusable => Verdict::Stop,
        Cause::Dropped
        | Cause::ConstructorThrew
        | Cause::DialLimit
        | Cause::HeadersFailed
        | Cause::HeartbeatLost
        | Cause::Hidden
        | Cause::ListFailed
        | Cause::NotOpen
        | Cause::Refused(_)
        | Cause::SendThrew
        | Cause::SessionFailed
        | Cause::SessionLimit
        | Cause::Unlisted
        | Cause::WrongContext => Verdict::Next,
    }
}

#[cfg(test)]
mod tests {
    use super::{Cause, CloseCode, HttpStatus, InFlight, Verdict, default_verdict};

    #[test]
    fn every_code_has_the_verdict_of_the_table() {
        for code in 0..=u16::MAX {
            for in_flight in [InFlight::Nothing, InFlight::Something] {
                let expected = if [1008, 4401, 4403].contains(&code) {
                    Verdict::Refresh
                } else if [1002, 1010].contains(&code)
                    || ((4400..4500).contains(&code) && ![4408, 4429].contains(&code))
                    || ([1003, 1007].contains(&code) && in_flight == InFlight::Nothing)
                {
                    Verdict::Stop
                } else {
                    Verdict::Next
                };
                let cause = Cause::Closed(CloseCode::from_event(code));
                assert_eq!(default_verdict(cause, in_flight), expected, "{code} {in_flight:?}");
            }
        }
    }

    #[test]
    fn a_status_that_a_new_token_may_cure_is_refresh_and_any_other_is_next() {
        for status in 0..=u16::MAX {
            let expected =
                if [401, 403].contains(&status) { Verdict::Refresh } else { Verdict::Next };
            let cause = Cause::Refused(HttpStatus::from_response(status));
            for in_flight in [InFlight::Nothing, InFlight::Something] {
                assert_eq!(default_verdict(cause, in_flight), expected, "{status}");
            }
            assert_eq!(cause.http_status().map(HttpStatus::as_u16), Some(status));
            assert_eq!(cause.close_code(), None);
        }
        assert_eq!(Cause::Closed(CloseCode::ABNORMAL).http_status(), None);
    }

    #[test]
    fn a_verdict_is_read_as_it_is_written_and_nothing_else_is_one() {
        for verdict in [Verdict::Next, Verdict::Same, Verdict::Refresh, Verdict::Stop] {
            assert_eq!(Verdict::from_text(verdict.as_str()), Some(verdict));
        }
        assert_eq!(Verdict::from_text("Next"), None);
        assert_eq!(Verdict::from_text(""), None);
    }

    #[test]
    fn a_close_code_of_zero_counts_as_1006() {
        assert_eq!(CloseCode::from_event(0), CloseCode::ABNORMAL);
    }
}
