//! TcpTimeouts: how long to wait between the rounds, and when to stop.
//!
//! An ORB without such a schedule tried one dead endpoint 56,000 times a minute. With
//! `250:60000:100:5000` it is 16 times in the first minute and 12 in each that follows, and a
//! healthy endpoint is still reached within a quarter of a second.

use alloc::string::String;
use core::{fmt, str::FromStr};

/// The largest value of each field, 2^31-1: what a JavaScript timer can wait in one step.
pub const MAX_FIELD_MILLISECONDS: u32 = 2_147_483_647;

/// A schedule of waits: `initial:max:backoff[:maxsingle]`.
///
/// | field | unit | meaning |
/// | --- | --- | --- |
/// | `initial` | ms | the first wait |
/// | `max` | ms | waits are taken while their sum is below this, so the last one can go over it |
/// | `backoff` | percent | each wait is the previous times `(backoff + 100) / 100`, rounded down |
/// | `maxsingle` | ms | no single wait is longer; 2147483647 when left out |
///
/// # Example
///
/// ```
/// use regate::policy::TcpTimeouts;
///
/// let read: TcpTimeouts = "2000:6000:20".parse()?;
/// assert_eq!(read.waits().collect::<Vec<_>>(), [2000, 2400, 2880]);
/// # Ok::<(), regate::policy::ParseTcpTimeoutsError>(())
/// ```
///
/// # Errors
///
/// Parsing fails with [`ParseTcpTimeoutsError`], which names the field, its text and the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpTimeouts {
    initial_milliseconds: u32,
    max_milliseconds: u32,
    backoff_percent: u32,
    max_single_milliseconds: u32,
}

impl TcpTimeouts {
    /// `250:60000:100:5000`: 16 waits that sum to 62,750 ms. Source: the ORB's connect timeouts.
    pub const CONNECT: Self = Self {
        initial_milliseconds: 250,
        max_milliseconds: 60_000,
        backoff_percent: 100,
        max_single_milliseconds: 5_000,
    };

    /// `2000:6000:20`: waits of 2000, 2400 and 2880 ms. Source: the ORB's read timeouts.
    pub const READ: Self = Self {
        initial_milliseconds: 2_000,
        max_milliseconds: 6_000,
        backoff_percent: 20,
        max_single_milliseconds: MAX_FIELD_MILLISECONDS,
    };

    /// The schedule of four numbers: first wait, sum of waits, growth in percent, longest wait.
    #[cfg(feature = "npm")]
    pub(crate) const fn from_numbers(numbers: [u32; 4]) -> Self {
        let [initial_milliseconds, max_milliseconds, backoff_percent, max_single_milliseconds] =
            numbers;
        Self { initial_milliseconds, max_milliseconds, backoff_percent, max_single_milliseconds }
    }

    /// The first wait in milliseconds, as it was written.
    #[must_use]
    pub const fn initial_milliseconds(&self) -> u32 {
        self.initial_milliseconds
    }

    /// The sum of waits, in milliseconds, from which on no further wait is taken.
    #[must_use]
    pub const fn max_milliseconds(&self) -> u32 {
        self.max_milliseconds
    }

    /// By how many percent each wait is longer than the one before.
    #[must_use]
    pub const fn backoff_percent(&self) -> u32 {
        self.backoff_percent
    }

    /// The longest single wait in milliseconds.
    #[must_use]
    pub const fn max_single_milliseconds(&self) -> u32 {
        self.max_single_milliseconds
    }

    /// All waits of the schedule in milliseconds, without jitter.
    #[must_use]
    pub const fn waits(&self) -> Waits {
        Waits { schedule: Schedule::new(*self) }
    }

    /// The waits added up, in milliseconds: the longest the schedule can take without dials.
    #[must_use]
    pub fn total_milliseconds(&self) -> u64 {
        // At most `max` waits of at least 1 ms come before the last one. The loop would run
        // 2^31 times at its worst, so runs of equal waits are counted, not walked.
        let mut schedule = Schedule::new(*self);
        while let Some(wait) = schedule.next_wait() {
            if schedule.current_milliseconds() == wait {
                let left = u64::from(self.max_milliseconds).saturating_sub(schedule.waited);
                let more = left.div_ceil(wait.max(1));
                return schedule.waited.saturating_add(more.wrapping_mul(wait)); // of 31 bits each
            }
        }
        schedule.waited
    }

