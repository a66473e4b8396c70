//! One timer for a client, on a clock that no system date moves.

use wasm_bindgen_test::wasm_bindgen_test;

use crate::world::{TWO, World};

#[wasm_bindgen_test]
fn a_client_never_has_more_than_one_timer() {
    let world = World::connected(TWO);
    for _ in 0..100 {
        world.call("invoke again");
        assert!(world.running() <= 1);
    }
    for _ in 0..20 {
        world.last().drop(1006);
        assert!(world.running() <= 1);
        world.advance(5000.0);
        assert!(world.running() <= 1);
    }
    world.call("close");
    assert_eq!(world.running(), 0);
}

#[wasm_bindgen_test]
fn it_is_moved_only_when_a_deadline_comes_nearer() {
    let world = World::connected(TWO);
    world.call("invoke");
    let before = world.sets();
    for _ in 0..1000 {
        world.call("invoke");
    }
    assert_eq!(world.sets(), before);
}

#[wasm_bindgen_test]
fn every_timer_that_is_set_fires_or_is_cleared() {
    let world = World::dialling(TWO);
    assert_eq!(world.running(), 1);
    world.socket(0).open();
    world.call("close");
    assert_eq!(world.running(), 0);
    assert_eq!(world.clears(), world.sets());
}

#[wasm_bindgen_test]
fn a_wait_beyond_what_set_timeout_can_is_taken_in_steps() {
    let options = r#"{ "gateways": ["ws://a.example"], "heartbeat": { "periodMilliseconds": 0 },
        "networking": { "jitter": 0, "steadyMilliseconds": 9007199254740991 },
        "messaging": { "waitForResponseMilliseconds": 3000000000 } }"#;
    let world = World::connected(options);
    world.call("invoke");
    assert!(world.longest() <= 2_147_483_647.0, "{}", world.longest());
    world.advance(2_999_999_999.0);
    assert_eq!(world.settled(), "");
    world.advance(1.0);
    assert_eq!(world.settled(), "RESPONSE_TIMEOUT maybe");
    assert!(world.longest() <= 2_147_483_647.0);
}

#[wasm_bindgen_test]
fn a_timer_that_fires_early_is_asked_for_again() {
    let world = World::dialling(TWO);
    for index in 0..2 {
        world.socket(index).drop(1006);
    }
    assert_eq!(world.dials(), 2);
    world.advance(249.0);
    world.fire_early();
    assert_eq!((world.dials(), world.running()), (2, 1));
    world.advance(1.0);
    assert_eq!(world.dials(), 3);
}

#[wasm_bindgen_test]
fn the_clock_is_monotonic_and_the_system_date_moves_nothing() {
    let world = World::dialling(TWO);
    assert!(world.reads() > 0, "performance.now is what it asks");
    for index in 0..2 {
        world.socket(index).drop(1006);
    }
    world.move_date(-86_400_000.0);
    world.advance(249.0);
    assert_eq!(world.dials(), 2);
    world.move_date(86_400_000.0);
    world.advance(1.0);
    assert_eq!(world.dials(), 3);
}

#[wasm_bindgen_test]
fn nothing_is_dialled_before_the_tick_that_follows_connect() {
    let world = World::with(TWO);
    world.call("connect");
    assert_eq!(world.dials(), 0);
    world.call("close");
    world.call("tick");
    world.advance(100_000.0);
    assert_eq!((world.dials(), world.running()), (0, 0));
}
