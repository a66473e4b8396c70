//! What holds for every client in every world: any gateways, any faults, any calls, in any order.
//!
//! `cargo test` runs a few hundred cases. The long form is
//! `REGATE_CASES=1000000 cargo test --release --test properties -- --nocapture`; a case that fails
//! prints its seed, and `REGATE_SEED=<seed>` runs that one again.
#![cfg(not(target_arch = "wasm32"))]
#![expect(clippy::arithmetic_side_effects, reason = "numbers of a test are small")]
#![expect(clippy::wildcard_enum_match_arm, reason = "a model looks at what it judges")]
#![expect(clippy::std_instead_of_alloc, reason = "tests have std")]

#[cfg(test)]
#[path = "properties/cases.rs"]
mod cases;
#[cfg(test)]
#[path = "properties/fleet.rs"]
mod fleet;
#[cfg(test)]
#[path = "properties/found.rs"]
mod found;
#[cfg(test)]
#[path = "sim/sim.rs"]
mod sim;
#[cfg(test)]
#[path = "properties/traces.rs"]
mod traces;
