//! A WebSocket with its number, and the handlers that it is let go without.

use alloc::{
    rc::{Rc, Weak},
    string::String,
};

use js_sys::{Array, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::{CloseEvent, Event as DomEvent, MessageEvent, WebSocket};

use super::{Host, client::Inner, clock};
use crate::policy::{Cause, CloseCode, Event, SendFailure, SocketId};

// All that touches a socket is caught: in workerd even `readyState` throws when the socket is
// another request's, and what throws past wasm would leave the client busy for ever.
#[wasm_bindgen]
extern "C" {
    /// A socket whose `send` takes what JavaScript has: handing over a `&str` would copy it.
    #[wasm_bindgen(extends = WebSocket)]
    #[derive(Clone, Debug)]
    type AnySocket;

    #[wasm_bindgen(method, structural, catch, getter = readyState)]
    fn state(this: &AnySocket) -> Result<u16, JsValue>;

    #[wasm_bindgen(method, structural, catch, getter = bufferedAmount)]
    fn buffered(this: &AnySocket) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, structural, catch, js_name = send)]
    fn send_value(this: &AnySocket, frame: &JsValue) -> Result<(), JsValue>;
}

/// Leaving on purpose: RFC 6455 section 7.4.1.
const NORMAL_CLOSURE: u16 = 1000;

#[derive(Debug)]
pub(super) struct Socket {
    id: SocketId,
    socket: AnySocket,
    host: Host,
    /// Held for as long as the socket's handlers are these.
    /// `Fn`: an injected socket may call back while one runs.
    _on_event: Closure<dyn Fn(DomEvent)>,
    _on_message: Closure<dyn Fn(MessageEvent)>,
}

impl Socket {
    /// Makes a socket by `constructor`; says why there is none where that throws.
    pub(super) fn open(
        id: SocketId,
        constructor: &js_sys::Function,
        url: &JsValue,
        protocols: &JsValue,
        host: Host,
        inner: &Rc<Inner>,
    ) -> Result<Self, Cause> {
        let arguments = if protocols.is_undefined() {
            Array::of1(url) // an argument that is there but undefined is the protocol "undefined"
        } else {
            Array::of2(url, protocols)
        };
        let made =
            Reflect::construct(constructor, &arguments).map_err(|thrown| {
                match name_of(&thrown).as_deref() {
                    Some("SyntaxError" | "SecurityError") => Cause::Unusable,
                    Some(_) | None => Cause::ConstructorThrew,
                }
            })?;
        let socket: AnySocket = made.unchecked_into();
        let weak = Rc::downgrade(inner);
        let on_event = Closure::new(move |event: DomEvent| report(&weak, id, &event));
        let weak = Rc::downgrade(inner);
        let on_message = Closure::new(move |event: MessageEvent| {
            if let Some(inner) = weak.upgrade() {
                inner.receive(id, event.data());
            }
        });
        set(&socket, "binaryType", &"arraybuffer".into());
        for name in ["onopen", "onerror", "onclose"] {
            set(&socket, name, on_event.as_ref());
        }
        set(&socket, "onmessage", on_message.as_ref());
        Ok(Self { id, socket, host, _on_event: on_event, _on_message: on_message })
    }

    pub(super) const fn id(&self) -> SocketId {
        self.id
    }

    /// How much the platform still has to send; 0 where it does not tell.
    pub(super) fn buffered_bytes(&self) -> u64 {
        let told = self.socket.buffered().ok().and_then(|amount| amount.as_f64());
        told.map_or(0, clock::to_u64)
    }

    /// A handle to send by, so that nothing is borrowed while `send` runs.
    pub(super) fn sender(&self) -> Sender {
        Sender { socket: self.socket.clone() }
    }

    /// Lets the socket go: nothing it still does is heard, and should it open, it is closed.
    ///
    /// `error` keeps a handler, as some platforms end the process over one that nobody hears.
    pub(super) fn let_go(self) {
        self.detach();
        // It is let go in any case, whatever closing it says.
        drop(self.socket.close_with_code(NORMAL_CLOSURE));
    }

    fn detach(&self) {
        set(&self.socket, "onmessage", &JsValue::NULL);
        set(&self.socket, "onclose", &JsValue::NULL);
        set(&self.socket, "onopen", &self.host.late());
        set(&self.socket, "onerror", &self.host.ignore());
    }
}

impl Drop for Socket {
    /// No handler may outlive its closure.
    fn drop(&mut self) {
        self.detach();
    }
}

/// Sends on a socket.
#[derive(Debug)]
pub(super) struct Sender {
    socket: AnySocket,
}

impl Sender {
    pub(super) fn send(&self, frame: &JsValue) -> Result<(), SendFailure> {
        match self.socket.state() {
            Ok(WebSocket::OPEN) => self.socket.send_value(frame).map_err(|thrown| why(&thrown)),
            Ok(_) => Err(SendFailure::NotOpen),
            Err(thrown) => Err(why(&thrown)),
        }
    }
}

fn why(thrown: &JsValue) -> SendFailure {
    // workerd: "Cannot perform I/O on behalf of a different request."
    match text_of(thrown, "message") {
        Some(text) if text.contains("different request") => SendFailure::WrongContext,
        Some(_) | None => SendFailure::Threw,
    }
}

/// Sets a property. Where that throws, the socket is not ours to touch, and its events not heard.
fn set(socket: &AnySocket, name: &str, value: &JsValue) {
    drop(Reflect::set(socket, &name.into(), value));
}

fn report(inner: &Weak<Inner>, id: SocketId, event: &DomEvent) {
    let Some(inner) = inner.upgrade() else { return };
    let event = match event.type_().as_str() {
        "open" => Event::SocketOpened(id),
        "close" => {
            let event = event.unchecked_ref::<CloseEvent>();
            inner.note_close_reason(Reflect::get(event, &"reason".into()).unwrap_or_default());
            let code = event.code();
            let cause = Cause::Closed(CloseCode::from_event(code));
            Event::SocketFailed { socket: id, cause }
        }
        _ => Event::SocketErred(id),
    };
    if matches!(event, Event::SocketFailed { .. }) {
        inner.forget_socket(id);
    }
    inner.handle_from_outside(event);
}

fn name_of(thrown: &JsValue) -> Option<String> {
    text_of(thrown, "name")
}

fn text_of(thrown: &JsValue, property: &str) -> Option<String> {
    Reflect::get(thrown, &property.into()).ok()?.as_string()
}
