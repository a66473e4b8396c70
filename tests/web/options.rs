//! The options object, read by its own keys: what is wrong is named, with its rule.

use js_sys::{Array, JSON};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::world::{foreign_names, hostile_options, make_core};

/// Name and rule of what is wrong with these options, or `None`.
fn wrong(options: &JsValue) -> Option<(String, String)> {
    let thrown = make_core(options).err()?;
    let text = |index| thrown.unchecked_ref::<Array>().get(index).as_string().unwrap_or_default();
    Some((text(0), text(2)))
}

fn wrong_text(more: &str) -> Option<(String, String)> {
    wrong(&JSON::parse(&format!(r#"{{ "gateways": ["ws://a.example"], {more} }}"#)).unwrap())
}

#[wasm_bindgen_test]
fn right_options_are_taken_in_every_spelling() {
    for more in [
        r#""networking": {}"#,
        r#""networking": { "jitter": 0 }, "networking.jitter": 0"#,
        r#""networking.connectTimeouts": "250:60000:100""#,
        r#""hazelcast": { "networking": { "reconnect": true } }"#,
        r#""hazelcast": { "networking.reconnect": "false" }"#,
        r#""hazelcast.messaging.retryTimeoutSeconds": "120""#,
        r#""com": { "sun": { "corba": { "ee": { "transport": { "ORBTCPTimeouts": "1:2:3" } } } } }"#,
        r#""hazelcast": { "clusterName": "dev", "deep": { "er": [1] } }"#,
        r#""seed": 0, "logger": null, "limits": { "maxPendingOperations": 0 }"#,
    ] {
        assert_eq!(wrong_text(more), None, "{more}");
    }
}

#[wasm_bindgen_test]
fn wrong_options_are_named_with_their_rule() {
    for (more, name, rule) in [
        (r#""x": 1"#, "x", "unknown"),
        (r#""": 1"#, "", "unknown"),
        (r#""networking": { "x": 1 }"#, "networking.x", "unknown"),
        (r#""networking": 5"#, "networking", "object"),
        (r#""networking": null"#, "networking", "object"),
        (r#""networking": []"#, "networking", "object"),
        (r#""networking": { "jitter": 1.5 }"#, "networking.jitter", "ratio"),
        (r#""networking": { "jitter": "0" }"#, "networking.jitter", "ratio"),
        (r#""networking": { "redoOperations": 1 }"#, "networking.redoOperations", "boolean"),
        (r#""networking": { "redoOperations": "true" }"#, "networking.redoOperations", "boolean"),
        (r#""networking": { "reconnect": true }"#, "networking.reconnect", "choice"),
        (r#""networking": { "connectTimeouts": "1:2" }"#, "networking.connectTimeouts", "parts"),
        (r#""networking": { "connectTimeouts": "a:2:3" }"#, "networking.connectTimeouts", "digits"),
        (r#""networking": { "connectTimeouts": "0:2:3" }"#, "networking.connectTimeouts", "range"),
        (r#""networking": { "connectTimeouts": 250 }"#, "networking.connectTimeouts", "schedule"),
        (
            r#""messaging": { "retryTimeoutSeconds": "5" }"#,
            "messaging.retryTimeoutSeconds",
            "integer",
        ),
        (
            r#""messaging": { "retryTimeoutSeconds": -1 }"#,
            "messaging.retryTimeoutSeconds",
            "integer",
        ),
        (
            r#""messaging": { "retryTimeoutSeconds": 0.5 }"#,
            "messaging.retryTimeoutSeconds",
            "integer",
        ),
        (
            r#""hazelcast.messaging.retryTimeoutSeconds": "0x5""#,
            "hazelcast.messaging.retryTimeoutSeconds",
            "integer",
        ),
        (r#""networking": { "jitter": 0 }, "networking.jitter": 1"#, "networking.jitter", "twice"),
        (r#""seed": -1"#, "seed", "integer"),
        (r#""seed": null"#, "seed", "integer"),
        (r#""logger": {}"#, "logger", "logger"),
        (r#""WebSocket": null"#, "WebSocket", "constructor"),
        (r#""protocols": [1]"#, "protocols[0]", "protocols"),
        (r#""gateways": []"#, "gateways", "gateways"),
        (r#""gateways": "ws://a""#, "gateways", "gateways"),
        (r#""gateways": ["http://a"]"#, "gateways[0]", "scheme"),
        (r#""gateways": ["ws://a", "b"]"#, "gateways[1]", "url"),
        (r#""gateways": [null]"#, "gateways[0]", "url text"),
        (r#""gateways": [{ "url": "ws://a", "x": 1 }]"#, "gateways[0].x", "unknown"),
    ] {
        assert_eq!(wrong_text(more), Some((name.into(), rule.into())), "{more}");
    }
    for options in [JsValue::UNDEFINED, JsValue::NULL, 5.into(), "x".into(), Array::new().into()] {
        assert_eq!(wrong(&options), Some(("options".into(), "object".into())));
    }
}

#[wasm_bindgen_test]
fn hostile_objects_are_errors_however_often_they_come() {
    let hostile = hostile_options();
    for _ in 0..2000 {
        for (row, options) in hostile.iter().enumerate() {
            assert!(wrong(options).is_some(), "row {row}");
        }
    }
    assert_eq!(wrong_text(r#""seed": 1"#), None);
}

#[wasm_bindgen_test]
fn names_of_other_settings_of_an_existing_configuration_are_told() {
    let options = r#"{ "gateways": ["ws://a.example"], "hazelcast": { "clusterName": "dev" } }"#;
    let names = foreign_names(&JSON::parse(options).unwrap());
    assert_eq!(names.join(" "), "hazelcast.clusterName");
}
