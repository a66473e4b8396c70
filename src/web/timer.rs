//! One timer for all deadlines of a client.

use alloc::rc::Weak;

use wasm_bindgen::prelude::*;

use super::{application::Application, client::Inner, clock};
use crate::policy::Instant;

// The types of a timer differ between platforms.
#[wasm_bindgen]
extern "C" {
    // Outside of a request workerd refuses it.
    #[wasm_bindgen(catch, js_name = setTimeout)]
    fn set_timeout(fire: &JsValue, milliseconds: f64) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_name = clearTimeout)]
    fn clear_timeout(timer: &JsValue);
}

/// The longest step of a timer, 2^31-1 ms: beyond it `setTimeout` fires at once.
const LONGEST_STEP_MILLISECONDS: u64 = 2_147_483_647;

/// The timer, and when it fires.
///
/// It is only moved when the deadline comes nearer, as moving it costs more than a late or a
/// vain firing: then the engine is asked again.
#[derive(Debug)]
pub(super) struct Timer {
    /// What it calls. It takes what ears of sockets take, as each kind of closure has glue of its own.
    fire: Closure<dyn Fn(f64, JsValue)>,
    running: Option<(Instant, JsValue)>,
}

impl Timer {
    pub(super) fn of<A: Application>(inner: Weak<Inner<A>>) -> Self {
        let fire = Closure::new(move |_, _| {
            if let Some(inner) = inner.upgrade() {
                inner.handle_timer();
            }
        });
        Self { fire, running: None }
    }

    /// Sees to it that it fires at `deadline`, or never.
    pub(super) fn arm(&mut self, deadline: Option<Instant>) {
        let Some(at) = deadline else { return self.stop() };
        if self.running.as_ref().is_some_and(|&(armed_at, _)| armed_at <= at) {
            return;
        }
        self.stop();
        let now = clock::now();
        let step = at.since(now).min(LONGEST_STEP_MILLISECONDS);
        let timer = set_timeout(self.fire.as_ref(), clock::to_number(step)).ok();
        self.running = timer.map(|timer| (now.after(step), timer));
    }

    /// It has fired.
    pub(super) fn fired(&mut self) {
        self.running = None;
    }

    fn stop(&mut self) {
        if let Some((_, timer)) = self.running.take() {
            clear_timeout(&timer);
        }
    }
}

impl Drop for Timer {
    /// Nobody would hear it.
    fn drop(&mut self) {
        self.stop();
    }
}
