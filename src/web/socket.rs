//! A WebSocket with its number, and the handlers that it is let go without.

use alloc::rc::{Rc, Weak};

use js_sys::{Array, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::WebSocket;

use super::{application::Application, client::Inner, clock};
use crate::policy::{Cause, CloseCode, Event, HttpStatus, SendFailure, SocketId};

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

    /// Whatever may be a text: anything else has no such method.
    type Text;

    #[wasm_bindgen(method, structural, catch, js_name = startsWith)]
    fn starts_with(this: &Text, start: &str) -> Result<bool, JsValue>;

    /// A function that does nothing, and is JavaScript's own.
    #[wasm_bindgen(thread_local_v2, js_namespace = Function, js_name = prototype)]
    static NOTHING: JsValue;
}

/// Leaving on purpose: RFC 6455 section 7.4.1.
const NORMAL_CLOSURE: u16 = 1000;

/// The function that hears what becomes of all sockets of a client; their messages go elsewhere.
///
/// It lives as long as the client, and is bound to the number of each socket: what a socket says
/// after it was let go, even by a handler that somebody kept, finds nothing and harms nothing.
#[derive(Debug)]
pub(super) struct Ears {
    on_event: Closure<dyn Fn(f64, JsValue)>,
}

impl Ears {
    pub(super) fn of<A: Application>(inner: Weak<Inner<A>>) -> Self {
        let on_event = Closure::new(move |id: f64, event: JsValue| {
            if let Some(inner) = inner.upgrade() {
                report(&inner, SocketId::from_u64(clock::to_u64(id)), &event);
            }
        });
        Self { on_event }
    }
}

/// A function of a socket's number and something else, for this socket.
pub(super) fn bound(function: &JsValue, socket: SocketId) -> JsValue {
    let number = clock::to_number(socket.as_u64()).into();
    function.unchecked_ref::<js_sys::Function>().bind1(&JsValue::UNDEFINED, &number).into()
}

#[derive(Debug)]
pub(super) struct Socket {
    id: SocketId,
    socket: Rc<AnySocket>,
}

impl Socket {
    /// Makes a socket by `constructor`; says why there is none where that throws. Nothing is
    /// heard of it before [`listen`](Sender::listen).
    pub(super) fn open(
        id: SocketId,
        constructor: &js_sys::Function,
        url: &JsValue,
        protocols: &JsValue,
    ) -> Result<Self, Cause> {
        let arguments = if protocols.is_undefined() {
            Array::of1(url) // an argument that is there but undefined is the protocol "undefined"
        } else {
            Array::of2(url, protocols)
        };
        let made = Reflect::construct(constructor, &arguments).map_err(|thrown| {
            if begins(&thrown, "name", "SecurityError") {
                Cause::Forbidden
            } else if begins(&thrown, "name", "SyntaxError") {
                Cause::Unusable
            } else {
                Cause::ConstructorThrew
            }
        })?;
        Ok(Self { id, socket: Rc::new(made.unchecked_into()) })
    }

    pub(super) const fn id(&self) -> SocketId {
        self.id
    }

    /// A handle to use it by, so that nothing is borrowed while it runs.
    pub(super) fn sender(&self) -> Sender {
        Sender { id: self.id, socket: Rc::clone(&self.socket) }
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
        set(&self.socket, "onopen", &self.closer());
        NOTHING.with(|nothing| set(&self.socket, "onerror", nothing));
    }

    /// A function that closes the socket. It is JavaScript's own, so that it can outlive the client.
    fn closer(&self) -> JsValue {
        let close = Reflect::get(&self.socket, &"close".into()).ok();
        close
            .and_then(|close| close.dyn_into::<js_sys::Function>().ok())
            .map_or(JsValue::NULL, |close| {
                close.bind2(&self.socket, &NORMAL_CLOSURE.into(), &"".into()).into()
            })
    }
}

impl Drop for Socket {
    /// No handler may outlive the client.
    fn drop(&mut self) {
        self.detach();
    }
}

/// Listens to a socket and sends on it.
#[derive(Debug)]
pub(super) struct Sender {
    id: SocketId,
    socket: Rc<AnySocket>,
}

impl Sender {
    /// How much the platform still has to send; 0 where it does not tell.
    pub(super) fn buffered_bytes(&self) -> u64 {
        let told = self.socket.buffered().ok().and_then(|amount| amount.as_f64());
        told.map_or(0, clock::to_u64)
    }

    pub(super) fn listen(&self, ears: &Ears, on_message: &JsValue) {
        let on_event = bound(ears.on_event.as_ref(), self.id);
        set(&self.socket, "binaryType", &"arraybuffer".into());
        set(&self.socket, "onopen", &on_event);
        set(&self.socket, "onerror", &on_event);
        set(&self.socket, "onclose", &on_event);
        set(&self.socket, "onmessage", on_message);
    }

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
    if begins(thrown, "message", "Cannot perform I/O on behalf of a different request") {
        SendFailure::WrongContext
    } else {
        SendFailure::Threw
    }
}

/// Sets a property. Where that throws, the socket is not ours to touch, and its events not heard.
fn set(socket: &AnySocket, name: &str, value: &JsValue) {
    drop(Reflect::set(socket, &name.into(), value));
}

fn report<A: Application>(inner: &Rc<Inner<A>>, id: SocketId, event: &JsValue) {
    let event = if begins(event, "type", "open") {
        Event::SocketOpened(id)
    } else if begins(event, "type", "close") {
        inner.note_close_reason(Reflect::get(event, &"reason".into()).unwrap_or_default());
        // Only a transport that sees the answer to its handshake says a status, and only one that sends
        // headers how it got none.
        let cause = match number_of(event, "status") {
            0 if has(event, "headersFailed") => Cause::HeadersFailed,
            0 => Cause::Closed(CloseCode::from_event(number_of(event, "code"))),
            status => Cause::Refused(HttpStatus::from_response(status)),
        };
        Event::SocketFailed { socket: id, cause }
    } else {
        Event::SocketErred(id)
    };
    if matches!(event, Event::SocketFailed { .. }) {
        inner.forget_socket(id);
    }
    inner.handle_from_outside(event);
}

fn has(event: &JsValue, property: &str) -> bool {
    Reflect::get(event, &property.into()).is_ok_and(|value| value.is_truthy())
}

/// A number of 16 bits; 0 where it is none.
fn number_of(event: &JsValue, property: &str) -> u16 {
    let number = Reflect::get(event, &property.into()).ok().and_then(|number| number.as_f64());
    u16::try_from(number.map_or(0, clock::to_u64)).unwrap_or(0)
}

/// Whether a property is a text that begins so.
fn begins(object: &JsValue, property: &str, start: &str) -> bool {
    let value = Reflect::get(object, &property.into());
    value.is_ok_and(|value| value.unchecked_ref::<Text>().starts_with(start).unwrap_or(false))
}
