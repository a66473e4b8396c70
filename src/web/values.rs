//! Looking into values of JavaScript that may be anything, and saying what is wrong with them.

use js_sys::{Array, Object};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    // A proxy's trap may throw in any of these. What throws past wasm leaves its stack where it
    // was, and a stack that only grows ends in a trap: so all of them are caught.
    #[wasm_bindgen(catch, js_namespace = Object, js_name = keys)]
    pub(super) fn keys_of(object: &Object) -> Result<Array, JsValue>;

    #[wasm_bindgen(catch, js_namespace = Array, js_name = isArray)]
    fn is_list(value: &JsValue) -> Result<bool, JsValue>;

    #[wasm_bindgen(catch, js_namespace = Array, js_name = from)]
    fn copy_of(list: &JsValue) -> Result<Array, JsValue>;
}

/// A copy of a list; `None` where it is none.
pub(super) fn list(value: &JsValue) -> Result<Option<Array>, JsValue> {
    if is_list(value)? { copy_of(value).map(Some) } else { Ok(None) }
}

pub(super) fn plain_object(value: &JsValue) -> Result<Option<Object>, JsValue> {
    let plain = value.is_object() && !value.is_function() && !is_list(value)?;
    Ok(plain.then(|| value.clone().unchecked_into()))
}

/// What is wrong with an option, for the application to put into words: name, value, rule, and
/// whatever the rule's text needs.
pub(super) fn invalid(path: &str, value: &JsValue, rule: &str, more: &[JsValue]) -> JsValue {
    let parts = Array::of3(&path.into(), value, &rule.into());
    for part in more {
        parts.push(part);
    }
    parts.into()
}
