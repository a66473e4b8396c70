//! What the application is asked: its list, its session hook, its verdicts. And what it does then.

use wasm_bindgen_test::wasm_bindgen_test;

use crate::world::{TWO, World};

const CALLS: [&str; 15] = [
    "connect",
    "reconnect",
    "tick",
    "close",
    "drain",
    "invoke",
    "invoke again",
    "notify",
    "listed",
    "listed nothing",
    "setGateways",
    "greeted",
    "refused",
    "hide",
    "wake",
];

/// Connects as far as that takes the application's word.
fn connect(world: &World) {
    world.call("connect");
    world.call("tick");
    world.call("listed");
    if world.dials() > 0 {
        world.last().open();
        world.call("greeted");
    }
}

#[wasm_bindgen_test]
fn each_is_asked_when_its_time_has_come() {
    let world = World::asking(TWO);
    world.call("connect");
    assert_eq!(world.questions(), "", "nothing in the turn of connect()");
    world.call("tick");
    assert_eq!((world.questions().as_str(), world.dials()), ("list", 0));
    world.call("listed");
    world.last().open();
    assert_eq!(world.states(), "connecting");
    world.call("greeted");
    assert_eq!(world.states(), "connecting connected");
    world.last().drop(4000);
    assert_eq!(
        world.questions(),
        "list, greet 1 ws://a.example [0], judge ws://a.example [0] 4000  next 0, list"
    );
    assert_eq!(world.dials(), 1, "the list is asked for before the next dial");
    world.call("listed");
    assert_eq!(world.last().url(), "ws://b.example/");
}

#[wasm_bindgen_test]
fn a_refusal_is_judged_by_its_status_and_has_no_code() {
    let world = World::asking(TWO);
    connect(&world);
    world.last().drop(1001);
    world.call("listed");
    world.last().refuse(403);
    let questions = world.questions();
    let (_, last) = questions.rsplit_once("judge ").unwrap();
    assert_eq!(last, "ws://b.example [1] -1 undefined refresh 403");
    assert_eq!(world.failures(), "refused with HTTP status 403");
}

#[wasm_bindgen_test]
fn a_hook_says_whether_its_failure_matters() {
    let world = World::asking(TWO);
    world.call("connect");
    world.call("tick");
    world.call("listed");
    world.last().open();
    assert_eq!(world.call("refused"), true);
    assert_eq!(world.failures(), "session hook failed");
    assert_eq!(world.call("refused"), false, "its socket is gone");
    assert_eq!(world.failures(), "session hook failed");
}

#[wasm_bindgen_test]
fn a_list_that_nobody_waits_for_changes_nothing() {
    let world = World::asking(TWO);
    for call in ["listed", "listed nothing", "greeted", "refused", "hide", "show", "wake"] {
        world.call(call);
        assert_eq!((world.states(), world.dials(), world.running()), (String::new(), 0, 0));
    }
    connect(&world);
    world.call("close");
    for call in ["listed", "listed nothing", "greeted", "refused", "hide", "show", "wake"] {
        world.call(call);
        assert_eq!((world.dials(), world.running()), (1, 0), "{call}");
    }
}

#[wasm_bindgen_test]
fn every_call_from_inside_every_question_leaves_a_client_that_works() {
    for place in ["list", "greet", "judge"] {
        for call in CALLS {
            let world = World::asking(TWO);
            world.plan(place, call);
            connect(&world);
            if world.dials() > 0 {
                world.last().drop(4000);
            }
            world.call("show");
            world.advance(1000.0);
            world.call("listed");
            world.call("close");
            world.call("close");
            assert_eq!(world.running(), 0, "{call} in {place}");
            world.forget();
            connect(&world);
            assert_eq!(world.states(), "connecting connected", "{call} in {place}");
            world.call("invoke");
            assert_eq!(world.last().sent().length(), 1, "{call} in {place}");
        }
    }
}
