//! Notices as plain objects: what the package makes events, errors and log lines of.

use alloc::{string::String, vec::Vec};

use serde::Serialize;
use wasm_bindgen::JsValue;

use super::clock::to_number;
use crate::policy::{
    Cause, FailureCount, GatewayIndex, LastFailure, LogLine, Notice, OperationError, StateReason,
};

/// What failed where there was no gateway to fail: the option that gives the list.
pub(super) const LIST: &str = "gateways";

/// One shape for all of them, so that it is spelled out in wasm once; what does not belong to a
/// notice is left out of its object.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct View {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gateway: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    close_code: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    round: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rounds: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dials: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    milliseconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    completion: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attempts: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answered: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resumed: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failures: Vec<FailureView>,
}

/// Why a gateway failed, and how often where that is counted.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FailureView {
    gateway: String,
    cause: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    close_code: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failures: Option<u32>,
}

impl FailureView {
    pub(super) fn new(gateway: String, cause: Cause) -> Self {
        let (close_code, status) = numbers_of(cause);
        Self { gateway, cause: cause.as_str(), close_code, status, failures: None }
    }
}

/// What a cause has beside its name: a close code, or an HTTP status.
fn numbers_of(cause: Cause) -> (Option<u16>, Option<u16>) {
    (
        cause.close_code().map(|code| code.as_u16()),
        cause.http_status().map(|status| status.as_u16()),
    )
}

/// Turns a notice into an object; `label` names a gateway without its secrets.
pub(super) fn to_object(notice: &Notice, label: impl Fn(GatewayIndex) -> String) -> JsValue {
    let mut view = View::default();
    let count = |count: &FailureCount| FailureView {
        failures: Some(count.failures),
        ..FailureView::new(count.gateway.map_or(LIST.into(), &label), count.last_cause)
    };
    let caused = |view: &mut View, cause: Cause| {
        view.cause = Some(cause.as_str());
        (view.close_code, view.status) = numbers_of(cause);
    };
    match notice {
        Notice::Dialled { gateway, round } => {
            view.kind = "dial";
            view.gateway = Some(label(*gateway));
            view.round = Some(*round);
        }
        Notice::DialFailed { gateway, verdict, cause } => {
            view.kind = "dialfailed";
            view.gateway = Some(label(*gateway));
            view.verdict = Some(verdict.as_str());
            caused(&mut view, *cause);
        }
        Notice::StateChanged { from, to, reason, gateway } => {
            view.kind = "statechange";
            view.from = Some(from.as_str());
            view.to = Some(to.as_str());
            view.reason = Some(reason.as_str());
            view.gateway = gateway.map(label);
            if let StateReason::Lost(cause) = reason {
                view.close_code = cause.close_code().map(|code| code.as_u16());
            }
        }
        Notice::WaitBegan { milliseconds, round } => {
            view.kind = "waiting";
            view.milliseconds = Some(to_number(*milliseconds));
            view.round = Some(*round);
        }
        Notice::Settled { operation, outcome } => {
            view.kind = "settled";
            view.operation = Some(to_number(operation.as_u64()));
            if let Err(error) = outcome {
                fail(&mut view, error, label);
            }
        }
        Notice::Subscribed { operation, resumed } => {
            view.kind = "subscribed";
            view.operation = Some(to_number(operation.as_u64()));
            view.resumed = Some(*resumed);
        }
        Notice::Logged(line) => match line {
            LogLine::OutageBegan { gateway, cause } => {
                view.kind = "outagebegan";
                view.gateway = Some(gateway.map_or(LIST.into(), &label));
                caused(&mut view, *cause);
            }
            LogLine::OutageGoesOn { milliseconds, failures } => {
                view.kind = "outagegoeson";
                view.milliseconds = Some(to_number(*milliseconds));
                view.failures = failures.iter().map(count).collect();
            }
            LogLine::OutageEnded { gateway, milliseconds, rounds, dials } => {
                view.kind = "outageended";
                view.gateway = Some(label(*gateway));
                view.milliseconds = Some(to_number(*milliseconds));
                view.rounds = Some(*rounds);
                view.dials = Some(*dials);
            }
            LogLine::GaveUp { why, milliseconds, rounds, dials, failures } => {
                view.kind = "gaveup";
                view.code = Some(why.code().as_str());
                view.milliseconds = Some(to_number(*milliseconds));
                view.rounds = Some(*rounds);
                view.dials = Some(*dials);
                view.failures = failures.iter().map(count).collect();
            }
        },
    }
    serialise(&view)
}

/// How an operation failed, as an object.
pub(super) fn error_to_object(
    error: &OperationError,
    label: impl Fn(GatewayIndex) -> String,
) -> JsValue {
    let mut view = View { kind: "settled", ..View::default() };
    fail(&mut view, error, label);
    serialise(&view)
}

fn fail(view: &mut View, error: &OperationError, label: impl Fn(GatewayIndex) -> String) {
    view.code = Some(error.code.as_str());
    view.completion = Some(error.completion.as_str());
    view.attempts = Some(error.attempts);
    view.milliseconds = Some(to_number(error.elapsed_milliseconds));
    view.gateway = error.gateway.map(label);
    match error.last_failure {
        LastFailure::None => {}
        LastFailure::Answered => view.answered = Some(true),
        LastFailure::Lost(cause) => {
            view.cause = Some(cause.as_str());
            view.close_code = cause.close_code().map(|code| code.as_u16());
        }
    }
}

/// A value as a plain object; `undefined` where it cannot be made, which no shape here can cause.
pub(super) fn serialise(value: &impl Serialize) -> JsValue {
    serde_wasm_bindgen::to_value(value).unwrap_or(JsValue::UNDEFINED)
}
