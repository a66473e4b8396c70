//! Whatever is asked, the answer comes, is the same each time, and agrees with itself and with the truth.
#![expect(clippy::indexing_slicing, reason = "what a test finds missing may stop it")]

use proptest::prelude::*;
use regate_explorer::{explore, export_options, import_options, schedule};
use serde_json::{Value, json};

const HORIZON: u64 = 200_000;

fn time() -> impl Strategy<Value = u64> {
    prop_oneof![0..HORIZON, Just(0), (0..20_u64).prop_map(|n| n * 10_000), 9_900..10_100_u64]
}

fn fault() -> impl Strategy<Value = Value> {
    let kind = prop_oneof![
        Just(json!({ "kind": "down" })),
        prop_oneof![1_000..1_016_u64, 4_400..4_410_u64]
            .prop_map(|code| json!({ "kind": "close", "code": code })),
        Just(json!({ "kind": "hang" })),
        (0..20_000_u64)
            .prop_map(|after| json!({ "kind": "busy", "retryAfterMilliseconds": after })),
        prop_oneof![Just(-32_600), Just(-32_601), Just(1)]
            .prop_map(|code| json!({ "kind": "error", "code": code })),
        Just(json!({ "kind": "mute" })),
        (0..5_000_u64, 0..5_000_u64).prop_map(|(dial, answer)| {
            json!({ "kind": "slow", "dialMilliseconds": dial, "answerMilliseconds": answer })
        }),
    ];
    (kind, time(), 1..60_000_u64, proptest::option::of(0..2_u64)).prop_map(
        |(mut fault, from, length, gateway)| {
            fault["from"] = from.into();
            fault["until"] = (from + length).into();
            if let Some(gateway) = gateway {
                fault["gateway"] = gateway.into();
            }
            fault
        },
    )
}

fn event() -> impl Strategy<Value = Value> {
    let kind = prop_oneof![
        Just(json!({ "kind": "connect" })),
        Just(json!({ "kind": "reconnect" })),
        Just(json!({ "kind": "close" })),
        Just(json!({ "kind": "wake" })),
        Just(json!({ "kind": "drop" })),
        prop_oneof![Just(1006), Just(1009), Just(1003), Just(4401)]
            .prop_map(|code| json!({ "kind": "cut", "code": code })),
        (1..100_000_u64, any::<bool>(), any::<bool>()).prop_map(|(length, closed, signal)| {
            let line = if closed { "closed" } else { "dead" };
            json!({ "kind": "sleep", "until": length, "line": line, "wakeSignal": signal })
        }),
    ];
    (kind, time()).prop_map(|(mut event, at)| {
        event["at"] = at.into();
        if let Some(length) = event.get("until").and_then(Value::as_u64) {
            event["until"] = (at + length).into();
        }
        event
    })
}

fn operation() -> impl Strategy<Value = Value> {
    let kind = prop_oneof![Just("read"), Just("write"), Just("redo")];
    (kind, time(), 0..2_000_u64, any::<bool>(), proptest::option::of(0..50_000_u64)).prop_map(
        |(kind, at, answer, key, timeout)| {
            let mut operation = json!({
                "kind": kind, "at": at, "answerMilliseconds": answer, "operationKey": key,
            });
            if let Some(timeout) = timeout {
                operation["timeoutMilliseconds"] = timeout.into();
            }
            operation
        },
    )
}

fn options() -> impl Strategy<Value = Value> {
    let networking = (
        prop_oneof![Just("always"), Just("schedule"), Just("never")],
        any::<bool>(),
        prop_oneof![Just(json!(0)), Just(json!(0.2)), Just(json!(1))],
        prop_oneof![Just("250:60000:100:5000"), Just("1:10:10"), Just("100:3000:50")],
        any::<bool>(),
    );
    let messaging = (any::<[bool; 3]>(), 0..130_u64, 0..7_u64, prop_oneof![Just(0), 1..5_000_u64]);
    (networking, messaging, any::<u32>()).prop_map(
        |((reconnect, shuffle, jitter, timeouts, redo), (flags, seconds, fast, response), seed)| {
            json!({
                "gateways": ["wss://a.example/ws", "wss://b.example/ws"],
                "networking": {
                    "reconnect": reconnect, "shuffleAddresses": shuffle, "jitter": jitter,
                    "connectTimeouts": timeouts, "redoOperations": redo,
                },
                "messaging": {
                    "retryOnConnectionLost": flags[0], "retryOnClientReconnecting": flags[1],
                    "retryUnsentOperations": flags[2], "retryTimeoutSeconds": seconds,
                    "maxFastInvocationCount": fast, "waitForResponseMilliseconds": response,
                },
                "seed": seed,
            })
        },
    )
}

fn scenario() -> impl Strategy<Value = Value> {
    let world = (proptest::option::of(0..500_u64), proptest::option::of(1..60_000_u64), 0..200_u64);
    let lists = (
        prop::collection::vec(fault(), 0..6),
        prop::collection::vec(event(), 0..4),
        prop::collection::vec(operation(), 0..8),
    );
    (options(), world, lists).prop_map(
        |(options, (list, token, dial), (faults, events, operations))| {
            let mut world = json!({ "dialMilliseconds": dial, "refuseMilliseconds": dial / 2 });
            if let Some(list) = list {
                world["listMilliseconds"] = list.into();
            }
            if let Some(token) = token {
                world["tokenMilliseconds"] = token.into();
            }
            let mut events = events;
            events.push(json!({ "kind": "connect", "at": 0 }));
            json!({
                "options": options, "world": world, "horizon": HORIZON,
                "faults": faults, "events": events, "operations": operations,
            })
        },
    )
}

