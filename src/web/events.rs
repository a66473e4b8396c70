//! Notices as rows: a kind, and values in an order that the package has names for.

use js_sys::Array;
use wasm_bindgen::JsValue;

use super::{clock::to_number, gateways::LIST};
use crate::policy::{
    Cause, FailureCount, GatewayIndex, LastFailure, LogLine, Notice, OperationError, StateReason,
};

/// A list for JavaScript that grows by one value at a time; the package's `notice.js` names them.
/// The names stay on that side, where they cost a tenth of what a serializer costs here.
#[derive(Debug)]
struct Row(Array);

impl Row {
    fn of(kind: &str) -> Self {
        Self(Array::of1(&kind.into()))
    }

    fn empty() -> Self {
        Self(Array::new())
    }

    fn value(self, value: JsValue) -> Self {
        self.0.push(&value);
        self
    }

    fn text(self, text: &str) -> Self {
        self.value(text.into())
    }

    fn number(self, number: f64) -> Self {
        self.value(number.into())
    }

    fn nothing(self) -> Self {
        self.value(JsValue::UNDEFINED)
    }

    fn code(self, code: Option<u16>) -> Self {
        match code {
            Some(code) => self.number(code.into()),
            None => self.nothing(),
        }
    }

    /// A cause is three values: its name, and the close code or the HTTP status beside it.
    fn cause(self, cause: Cause) -> Self {
        self.text(cause.as_str())
            .code(cause.close_code().map(|code| code.as_u16()))
            .code(cause.http_status().map(|status| status.as_u16()))
    }

    fn failures(self, failures: &[FailureCount], label: impl Fn(GatewayIndex) -> JsValue) -> Self {
        let rows = Array::new();
        for count in failures {
            let row = failure(count.gateway, count.last_cause, &label);
            rows.push(&row.number(count.failures.into()).0);
        }
        self.value(rows.into())
    }
}

fn failure(
    gateway: Option<GatewayIndex>,
    cause: Cause,
    label: impl Fn(GatewayIndex) -> JsValue,
) -> Row {
    Row::empty().value(gateway.map_or(LIST.into(), label)).cause(cause)
}

/// Turns a notice into a row; `label` names a gateway without its secrets.
pub(super) fn to_row(notice: &Notice, label: impl Fn(GatewayIndex) -> JsValue) -> Array {
    let row = match notice {
        Notice::Dialled { gateway, round } => {
            Row::of("dial").value(label(*gateway)).number((*round).into())
        }
        Notice::DialFailed { gateway, verdict, cause } => {
            Row::of("dialfailed").value(label(*gateway)).text(verdict.as_str()).cause(*cause)
        }
        Notice::StateChanged { from, to, reason, gateway } => {
            let row = Row::of("statechange").text(from.as_str()).text(to.as_str());
            let row = row.text(reason.as_str());
            let row = match gateway {
                Some(gateway) => row.value(label(*gateway)),
                None => row.nothing(),
            };
            let lost =
                if let StateReason::Lost(cause) = reason { cause.close_code() } else { None };
            row.code(lost.map(|code| code.as_u16()))
        }
        Notice::WaitBegan { milliseconds, round } => {
            Row::of("waiting").number(to_number(*milliseconds)).number((*round).into())
        }
        Notice::Settled { operation, outcome } => {
            let row = Row::of("settled").number(to_number(operation.as_u64()));
            match outcome {
                Ok(()) => row,
                Err(error) => fail(row, error, label),
            }
        }
        Notice::Subscribed { operation, resumed } => {
            let row = Row::of("subscribed").number(to_number(operation.as_u64()));
            row.value((*resumed).into())
        }
        Notice::Logged(line) => match line {
            LogLine::OutageBegan { gateway, cause } => {
                Row::of("outagebegan").value(gateway.map_or(LIST.into(), &label)).cause(*cause)
            }
            LogLine::OutageGoesOn { milliseconds, failures } => {
                let row = Row::of("outagegoeson").number(to_number(*milliseconds));
                row.failures(failures, label)
            }
            LogLine::OutageEnded { gateway, milliseconds, rounds, dials } => {
                let row = Row::of("outageended").value(label(*gateway));
                let row = row.number(to_number(*milliseconds));
                row.number((*rounds).into()).number((*dials).into())
            }
            LogLine::GaveUp { why, milliseconds, rounds, dials, failures } => {
                let row = Row::of("gaveup").text(why.code().as_str());
                let row = row.number(to_number(*milliseconds)).number((*rounds).into());
                row.number((*dials).into()).failures(failures, label)
            }
        },
    };
    row.0
}

/// How an operation failed, as a row without a kind.
pub(super) fn error_to_row(
    error: &OperationError,
    label: impl Fn(GatewayIndex) -> JsValue,
) -> Array {
    fail(Row::empty(), error, label).0
}

fn fail(row: Row, error: &OperationError, label: impl Fn(GatewayIndex) -> JsValue) -> Row {
    let row = row.text(error.code.as_str()).text(error.completion.as_str());
    let row = row.number(error.attempts.into()).number(to_number(error.elapsed_milliseconds));
    let row = match error.gateway {
        Some(gateway) => row.value(label(gateway)),
        None => row.nothing(),
    };
    match error.last_failure {
        LastFailure::None => row,
        LastFailure::Answered => row.value(true.into()),
        LastFailure::Lost(cause) => row.nothing().cause(cause),
    }
}

/// Numbers, as the package names them by their order.
pub(super) fn numbers_to_row(numbers: impl IntoIterator<Item = u64>) -> Array {
    let row = Row::empty();
    numbers.into_iter().fold(row, |row, number| row.number(to_number(number))).0
}

/// Why each gateway failed last, as rows.
pub(super) fn failures_to_rows(
    failures: &[(Option<GatewayIndex>, Cause)],
    label: impl Fn(GatewayIndex) -> JsValue,
) -> Array {
    failures.iter().map(|&(gateway, cause)| failure(gateway, cause, &label).0).collect()
}
