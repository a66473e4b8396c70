//! The npm package as the application.

use alloc::rc::{Rc, Weak};

use wasm_bindgen::prelude::*;

use super::{
    application::{Application, Failure},
    client::Inner,
    clock::{to_number, to_u64},
};
use crate::policy::{AttemptId, HttpStatus, Judgement, OperationId, SocketId, Verdict};

// All of them are caught: what throws past wasm leaves its stack where it was, and a stack that
// only grows ends in a trap. The package lets none of them throw; an overflow can in any.
#[wasm_bindgen]
extern "C" {
    // Outside of a request workerd refuses it.
    #[wasm_bindgen(catch, js_name = setTimeout)]
    fn set_timeout(fire: &JsValue, milliseconds: u32) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_name = clearTimeout)]
    fn clear_timeout(alarm: &JsValue);

    /// The object that the package hands over: it owns promises and payloads.
    #[derive(Clone, Debug)]
    pub type Host;

    #[wasm_bindgen(method, catch, js_name = frame)]
    fn call_frame(this: &Host, operation: f64, attempt: f64) -> Result<JsValue, JsValue>;

    // Messages are the package's from the start: a detour through here would cost as much as all the rest.
    #[wasm_bindgen(method, catch, js_name = ear)]
    fn call_ear(this: &Host, socket: f64) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch, js_name = drain)]
    fn call_drain(this: &Host) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch, js_name = ping)]
    fn call_ping(this: &Host, attempt: f64) -> Result<JsValue, JsValue>;

    // What it comes to is reported by `listed`.
    #[wasm_bindgen(method, catch, js_name = list)]
    fn call_list(this: &Host) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch, js_name = greet)]
    fn call_greet(this: &Host, socket: f64, gateway: &JsValue) -> Result<(), JsValue>;

    // 0, or a verdict by its number and eight times the least length of the next wait. The code is below 0 where
    // there was none, the HTTP status 0.
    #[wasm_bindgen(method, catch, js_name = judge)]
    fn call_judge(
        this: &Host,
        gateway: &JsValue,
        code: i32,
        reason: &JsValue,
        verdict: &JsValue,
        status: u16,
    ) -> Result<f64, JsValue>;
}

/// The verdict of a number, counted from 1; 0 is none.
pub(super) fn verdict_of(number: u64) -> Option<Verdict> {
    Verdict::ALL.get(usize::try_from(number.checked_sub(1)?).ok()?).copied()
}

/// An alarm of the platform. Its types differ between platforms. gloo-timers would bring std with it.
#[derive(Debug)]
pub(super) struct Alarm(JsValue);

impl Drop for Alarm {
    fn drop(&mut self) {
        clear_timeout(&self.0);
    }
}

impl Application for Host {
    type Callback = Closure<dyn Fn(f64, JsValue)>;
    type Alarm = Alarm;

    /// What the alarm calls. It takes what ears of sockets take, as each kind of closure has glue of its own.
    fn make_callback(inner: Weak<Inner<Self>>) -> Self::Callback {
        Closure::new(move |_, _| {
            if let Some(inner) = inner.upgrade() {
                inner.handle_timer();
            }
        })
    }

    fn ear_on(&self, _callback: &Self::Callback, socket: SocketId) -> JsValue {
        self.call_ear(to_number(socket.as_u64())).unwrap_or_default()
    }

    fn set_alarm(inner: &Rc<Inner<Self>>, milliseconds: u32) -> Option<Alarm> {
        set_timeout(inner.callback.as_ref(), milliseconds).ok().map(Alarm)
    }

    fn frame(&self, operation: OperationId, attempt: AttemptId) -> JsValue {
        let (operation, attempt) = (to_number(operation.as_u64()), to_number(attempt.as_u64()));
        self.call_frame(operation, attempt).unwrap_or_default()
    }

    fn take_notices(&self) {
        drop(self.call_drain());
    }

    fn ping(&self, attempt: AttemptId) -> JsValue {
        self.call_ping(to_number(attempt.as_u64())).unwrap_or_default()
    }

    fn list(&self) {
        drop(self.call_list());
    }

    fn greet(&self, socket: SocketId, gateway: JsValue) {
        drop(self.call_greet(to_number(socket.as_u64()), &gateway));
    }

    fn judge(&self, failure: Failure) -> Judgement {
        let code = failure.cause.close_code().map_or(-1, |code| i32::from(code.as_u16()));
        let status = failure.cause.http_status().map_or(0, HttpStatus::as_u16);
        let verdict = failure.verdict.as_str().into();
        let said = self.call_judge(&failure.gateway, code, &failure.reason, &verdict, status);
        let said = to_u64(said.unwrap_or_default());
        Judgement { verdict: verdict_of(said % 8), wait_milliseconds: said / 8 }
    }
}
