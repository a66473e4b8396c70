//! JSON-RPC 2.0 over text, by the platform's own JSON.

use alloc::string::{String, ToString};
use core::fmt;

use js_sys::{Array, JSON, Object, Reflect, Uint8Array};
use serde::{Serialize, de::DeserializeOwned};
use wasm_bindgen::prelude::*;

use super::super::clock;
use crate::policy::{Answer, AttemptId};

#[wasm_bindgen]
extern "C" {
    // Takes what JavaScript has: handing over a `&str` would copy it.
    #[wasm_bindgen(catch, js_namespace = JSON, js_name = parse)]
    fn parse(text: &JsValue) -> Result<JsValue, JsValue>;
}

/// A request without its id, as the text that follows it.
#[derive(Clone, Debug)]
pub(super) struct Request(String);

impl Request {
    /// # Errors
    ///
    /// What cannot be written as JSON, or is neither a list nor an object nor absent.
    pub(super) fn new(method: &str, params: &impl Serialize) -> Result<Self, String> {
        let params = to_value(params)?;
        if !(params.is_undefined() || params.is_null() || params.is_object()) {
            return Err("params are a list, an object or ()".into());
        }
        let request = Object::new();
        set(&request, "method", &method.into());
        if params.is_object() {
            set(&request, "params", &params);
        }
        Self::of(&request)
    }

    /// The same with a key that stays the same over its attempts.
    pub(super) fn with_operation_key(&self, key: &str) -> Result<Self, String> {
        let meta = Object::new();
        set(&meta, "operationKey", &key.into());
        let request =
            parse(&alloc::format!("{{{}", self.0).into()).map_err(|error| text_of(&error))?;
        set(request.unchecked_ref(), "meta", &meta);
        Self::of(request.unchecked_ref())
    }

    fn of(request: &Object) -> Result<Self, String> {
        let text = JSON::stringify(request).map_err(|error| text_of(&error))?;
        Ok(Self(String::from(text).split_off(1)))
    }

    /// The frame of an attempt.
    pub(super) fn frame(&self, attempt: AttemptId) -> String {
        alloc::format!("{{\"jsonrpc\":\"2.0\",\"id\":{},{}", attempt.as_u64(), self.0)
    }

    /// The frame of a message without an answer.
    pub(super) fn notification(&self) -> String {
        alloc::format!("{{\"jsonrpc\":\"2.0\",{}", self.0)
    }

    /// How long a frame is, give or take the digits of its id.
    pub(super) fn bytes(&self) -> u64 {
        u64::try_from(self.0.len().saturating_add(32)).unwrap_or(u64::MAX)
    }
}

/// The messages of a frame, which may be a batch; `None` where it is no JSON.
pub(super) fn decode(data: JsValue) -> Option<Array> {
    let text = match data.dyn_into::<js_sys::ArrayBuffer>() {
        Ok(bytes) => String::from_utf8(Uint8Array::new(&bytes).to_vec()).ok()?.into(),
        Err(text) => text,
    };
    let message = parse(&text).ok()?;
    Some(match message.dyn_into::<Array>() {
        Ok(batch) => batch,
        Err(message) => Array::of1(&message),
    })
}

/// What a message is.
#[derive(Debug)]
pub(super) enum Kind {
    Answer(AttemptId, Answer),
    Notification,
    Nonsense,
}

/// Looks at a message; `undefined` and `null` are the same as absent, but for a result.
pub(super) fn kind_of(message: &JsValue) -> Kind {
    let method = get(message, "method");
    let id = get(message, "id");
    if id.is_undefined() || id.is_null() {
        return if method.is_string() { Kind::Notification } else { Kind::Nonsense };
    }
    match number_of(&id) {
        // A gateway may not ask anything of a client.
        Some(id) if !method.is_string() => {
            Kind::Answer(AttemptId::from_u64(id), answer_of(message))
        }
        Some(_) | None => Kind::Nonsense,
    }
}

fn answer_of(message: &JsValue) -> Answer {
    let error = get(message, "error");
    if error.is_undefined() || error.is_null() {
        let has_result = !get(message, "result").is_undefined();
        return if has_result { Answer::Result } else { Answer::Neither };
    }
    let data = get(&error, "data");
    if get(&data, "retryable") == JsValue::TRUE {
        let after = get(&data, "retryAfterMilliseconds").as_f64().unwrap_or(0.0);
        return Answer::Retryable { after_milliseconds: clock::to_u64(after) };
    }
    Answer::Error { code: clock::to_i32(get(&error, "code").as_f64().unwrap_or(0.0)) }
}

/// The number that an id stands for: some gateways send texts back.
fn number_of(id: &JsValue) -> Option<u64> {
    match id.as_string() {
        Some(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => text.parse().ok(),
        Some(_) => None,
        None => id.as_f64().map(clock::to_u64).filter(|&number| number > 0),
    }
}

/// What a gateway answered in the place of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RemoteError {
    /// Its code, 0 where it had none.
    pub code: i32,
    /// Its message, empty where it had none.
    pub message: String,
    data: Option<String>,
}

impl RemoteError {
    /// Of the message that holds it, if it does.
    pub(super) fn of(message: &JsValue) -> Option<Self> {
        let error = get(message, "error");
        if error.is_undefined() || error.is_null() {
            return None;
        }
        Some(Self {
            code: clock::to_i32(get(&error, "code").as_f64().unwrap_or(0.0)),
            message: get(&error, "message").as_string().unwrap_or_default(),
            data: JSON::stringify(&get(&error, "data")).ok().map(JsValue::from)?.as_string(),
        })
    }

    /// Its data, where it has some and they are a `T`.
    #[must_use]
    pub fn data<T: DeserializeOwned>(&self) -> Option<T> {
        let value = parse(&self.data.as_deref()?.into()).ok()?;
        serde_wasm_bindgen::from_value(value).ok()
    }
}

impl fmt::Display for RemoteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "code {}: {}", self.code, self.message)
    }
}

impl core::error::Error for RemoteError {}

/// What a message says under this name; `undefined` where it is no object.
pub(super) fn get(message: &JsValue, name: &str) -> JsValue {
    Reflect::get(message, &name.into()).unwrap_or_default()
}

/// Sets a property of an object of our own.
pub(super) fn set(object: &Object, name: &str, value: &JsValue) {
    drop(Reflect::set(object, &name.into(), value));
}

/// A value as JSON could hold it: structs and maps are objects, bytes are lists.
pub(super) fn to_value(value: &impl Serialize) -> Result<JsValue, String> {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    value.serialize(&serializer).map_err(|error| error.to_string())
}

/// A value of JSON as a `T`.
pub(super) fn from_value<T: DeserializeOwned>(value: JsValue) -> Result<T, String> {
    serde_wasm_bindgen::from_value(value).map_err(|error| error.to_string())
}

fn text_of(thrown: &JsValue) -> String {
    get(thrown, "message").as_string().unwrap_or_default()
}
