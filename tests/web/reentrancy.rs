//! Calls that come back in while wasm runs: from a socket's constructor, `send` and `close`, from
//! the package's callbacks, and from whoever pulls a notice.

use wasm_bindgen_test::wasm_bindgen_test;

use crate::world::{TWO, World};

const CALLS: [&str; 9] = [
    "connect",
    "reconnect",
    "tick",
    "close",
    "invoke",
    "invoke again",
    "notify",
    "stats",
    "failures",
];
const PLACES: [&str; 7] =
    ["construct", "send", "close", "message", "statechange", "dialfailed", "waiting"];

/// Goes once through dials that fail, a connection, a request, a message and a loss.
fn go_through(world: &World) {
    world.call("connect");
    world.call("tick");
    for _ in 0..3 {
        if world.dials() > 0 {
            world.last().drop(1006);
        }
    }
    world.advance(300.0);
    if world.dials() > 0 {
        world.last().open();
        world.call("invoke again");
        world.last().message("text");
        world.last().drop(1006);
    }
    world.advance(300.0);
}

#[wasm_bindgen_test]
fn every_call_from_every_place_leaves_a_client_that_works() {
    for place in PLACES {
        for call in CALLS {
            let world = World::with(TWO);
            world.plan(place, call);
            go_through(&world);
            world.call("close"); // which may be where the planned call is made
            world.call("close");
            assert_eq!(world.running(), 0, "{call} in {place}");
            world.forget();
            world.call("connect");
            world.call("tick");
            world.last().open();
            assert_eq!(world.states(), "connecting connected", "{call} in {place}");
            world.call("invoke");
            assert_eq!(world.last().sent().length(), 1, "{call} in {place}");
        }
    }
}

#[wasm_bindgen_test]
fn every_event_from_inside_every_call_of_a_socket_leaves_a_client_that_works() {
    for place in ["construct", "send", "close"] {
        for step in
            ["emit open", "emit error", "emit drop 1006", "emit drop 1009", "emit message x"]
        {
            let world = World::with(TWO);
            world.plan(place, step);
            go_through(&world);
            world.call("close"); // which may be where the planned call is made
            world.call("close");
            assert_eq!(world.running(), 0, "{step} in {place}");
            world.forget();
            world.call("connect");
            world.call("tick");
            world.last().open();
            assert_eq!(world.states(), "connecting connected", "{step} in {place}");
        }
    }
}

#[wasm_bindgen_test]
fn a_message_inside_a_message_is_heard() {
    let world = World::connected(TWO);
    world.plan("message", "invoke");
    world.plan("send", "emit message inner");
    world.socket(0).message("outer");
    assert_eq!(world.messages().length(), 2);
    assert_eq!(world.socket(0).sent().length(), 1);
    assert_eq!(world.states(), "connecting connected", "the connection was not lost");
}

#[wasm_bindgen_test]
fn close_in_the_constructor_lets_that_very_socket_go() {
    let world = World::with(TWO);
    world.plan("construct", "close");
    world.call("connect");
    world.call("tick");
    assert_eq!(world.dials(), 1);
    assert_eq!(world.socket(0).closes(), 1);
    world.socket(0).open();
    assert_eq!(world.socket(0).closes(), 2);
    assert_eq!(world.states(), "connecting closed");
}

#[wasm_bindgen_test]
fn close_inside_send_settles_the_operation_once() {
    let world = World::connected(TWO);
    world.plan("send", "close");
    world.call("invoke");
    assert_eq!(world.settled(), "CLIENT_CLOSED maybe");
    assert_eq!(world.states(), "connecting connected closed");
}
