//! The operation rules for work of JavaScript's own, for the package to wrap.

use alloc::string::String;
use core::cell::RefCell;

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::{
    clock, events,
    gateways::{Gateways, Schemes, read_list},
    options::Options,
    values::invalid,
};
use crate::policy::{
    AttemptFailure, ErrorCode, GatewayIndex, Instant, OperationError, Redo, Retry, RetryStep,
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
    /// Reads the options; the first attempt is the next.
    ///
    /// # Errors
    ///
    /// What is wrong with an option, as an array that the package makes a `RegateError` of.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &JsValue, redoable: bool, drawn_seed: f64) -> Result<RetryCore, JsValue> {
        let Options { settings, gateways: list, protocols, seed, .. } = Options::parse(options)?;
        let mut gateways = Gateways::new(protocols);
        let mut count = 0;
        if list.is_function() {
            return Err(invalid("gateways", &list, "list", &[]));
        }
        if !list.is_undefined() {
            let entries = read_list(&list, &gateways.protocols(), Schemes::Any)?;
            count = u32::try_from(gateways.take(entries, None).len()).unwrap_or(u32::MAX);
        }
        let redo = if redoable || settings.redo_operations { Redo::Redoable } else { Redo::Once };
        let seed = seed.unwrap_or(clock::to_u64(drawn_seed));
        let now = clock::now();
        let mut retry = Retry::new(now, redo, settings, count, seed);
        let first = retry.start();
        let mut state = State { retry, at: now, gateway: None, attempt: 0, failed: None };
        state.take(first);
        Ok(Self { state: RefCell::new(state), gateways })
    }

    /// When the next attempt begins, by the monotonic clock.
    #[wasm_bindgen(getter)]
    pub fn at(&self) -> f64 {
        clock::to_number(self.state.borrow().at.as_milliseconds())
    }

    /// The URL of the gateway of the next attempt.
    #[wasm_bindgen(getter)]
    pub fn gateway(&self) -> Option<String> {
        let gateway = self.state.borrow().gateway?;
        self.gateways.get(gateway).map(|gateway| gateway.url.clone())
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
