//! The operation rules for work of JavaScript's own, for the package to wrap.

use core::cell::RefCell;

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::{
    clock, events,
    gateways::{self, Gateways},
    options::{self, Numbers},
};
use crate::policy::{
    AttemptFailure, ErrorCode, GatewayIndex, Instant, OperationError, Redo, Retry, RetryStep,
    Settings,
};

#[derive(Debug)]
struct State {
    retry: Retry,
    at: Instant,
    gateway: Option<GatewayIndex>,
    attempt: u32,
    failed: Option<OperationError>,
}

/// One piece of work. Its methods say what comes next; the package does it and waits for it.
#[wasm_bindgen]
#[derive(Debug)]
pub struct RetryCore {
    state: RefCell<State>,
    gateways: Gateways,
}

#[wasm_bindgen]
impl RetryCore {
    /// The first attempt is the next. The list may be empty.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(options: &Numbers, list: &Array, redoable: bool, seed: f64) -> RetryCore {
        let mut settings = Settings::default();
        options::set(&mut settings, options);
        let mut gateways = Gateways::default();
        let taken = gateways.take(gateways::of_row(list), None);
        let count = u32::try_from(taken.len()).unwrap_or(u32::MAX);
        let redo = if redoable || settings.redo_operations { Redo::Redoable } else { Redo::Once };
        let seed = clock::to_u64(seed);
        let now = clock::now();
        let mut retry = Retry::new(now, redo, settings, count, seed);
        let first = retry.start();
        let mut state = State { retry, at: now, gateway: None, attempt: 0, failed: None };
        state.take(first);
        Self { state: RefCell::new(state), gateways }
    }

    /// When the next attempt begins, by the monotonic clock.
    #[wasm_bindgen(getter)]
    pub fn at(&self) -> f64 {
        clock::to_number(self.state.borrow().at.as_milliseconds())
    }

    /// The URL of the gateway of the next attempt.
    #[wasm_bindgen(getter)]
    pub fn gateway(&self) -> JsValue {
        let gateway = self.state.borrow().gateway;
        gateway.map_or(JsValue::UNDEFINED, |gateway| self.gateways.url(gateway))
    }

    /// Which attempt is the next, counted from 1.
    #[wasm_bindgen(getter)]
    pub fn attempt(&self) -> u32 {
        self.state.borrow().attempt
    }

    /// The attempt failed; one that is `retryable` was not performed. Says whether that is the
    /// end: else there is a next attempt.
    pub fn fail(&self, retryable: bool, after_milliseconds: f64) -> bool {
        let after_milliseconds = clock::to_u64(after_milliseconds);
        let failure = if retryable {
            AttemptFailure::Retryable { after_milliseconds }
        } else {
            AttemptFailure::Unknown
        };
        let mut state = self.state.borrow_mut();
        let step = state.retry.fail(clock::now(), failure);
        state.take(step);
        state.failed.is_some()
    }

    /// The caller's time is over, while an attempt was running or between two.
    #[wasm_bindgen(js_name = giveUp)]
    pub fn give_up(&self, running: bool) {
        let mut state = self.state.borrow_mut();
        state.failed = Some(state.retry.give_up(clock::now(), ErrorCode::Timeout, running));
    }

    /// How it failed, as a row.
    pub fn failure(&self) -> Option<Array> {
        let failed = self.state.borrow().failed;
        failed.map(|error| events::error_to_row(&error, |gateway| self.gateways.label(gateway)))
    }
}

impl State {
    fn take(&mut self, step: RetryStep) {
        match step {
            RetryStep::Attempt { at, gateway } => {
                self.at = at;
                self.gateway = gateway;
                self.attempt = self.attempt.saturating_add(1);
            }
            RetryStep::Fail(error) => self.failed = Some(error),
        }
    }
}
