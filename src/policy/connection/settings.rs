use crate::policy::TcpTimeouts;

/// A part of a whole, in millionths: exact on every target, as no float is.
///
/// # Example
///
/// ```
/// use regate::policy::Ratio;
///
/// assert_eq!(Ratio::from_millionths(200_000).of(5_000), 1_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ratio(u32);

impl Ratio {
    /// Nothing of it.
    pub const ZERO: Self = Self(0);
    /// All of it.
    pub const ONE: Self = Self(1_000_000);

    /// So many millionths; more than the whole counts as the whole.
    #[must_use]
    pub const fn from_millionths(millionths: u32) -> Self {
        if millionths > Self::ONE.0 { Self::ONE } else { Self(millionths) }
    }

    /// The millionths.
    #[must_use]
    pub const fn millionths(self) -> u32 {
        self.0
    }

    /// This part of `whole`, rounded down.
    #[must_use]
    pub fn of(self, whole: u64) -> u64 {
        let (millions, rest) = (whole / 1_000_000, whole % 1_000_000);
        let part = |of: u64| of.wrapping_mul(u64::from(self.0)); // no more than `whole` is
        part(millions).saturating_add(part(rest) / 1_000_000)
    }
}

/// Whether the first `connect()` ever gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the option has these two values")]
pub enum FirstConnect {
    /// Never: the last wait is repeated.
    Always,
    /// When the schedule is spent.
    Schedule,
}

/// Whether a lost connection is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the option has these three values")]
pub enum Reconnect {
    /// For as long as it takes: the last wait of the schedule is repeated.
    Always,
    /// Never: the client is closed at the loss.
    Never,
    /// When `connect()` is called again, which goes on where the lost connection stopped: with its
    /// round, its schedule, and what is left of a wait. No option's word: it is how sockets that
    /// follow each other dial.
    OnRequest,
    /// Until the schedule is spent.
    Schedule,
}

/// How a client dials: the options of `networking`.
///
/// # Example
///
/// ```
/// use regate::policy::{ConnectionSettings, Ratio};
///
/// let exact = ConnectionSettings { jitter: Ratio::ZERO, ..ConnectionSettings::default() };
/// assert_eq!(exact.connection_timeout_milliseconds, 10_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "to be written out with `..Default::default()`")]
pub struct ConnectionSettings {
    /// The waits between rounds: `250:60000:100:5000`, from the ORB.
    pub connect_timeouts: TcpTimeouts,
    /// How long a socket that is not open may go without a close: `2000:6000:20`, from the ORB.
    pub read_timeouts: TcpTimeouts,
    /// The limit of one dial: 10,000 ms. Hazelcast has 5,000, but a browser may itself hold a
    /// dial for 5 s.
    pub connection_timeout_milliseconds: u32,
    /// How long a dial may neither open nor fail before the next gateway is dialled beside it; 0 for
    /// never. 2,000 ms: far beyond any handshake that is going to succeed, far below the dial limit.
    pub dial_stagger_milliseconds: u32,
    /// Whether each client draws an order of its own: true, from Hazelcast.
    pub shuffle_addresses: bool,
    /// What follows a loss: always reconnect, from Hazelcast.
    pub reconnect: Reconnect,
    /// What follows a spent schedule before the first connection: the end, from the ORB.
    pub first_connect: FirstConnect,
    /// By how much of itself a wait may be shortened: 0.2, so that clients do not move in step.
    pub jitter: Ratio,
    /// How long a connection lasts before its loss is forgiven: 5,000 ms, the longest wait of
    /// the default schedule.
    pub steady_milliseconds: u64,
    /// By how much at most the first dial after a loss is put off, drawn anew each time: 0.
    pub failover_spread_milliseconds: u64,
    /// How long the session hook may take: 10,000 ms, as long as a dial.
    pub session_timeout_milliseconds: u64,
    /// What the application wants to be asked: nothing.
    pub hooks: Hooks,
}

/// What the application wants to be asked while a client dials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "to be written out with `..Default::default()`")]
pub struct Hooks {
    /// What each failure means.
    pub close_policy: bool,
    /// Which gateways there are: the list is asked for before rounds, and where tokens may be old.
    pub list: bool,
    /// A conversation of its own on each new socket.
    pub session: bool,
}

impl ConnectionSettings {
    /// The defaults, each with its source beside the field.
    pub const DEFAULT: Self = Self {
        connect_timeouts: TcpTimeouts::CONNECT,
        read_timeouts: TcpTimeouts::READ,
        connection_timeout_milliseconds: 10_000,
        dial_stagger_milliseconds: 2_000,
        shuffle_addresses: true,
        reconnect: Reconnect::Always,
        first_connect: FirstConnect::Schedule,
        jitter: Ratio::from_millionths(200_000),
        steady_milliseconds: 5_000,
        failover_spread_milliseconds: 0,
        session_timeout_milliseconds: 10_000,
        hooks: Hooks { close_policy: false, list: false, session: false },
    };
}

impl Default for ConnectionSettings {
    fn default() -> Self {
        Self::DEFAULT
    }
}

#[cfg(test)]
mod tests {
    use super::Ratio;

    #[test]
    fn a_ratio_keeps_its_millionths_up_to_the_whole() {
        for (given, kept) in [
            (0, 0),
            (1, 1),
            (999_999, 999_999),
            (1_000_000, 1_000_000),
            (1_000_001, 1_000_000),
            (u32::MAX, 1_000_000),
        ] {
            let ratio = Ratio::from_millionths(given);
            assert_eq!(ratio.millionths(), kept, "{given}");
            assert_eq!(ratio.of(2_000_000), u64::from(kept) * 2, "{given}");
        }
        assert_eq!(Ratio::ONE.of(u64::MAX), u64::MAX);
    }
}
