//! Texts, schedules, and sequences of operations on one schedule.

use regate::policy::{ParseTcpTimeoutsError, Schedule, TcpTimeouts, TcpTimeoutsField};
use serde_json::Value;

use crate::run::{Replayed, compare, flag, list, number, text};

/// The original's name of each error, its field, and the text it complains about.
fn original(error: &ParseTcpTimeoutsError) -> Option<(&'static str, Option<(&'static str, &str)>)> {
    match error {
        ParseTcpTimeoutsError::PartCount { .. } => Some(("badTimeoutDataLength", None)),
        ParseTcpTimeoutsError::NotDigits { field, text }
        | ParseTcpTimeoutsError::OutOfRange { field, text } => {
            let field = match field {
                TcpTimeoutsField::Initial => "initial_time_to_wait",
                TcpTimeoutsField::Max => "max_time_to_wait",
                TcpTimeoutsField::Backoff => "backoff_factor",
                TcpTimeoutsField::MaxSingle => "max_single_wait_time",
            };
            Some(("badTimeoutStringData", Some((field, text))))
        }
        _ => None, // an error that this table does not know yet
    }
}

pub(crate) fn replay_parse(case: &Value) -> Replayed {
    let parsed = text(&case["input"])?.parse::<TcpTimeouts>();
    match (flag(&case["ok"])?, parsed) {
        (true, Ok(found)) => {
            for (name, value) in [
                ("initial", found.initial_milliseconds()),
                ("max", found.max_milliseconds()),
                ("backoff", found.backoff_percent()),
                ("max_single", found.max_single_milliseconds()),
            ] {
                compare(name, &number(&case[name])?, &value.into())?;
            }
            compare(
                "factor",
                &number(&case["factor"])?,
                &(i64::from(found.backoff_percent()) + 100),
            )
        }
        (false, Err(error)) => {
            let (name, what) = original(&error).ok_or_else(|| format!("unmapped: {error}"))?;
            compare("error", &text(&case["error"])?, &name)?;
            let expected = match case.get("field") {
                Some(field) => Some((text(field)?, text(&case["value"])?)),
                None => None,
            };
            compare("field and text", &expected, &what)
        }
        (true, Err(error)) => Err(format!("expected to be accepted, found: {error}")),
        (false, Ok(found)) => Err(format!("expected {}, found {found:?}", case["error"])),
    }
}

fn schedule(case: &Value) -> Result<Schedule, String> {
    let timeouts = text(&case["config"])?.parse().map_err(|e| format!("config: {e}"))?;
    Ok(Schedule::new(timeouts))
}

fn signed(milliseconds: u64) -> Result<i64, String> {
    i64::try_from(milliseconds).map_err(|_| format!("{milliseconds} is beyond 64 bits"))
}

/// The recording stops after so many waits.
const MOST_WAITS: usize = 2_000;

pub(crate) fn replay_schedule(case: &Value) -> Replayed {
    let mut schedule = schedule(case)?;
    let mut entries = Vec::new();
    while entries.len() < MOST_WAITS
        && let Some(wait) = schedule.next_wait()
    {
        entries.push((signed(wait)?, signed(schedule.waited_milliseconds())?, schedule.is_spent()));
    }
    let entry = |value: &Value| -> Result<(i64, i64, bool), String> {
        Ok((number(&value[0])?, number(&value[1])?, flag(&value[2])?))
    };
    let first: Vec<_> = list(&case["first"])?.iter().map(entry).collect::<Result<_, _>>()?;
    let last: Vec<_> = list(&case["last"])?.iter().map(entry).collect::<Result<_, _>>()?;
    let end = if schedule.is_spent() { "expired" } else { "capped" };
    compare("end", &text(&case["end"])?, &end)?;
    compare(
        "count",
        &number(&case["count"])?,
        &signed(u64::try_from(entries.len()).unwrap_or(0))?,
    )?;
    compare("first", &first, &entries[..first.len().min(entries.len())].to_vec())?;
    let from = entries.len().saturating_sub(last.len());
    compare("last", &last, &entries[from..].to_vec())?;
    compare("sum", &number(&case["sum"])?, &entries.iter().map(|entry| entry.0).sum())?;
    let waited = signed(schedule.waited_milliseconds())?;
    compare("time_waiting", &number(&case["time_waiting"])?, &waited)?;
    // Where the original was stopped, it had not moved on from its last wait yet.
    if end == "expired" {
        let current = signed(schedule.current_milliseconds())?;
        compare("get_time_after", &number(&case["get_time_after"])?, &current)?;
        let taken: Vec<u64> = schedule.timeouts().waits().collect();
        compare("waits()", &entries.len(), &taken.len())?;
        let total = signed(schedule.timeouts().total_milliseconds())?;
        compare("total_milliseconds()", &waited, &total)?;
    }
    Ok(())
}

pub(crate) fn replay_ops(case: &Value) -> Replayed {
    let mut schedule = schedule(case)?;
    for (step, op) in list(&case["ops"])?.iter().enumerate() {
        let what = format!("op {step} {op}");
        match text(&op[0])? {
            "advance" => schedule.advance(),
            "reset" => schedule.reset(),
            "getTime" => {
                compare(what, &number(&op[1])?, &signed(schedule.current_milliseconds())?)?
            }
            "getTimeForSleep" => {
                compare(what, &number(&op[1])?, &signed(schedule.take_current())?)?
            }
            "timeWaiting" => {
                compare(what, &number(&op[1])?, &signed(schedule.waited_milliseconds())?)?;
            }
            "isExpired" => compare(what, &flag(&op[1])?, &schedule.is_spent())?,
            "sleepTime" => {
                let slept =
                    if schedule.is_spent() { (false, 0) } else { (true, schedule.take_current()) };
                compare(what, &(flag(&op[1])?, number(&op[2])?), &(slept.0, signed(slept.1)?))?;
            }
            other => return Err(format!("op {step}: {other} is unknown")),
        }
    }
    let last = &case["final"];
    compare(
        "final getTime",
        &number(&last["getTime"])?,
        &signed(schedule.current_milliseconds())?,
    )?;
    let waited = signed(schedule.waited_milliseconds())?;
    compare("final timeWaiting", &number(&last["timeWaiting"])?, &waited)?;
    compare("final isExpired", &flag(&last["isExpired"])?, &schedule.is_spent())
}