    /// What is legal but probably not meant.
    ///
    /// # Example
    ///
    /// ```
    /// use regate::policy::{TcpTimeouts, TcpTimeoutsWarning};
    ///
    /// let schedule: TcpTimeouts = "9:1000:10".parse()?;
    /// assert!(schedule.warnings().eq([TcpTimeoutsWarning::NeverGrows { wait_milliseconds: 9 }]));
    /// # Ok::<(), regate::policy::ParseTcpTimeoutsError>(())
    /// ```
    pub fn warnings(&self) -> impl Iterator<Item = TcpTimeoutsWarning> + use<> {
        let first = self.initial_milliseconds.min(self.max_single_milliseconds);
        let mut second = Schedule::new(*self);
        second.advance();
        let never_grows = second.current_milliseconds() == u64::from(first)
            && first < self.max_single_milliseconds;
        let over = self.initial_milliseconds > self.max_single_milliseconds;
        let odd = !(10..=100).contains(&self.backoff_percent);
        [
            never_grows.then_some(TcpTimeoutsWarning::NeverGrows { wait_milliseconds: first }),
            over.then_some(TcpTimeoutsWarning::InitialOverMaxSingle {
                initial_milliseconds: self.initial_milliseconds,
                max_single_milliseconds: self.max_single_milliseconds,
            }),
            odd.then_some(TcpTimeoutsWarning::UnusualBackoff {
                backoff_percent: self.backoff_percent,
            }),
        ]
        .into_iter()
        .flatten()
    }
}

impl FromStr for TcpTimeouts {
    type Err = ParseTcpTimeoutsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split(':').count();
        if !(3..=4).contains(&parts) {
            return Err(ParseTcpTimeoutsError::PartCount { parts });
        }
        let mut texts = text.split(':');
        let mut field = |field| match texts.next() {
            Some(text) => parse_field(field, text).map(Some),
            None => Ok(None),
        };
        Ok(Self {
            initial_milliseconds: field(TcpTimeoutsField::Initial)?.unwrap_or_default(),
            max_milliseconds: field(TcpTimeoutsField::Max)?.unwrap_or_default(),
            backoff_percent: field(TcpTimeoutsField::Backoff)?.unwrap_or_default(),
            max_single_milliseconds: field(TcpTimeoutsField::MaxSingle)?
                .unwrap_or(MAX_FIELD_MILLISECONDS),
        })
    }
}

/// Writes the text that parses to the same schedule.
impl fmt::Display for TcpTimeouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (initial, max) = (self.initial_milliseconds, self.max_milliseconds);
        write!(f, "{initial}:{max}:{}", self.backoff_percent)?;
        if self.max_single_milliseconds == MAX_FIELD_MILLISECONDS {
            return Ok(());
        }
        write!(f, ":{}", self.max_single_milliseconds)
    }
}

fn parse_field(field: TcpTimeoutsField, text: &str) -> Result<u32, ParseTcpTimeoutsError> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(ParseTcpTimeoutsError::NotDigits { field, text: text.into() });
    }
    match text.parse() {
        Ok(value @ 1..=MAX_FIELD_MILLISECONDS) => Ok(value),
        Ok(_) | Err(_) => Err(ParseTcpTimeoutsError::OutOfRange { field, text: text.into() }),
    }
}

/// One of the four parts of a schedule's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the notation has these four fields and no more")]
pub enum TcpTimeoutsField {
    /// The first wait.
    Initial,
    /// The sum from which on no wait is taken.
    Max,
    /// The growth in percent.
    Backoff,
    /// The longest single wait.
    MaxSingle,
}

impl TcpTimeoutsField {
    /// The field as the notation writes it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Initial => "initial",
            Self::Max => "max",
            Self::Backoff => "backoff",
            Self::MaxSingle => "maxsingle",
        }
    }
}

/// Why a text is no schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseTcpTimeoutsError {
    /// There are not three or four parts. Write `initial:max:backoff[:maxsingle]`.
    #[error("found {parts} parts where initial:max:backoff[:maxsingle] has 3 or 4")]
    PartCount {
        /// How many parts stand between the colons.
        parts: usize,
    },
    /// A part is empty or holds something other than the ASCII digits 0 to 9.
    #[error("{} is {text:?}, not a whole number in ASCII digits", field.as_str())]
    NotDigits {
        /// Which part.
        field: TcpTimeoutsField,
        /// What stands there.
        text: String,
    },
    /// A part is 0 or beyond 2147483647, the longest a JavaScript timer can wait.
    #[error("{} is {text}, not within 1..=2147483647", field.as_str())]
    OutOfRange {
        /// Which part.
        field: TcpTimeoutsField,
        /// What stands there.
        text: String,
    },
}

