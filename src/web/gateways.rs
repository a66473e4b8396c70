//! The gateways: their URLs, what may be shown of them, and the numbers that they keep.

use alloc::{string::String, vec::Vec};

use js_sys::{Array, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::Url;

use super::values::{invalid, keys_of, list, plain_object};
use crate::policy::GatewayIndex;

/// What failed where there was no gateway to fail: the option that gives the list.
pub(super) const LIST: &str = "gateways";

/// How many gateways are remembered beyond those that are listed, before numbers are used again.
const MOST_UNLISTED: usize = 1_000;

/// One entry of a list.
#[derive(Clone, Debug)]
pub(super) struct Gateway {
    /// Its URL without what changes while the gateway stays the same.
    identity: String,
    pub(super) url: String,
    /// Its origin and position: all that may be shown of it.
    pub(super) label: String,
    pub(super) protocols: JsValue,
}

/// Which URLs may be gateways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Schemes {
    #[cfg_attr(not(feature = "npm"), expect(dead_code, reason = "for work that is not on sockets"))]
    Any,
    WebSocket,
}

/// Every gateway that is or was listed, by its number.
///
/// A fresh token makes no new gateway: what is listed again under the same identity keeps its
/// number. Entries alike in that are told apart by their order.
#[derive(Debug, Default)]
pub(super) struct Gateways {
    known: Vec<Gateway>,
    listed: Vec<GatewayIndex>,
    protocols: JsValue,
}

impl Gateways {
    /// None yet; `protocols` are those of entries that have none of their own.
    pub(super) fn new(protocols: JsValue) -> Self {
        Self { protocols, ..Self::default() }
    }

    /// The sub-protocols of entries that have none of their own.
    pub(super) fn protocols(&self) -> JsValue {
        self.protocols.clone()
    }

    /// Takes in a list, and says the numbers of its gateways in order. `kept` is a number that is
    /// in use, whatever the list says.
    pub(super) fn take(
        &mut self,
        entries: Vec<Gateway>,
        kept: Option<GatewayIndex>,
    ) -> Vec<GatewayIndex> {
        let mut numbers: Vec<GatewayIndex> = Vec::with_capacity(entries.len());
        for entry in entries {
            let known = (0..).zip(&self.known).find(|&(number, known)| {
                let number = GatewayIndex::from_position(number);
                known.identity == entry.identity && !numbers.contains(&number)
            });
            let number = match known {
                Some((number, _)) => number,
                None => self.vacant(&numbers, kept),
            };
            let place = usize::try_from(number).unwrap_or(usize::MAX);
            match self.known.get_mut(place) {
                Some(known) => *known = entry,
                None => self.known.push(entry),
            }
            numbers.push(GatewayIndex::from_position(number));
        }
        self.listed.clone_from(&numbers);
        numbers
    }

    pub(super) fn get(&self, index: GatewayIndex) -> Option<&Gateway> {
        self.known.get(usize::try_from(index.position()).ok()?)
    }

    pub(super) fn label(&self, index: GatewayIndex) -> String {
        self.get(index).map(|gateway| gateway.label.clone()).unwrap_or_default()
    }

    /// A number for a gateway that was never seen: a new one, until too many are remembered.
    fn vacant(&self, taken: &[GatewayIndex], kept: Option<GatewayIndex>) -> u32 {
        let next = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        if self.known.len() <= self.listed.len().saturating_add(MOST_UNLISTED) {
            return next;
        }
        let used = |number: &GatewayIndex| {
            taken.contains(number) || self.listed.contains(number) || kept == Some(*number)
        };
        let unlisted = (0..next).map(GatewayIndex::from_position).find(|number| !used(number));
        unlisted.map_or(next, GatewayIndex::position)
    }
}

