//! What becomes of operations, and what is known of them.

use core::{future::IntoFuture, pin::Pin};

use js_sys::Uint8Array;
use regate::{
    Client, Error,
    policy::{Cause, CloseCode, Completion, ErrorCode, MessagingSettings},
    web::{Delivery, ErrorKind},
};
use serde::{Deserialize, Serialize, de::IgnoredAny};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    answer, begin, connected, connected_by, done, is, poll, said, sent, sent_count, shown, turn,
    two,
};
use crate::world::World;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Item {
    name: String,
    count: u32,
}

#[wasm_bindgen_test]
async fn params_and_results_are_values_of_serde() {
    let world = World::bare();
    let client = connected(&world).await;
    let item = || Item { name: "\"\u{1f600}".into(), count: 3 };
    let mut echo = begin(client.invoke::<Vec<Item>>("echo", [item()]));
    let frame = sent(&world, 0, -1);
    assert_eq!(said(&frame, "jsonrpc"), "\"2.0\"");
    assert_eq!(said(&frame, "method"), "\"echo\"");
    assert_eq!(said(&frame, "params"), "[{\"name\":\"\\\"\u{1f600}\",\"count\":3}]");
    answer(&world, 0, &format!("\"result\":{}", said(&frame, "params")));
    assert_eq!(done(&mut echo).unwrap(), [item()]);
    for params in [(), ()] {
        let mut read = begin(client.invoke::<Option<u32>>("m", params));
        assert!(!sent(&world, 0, -1).contains("params"));
        answer(&world, 0, r#""result":null"#);
        assert_eq!(done(&mut read).unwrap(), None);
    }
    assert_eq!(client.stats().operations.succeeded, 3);
}

#[wasm_bindgen_test]
async fn what_cannot_be_encoded_was_not_performed_and_what_cannot_be_decoded_was() {
    let world = World::bare();
    let client = connected(&world).await;
    let big: Result<u32, Error> = client.invoke("m", [u64::MAX]).await;
    let error = big.unwrap_err();
    assert_eq!(shown(&error), "ENCODE_FAILED no 0");
    let scalar: Result<u32, Error> = client.invoke("m", "text").await;
    assert_eq!(shown(&scalar.unwrap_err()), "ENCODE_FAILED no 0");
    assert!(client.notify("m", 5).is_err());
    assert_eq!(sent_count(&world, 0), 0);
    let mut wrong = begin(client.invoke::<u32>("m", ()));
    answer(&world, 0, r#""result":"text""#);
    let error = done(&mut wrong).unwrap_err();
    assert_eq!(shown(&error), "DECODE_FAILED yes 1");
    let mut any = begin(client.invoke::<IgnoredAny>("m", ()));
    answer(&world, 0, r#""result":"text""#);
    done(&mut any).unwrap();
}

#[wasm_bindgen_test]
async fn a_read_that_was_lost_is_run_again_under_another_id() {
    let world = World::bare();
    let client = connected(&world).await;
    let mut read = begin(client.invoke::<u32>("m", [1]).read_only());
    let first = sent(&world, 0, -1);
    world.socket(0).drop(1006);
    assert!(poll(&mut read).is_pending());
    world.socket(1).open();
    let second = sent(&world, 1, -1);
    assert_ne!(said(&first, "id"), said(&second, "id"));
    assert_eq!(said(&first, "params"), said(&second, "params"));
    world.socket(0).message(&format!(r#"{{"id":{},"result":8}}"#, said(&first, "id")));
    assert!(poll(&mut read).is_pending(), "the first socket is not ours any more");
    answer(&world, 1, r#""result":9"#);
    assert_eq!(done(&mut read).unwrap(), 9);
    assert_eq!(client.stats().operations.retries, 1);
}

#[wasm_bindgen_test]
async fn a_write_that_was_lost_may_have_been_performed() {
    let world = World::bare();
    let client = connected(&world).await;
    let mut write = begin(client.invoke::<u32>("m", ()));
    world.advance(20.0);
    world.socket(0).drop(1011);
    let error = done(&mut write).unwrap_err();
    assert_eq!(shown(&error), "CONNECTION_LOST maybe 1");
    assert_eq!(error.lost(), Some(Cause::Closed(CloseCode::from_event(1011))));
    assert_eq!(error.gateway(), Some("ws://a.example [0]"));
    assert_eq!(
        error.to_string(),
        "CONNECTION_LOST: ws://a.example [0]: closed 1011; 1 attempts in 20 ms; performed: maybe"
    );
    let waits = client.invoke::<u32>("m", ()).await.unwrap_err();
    assert_eq!(shown(&waits), "CLIENT_RECONNECTING no 0");
    let redoable = begin(client.invoke::<u32>("m", ()).redoable(true));
    let bound = client.invoke::<u32>("m", ()).read_only().bound_to_connection().await.unwrap_err();
    assert_eq!(shown(&bound), "CONNECTION_LOST no 0");
    assert_eq!(client.stats().pending_operations, 1);
    drop(redoable);
}

#[wasm_bindgen_test]
async fn what_a_gateway_says_of_an_operation_is_in_the_error_and_not_in_its_text() {
    let world = World::bare();
    let client = connected(&world).await;
    let mut write = begin(client.invoke::<u32>("m", ()));
    answer(
        &world,
        0,
        r#""error":{"code":-32001,"message":"secret","data":{"name":"x","count":2}}"#,
    );
    let error = done(&mut write).unwrap_err();
    assert_eq!(shown(&error), "REMOTE_ERROR yes 1");
    assert!(!error.to_string().contains("secret"), "{error}");
    let remote = error.remote().unwrap();
    assert_eq!((remote.code, remote.message.as_str()), (-32001, "secret"));
    assert_eq!(remote.data(), Some(Item { name: "x".into(), count: 2 }));
    assert_eq!(remote.data::<u32>(), None);
    let source = core::error::Error::source(&error).unwrap();
    assert_eq!(source.to_string(), "code -32001: secret");
    for (what, expected) in [
        (r#""error":{"code":-32601,"message":"no"}"#, "REMOTE_ERROR no 1"),
        (r#""error":null"#, "PROTOCOL_ERROR maybe 1"),
        (r#""nothing":1"#, "PROTOCOL_ERROR maybe 1"),
    ] {
        let mut write = begin(client.invoke::<u32>("m", ()));
        answer(&world, 0, what);
        assert_eq!(shown(&done(&mut write).unwrap_err()), expected, "{what}");
    }
}

#[wasm_bindgen_test]
async fn what_was_refused_for_now_is_asked_again_after_as_long_as_the_gateway_says() {
    let world = World::bare();
    let client = connected(&world).await;
    let mut write = begin(client.invoke::<u32>("m", ()));
    answer(
        &world,
        0,
        r#""error":{"code":1,"data":{"retryable":true,"retryAfterMilliseconds":300}}"#,
    );
    world.advance(299.0);
    assert_eq!(sent_count(&world, 0), 1);
    world.advance(1.0);
    assert_eq!(sent_count(&world, 0), 2);
    answer(&world, 0, r#""result":1"#);
    assert_eq!(done(&mut write).unwrap(), 1);
    let once = MessagingSettings { retry_timeout_seconds: 0, ..MessagingSettings::DEFAULT };
    let mut write = begin(client.invoke::<u32>("m", ()).messaging(once));
    answer(&world, 0, r#""error":{"code":1,"data":{"retryable":true}}"#);
    assert_eq!(done(&mut write).unwrap_err().completion(), Completion::No);
}

#[wasm_bindgen_test]
async fn an_operation_takes_no_longer_than_it_may() {
    let world = World::bare();
    let client = connected(&world).await;
    let mut slow = begin(client.invoke::<u32>("m", ()).timeout_milliseconds(100));
    world.advance(100.0);
    assert_eq!(shown(&done(&mut slow).unwrap_err()), "TIMEOUT maybe 1");
}

#[wasm_bindgen_test]
async fn a_future_that_is_dropped_gives_its_operation_up() {
    let world = World::bare();
    let client = connected(&world).await;
    drop(client.invoke::<u32>("m", ()));
    drop(client.invoke::<u32>("m", ()).into_future());
    assert_eq!(sent_count(&world, 0), 0, "what is not awaited does not begin");
    let operation = begin(client.invoke::<u32>("m", ()).read_only());
    assert_eq!(client.stats().in_flight_operations, 1);
    drop(operation);
    let stats = client.stats();
    assert_eq!((stats.in_flight_operations, stats.operations.failed_maybe), (0, 1));
    answer(&world, 0, r#""result":1"#);
    assert_eq!(client.stats().operations.unmatched_answers, 1);
    // And what is parked is never sent.
    world.socket(0).drop(1006);
    let parked = begin(client.invoke::<u32>("parked", ()).read_only());
    assert_eq!(client.stats().pending_operations, 1);
    drop(parked);
    assert_eq!((client.stats().pending_operations, client.stats().operations.failed_no), (0, 1));
    world.socket(1).open();
    assert_eq!(sent_count(&world, 1), 0);
}

#[wasm_bindgen_test]
async fn who_aborts_an_operation_is_told_whether_it_may_have_been_performed() {
    let world = World::bare();
    let client = connected(&world).await;
    let fresh = client.invoke::<u32>("m", ()).into_future();
    assert_eq!(fresh.abort(), Completion::No);
    let sent = *Pin::into_inner(begin(client.invoke::<u32>("m", ())));
    assert_eq!(sent.abort(), Completion::Maybe);
    let answered = begin(client.invoke::<u32>("m", ()));
    answer(&world, 0, r#""result":1"#);
    assert_eq!((*Pin::into_inner(answered)).abort(), Completion::Yes);
    world.socket(0).drop(1006);
    let parked = begin(client.invoke::<u32>("m", ()).read_only());
    assert_eq!((*Pin::into_inner(parked)).abort(), Completion::No);
}

#[wasm_bindgen_test]
async fn what_is_asked_before_the_connection_goes_out_with_it_in_order() {
    let world = World::bare();
    let client = Client::new(two(&world)).unwrap();
    let mut first = begin(client.invoke::<u32>("first", ()));
    let second = begin(client.invoke::<u32>("second", ()));
    turn().await;
    assert_eq!(world.dials(), 0, "an operation starts nothing");
    assert_eq!(client.notify("note", ()).unwrap(), Delivery::Dropped);
    let mut connecting = Box::pin(client.connect());
    assert!(poll(&mut connecting).is_pending());
    turn().await;
    world.socket(0).open();
    let methods = [0, 1].map(|frame| said(&sent(&world, 0, frame), "method"));
    assert_eq!(methods, ["\"first\"", "\"second\""]);
    let id = said(&sent(&world, 0, 0), "id");
    world.socket(0).message(&format!(r#"{{"id":"{id}","result":1}}"#));
    assert_eq!(done(&mut first).unwrap(), 1, "an id may come back as a text");
    assert_eq!(client.notify("note", [1]).unwrap(), Delivery::Sent);
    assert_eq!(sent(&world, 0, -1), r#"{"jsonrpc":"2.0","method":"note","params":[1]}"#);
    drop(second);
}

#[wasm_bindgen_test]
async fn batches_and_bytes_are_understood_and_nonsense_is_counted() {
    let world = World::bare();
    let client = connected(&world).await;
    let mut first = begin(client.invoke::<u32>("m", ()));
    let mut second = begin(client.invoke::<u32>("m", ()));
    let ids = [0, 1].map(|frame| said(&sent(&world, 0, frame), "id"));
    let batch = format!(
        r#"[{{"id":{},"result":2}},{{"method":"note"}},{{"id":{},"result":1}}]"#,
        ids[1], ids[0]
    );
    let bytes = Uint8Array::from(batch.as_bytes()).buffer();
    world.socket(0).message_value(&bytes);
    assert_eq!((done(&mut first).unwrap(), done(&mut second).unwrap()), (1, 2));
    for nonsense in [
        "{",
        "5",
        "[]",
        "{}",
        r#"{"id":1.5,"method":"ask"}"#,
        r#"{"id":-1,"result":1}"#,
        r#"{"id":"x","result":1}"#,
    ] {
        world.socket(0).message(nonsense);
    }
    let stats = client.stats();
    assert_eq!((stats.notifications, stats.protocol_errors, stats.messages_received), (1, 6, 8));
    let mut alive = begin(client.invoke::<u32>("m", ()));
    answer(&world, 0, r#""result":3"#);
    assert_eq!(done(&mut alive).unwrap(), 3);
}

#[wasm_bindgen_test]
async fn a_key_stays_the_same_over_the_attempts() {
    let world = World::bare();
    let client = connected(&world).await;
    let operation = begin(client.invoke::<u32>("m", [1]).redoable(true).operation_key("k"));
    world.socket(0).drop(1006);
    world.socket(1).open();
    for socket in [0, 1] {
        let frame = sent(&world, socket, -1);
        assert_eq!(said(&frame, "meta"), r#"{"operationKey":"k"}"#);
        assert_eq!(said(&frame, "params"), "[1]");
    }
    drop(operation);
}

#[wasm_bindgen_test]
async fn more_than_the_limits_allow_is_refused_at_once() {
    let world = World::bare();
    let options = two(&world).with_setting("limits.maxInFlightOperations", "1").unwrap();
    let client =
        connected_by(&world, options.with_setting("limits.maxMessageBytes", "200").unwrap()).await;
    let long = client.invoke::<u32>("m", ["x".repeat(200)]).await.unwrap_err();
    assert_eq!(shown(&long), "MESSAGE_TOO_BIG no 0");
    let one = begin(client.invoke::<u32>("m", ()));
    let error = client.invoke::<u32>("m", ()).await.unwrap_err();
    assert!(is(&error, ErrorKind::Policy(ErrorCode::Overloaded)), "{error}");
    drop(one);
}

#[wasm_bindgen_test]
async fn a_silent_line_is_pinged_by_the_method_that_the_options_name() {
    let world = World::bare();
    let client = connected_by(&world, two(&world).with_ping_method("alive")).await;
    world.advance(15_000.0);
    let ping = sent(&world, 0, -1);
    assert_eq!(said(&ping, "method"), "\"alive\"");
    answer(&world, 0, r#""result":"pong""#);
    world.advance(10_000.0);
    assert_eq!((world.dials(), client.stats().operations.unmatched_answers), (1, 0));
}

/// The code of a core that is not among those tested above is shown as it is in JavaScript.
#[wasm_bindgen_test]
fn kinds_have_the_names_of_javascript() {
    let names = [
        ErrorKind::InvalidOption,
        ErrorKind::NoWebSocket,
        ErrorKind::Policy(ErrorCode::WrongContext),
    ]
    .map(ErrorKind::as_str);
    assert_eq!(names, ["INVALID_OPTION", "NO_WEBSOCKET", "WRONG_CONTEXT"]);
}
