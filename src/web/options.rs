//! The options object, walked by its own keys against the table of the core.

use alloc::{string::String, vec::Vec};

use js_sys::{Number, Object, Reflect};
use wasm_bindgen::prelude::*;

use super::{
    clock::{to_number, to_ratio, to_u64},
    gateways::read_protocols,
    values::{invalid, keys_of, plain_object},
};
use crate::policy::{
    MessagingSettings, ParseTcpTimeoutsError, Settings, TcpTimeouts,
    options::{OPTIONS, OptionKind, OptionSpec, OptionValue},
};

/// How deep an existing configuration may nest.
const MAX_DEPTH: u32 = 8;

/// Names of existing configurations. Those of the table count; others are reported once.
const FOREIGN: [&str; 2] = ["hazelcast.", "com.sun.corba.ee."];

/// What the options say.
#[derive(Debug, Default)]
pub(super) struct Options {
    pub(super) settings: Settings,
    /// The list, or the function that gives it.
    pub(super) gateways: JsValue,
    pub(super) constructor: Option<js_sys::Function>,
    pub(super) seed: Option<u64>,
    /// Names of existing configurations that mean nothing here.
    pub(super) foreign: Vec<JsValue>,
    pub(super) protocols: JsValue,
    /// There is a codec of the application's own that has no ping.
    has_silent_codec: bool,
    seen: Vec<(usize, OptionValue, String)>,
}

impl Options {
    /// Reads the options of a client.
    pub(super) fn parse(options: &JsValue) -> Result<Self, JsValue> {
        let mut parsed = Self::default();
        let Some(object) = plain_object(options)? else {
            return Err(invalid("options", options, "object", &[]));
        };
        parsed.walk("", &object, 0)?;
        parsed.gateways = Reflect::get(&object, &"gateways".into())?;
        parsed.settings.connection.hooks.list = parsed.gateways.is_function();
        if parsed.has_silent_codec {
            parsed.settings.heartbeat.period_milliseconds = 0;
        }
        Ok(parsed)
    }

