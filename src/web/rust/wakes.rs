//! The signals that a network, a tab or a machine gives when it may be back.

use alloc::vec::Vec;

use js_sys::{Function, Reflect};
use wasm_bindgen::prelude::*;

use super::json_rpc::get;
use crate::policy::Event;

#[wasm_bindgen]
extern "C" {
    type Target;

    #[wasm_bindgen(method, structural, catch, js_name = addEventListener)]
    fn listen(this: &Target, kind: &str, listener: &JsValue) -> Result<(), JsValue>;

    #[wasm_bindgen(method, structural, catch, js_name = removeEventListener)]
    fn unlisten(this: &Target, kind: &str, listener: &JsValue) -> Result<(), JsValue>;
}

/// What is listened to, of the global object and of the document; never `unload`, which would
/// cost the page its place in the cache.
const OF_GLOBAL: [&str; 3] = ["online", "pageshow", "pagehide"];
const OF_DOCUMENT: [&str; 2] = ["visibilitychange", "resume"];

/// Listens until it is dropped.
#[derive(Debug)]
pub(super) struct Wakes {
    listener: Closure<dyn Fn(JsValue)>,
    listened: Vec<(JsValue, &'static str)>,
}

impl Wakes {
    pub(super) fn listen(tell: impl Fn(Event) + 'static) -> Self {
        let listener = Closure::new(move |event: JsValue| {
            if let Some(event) = event_of(&event) {
                tell(event);
            }
        });
        let global = JsValue::from(js_sys::global());
        let document = get(&global, "document");
        let mut listened = Vec::new();
        for (target, kinds) in [(global, &OF_GLOBAL[..]), (document, &OF_DOCUMENT[..])] {
            if !has(&target, "addEventListener") {
                continue;
            }
            for &kind in kinds {
                if target.unchecked_ref::<Target>().listen(kind, listener.as_ref()).is_ok() {
                    listened.push((target.clone(), kind));
                }
            }
        }
        Self { listener, listened }
    }
}

impl Drop for Wakes {
    fn drop(&mut self) {
        for (target, kind) in &self.listened {
            drop(target.unchecked_ref::<Target>().unlisten(kind, self.listener.as_ref()));
        }
    }
}

fn has(target: &JsValue, method: &str) -> bool {
    Reflect::get(target, &method.into()).is_ok_and(|method| method.is_instance_of::<Function>())
}

fn event_of(event: &JsValue) -> Option<Event> {
    let persisted = get(event, "persisted").is_truthy();
    match get(event, "type").as_string()?.as_str() {
        "pagehide" => persisted.then_some(Event::PageHidden),
        "pageshow" if persisted => Some(Event::PageShown),
        "visibilitychange" => {
            let visible = get(&get(event, "target"), "visibilityState") == "visible";
            visible.then_some(Event::Woken)
        }
        _ => Some(Event::Woken),
    }
}
