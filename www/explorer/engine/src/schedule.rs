//! What a connect schedule amounts to, beside a fixed wait and none at all.

use regate::policy::{Ratio, Schedule, Settings, TcpTimeouts, TcpTimeoutsWarning};

use crate::{
    input::{Object, Problems},
    json::{Json, write_fields},
    options::set_at,
};

const MINUTE_MILLISECONDS: u64 = 60_000;
/// What a client with a fixed wait waits.
const FIXED_MILLISECONDS: u64 = 1_000;
/// What an ORB without waits managed, on a machine of 2007.
const MOST_DIALS_PER_MINUTE: u64 = 56_000;
const MOST_WAITS: usize = 1_000;

#[derive(Debug)]
pub(crate) struct Description {
    waits: Vec<u64>,
    shortest: Vec<u64>,
    waits_cut: Option<bool>,
    sum_milliseconds: u64,
    warnings: Vec<&'static str>,
    dials_by_minute: DialsByMinute,
}

#[derive(Debug)]
struct DialsByMinute {
    schedule: Vec<u64>,
    fixed: Vec<u64>,
    none: Vec<u64>,
}

pub(crate) fn describe(value: &Json, problems: &Problems) -> Option<Description> {
    let mut root = Object::new(String::new(), value, problems);
    let text = root.take("text").unwrap_or(&Json::Null);
    let mut settings = Settings::default();
    set_at(&mut settings, "networking.connectTimeouts", text, "text", problems);
    if let Some(jitter) = root.take("jitter") {
        set_at(&mut settings, "networking.jitter", jitter, "jitter", problems);
    }
    let dial = root.whole("dialMilliseconds", 0..=MINUTE_MILLISECONDS).unwrap_or(0);
    let minutes = root.whole("minutes", 1..=60).unwrap_or(5);
    root.finish();
    if !problems.none_found() {
        return None;
    }
    let schedule = settings.connection.connect_timeouts;
    Some(describe_one(schedule, settings.connection.jitter, dial, minutes))
}

fn describe_one(timeouts: TcpTimeouts, jitter: Ratio, dial: u64, minutes: u64) -> Description {
    let waits: Vec<_> = timeouts.waits().take(MOST_WAITS).collect();
    let cut = timeouts.waits().nth(MOST_WAITS).is_some();
    let mut schedule = Schedule::new(timeouts);
    // The last wait repeats, as after a loss.
    let mut last = 0;
    let mut waits_on = || {
        last = schedule.next_wait().unwrap_or(last);
        last
    };
    let none = MINUTE_MILLISECONDS.div_euclid(dial.max(1)).min(MOST_DIALS_PER_MINUTE);
    Description {
        shortest: waits.iter().map(|&wait| wait - jitter.of(wait)).collect(),
        waits,
        waits_cut: cut.then_some(true),
        sum_milliseconds: timeouts.total_milliseconds(),
        warnings: timeouts.warnings().map(name).collect(),
        dials_by_minute: DialsByMinute {
            schedule: dials(minutes, || dial + waits_on()),
            fixed: dials(minutes, || dial + FIXED_MILLISECONDS),
            none: vec![none; usize::try_from(minutes).unwrap_or(0)],
        },
    }
}

/// How many dials begin in each minute, where they are so far apart.
fn dials(minutes: u64, mut distance: impl FnMut() -> u64) -> Vec<u64> {
    let mut counts = vec![0; usize::try_from(minutes).unwrap_or(0)];
    let mut at = 0;
    while let Some(count) =
        usize::try_from(at / MINUTE_MILLISECONDS).ok().and_then(|minute| counts.get_mut(minute))
    {
        *count += 1;
        at += distance().max(1);
    }
    counts
}

const fn name(warning: TcpTimeoutsWarning) -> &'static str {
    match warning {
        TcpTimeoutsWarning::InitialOverMaxSingle { .. } => "initial over maxsingle",
        TcpTimeoutsWarning::NeverGrows { .. } => "never grows",
        TcpTimeoutsWarning::UnusualBackoff { .. } => "unusual backoff",
        _ => "odd",
    }
}

write_fields! {
    Description { waits, shortest, waits_cut, sum_milliseconds, warnings, dials_by_minute }
    DialsByMinute { schedule, fixed, none }
}