    fn walk(&mut self, prefix: &str, object: &Object, depth: u32) -> Result<(), JsValue> {
        for key in keys_of(object)?.iter() {
            let name = key.as_string().unwrap_or_default();
            let mut path = String::from(prefix);
            path.push_str(&name);
            let value = Reflect::get(object, &key)?;
            if value.is_undefined() || self.take_whole(&path, &value)? {
                continue;
            }
            if let Some((row, spec)) = find(|spec| spec.path == path) {
                self.set(row, spec, &path, read(spec, &path, &value, Spelling::JavaScript)?)?;
            } else if let Some((row, spec)) =
                find(|spec| spec.existing_name == path && !path.is_empty())
            {
                self.set(row, spec, &path, read(spec, &path, &value, Spelling::Existing)?)?;
            } else {
                path.push('.');
                let foreign = FOREIGN.iter().any(|group| path.starts_with(group));
                let group = foreign
                    || FOREIGN.iter().any(|group| group.starts_with(&path))
                    || OPTIONS.iter().any(|spec| spec.path.starts_with(&path));
                match plain_object(&value)?.filter(|_| group && depth < MAX_DEPTH) {
                    Some(inner) => self.walk(&path, &inner, depth.saturating_add(1))?,
                    None => {
                        path.pop();
                        if foreign {
                            self.foreign.push(path.into());
                        } else if group {
                            return Err(invalid(&path, &value, "object", &[]));
                        } else {
                            return Err(invalid(&path, &value, "unknown", &[]));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Takes an option whose value is JavaScript's own; `false` where it is no such option.
    fn take_whole(&mut self, path: &str, value: &JsValue) -> Result<bool, JsValue> {
        match path {
            "gateways" => {}
            "closePolicy" => self.settings.connection.hooks.close_policy = function(path, value)?,
            "session" => self.settings.connection.hooks.session = function(path, value)?,
            "messaging.isRetryable" => {
                function(path, value)?;
            }
            "heartbeat.method" => {
                if value.as_string().is_none_or(|method| method.is_empty()) {
                    return Err(invalid(path, value, "method", &[]));
                }
            }
            "codec" => {
                let has = |name: &str| {
                    Reflect::get(value, &name.into()).is_ok_and(|method| method.is_function())
                };
                if !(value.is_object() && has("encode") && has("decode")) {
                    return Err(invalid(path, value, "codec", &[]));
                }
                self.has_silent_codec = !has("ping");
            }
            "protocols" => self.protocols = read_protocols(path, value)?,
            "logger" => {
                let methods = ["error", "info", "warn"];
                let logs = |name: &&str| {
                    Reflect::get(value, &(*name).into()).is_ok_and(|method| method.is_function())
                };
                let usable = value.is_null() || value.is_object() && methods.iter().all(logs);
                if !usable {
                    return Err(invalid(path, value, "logger", &[]));
                }
            }
            "seed" => match value.as_f64().filter(|_| Number::is_safe_integer(value)) {
                Some(seed) if seed >= 0.0 => self.seed = Some(to_u64(seed)),
                _ => return Err(integer(path, value, 0, crate::policy::options::MAX_SAFE_INTEGER)),
            },
            "WebSocket" => match value.dyn_ref::<js_sys::Function>() {
                Some(constructor) => self.constructor = Some(constructor.clone()),
                None => return Err(invalid(path, value, "constructor", &[])),
            },
            // The entry that has the other transport takes both away before.
            "transport" => match value.as_string().as_deref() {
                Some("websocket") => {}
                Some("fetch") => return Err(invalid(path, &JsValue::UNDEFINED, "fetch", &[])),
                Some(_) | None => {
                    let words = ["websocket".into(), "fetch".into()];
                    return Err(invalid(path, value, "choice", &words));
                }
            },
            "headers" => return Err(invalid(path, &JsValue::UNDEFINED, "headers", &[])),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn set(
        &mut self,
        row: usize,
        spec: &OptionSpec,
        path: &str,
        value: OptionValue,
    ) -> Result<(), JsValue> {
        let other = self.seen.iter().find(|(other, ..)| *other == row);
        if let Some((_, before, other)) = other
            && *before != value
        {
            return Err(invalid(path, &JsValue::UNDEFINED, "twice", &[other.as_str().into()]));
        }
        self.seen.push((row, value, path.into()));
        self.settings.set(spec.key, value);
        Ok(())
    }
}

/// Reads the options of `messaging` that a call has of its own; `None` where it has none.
pub(super) fn read_messaging(
    defaults: &MessagingSettings,
    options: &JsValue,
) -> Result<Option<MessagingSettings>, JsValue> {
    let mut settings = *defaults;
    let Some(object) = plain_object(options)? else { return Ok(None) };
    let mut found = false;
    for key in keys_of(&object)?.iter() {
        let value = Reflect::get(&object, &key)?;
        let name = key.as_string().unwrap_or_default();
        let Some((_, spec)) =
            find(|spec| spec.path.strip_prefix("messaging.").is_some_and(|path| path == name))
        else {
            return Err(invalid(&name, &value, "unknown", &[]));
        };
        if !value.is_undefined() {
            found |= settings.set(spec.key, read(spec, &name, &value, Spelling::JavaScript)?);
        }
    }
    Ok(found.then_some(settings))
}

fn find(is: impl Fn(&OptionSpec) -> bool) -> Option<(usize, &'static OptionSpec)> {
    OPTIONS.iter().enumerate().find(|(_, spec)| is(spec))
}

/// Who spells the value: an existing configuration has texts for numbers and booleans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spelling {
    JavaScript,
    Existing,
}

fn read(
    spec: &OptionSpec,
    path: &str,
    value: &JsValue,
    spelling: Spelling,
) -> Result<OptionValue, JsValue> {
    let text = value.as_string();
    let existing_text = text.as_deref().filter(|_| spelling == Spelling::Existing);
    let boolean = match existing_text {
        Some("true") => Some(true),
        Some("false") => Some(false),
        Some(_) | None => value.as_bool(),
    };
    match spec.kind {
        OptionKind::Boolean => match boolean {
            Some(value) => Ok(OptionValue::Boolean(value)),
            None => Err(invalid(path, value, "boolean", &[])),
        },
        OptionKind::Choice(words) => {
            let word = match boolean.filter(|_| spelling == Spelling::Existing) {
                Some(true) => Some("always"),
                Some(false) => Some("never"),
                None => text.as_deref(),
            };
            let place = words.iter().position(|&known| Some(known) == word);
            match place.and_then(|place| u32::try_from(place).ok()) {
                Some(place) => Ok(OptionValue::Choice(place)),
                None => {
                    let words: Vec<JsValue> = words.iter().map(|&word| word.into()).collect();
                    Err(invalid(path, value, "choice", &words))
                }
            }
        }
        OptionKind::Integer { least, most } => {
            let digits = existing_text
                .filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
                .and_then(|text| text.parse().ok());
            let number =
                value.as_f64().filter(|&number| number >= 0.0 && Number::is_safe_integer(value));
            match digits.or(number.map(to_u64)) {
                Some(number) if (least..=most).contains(&number) => {
                    Ok(OptionValue::Integer(number))
                }
                Some(_) | None => Err(integer(path, value, least, most)),
            }
        }
        OptionKind::Ratio => match value.as_f64().and_then(to_ratio) {
            Some(ratio) => Ok(OptionValue::Ratio(ratio)),
            None => Err(invalid(path, value, "ratio", &[])),
        },
        OptionKind::Schedule => schedule(path, value).map(OptionValue::Schedule),
    }
}

/// Reads a schedule's text.
pub(super) fn schedule(path: &str, value: &JsValue) -> Result<TcpTimeouts, JsValue> {
    let Some(text) = value.as_string() else { return Err(invalid(path, value, "schedule", &[])) };
    text.parse().map_err(|error| {
        let (field, rule) = match &error {
            ParseTcpTimeoutsError::PartCount { .. } => return invalid(path, value, "parts", &[]),
            ParseTcpTimeoutsError::NotDigits { field, .. } => (field, "digits"),
            ParseTcpTimeoutsError::OutOfRange { field, .. } => (field, "range"),
        };
        invalid(path, value, rule, &[field.as_str().into()])
    })
}

/// `true` for a function; anything else is wrong.
fn function(path: &str, value: &JsValue) -> Result<bool, JsValue> {
    if value.is_function() { Ok(true) } else { Err(invalid(path, value, "function", &[])) }
}

fn integer(path: &str, value: &JsValue, least: u64, most: u64) -> JsValue {
    invalid(path, value, "integer", &[to_number(least).into(), to_number(most).into()])
}
