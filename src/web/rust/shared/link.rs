//! What the shell asks of the client.

use alloc::rc::{Rc, Weak};

use gloo_timers::callback::Timeout;
use js_sys::{Reflect, futures::spawn_local};
use wasm_bindgen::prelude::*;

use super::{Link, Lister};
use crate::{
    policy::{AttemptId, Event, Judgement, OperationId, SocketId},
    web::{
        application::{Application, Failure},
        client::Inner,
        clock,
        rust::{GatewayFailed, Session, json_rpc, options::read_list},
        socket,
    },
};

impl Link {
    fn take_message(&self, data: JsValue) {
        self.with(|shared| {
            shared.messages.set(shared.messages.get().saturating_add(1));
            match json_rpc::decode(data) {
                Some(messages) => shared.hear_all(&messages),
                None => shared.exchange.borrow_mut().count_protocol_error(),
            }
        });
    }
}

impl Application for Link {
    type Callback = Closure<dyn Fn(f64, JsValue)>;
    type Alarm = Timeout;

    fn make_callback(inner: Weak<Inner<Self>>) -> Self::Callback {
        Closure::new(move |socket: f64, event: JsValue| {
            if let Some(inner) = inner.upgrade() {
                let data = Reflect::get(&event, &"data".into()).unwrap_or_default();
                if inner.hear(SocketId::from_u64(clock::to_u64(socket)), clock::now())
                    && let Some(link) = inner.application()
                {
                    link.take_message(data);
                }
                inner.call_for_notices();
            }
        })
    }

    fn ear_on(&self, callback: &Self::Callback, socket: SocketId) -> JsValue {
        socket::bound(callback.as_ref(), socket)
    }

    fn set_alarm(inner: &Rc<Inner<Self>>, milliseconds: u32) -> Option<Timeout> {
        let inner = Rc::downgrade(inner);
        Some(Timeout::new(milliseconds, move || {
            if let Some(inner) = inner.upgrade() {
                inner.handle_timer();
            }
        }))
    }

    fn frame(&self, operation: OperationId, attempt: AttemptId) -> JsValue {
        let shared = self.0.upgrade();
        let frame =
            shared.and_then(|shared| shared.exchange.borrow_mut().frame(operation, attempt));
        frame.map_or(JsValue::UNDEFINED, JsValue::from)
    }

    fn take_notices(&self) {
        self.with(|shared| shared.take_all());
    }

    fn ping(&self, attempt: AttemptId) -> JsValue {
        self.0.upgrade().map_or(JsValue::UNDEFINED, |shared| shared.ping.frame(attempt).into())
    }

    fn list(&self) {
        let Some(shared) = self.0.upgrade() else { return };
        shared.end_listing();
        let listing = shared.listings.get();
        let lister = shared.list.borrow().clone();
        let link = self.clone();
        spawn_local(async move {
            let list = match lister {
                Lister::Fixed(list) => Some(list),
                Lister::Hook(hook) => hook().await.and_then(|list| read_list(&list).ok()),
            };
            link.with(|shared| {
                if shared.listings.get() == listing {
                    let taken = list.map(|list| shared.inner.take_list(list));
                    shared.handle(Event::GatewaysListed(taken));
                }
            });
        });
    }

    fn greet(&self, socket: SocketId, gateway: JsValue) {
        let Some(shared) = self.0.upgrade() else { return };
        let Some(hook) = shared.session.clone() else { return };
        let session =
            Session::new(Rc::downgrade(&shared), socket, gateway.as_string().unwrap_or_default());
        let link = self.clone();
        spawn_local(async move {
            let event = match hook(session).await {
                Ok(()) => Event::SessionDone(socket),
                Err(failed) => Event::SessionFailed { socket, verdict: failed.verdict },
            };
            link.with(|shared| shared.handle(event));
        });
    }

    fn judge(&self, failure: Failure) -> Judgement {
        let policy = self.0.upgrade().and_then(|shared| shared.close_policy.clone());
        policy.map_or(Judgement::default(), |policy| {
            policy(&GatewayFailed {
                gateway: failure.gateway.as_string().unwrap_or_default(),
                cause: failure.cause,
                code: failure.cause.close_code(),
                reason: failure.reason.as_string().unwrap_or_default(),
                verdict: failure.verdict,
            })
        })
    }
}
