use crate::policy::Ratio;

/// How failed operations are run again: the options of `messaging`.
///
/// # Example
///
/// ```
/// use regate::policy::MessagingSettings;
///
/// let once = MessagingSettings { retry_timeout_seconds: 0, ..MessagingSettings::default() };
/// assert_eq!(once.max_fast_invocation_count, 5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "to be written out with `..Default::default()`")]
pub struct MessagingSettings {
    /// How long an operation is retried, from its call on: 120 s, from Hazelcast. 0 is no retry.
    pub retry_timeout_seconds: u64,
    /// Attempts without a delay, the first included: 5, from Hazelcast.
    pub max_fast_invocation_count: u64,
    /// The first delay, doubled with each retry: 1,000 ms, from Hazelcast.
    pub min_retry_delay_milliseconds: u64,
    /// Whether what was in flight on a lost connection may be retried: true, from Hazelcast.
    pub retry_on_connection_lost: bool,
    /// Whether an operation may wait for a client that reconnects: true, from Hazelcast.
    pub retry_on_client_reconnecting: bool,
    /// Whether operations that may not be redone wait too, if they were never sent: false.
    pub retry_unsent_operations: bool,
    /// How long an answer may take: 1,800,000 ms, from the ORB. 0 is no limit.
    pub wait_for_response_milliseconds: u64,
    /// By how much of itself a delay may be lengthened: 0.
    pub jitter: Ratio,
}

impl MessagingSettings {
    /// The defaults, each with its source beside the field.
    pub const DEFAULT: Self = Self {
        retry_timeout_seconds: 120,
        max_fast_invocation_count: 5,
        min_retry_delay_milliseconds: 1_000,
        retry_on_connection_lost: true,
        retry_on_client_reconnecting: true,
        retry_unsent_operations: false,
        wait_for_response_milliseconds: 1_800_000,
        jitter: Ratio::ZERO,
    };

    /// The time from the call on within which attempts may start; `None` for no retry.
    #[must_use]
    pub const fn retry_timeout_milliseconds(&self) -> Option<u64> {
        match self.retry_timeout_seconds {
            0 => None,
            seconds => Some(seconds.saturating_mul(1_000)),
        }
    }
}

impl Default for MessagingSettings {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// How much may be pending: the options of `limits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "to be written out with `..Default::default()`")]
pub struct Limits {
    /// How many operations may be parked or delayed: 10,000. 0: nothing may wait.
    pub max_pending_operations: u64,
    /// How many operations may be sent and unanswered: 100,000. 0 is no limit.
    pub max_in_flight_operations: u64,
    /// How many bytes may be parked, and how many may the platform still have to send:
    /// 16 MiB. 0: nothing may wait.
    pub max_buffered_bytes: u64,
    /// How many bytes one frame may have: no limit, which is 0.
    pub max_message_bytes: u64,
}

impl Limits {
    /// The defaults.
    pub const DEFAULT: Self = Self {
        max_pending_operations: 10_000,
        max_in_flight_operations: 100_000,
        max_buffered_bytes: 16_777_216,
        max_message_bytes: 0,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