/// Something in a schedule that is legal but odd; see [`TcpTimeouts::warnings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TcpTimeoutsWarning {
    /// `initial` is longer than `maxsingle`, which cuts the first wait too.
    InitialOverMaxSingle {
        /// The first wait as written.
        initial_milliseconds: u32,
        /// What it is cut to.
        max_single_milliseconds: u32,
    },
    /// Rounding down eats the growth: every wait is as long as the first.
    NeverGrows {
        /// The wait that never grows.
        wait_milliseconds: u32,
    },
    /// The growth is outside 10 to 100 percent, the range that the notation's authors advise.
    UnusualBackoff {
        /// The growth as written.
        backoff_percent: u32,
    },
}

/// One run through a [`TcpTimeouts`]: what to wait next, and what was waited so far.
///
/// # Example
///
/// ```
/// use regate::policy::{Schedule, TcpTimeouts};
///
/// let mut schedule = Schedule::new("100:300:100".parse::<TcpTimeouts>()?);
/// assert_eq!(schedule.next_wait(), Some(100));
/// assert_eq!(schedule.next_wait(), Some(200));
/// assert_eq!(schedule.next_wait(), None); // 300 ms were waited, and that is not below 300
/// # Ok::<(), regate::policy::ParseTcpTimeoutsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    timeouts: TcpTimeouts,
    current: u64,
    waited: u64,
}

impl Schedule {
    /// A run of which nothing was waited yet.
    #[must_use]
    pub const fn new(timeouts: TcpTimeouts) -> Self {
        let mut schedule = Self { timeouts, current: 0, waited: 0 };
        schedule.reset();
        schedule
    }

    /// The schedule that is run through.
    #[must_use]
    pub const fn timeouts(&self) -> &TcpTimeouts {
        &self.timeouts
    }

    /// The wait that comes next, in milliseconds, whether or not it will be taken.
    #[must_use]
    pub const fn current_milliseconds(&self) -> u64 {
        self.current
    }

    /// The sum of the waits taken, in milliseconds.
    #[must_use]
    pub const fn waited_milliseconds(&self) -> u64 {
        self.waited
    }

    /// Whether the sum of the waits taken has reached `max`.
    #[must_use]
    pub const fn is_spent(&self) -> bool {
        self.waited >= self.timeouts.max_milliseconds as u64
    }

    /// Takes the next wait and moves on to the one after it; `None` when the schedule is spent.
    pub const fn next_wait(&mut self) -> Option<u64> {
        if self.is_spent() {
            return None;
        }
        let wait = self.take_current();
        self.advance();
        Some(wait)
    }

    /// The current wait, summed unless the schedule is spent. The same wait stays current.
    pub const fn take_current(&mut self) -> u64 {
        if !self.is_spent() {
            self.waited = self.waited.saturating_add(self.current);
        }
        self.current
    }

    /// Makes the next wait of the schedule the current one.
    pub const fn advance(&mut self) {
        let factor = (self.timeouts.backoff_percent as u64).saturating_add(100);
        let max_single = self.timeouts.max_single_milliseconds as u64;
        let grown = self.current.wrapping_mul(factor) / 100; // two numbers of 31 bits, and 100
        self.current = if grown > max_single { max_single } else { grown };
    }

    /// Makes the first wait current again. What was waited stays summed.
    pub const fn reset(&mut self) {
        let (initial, max_single) =
            (self.timeouts.initial_milliseconds, self.timeouts.max_single_milliseconds);
        self.current = if initial > max_single { max_single } else { initial } as u64;
    }
}

/// The waits of a [`TcpTimeouts`] in milliseconds; made by [`TcpTimeouts::waits`].
#[derive(Clone, Debug)]
pub struct Waits {
    schedule: Schedule,
}

impl Iterator for Waits {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.schedule.next_wait()
    }
}

#[cfg(test)]
mod tests {
    use super::{ParseTcpTimeoutsError, TcpTimeouts, TcpTimeoutsField as Field};
    use alloc::{string::ToString as _, vec::Vec};

    fn parse(text: &str) -> TcpTimeouts {
        text.parse().unwrap()
    }

