//! Points in time. The core has no clock: whoever drives it says what time it is.

/// A point on the driver's monotonic clock, in whole milliseconds.
///
/// Where the clock begins does not matter, only that it never runs backwards.
///
/// # Example
///
/// ```
/// use regate::policy::Instant;
///
/// let now = Instant::from_milliseconds(1_000);
/// assert_eq!(now.after(250).since(now), 250);
/// assert_eq!(now.since(now.after(250)), 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(u64);

impl Instant {
    /// The point `milliseconds` after the clock's beginning.
    #[must_use]
    pub const fn from_milliseconds(milliseconds: u64) -> Self {
        Self(milliseconds)
    }

    /// Milliseconds since the clock's beginning.
    #[must_use]
    pub const fn as_milliseconds(self) -> u64 {
        self.0
    }

    /// The point `milliseconds` later; the end of time when that is beyond it.
    #[must_use]
    pub const fn after(self, milliseconds: u64) -> Self {
        Self(self.0.saturating_add(milliseconds))
    }

    /// Milliseconds since `earlier`, or 0 when that is in the future.
    #[must_use]
    pub const fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// The earlier of two deadlines, where `None` is never.
pub(crate) fn earlier(a: Option<Instant>, b: Option<Instant>) -> Option<Instant> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