/// Reads a list; `protocols` are those of entries that have none of their own.
///
/// Its getters may call back in, so nothing is borrowed meanwhile.
///
/// # Errors
///
/// What is wrong with the list.
pub(super) fn read_list(
    value: &JsValue,
    protocols: &JsValue,
    schemes: Schemes,
) -> Result<Vec<Gateway>, JsValue> {
    let Some(list) = list(value)?.filter(|list| list.length() > 0) else {
        // A URL that should have been in a list may hold a secret.
        let shown = if value.is_string() { &JsValue::UNDEFINED } else { value };
        return Err(invalid("gateways", shown, "gateways", &[]));
    };
    let mut gateways: Vec<Gateway> = Vec::new();
    for (position, entry) in (0_u32..).zip(list.iter()) {
        let mut name = String::from("gateways[");
        push_number(&mut name, position);
        name.push(']');
        let (url, protocols) = match plain_object(&entry)? {
            Some(object) => {
                let own = Reflect::get(&object, &"protocols".into())?;
                let known = |key: JsValue| key == "url" || key == "protocols";
                if let Some(other) = keys_of(&object)?.iter().find(|key| !known(key.clone())) {
                    let other = other.as_string().unwrap_or_default();
                    name.push('.');
                    // A URL in the place of a name may hold a secret.
                    name.push_str(if other.as_bytes().windows(3).any(|part| part == b"://") {
                        "(a URL)"
                    } else {
                        &other
                    });
                    return Err(invalid(&name, &JsValue::UNDEFINED, "unknown", &[]));
                }
                let own = if own.is_undefined() {
                    protocols.clone()
                } else {
                    read_protocols(&name, &own)?
                };
                (Reflect::get(&object, &"url".into())?, own)
            }
            None => (entry, protocols.clone()),
        };
        let Some(url) = url.as_string() else {
            return Err(invalid(&name, &JsValue::UNDEFINED, "url text", &[]));
        };
        // The URL itself may hold a secret, so an error shows no more than its origin.
        let Ok(url) = Url::new(&url) else {
            return Err(invalid(&name, &JsValue::UNDEFINED, "url", &[]));
        };
        let is_web_socket = matches!(url.protocol().as_str(), "ws:" | "wss:");
        if schemes == Schemes::WebSocket && !is_web_socket {
            return Err(invalid(&name, &url.protocol().into(), "scheme", &[]));
        }
        url.set_hash(""); // a WebSocket has none, and some platforms refuse it
        let mut label = url.origin();
        label.push_str(" [");
        push_number(&mut label, position);
        label.push(']');
        // Without user info, query and fragment, which hold what changes while the gateway stays.
        let mut identity = url.origin();
        identity.push_str(&url.pathname());
        let gateway = Gateway { identity, url: url.href(), label, protocols };
        if !gateways.iter().any(|other| same(other, &gateway)) {
            gateways.push(gateway);
        }
    }
    Ok(gateways)
}

/// Exact duplicates count once.
fn same(a: &Gateway, b: &Gateway) -> bool {
    let texts = |protocols: &JsValue| match protocols.dyn_ref::<Array>() {
        Some(list) => list.iter().collect(),
        None => alloc::vec![protocols.clone()],
    };
    a.url == b.url && texts(&a.protocols) == texts(&b.protocols)
}

/// A sub-protocol, or a list of them. They may be secrets, so an error shows only where one is.
pub(super) fn read_protocols(path: &str, value: &JsValue) -> Result<JsValue, JsValue> {
    let mut name = String::from(path);
    if !path.ends_with("protocols") {
        name.push_str(".protocols");
    }
    if let Some(protocol) = value.as_string() {
        return if is_token(&protocol) {
            Ok(value.clone())
        } else {
            Err(invalid(&name, &JsValue::UNDEFINED, "protocols", &[]))
        };
    }
    // A copy: what the caller does to the list later changes nothing.
    let Some(list) = list(value)? else {
        return Err(invalid(&name, &JsValue::UNDEFINED, "protocols", &[]));
    };
    let texts: Vec<JsValue> = list.iter().collect();
    let wrong = texts.iter().enumerate().position(|(place, text)| {
        let is_token = text.as_string().is_some_and(|text| is_token(&text));
        !is_token || texts.iter().take(place).any(|before| before == text)
    });
    if let Some(position) = wrong {
        name.push('[');
        push_number(&mut name, u32::try_from(position).unwrap_or(u32::MAX));
        name.push(']');
        return Err(invalid(&name, &JsValue::UNDEFINED, "protocols", &[]));
    }
    Ok(if list.length() == 0 { JsValue::UNDEFINED } else { list.into() })
}

/// Whether HTTP allows a text as a token, which a sub-protocol must be (RFC 6455, section 4.1).
fn is_token(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_graphic() && !b"()<>@,;:\\\"/[]?={}".contains(&byte);
    !text.is_empty() && text.bytes().all(allowed)
}

/// Appends a number without the formatting machinery, which would cost kilobytes.
fn push_number(text: &mut String, number: u32) {
    let digit = u8::try_from(number % 10).unwrap_or(0).saturating_add(b'0');
    if number >= 10 {
        push_number(text, number / 10);
    }
    text.push(char::from(digit));
}
