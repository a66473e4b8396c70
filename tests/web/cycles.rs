//! What is let go is freed.

use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::world::{TWO, World};

fn pages() -> u32 {
    let memory: js_sys::WebAssembly::Memory = wasm_bindgen::memory().unchecked_into();
    let buffer: js_sys::ArrayBuffer = memory.buffer().unchecked_into();
    buffer.byte_length() / 65_536
}

/// One connection that holds long enough, with a request on it, then lost.
fn cycle(world: &World) {
    world.last().open();
    let id = world.call("invoke").as_f64().unwrap();
    world.answered(id);
    world.call("invoke again");
    world.advance(5000.0);
    world.last().drop(1006);
    let next = world.last();
    world.forget();
    world.sockets().push(&next);
}

#[wasm_bindgen_test]
fn five_thousand_reconnects_leave_the_memory_as_it_was() {
    let world = World::dialling(TWO);
    for _ in 0..500 {
        cycle(&world);
    }
    let before = pages();
    for _ in 0..5000 {
        cycle(&world);
        world.call("close");
        world.call("connect");
        world.call("tick");
    }
    assert_eq!(pages(), before);
}

#[wasm_bindgen_test]
fn clients_that_are_freed_leave_the_memory_as_it_was() {
    let short = || {
        let world = World::connected(TWO);
        world.call("invoke");
        world.call("close");
        world.free();
    };
    for _ in 0..200 {
        short();
    }
    let before = pages();
    for _ in 0..2000 {
        short();
    }
    assert_eq!(pages(), before);
}

#[wasm_bindgen_test]
fn a_client_that_is_freed_as_it_stands_is_silent() {
    for opened in [false, true] {
        let world = World::dialling(TWO);
        if opened {
            world.last().open();
            world.call("invoke again");
        }
        world.free();
        assert_eq!(world.running(), 0);
        for _ in 0..2 {
            world.last().open();
            world.last().message("late");
            world.last().error();
            world.last().drop(1006);
        }
        world.advance(100_000.0);
        assert_eq!((world.dials(), world.messages().length()), (1, 0));
    }
}