    #[test]
    fn waits_follow_the_rules() {
        for (label, text, waits) in [
            ("read default", "2000:6000:20", &[2000, 2400, 2880][..]),
            ("the last wait goes over max", "100:301:100", &[100, 200, 400]),
            ("a sum equal to max ends it", "100:300:100", &[100, 200]),
            ("initial over max is one wait", "7000:6000:20", &[7000]),
            ("initial equal to max is one wait", "1:1:1", &[1]),
            ("maxsingle cuts the first wait too", "9000:20:20:10", &[10, 10]),
            ("factors beyond 2^31 saturate", "1:3:2147483647:2", &[1, 2]),
        ] {
            assert_eq!(parse(text).waits().collect::<Vec<_>>(), waits, "{label}");
            assert_eq!(parse(text).total_milliseconds(), waits.iter().sum::<u64>(), "{label}");
        }
        let connect: Vec<u64> = TcpTimeouts::CONNECT.waits().collect();
        assert_eq!((connect.len(), connect.iter().sum()), (16, 62_750));
        assert_eq!(TcpTimeouts::CONNECT.total_milliseconds(), 62_750);
    }

    #[test]
    fn a_schedule_is_written_as_it_is_read() {
        for text in ["250:60000:100:5000", "2000:6000:20"] {
            assert_eq!(parse(text).to_string(), text);
        }
    }

    #[test]
    fn a_total_is_known_without_walking_two_thousand_million_waits() {
        assert_eq!(parse("1:2147483647:1").total_milliseconds(), 2_147_483_647);
        assert_eq!(parse("2:2147483647:1").total_milliseconds(), 2_147_483_648);
        assert_eq!(parse("2147483647:2147483647:2147483647").total_milliseconds(), 2_147_483_647);
    }

    #[test]
    fn errors_name_field_text_and_rule() {
        use ParseTcpTimeoutsError::{NotDigits, OutOfRange, PartCount};
        for (text, error, message) in [
            (
                "250",
                PartCount { parts: 1 },
                "found 1 parts where initial:max:backoff[:maxsingle] has 3 or 4",
            ),
            (
                "1:2:3:",
                NotDigits { field: Field::MaxSingle, text: "".into() },
                "maxsingle is \"\", not a whole number in ASCII digits",
            ),
            (
                "+250:1:1",
                NotDigits { field: Field::Initial, text: "+250".into() },
                "initial is \"+250\", not a whole number in ASCII digits",
            ),
            (
                "1:٢:3",
                NotDigits { field: Field::Max, text: "٢".into() },
                "max is \"٢\", not a whole number in ASCII digits",
            ),
            (
                "1:2:0",
                OutOfRange { field: Field::Backoff, text: "0".into() },
                "backoff is 0, not within 1..=2147483647",
            ),
            (
                "2147483648:2:3",
                OutOfRange { field: Field::Initial, text: "2147483648".into() },
                "initial is 2147483648, not within 1..=2147483647",
            ),
            (
                "99999999999999999999999:2:3",
                OutOfRange { field: Field::Initial, text: "99999999999999999999999".into() },
                "initial is 99999999999999999999999, not within 1..=2147483647",
            ),
        ] {
            let found = text.parse::<TcpTimeouts>().unwrap_err();
            assert_eq!(found.to_string(), message, "{text}");
            assert_eq!(found, error, "{text}");
        }
    }

    #[test]
    fn a_warning_begins_where_its_rule_says() {
        use super::TcpTimeoutsWarning::{InitialOverMaxSingle, NeverGrows, UnusualBackoff};
        let over = |initial_milliseconds| InitialOverMaxSingle {
            initial_milliseconds,
            max_single_milliseconds: 100,
        };
        let odd = |backoff_percent| UnusualBackoff { backoff_percent };
        for (text, warnings) in [
            ("99:1000:100:100", alloc::vec![]),
            ("100:1000:100:100", alloc::vec![]),
            ("101:1000:100:100", alloc::vec![over(101)]),
            ("9:1000:10", alloc::vec![NeverGrows { wait_milliseconds: 9 }]),
            ("10:1000:10", alloc::vec![]),
            ("1000:9000:9", alloc::vec![odd(9)]),
            ("1000:9000:10", alloc::vec![]),
            ("1000:9000:100", alloc::vec![]),
            ("1000:9000:101", alloc::vec![odd(101)]),
        ] {
            assert_eq!(parse(text).warnings().collect::<Vec<_>>(), warnings, "{text}");
        }
    }
}
