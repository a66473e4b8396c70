//! The operation rules for work of JavaScript's own, for the package to wrap.

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::{
    clock, events,
    gateways::{self, Gateways},
    options::{self, Numbers},
};
use crate::policy::{AttemptFailure, ErrorCode, Redo, Retry, RetryStep};

/// How the last attempt went, as the package says it; anything else is that it failed.
const NONE_YET: u8 = 0;
const FAILED_RETRYABLE: u8 = 1;
/// The caller's time is over, between two attempts, or while one was running.
const GIVEN_UP: u8 = 2;
const GIVEN_UP_RUNNING: u8 = 3;

/// One piece of work. It says what comes next; the package does it and waits for it.
#[wasm_bindgen]
#[derive(Debug)]
pub struct RetryCore {
    retry: Retry,
    gateways: Gateways,
}

#[wasm_bindgen]
impl RetryCore {
    /// The list may be empty.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(options: &Numbers, list: &Array, redoable: bool, seed: f64) -> RetryCore {
        let settings = options::read(options);
        let mut gateways = Gateways::default();
        let taken = gateways.take(gateways::of_row(list), None);
        let count = u32::try_from(taken.len()).unwrap_or(u32::MAX);
        let redo = if redoable || settings.redo_operations { Redo::Redoable } else { Redo::Once };
        let seed = clock::to_u64(seed);
        Self { retry: Retry::new(clock::now(), redo, settings, count, seed), gateways }
    }

    /// What comes after the last attempt: when the next one begins, by the monotonic clock, and
    /// the URL of its gateway; or how it all failed, as a row that begins with a text. `how` the
    /// attempt went is 0 for none yet, 1 for "try again" (so many milliseconds later at the
    /// soonest), 2 and 3 for the caller's end of it, 4 for anything else.
    pub fn next(&mut self, how: u8, after_milliseconds: f64) -> Array {
        let now = clock::now();
        let step = match how {
            NONE_YET => self.retry.start(),
            GIVEN_UP | GIVEN_UP_RUNNING => {
                let running = how == GIVEN_UP_RUNNING;
                RetryStep::Fail(self.retry.give_up(now, ErrorCode::Timeout, running))
            }
            FAILED_RETRYABLE => {
                let after_milliseconds = clock::to_u64(after_milliseconds);
                self.retry.fail(now, AttemptFailure::Retryable { after_milliseconds })
            }
            _ => self.retry.fail(now, AttemptFailure::Unknown),
        };
        match step {
            RetryStep::Attempt { at, gateway } => Array::of2(
                &clock::to_number(at.as_milliseconds()).into(),
                &gateway.map_or(JsValue::UNDEFINED, |gateway| self.gateways.url(gateway)),
            ),
            RetryStep::Fail(error) => {
                events::error_to_row(&error, |gateway| self.gateways.label(gateway))
            }
        }
    }
}
