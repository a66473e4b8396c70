//! Which cases are left out, computed from the case. The list is the contract's, and no longer.

use serde_json::Value;

use crate::run::{list, text};

const INT_MAX: u64 = 2_147_483_647;

/// Why a case is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    StricterText,
    InitialOverMaxSingle,
    FactorOverflow,
    SumOverflow,
    Forwarded,
    Addressing,
    Tagged(Tag),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tag {
    Endless,
    Stuck,
    Duplicate,
    Prlb,
}

impl Reason {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::StricterText => "the text holds `+` or a non-ASCII character, or ends in `:`",
            Self::InitialOverMaxSingle => "initial is over maxsingle",
            Self::FactorOverflow => "the factor, 100 + backoff, is over 2^31-1",
            Self::SumOverflow => "the waits add up to more than 2^31-1",
            Self::Forwarded => "a cycling case with `iors`",
            Self::Addressing => "a cycling case with the outcome `addr`",
            Self::Tagged(Tag::Endless) => "a cycling case tagged `endless`",
            Self::Tagged(Tag::Stuck) => "a cycling case tagged `stuck`",
            Self::Tagged(Tag::Duplicate) => "a cycling case tagged `duplicate`",
            Self::Tagged(Tag::Prlb) => "a cycling case tagged `prlb`",
        }
    }
}

/// The four numbers of a configuration, read without the code under test.
#[derive(Clone, Copy)]
struct Numbers {
    initial: u64,
    max: u64,
    backoff: u64,
    max_single: u64,
}

impl Numbers {
    /// `None` for a text that is no configuration.
    fn read(config: &str) -> Option<Self> {
        let parts: Vec<u64> =
            config.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
        match parts[..] {
            [initial, max, backoff] => Some(Self { initial, max, backoff, max_single: INT_MAX }),
            [initial, max, backoff, max_single] => Some(Self { initial, max, backoff, max_single }),
            _ => None,
        }
    }

    fn advance(self, current: u64) -> u64 {
        (current.saturating_mul(self.backoff + 100) / 100).min(self.max_single)
    }

    /// What the waits add up to when they are taken one after the other.
    fn sum(self) -> u64 {
        let (mut current, mut sum) = (self.initial, 0);
        while sum < self.max && sum <= INT_MAX {
            let next = self.advance(current);
            if next == current {
                return sum + (self.max - sum).div_ceil(current) * current;
            }
            sum += current;
            current = next;
        }
        sum
    }

    /// What the waits of a sequence of operations add up to.
    fn sum_over(self, ops: &[Value]) -> Result<u64, String> {
        let (mut current, mut sum) = (self.initial, 0);
        for op in ops {
            match text(&op[0])? {
                "advance" => current = self.advance(current),
                "reset" => current = self.initial,
                "sleepTime" | "getTimeForSleep" if sum < self.max => sum += current,
                _ => {}
            }
        }
        Ok(sum)
    }
}

/// Why `case` is left out, where it is.
pub(crate) fn of(case: &Value) -> Result<Option<Reason>, String> {
    if let Some(input) = case.get("input") {
        let input = text(input)?;
        // A text alone waits for nothing: only its factor can be beyond what the original holds.
        return Ok(if input.contains('+') || !input.is_ascii() || input.ends_with(':') {
            Some(Reason::StricterText)
        } else {
            Numbers::read(input)
                .filter(|numbers| (1..=INT_MAX).contains(&numbers.backoff))
                .filter(|numbers| numbers.backoff + 100 > INT_MAX)
                .map(|_| Reason::FactorOverflow)
        });
    }
    let config = text(&case["config"])?;
    let numbers = Numbers::read(config).ok_or_else(|| format!("{config} is no configuration"))?;
    let sum = match case.get("ops") {
        Some(ops) => numbers.sum_over(list(ops)?)?,
        None => numbers.sum(),
    };
    if numbers.initial > numbers.max_single {
        return Ok(Some(Reason::InitialOverMaxSingle));
    }
    if numbers.backoff + 100 > INT_MAX {
        return Ok(Some(Reason::FactorOverflow));
    }
    if sum > INT_MAX {
        return Ok(Some(Reason::SumOverflow));
    }
    if case.get("calls").is_some() { of_cycling(case) } else { Ok(None) }
}

fn of_cycling(case: &Value) -> Result<Option<Reason>, String> {
    for tag in list(&case["tags"])? {
        match text(tag)? {
            "endless" => return Ok(Some(Reason::Tagged(Tag::Endless))),
            "stuck" => return Ok(Some(Reason::Tagged(Tag::Stuck))),
            "duplicate" => return Ok(Some(Reason::Tagged(Tag::Duplicate))),
            "prlb" => return Ok(Some(Reason::Tagged(Tag::Prlb))),
            _ => {}
        }
    }
    if case.get("iors").is_some() {
        return Ok(Some(Reason::Forwarded));
    }
    for call in list(&case["calls"])? {
        for attempt in list(&call["attempts"])? {
            if attempt[3] == "addr" {
                return Ok(Some(Reason::Addressing));
            }
        }
    }
    Ok(None)
}
