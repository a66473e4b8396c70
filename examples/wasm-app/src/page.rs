//! The page: reading it and writing it.

use wasm_bindgen::{JsCast, prelude::Closure};
use web_sys::{Document, Event, HtmlElement, HtmlInputElement, UrlSearchParams, window};

/// The gateways that the address names.
pub fn gateways() -> Vec<String> {
    let query = window().and_then(|window| window.location().search().ok()).unwrap_or_default();
    let parameters = UrlSearchParams::new_with_str(&query).ok();
    let all = parameters.map(|parameters| parameters.get_all("gateway")).unwrap_or_default();
    all.iter().filter_map(|gateway| gateway.as_string()).collect()
}

/// Shows a text in the place of another.
pub fn show(id: &str, text: &str) {
    if let Some(element) = find(id) {
        element.set_inner_text(text);
    }
}

/// Adds a line to a list.
pub fn add(id: &str, text: &str) {
    let line = document().and_then(|document| document.create_element("li").ok());
    if let (Some(list), Some(line)) = (find(id), line) {
        line.set_text_content(Some(text));
        let _ = list.append_child(&line);
    }
}

/// Calls back with what was typed, whenever it is to be offered.
pub fn on_offer(then: impl Fn(String) + 'static) {
    let listener = Closure::<dyn Fn(Event)>::new(move |event: Event| {
        event.prevent_default();
        if let Some(input) = find("item").and_then(|it| it.dyn_into::<HtmlInputElement>().ok()) {
            then(input.value());
            input.set_value("");
        }
    });
    if let Some(form) = find("offer") {
        let _ = form.add_event_listener_with_callback("submit", listener.as_ref().unchecked_ref());
    }
    listener.forget(); // it lives as long as the page
}

fn document() -> Option<Document> {
    window()?.document()
}

fn find(id: &str) -> Option<HtmlElement> {
    document()?.get_element_by_id(id)?.dyn_into().ok()
}
