//! Points in time. The core has no clock: whoever drives it says what time it is.

use core::{fmt, num::NonZeroU64};

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
// One more than the milliseconds, so that a deadline that may be missing takes no more room.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(NonZeroU64);

impl Instant {
    /// The point `milliseconds` after the clock's beginning.
    #[must_use]
    pub const fn from_milliseconds(milliseconds: u64) -> Self {
        Self(NonZeroU64::MIN.saturating_add(milliseconds))
    }

    /// Milliseconds since the clock's beginning.
    #[must_use]
    pub const fn as_milliseconds(self) -> u64 {
        self.0.get().saturating_sub(1)
    }

    /// The point `milliseconds` later; the end of time when that is beyond it.
    #[must_use]
    pub const fn after(self, milliseconds: u64) -> Self {
        Self(self.0.saturating_add(milliseconds))
    }

    /// Milliseconds since `earlier`, or 0 when that is in the future.
    #[must_use]
    pub const fn since(self, earlier: Self) -> u64 {
        self.0.get().saturating_sub(earlier.0.get())
    }
}

impl Default for Instant {
    /// The clock's beginning.
    fn default() -> Self {
        Self(NonZeroU64::MIN)
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Instant").field(&self.as_milliseconds()).finish()
    }
}

/// The earlier of two deadlines, where `None` is never.
pub(crate) fn earlier(a: Option<Instant>, b: Option<Instant>) -> Option<Instant> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
