//! A socket from its making until it is let go.

use js_sys::Array;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::world::{TWO, World};

#[wasm_bindgen_test]
fn binary_type_and_handlers_are_set_once_before_anything_can_come() {
    let world = World::dialling(TWO);
    assert_eq!(
        world.socket(0).log(),
        "binaryType arraybuffer, onopen function, onerror function, onclose function, \
         onmessage function"
    );
    assert_eq!(world.socket(0).url(), "ws://a.example/");
}

#[wasm_bindgen_test]
fn protocols_are_an_argument_only_where_there_are_any() {
    for (protocols, count) in [
        ("", 1),
        (r#", "protocols": []"#, 1),
        (r#", "protocols": "x""#, 2),
        (r#", "protocols": ["x", "y"]"#, 2),
    ] {
        let world = World::dialling(&format!(r#"{{ "gateways": ["ws://a.example"]{protocols} }}"#));
        assert_eq!(world.socket(0).count(), count, "{protocols}");
        assert_eq!(world.socket(0).protocols().is_undefined(), count == 1, "{protocols}");
    }
    let own = r#"{ "gateways": [{ "url": "ws://a.example", "protocols": [] }], "protocols": "x" }"#;
    assert_eq!(World::dialling(own).socket(0).count(), 1);
}

#[wasm_bindgen_test]
fn a_lost_socket_has_no_handler_of_ours_and_late_events_change_nothing() {
    let world = World::connected(TWO);
    world.socket(0).drop(1006);
    assert_eq!(world.socket(0).handlers(), "onerror onopen", "those that swallow what is late");
    assert_eq!(world.socket(0).closes(), 1, "some platforms answer the gateway only then");
    assert_eq!(world.dials(), 2);
    let before = world.states();
    for _ in 0..2 {
        world.socket(0).open();
        world.socket(0).message("late");
        world.socket(0).error();
        world.socket(0).drop(1000);
    }
    assert_eq!((world.states(), world.dials(), world.messages().length()), (before, 2, 0));
}

#[wasm_bindgen_test]
fn a_dial_that_reaches_its_limit_is_let_go_and_its_late_open_is_closed() {
    let world = World::dialling(TWO);
    world.advance(10_000.0);
    assert_eq!(world.failures(), "dial limit");
    assert_eq!(world.dials(), 2);
    assert_eq!(world.socket(0).closes(), 1);
    world.socket(0).open();
    assert_eq!(world.socket(0).closes(), 2);
    assert_eq!(world.states(), "connecting");
    world.socket(1).open();
    assert_eq!(world.states(), "connecting connected");
    assert_eq!(world.socket(1).closes(), 0);
}

#[wasm_bindgen_test]
fn a_constructor_that_throws_of_the_url_marks_the_gateway_any_other_throw_is_a_failed_dial() {
    for (name, cause) in [
        ("SyntaxError", "unusable URL"),
        ("SecurityError", "not allowed from this page (https: needs wss:)"),
    ] {
        let world = World::with(TWO);
        world.plan("construct", &format!("throw {name} mine"));
        world.call("connect");
        world.call("tick");
        assert_eq!(world.failures(), cause);
        assert_eq!(world.dials(), 2);
        world.socket(1).drop(1006);
        world.advance(250.0);
        assert_eq!(world.last().url(), "ws://b.example/", "the other is not dialled again");
    }
    let world = World::with(TWO);
    world.plan("construct", "throw TypeError mine");
    world.call("connect");
    world.call("tick");
    assert_eq!(world.failures(), "constructor threw");
    world.socket(1).drop(1006);
    world.advance(250.0);
    assert_eq!(world.socket(2).url(), "ws://a.example/");
}

#[wasm_bindgen_test]
fn a_send_that_throws_was_not_sent_and_the_socket_is_lost() {
    for (thrown, outcome) in [
        ("throw Error mine", "CONNECTION_LOST no"),
        ("throw Error Cannot perform I/O on behalf of a different request.", "WRONG_CONTEXT no"),
    ] {
        let world = World::connected(TWO);
        world.plan("send", thrown);
        world.call("invoke");
        assert_eq!(world.settled(), outcome);
        assert_eq!(world.socket(0).closes(), 1);
        assert_eq!(world.dials(), 2);
    }
}

#[wasm_bindgen_test]
fn a_socket_of_another_request_throws_everywhere_and_the_client_lives() {
    let world = World::connected(TWO);
    for name in ["readyState", "onopen", "onclose", "onerror", "onmessage"] {
        world.socket(0).break_getter(name);
    }
    world.call("invoke");
    assert_eq!(world.settled(), "WRONG_CONTEXT no");
    assert_eq!(world.dials(), 2);
    world.socket(1).open();
    assert_eq!(world.states(), "connecting connected reconnecting connected");
}

#[wasm_bindgen_test]
fn a_socket_that_is_closing_takes_nothing() {
    let world = World::connected(TWO);
    world.socket(0).set_ready_state(2);
    world.call("invoke");
    assert_eq!(world.socket(0).sent().length(), 0);
    assert_eq!(world.settled(), "CLIENT_RECONNECTING no");
    assert_eq!(world.call("notify"), false);
    assert_eq!(world.socket(0).sent().length(), 0);
}

#[wasm_bindgen_test]
fn an_error_without_a_close_counts_after_a_turn_and_a_close_tells_the_code() {
    let world = World::dialling(TWO);
    world.socket(0).error();
    assert_eq!((world.failures(), world.dials()), (String::new(), 1));
    world.advance(0.0);
    assert_eq!((world.failures().as_str(), world.dials()), ("closed 1006", 2));
    world.socket(1).error();
    world.socket(1).drop(1008);
    world.advance(0.0);
    assert_eq!(world.failures(), "closed 1006, closed 1008");
}

#[wasm_bindgen_test]
fn a_close_code_of_zero_is_1006() {
    let world = World::dialling(TWO);
    world.socket(0).drop(0);
    assert_eq!(world.failures(), "closed 1006");
}

#[wasm_bindgen_test]
fn a_status_says_more_than_the_code_beside_it() {
    let world = World::dialling(TWO);
    world.socket(0).refuse(503);
    assert_eq!((world.failures().as_str(), world.dials()), ("refused with HTTP status 503", 2));
}

#[wasm_bindgen_test]
fn a_frame_goes_out_as_it_was_given_and_again_under_another_id() {
    let world = World::connected(TWO);
    let id = world.call("invoke again");
    world.socket(0).drop(1006);
    world.socket(1).open();
    let frames = |index| {
        let sent: Array = world.socket(index).sent();
        sent.iter().filter_map(|frame| frame.as_string()).collect::<Vec<_>>()
    };
    let id = id.as_f64().unwrap();
    assert_eq!(frames(0), [format!("{id}/{id}")]);
    assert_eq!(frames(1).len(), 1);
    assert!(frames(1)[0].starts_with(&format!("{id}/")) && frames(1) != frames(0));
}

#[wasm_bindgen_test]
fn messages_are_handed_on_as_they_are_and_answers_settle_once() {
    let world = World::connected(TWO);
    let id = world.call("invoke").as_f64().unwrap();
    world.socket(0).message("text");
    assert_eq!(world.messages().get(0), "text");
    assert_eq!(world.answered(id).to_bits(), id.to_bits());
    assert!(world.answered(id).abs() < 0.5);
    assert!(world.answered(1e15).abs() < 0.5);
    assert!(world.answered(f64::NAN).abs() < 0.5);
}
