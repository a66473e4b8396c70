//! Notices of the engine as the package's events and its log have them: the same kinds, the same names.

use crate::json::write_fields;
use regate::policy::{Cause, FailureCount, GatewayIndex, LogLine, Notice, StateReason};

/// A notice. Each kind has some of the fields.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) at: u64,
    pub(crate) kind: &'static str,
    gateway: Option<String>,
    round: Option<u32>,
    verdict: Option<&'static str>,
    from: Option<&'static str>,
    to: Option<&'static str>,
    reason: Option<&'static str>,
    code: Option<&'static str>,
    cause: Option<&'static str>,
    close_code: Option<u16>,
    milliseconds: Option<u64>,
    rounds: Option<u32>,
    dials: Option<u32>,
    failures: Option<Vec<Failure>>,
}

#[derive(Debug)]
struct Failure {
    gateway: String,
    cause: &'static str,
    close_code: Option<u16>,
    failures: u32,
}

impl Told {
    fn because_of(self, cause: Cause) -> Self {
        let close_code = cause.close_code().map(|code| code.as_u16());
        Self { cause: Some(cause.as_str()), close_code, ..self }
    }
}

/// A notice, and whether it is for the log; `None` for what operations are told.
pub(crate) fn tell(at: u64, notice: &Notice, labels: &[String]) -> Option<Told> {
    let named = |gateway: GatewayIndex| label(Some(gateway), labels);
    let told = |kind| Told { at, kind, ..Told::default() };
    Some(match notice {
        Notice::Dialled { gateway, round } => {
            Told { gateway: Some(named(*gateway)), round: Some(*round), ..told("dial") }
        }
        Notice::DialFailed { gateway, verdict, cause } => Told {
            gateway: Some(named(*gateway)),
            verdict: Some(verdict.as_str()),
            ..told("dialfailed").because_of(*cause)
        },
        Notice::StateChanged { from, to, reason, gateway } => {
            let mut told = told("statechange");
            if let StateReason::Lost(cause) = reason {
                told.close_code = cause.close_code().map(|code| code.as_u16());
            }
            Told {
                from: Some(from.as_str()),
                to: Some(to.as_str()),
                reason: Some(reason.as_str()),
                gateway: gateway.map(named),
                ..told
            }
        }
        Notice::WaitBegan { milliseconds, round } => {
            Told { milliseconds: Some(*milliseconds), round: Some(*round), ..told("waiting") }
        }
        Notice::Logged(line) => log(line, told, labels)?,
        _ => return None,
    })
}

fn log(line: &LogLine, told: impl Fn(&'static str) -> Told, labels: &[String]) -> Option<Told> {
    let failures = |list: &[FailureCount]| {
        let failure = |count: &FailureCount| Failure {
            gateway: label(count.gateway, labels),
            cause: count.last_cause.as_str(),
            close_code: count.last_cause.close_code().map(|code| code.as_u16()),
            failures: count.failures,
        };
        Some(list.iter().map(failure).collect())
    };
    Some(match line {
        LogLine::OutageBegan { gateway, cause } => Told {
            gateway: Some(label(*gateway, labels)),
            ..told("outagebegan").because_of(*cause)
        },
        LogLine::OutageGoesOn { milliseconds, failures: list } => Told {
            milliseconds: Some(*milliseconds),
            failures: failures(list),
            ..told("outagegoeson")
        },
        LogLine::OutageEnded { gateway, milliseconds, rounds, dials } => Told {
            gateway: Some(label(Some(*gateway), labels)),
            milliseconds: Some(*milliseconds),
            rounds: Some(*rounds),
            dials: Some(*dials),
            ..told("outageended")
        },
        LogLine::GaveUp { why, milliseconds, rounds, dials, failures: list } => Told {
            code: Some(why.code().as_str()),
            milliseconds: Some(*milliseconds),
            rounds: Some(*rounds),
            dials: Some(*dials),
            failures: failures(list),
            ..told("gaveup")
        },
        _ => return None,
    })
}

/// A gateway as it is shown; where there was no list to take one from, the option that gives it.
fn label(gateway: Option<GatewayIndex>, labels: &[String]) -> String {
    let Some(gateway) = gateway else { return "gateways".into() };
    place(gateway).and_then(|place| labels.get(place)).cloned().unwrap_or_default()
}

pub(crate) fn place(gateway: GatewayIndex) -> Option<usize> {
    usize::try_from(gateway.position()).ok()
}

/// A cause in words, with its close code.
pub(crate) fn in_words(cause: Cause) -> String {
    match cause.close_code() {
        Some(code) => format!("{} {}", cause.as_str(), code.as_u16()),
        None => cause.as_str().into(),
    }
}

write_fields! {
    Told { at, kind, gateway, round, verdict, from, to, reason, code, cause, close_code, milliseconds, rounds, dials, failures }
    Failure { gateway, cause, close_code, failures }
}
