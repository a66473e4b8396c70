//! What must hold for the settings of a large fleet.

use std::fmt;

use crate::{
    scenario::{ALL_DIE_AT, END_AT, ONE_DIES_AT, RETURN_AT},
    share::Share,
    tally::Tally,
};

/// The first part of the outage, and of what follows it, that is looked at by itself.
pub const FIRST_MILLISECONDS: u64 = 20_000;
/// The outage is old after that.
pub const MINUTE_MILLISECONDS: u64 = 60_000;

/// The peaks of one run: the most dials that one gateway got in 100 ms, as a share of the fleet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peaks {
    /// From the death of one gateway until the others die.
    pub one_died: Share,
    /// The same against the mean over the spread, in hundredths; `None` without a spread.
    pub one_died_over_mean: Option<u64>,
    /// In the first 20 s of the outage.
    pub outage_first: Share,
    /// In the next 40 s of the outage.
    pub outage_next: Share,
    /// After the first minute of the outage.
    pub outage_late: Share,
    /// After the return.
    pub returned: Share,
}

impl Peaks {
    /// Those of a run whose clients spread their first dial over so long a time.
    #[must_use]
    pub fn of(tally: &Tally, spread_milliseconds: u64) -> Self {
        let spread = ONE_DIES_AT..ONE_DIES_AT + spread_milliseconds;
        let (first, minute) = (ALL_DIE_AT + FIRST_MILLISECONDS, ALL_DIE_AT + MINUTE_MILLISECONDS);
        Self {
            one_died: tally.peak_in(ONE_DIES_AT..ALL_DIE_AT),
            one_died_over_mean: tally.peak_over_mean_in(spread),
            outage_first: tally.peak_in(ALL_DIE_AT..first),
            outage_next: tally.peak_in(first..minute),
            outage_late: tally.peak_in(minute..RETURN_AT),
            returned: tally.peak_in(RETURN_AT..END_AT),
        }
    }
}

/// Something that must hold, and whether it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    /// What was measured.
    pub what: &'static str,
    /// How much of it there may be.
    pub most: String,
    /// How much there is.
    pub found: String,
    /// Whether that is no more.
    pub holds: bool,
}

impl fmt::Display for Bar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, most, found, holds } = self;
        let sign = if *holds { "ok  " } else { "FAIL" };
        write!(f, "{sign} {what}: {found}, at most {most}")
    }
}

/// The bars, for the settings of a large fleet.
#[must_use]
pub fn bars(peaks: &Peaks) -> Vec<Bar> {
    let share = |what, found: Share, most| {
        let most = Share::from_millionths(most);
        Bar { what, most: most.to_string(), found: found.to_string(), holds: found <= most }
    };
    vec![
        share("after one gateway died", peaks.one_died, 2_000),
        Bar {
            what: "the same against the mean over the spread",
            most: times(200),
            found: peaks.one_died_over_mean.map_or("no dial".into(), times),
            holds: peaks.one_died_over_mean.is_some_and(|hundredths| hundredths <= 200),
        },
        share("all down, first 20 s", peaks.outage_first, 60_000),
        share("all down, after the first minute", peaks.outage_late, 10_000),
        share("after the return", peaks.returned, 5_000),
    ]
}

/// Hundredths as a factor.
#[must_use]
pub fn times(hundredths: u64) -> String {
    format!("{}.{:02} times", hundredths / 100, hundredths % 100)
}

#[cfg(test)]
mod tests {
    use super::{Peaks, bars};
    use crate::share::Share;

    fn peaks() -> Peaks {
        let share = Share::from_millionths;
        Peaks {
            one_died: share(2_000),
            one_died_over_mean: Some(200),
            outage_first: share(60_000),
            outage_next: share(1_000_000),
            outage_late: share(10_000),
            returned: share(5_000),
        }
    }

    #[test]
    fn the_bars_hold_exactly_as_far_as_they_say() {
        assert!(bars(&peaks()).iter().all(|bar| bar.holds));
        let more = |share: Share| Share::from_millionths(share.millionths() + 1);
        let wrong = Peaks {
            one_died: more(peaks().one_died),
            one_died_over_mean: Some(201),
            outage_first: more(peaks().outage_first),
            outage_next: peaks().outage_next,
            outage_late: more(peaks().outage_late),
            returned: more(peaks().returned),
        };
        assert!(bars(&wrong).iter().all(|bar| !bar.holds));
        assert!(!bars(&Peaks { one_died_over_mean: None, ..peaks() })[1].holds, "nobody dialled");
    }
}