/// The codes that an operation fails with by a row of the retry table.
fn codes(row: &str) -> &'static [&'static str] {
    match row {
        "lost" => &["CONNECTION_LOST"],
        "blamed" => &["CONNECTION_LOST", "MESSAGE_TOO_BIG"],
        "answeredRejected" | "answeredError" => &["REMOTE_ERROR"],
        "responseTimedOut" => &["RESPONSE_TIMEOUT"],
        "neverSentReconnecting" => &["CLIENT_RECONNECTING"],
        "result" => &["OK"],
        "retryTimeout" => &["RETRY_TIMEOUT", "CONNECTION_LOST", "REMOTE_ERROR"],
        "timeout" => &["TIMEOUT"],
        "clientClosed" => &["CLIENT_CLOSED"],
        "gaveUp" => &["CONNECT_TIMEOUT", "NO_GATEWAY", "CONNECTION_LOST", "MESSAGE_TOO_BIG"],
        _ => &[],
    }
}

fn check_operation(operation: &Value) -> Result<(), TestCaseError> {
    let list = |name: &str| operation[name].as_array().cloned().unwrap_or_default();
    let (attempts, performed) = (list("attempts"), list("performed").len());
    let redoable = operation["redoable"] == true;
    for (place, attempt) in attempts.iter().enumerate() {
        prop_assert_eq!(&attempt["number"], place + 1);
        let last = place + 1 == attempts.len();
        if !last {
            prop_assert_eq!(&attempt["decision"], "retried", "{}", operation);
        }
        if attempt["decision"] == "retried" {
            let row = attempt["row"].as_str().unwrap_or_default();
            let may = row == "answeredRetryable" || row == "lost" && redoable;
            prop_assert!(may, "retried by {}: {}", row, operation);
        }
    }
    if !redoable || operation["operationKey"] == true {
        prop_assert!(performed <= 1, "performed twice: {}", operation);
    }
    let Some(outcome) = operation.get("outcome") else { return Ok(()) };
    let code = outcome["code"].as_str().unwrap_or_default();
    let row = outcome["row"].as_str().unwrap_or_default();
    prop_assert!(codes(row).contains(&code), "{} by {}: {}", code, row, operation);
    prop_assert_eq!(&outcome["attempts"], attempts.len());
    // What a client says is known is so.
    match outcome["completion"].as_str() {
        Some("no") => prop_assert_eq!(performed, 0, "{}", operation),
        Some("yes") => prop_assert!(performed > 0, "{}", operation),
        _ => prop_assert!(!attempts.is_empty(), "{}", operation),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_play_agrees_with_itself_and_with_what_the_gateways_did(scenario in scenario()) {
        let text = scenario.to_string();
        let answer = explore(&text);
        prop_assert_eq!(&answer, &explore(&text), "twice the same");
        let play: Value = serde_json::from_str(&answer).unwrap();
        prop_assert_eq!(play.get("errors"), None, "{}", text);
        for operation in play["operations"].as_array().into_iter().flatten() {
            check_operation(operation)?;
        }
        let (totals, mut dials) = (&play["totals"], 0);
        for gateway in play["gateways"].as_array().into_iter().flatten() {
            let count = |name: &str| gateway["counts"][name].as_u64().unwrap();
            let buckets = gateway["buckets"].as_array().unwrap();
            let sum: u64 = buckets.iter().filter_map(Value::as_u64).sum();
            prop_assert_eq!(sum, count("dials"));
            let over = count("opened") + count("failed") + count("abandoned");
            prop_assert!(over <= count("dials") && count("dials") <= over + 2, "{}", gateway);
            dials += sum;
        }
        prop_assert_eq!(&totals["dials"], dials);
        let last = play["connected"].as_array().unwrap().last().unwrap();
        prop_assert_eq!(last, &totals["connectedAtEnd"]);
        prop_assert_eq!(last == 1, play["state"] == "connected");
        for states in play["states"].as_array().unwrap().windows(2) {
            prop_assert_eq!(&states[0]["to"], &states[1]["from"]);
        }
    }

    #[test]
    fn what_is_exported_comes_back(options in options()) {
        let exported: Value = serde_json::from_str(&export_options(&options.to_string())).unwrap();
        let import = |name: &str| -> Value {
            serde_json::from_str(&import_options(exported[name].as_str().unwrap())).unwrap()
        };
        for (name, lost) in [("hazelcast", "hazelcast"), ("properties", "properties")] {
            let imported = import(name);
            prop_assert_eq!(&imported["errors"], &json!([]));
            let lost = exported["lost"][lost].as_array().unwrap().clone();
            for (group, options) in options.as_object().unwrap() {
                for (option, value) in options.as_object().into_iter().flatten() {
                    let path = format!("{group}.{option}");
                    let came_back = &imported["options"][group][option];
                    let is_default = came_back.is_null() && !lost.contains(&json!(path));
                    prop_assert!(
                        is_default || came_back == value || lost.contains(&json!(path)),
                        "{path} of {name}: {came_back}"
                    );
                }
            }
        }
    }

    #[test]
    fn no_text_is_too_strange(text in ".{0,40}") {
        for answer in [explore(&text), schedule(&text), export_options(&text)] {
            let answer: Value = serde_json::from_str(&answer).unwrap();
            prop_assert!(answer.get("errors").is_some());
        }
        let imported: Value = serde_json::from_str(&import_options(&text)).unwrap();
        prop_assert!(imported.get("errors").is_some());
    }
}
