//! Parts of the fleet, in millionths.

use std::fmt;

/// A part of the fleet: exact in comparisons, shown in percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share {
    millionths: u64,
}

impl Share {
    /// So many millionths of the fleet.
    #[must_use]
    pub const fn from_millionths(millionths: u64) -> Self {
        Self { millionths }
    }

    /// What `count` is of `fleet`, rounded up, so that no bar is met by rounding.
    #[must_use]
    pub fn of(count: u64, fleet: u32) -> Self {
        Self { millionths: (count * 1_000_000).div_ceil(u64::from(fleet)) }
    }

    /// The millionths.
    #[must_use]
    pub const fn millionths(self) -> u64 {
        self.millionths
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.millionths / 10_000, self.millionths % 10_000);
        match whole {
            0 => write!(f, "{whole}.{:03} %", rest / 10),
            1..10 => write!(f, "{whole}.{:02} %", rest / 100),
            _ => write!(f, "{whole}.{} %", rest / 1_000),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Share;

    #[test]
    fn a_share_is_shown_in_percent() {
        for (count, fleet, text) in [
            (0, 7, "0.000 %"),
            (71, 100_000, "0.071 %"),
            (4_321, 100_000, "4.32 %"),
            (55_555, 100_000, "55.5 %"),
            (3, 3, "100.0 %"),
        ] {
            assert_eq!(Share::of(count, fleet).to_string(), text, "{count} of {fleet}");
        }
    }

    #[test]
    fn a_share_is_rounded_up() {
        assert_eq!(Share::of(1, 3_000_000), Share::from_millionths(1));
        assert_eq!(Share::of(1, 3).millionths(), 333_334);
    }
}
