//! The text of a schedule, and its waits, against a model that knows the notation only.

use arbitrary::{Arbitrary as _, Unstructured};
use regate::policy::{ParseTcpTimeoutsError, Schedule, TcpTimeouts, TcpTimeoutsWarning};

const MOST: u64 = 2_147_483_647;
/// More waits than that are not walked.
const MOST_WAITS: usize = 20_000;

/// # Panics
///
/// Where core and model differ.
pub fn check(data: &[u8]) {
    let mut input = Unstructured::new(data);
    let Ok(text) = text(&mut input) else { return };
    let found = text.parse::<TcpTimeouts>();
    let expected = parse(&text);
    match (&found, &expected) {
        (Ok(found), Ok(expected)) => {
            check_value(found, *expected);
            check_run(found, *expected, &mut input);
        }
        (Err(error), Err(part)) => check_error(error, *part, &text),
        _ => panic!("{text:?}: {found:?}, and the model says {expected:?}"),
    }
}

/// A text that is often a schedule, or nearly one.
fn text(input: &mut Unstructured<'_>) -> arbitrary::Result<String> {
    if input.ratio(1, 4)? {
        return String::arbitrary(input);
    }
    let parts =
        if input.ratio(1, 8)? { input.int_in_range(0..=6)? } else { input.int_in_range(3..=4)? };
    let mut text = String::new();
    for part in 0..parts {
        if part > 0 {
            text.push(':');
        }
        match input.int_in_range(0..=19_u8)? {
            0 => {
                text.push_str(input.choose(&["", " ", "+1", "-1", "1.5", "1e3", "٣", "1 ", "0x1"])?)
            }
            1 => text.push_str(&"0".repeat(input.int_in_range(1..=30)?)),
            2 => text.push_str(&MOST.saturating_add(input.int_in_range(0..=2)?).to_string()),
            3 => text.push_str(&u64::arbitrary(input)?.to_string()),
            4..=8 => text.push_str(&input.int_in_range(0..=MOST)?.to_string()),
            _ => text.push_str(&input.int_in_range(0..=300_u64)?.to_string()),
        }
    }
    Ok(text)
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Wrong {
    Count(usize),
    Digits(usize),
    Range(usize),
}

fn parse(text: &str) -> Result<[u64; 4], Wrong> {
    let parts: Vec<&str> = text.split(':').collect();
    if parts.len() != 3 && parts.len() != 4 {
        return Err(Wrong::Count(parts.len()));
    }
    let mut values = [MOST; 4];
    for (place, part) in parts.iter().enumerate() {
        let mut value = 0_u64;
        for character in part.chars() {
            let Some(digit) = "0123456789".find(character) else {
                return Err(Wrong::Digits(place));
            };
            value = (value * 10 + digit as u64).min(1 << 40); // far beyond the range already
        }
        if part.is_empty() {
            return Err(Wrong::Digits(place));
        }
        if value == 0 || value > MOST {
            return Err(Wrong::Range(place));
        }
        values[place] = value;
    }
    Ok(values)
}

fn check_error(error: &ParseTcpTimeoutsError, expected: Wrong, text: &str) {
    let fields = ["initial", "max", "backoff", "maxsingle"];
    let part = |place: usize| text.split(':').nth(place).unwrap_or_default();
    let fits = match (error, expected) {
        (ParseTcpTimeoutsError::PartCount { parts }, Wrong::Count(count)) => *parts == count,
        (ParseTcpTimeoutsError::NotDigits { field, text }, Wrong::Digits(place))
        | (ParseTcpTimeoutsError::OutOfRange { field, text }, Wrong::Range(place)) => {
            field.as_str() == fields[place] && text == part(place)
        }
        _ => false,
    };
    assert!(fits, "{text:?}: {error:?}, and the model says {expected:?}");
    let message = error.to_string();
    assert!(!message.is_empty() && !message.contains('\n'), "{message:?}");
}

/// The waits of a schedule, as many as are walked; whether these are all.
fn waits([initial, max, backoff, single]: [u64; 4]) -> (Vec<u64>, bool) {
    let (mut waits, mut sum, mut wait) = (Vec::new(), 0, initial.min(single));
    while sum < max {
        if waits.len() == MOST_WAITS {
            return (waits, false);
        }
        waits.push(wait);
        sum += wait;
        wait = next(wait, backoff, single);
    }
    (waits, true)
}

fn next(wait: u64, backoff: u64, single: u64) -> u64 {
    let grown = u128::from(wait) * u128::from(backoff + 100) / 100;
    u64::try_from(grown.min(u128::from(single))).unwrap()
}

fn check_value(found: &TcpTimeouts, expected: [u64; 4]) {
    let [initial, max, backoff, single] = expected;
    let fields = [
        found.initial_milliseconds(),
        found.max_milliseconds(),
        found.backoff_percent(),
        found.max_single_milliseconds(),
    ];
    assert_eq!(fields.map(u64::from), expected);
    let written = found.to_string();
    let rest = if single == MOST { String::new() } else { format!(":{single}") };
    assert_eq!(written, format!("{initial}:{max}:{backoff}{rest}"));
    assert_eq!(written.parse::<TcpTimeouts>().as_ref(), Ok(found));

    let (waits, all) = waits(expected);
    assert!(found.waits().take(MOST_WAITS).eq(waits.iter().copied()), "{written}");
    let total = found.total_milliseconds();
    if all {
        assert_eq!(total, waits.iter().sum::<u64>(), "{written}");
    } else {
        let longest = single.min(max + initial);
        assert!(total >= max && total < max + longest, "{written}: {total}");
    }

    let first = initial.min(single);
    let mut warnings = Vec::new();
    if next(first, backoff, single) == first && first < single {
        let wait_milliseconds = u32::try_from(first).unwrap();
        warnings.push(TcpTimeoutsWarning::NeverGrows { wait_milliseconds });
    }
    if initial > single {
        warnings.push(TcpTimeoutsWarning::InitialOverMaxSingle {
            initial_milliseconds: u32::try_from(initial).unwrap(),
            max_single_milliseconds: u32::try_from(single).unwrap(),
        });
    }
    if !(10..=100).contains(&backoff) {
        let backoff_percent = u32::try_from(backoff).unwrap();
        warnings.push(TcpTimeoutsWarning::UnusualBackoff { backoff_percent });
    }
    assert!(found.warnings().eq(warnings), "{written}");
}

/// A run through the schedule by any of its steps, in any order.
fn check_run(found: &TcpTimeouts, expected: [u64; 4], input: &mut Unstructured<'_>) {
    let [initial, max, backoff, single] = expected;
    let mut schedule = Schedule::new(*found);
    let (mut current, mut waited) = (initial.min(single), 0);
    for _ in 0..200 {
        let Ok(step) = u8::arbitrary(input) else { return };
        if input.is_empty() {
            return;
        }
        match step % 4 {
            0 => {
                let wait = schedule.next_wait();
                assert_eq!(wait, (waited < max).then_some(current));
                if waited < max {
                    waited += current;
                    current = next(current, backoff, single);
                }
            }
            1 => {
                assert_eq!(schedule.take_current(), current);
                waited += if waited < max { current } else { 0 };
            }
            2 => {
                schedule.advance();
                current = next(current, backoff, single);
            }
            _ => {
                schedule.reset();
                current = initial.min(single);
            }
        }
        let state =
            (schedule.current_milliseconds(), schedule.waited_milliseconds(), schedule.is_spent());
        assert_eq!(state, (current, waited, waited >= max));
    }
}
