//! A whole client, told anything in any order: by sockets that fail in every way, an application
//! that calls at any moment, timers that are early or late, and gateways that answer as they like.

mod input;
mod operations;
mod world;

use arbitrary::Unstructured;

/// # Panics
///
/// Where the client breaks a promise.
pub fn check(data: &[u8]) {
    let mut input = Unstructured::new(data);
    let Ok(settings) = input::settings(&mut input) else { return };
    let gateways = input.int_in_range(0..=3_u8).unwrap_or(1);
    let mut world = world::World::new(settings, gateways, &mut input);
    world.play();
    world.end();
}
