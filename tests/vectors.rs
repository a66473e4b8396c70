//! Replays what the original code did, case by case. See `tests/vectors/README.md`.
//!
//! Without a harness, so that its last line counts cases and not functions.
#![cfg_attr(
    not(target_arch = "wasm32"),
    expect(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        clippy::std_instead_of_alloc,
        reason = "a program that runs on the host"
    )
)]

#[cfg(not(target_arch = "wasm32"))]
#[path = "vectors/cycling.rs"]
mod cycling;
#[cfg(not(target_arch = "wasm32"))]
#[path = "vectors/exceptions.rs"]
mod exceptions;
#[cfg(not(target_arch = "wasm32"))]
#[path = "vectors/run.rs"]
mod run;
#[cfg(not(target_arch = "wasm32"))]
#[path = "vectors/timeouts.rs"]
mod timeouts;

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    run::main()
}

#[cfg(target_arch = "wasm32")]
fn main() {}
