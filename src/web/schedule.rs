//! Schedules, as the npm package shows them.

use alloc::vec::Vec;

use wasm_bindgen::prelude::*;

use super::{clock, options};
use crate::policy::{TcpTimeouts, TcpTimeoutsWarning};

fn parse_schedule(text: &JsValue) -> Result<TcpTimeouts, JsValue> {
    options::schedule("tcpTimeouts", text)
}

/// The waits of a schedule in milliseconds, `at_most` of them.
///
/// # Errors
///
/// What is wrong with the text, as an array that the package makes a `RegateError` of.
#[wasm_bindgen(js_name = scheduleWaits)]
pub fn schedule_waits(text: &JsValue, at_most: u32) -> Result<Vec<f64>, JsValue> {
    let at_most = usize::try_from(at_most).unwrap_or(usize::MAX);
    Ok(parse_schedule(text)?.waits().take(at_most).map(clock::to_number).collect())
}

/// The names of what is legal but odd in a schedule.
///
/// # Errors
///
/// As [`schedule_waits`].
#[wasm_bindgen(js_name = scheduleWarnings)]
pub fn schedule_warnings(text: &JsValue) -> Result<Vec<JsValue>, JsValue> {
    let name = |warning| match warning {
        TcpTimeoutsWarning::InitialOverMaxSingle { .. } => "initial over maxsingle",
        TcpTimeoutsWarning::NeverGrows { .. } => "never grows",
        TcpTimeoutsWarning::UnusualBackoff { .. } => "unusual backoff",
    };
    Ok(parse_schedule(text)?.warnings().map(name).map(JsValue::from).collect())
}
