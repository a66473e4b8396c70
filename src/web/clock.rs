//! The clock, and the numbers of JavaScript. The one place where floats are let in.

use wasm_bindgen::prelude::*;

use crate::policy::{Instant, options::MAX_SAFE_INTEGER};

#[wasm_bindgen]
extern "C" {
    /// Monotonic everywhere, unlike `Date.now()`: a corrected system date moves no deadline.
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn performance_now() -> f64;
}

/// What time it is.
pub(super) fn now() -> Instant {
    Instant::from_milliseconds(to_u64(performance_now()))
}

/// A number of JavaScript as a whole one; what is below 0 or no number is 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and rounding down is meant"
)]
pub(super) const fn to_u64(number: f64) -> u64 {
    number as u64
}

/// A whole number for JavaScript; what it cannot hold exactly becomes the largest it can.
#[expect(clippy::cast_precision_loss, reason = "cut to what is exact")]
pub(super) const fn to_number(whole: u64) -> f64 {
    (if whole < MAX_SAFE_INTEGER { whole } else { MAX_SAFE_INTEGER }) as f64
}

/// The code of an error, cut to 32 bits: those that matter are far within.
#[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
pub(super) const fn to_i32(number: f64) -> i32 {
    number as i32
}

/// Minus this number.
#[cfg(feature = "npm")]
#[expect(clippy::float_arithmetic, reason = "a sign is the cheapest second answer of a call")]
pub(super) const fn negated(number: f64) -> f64 {
    -number
}
