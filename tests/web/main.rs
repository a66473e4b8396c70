//! What `src/web` does, in a browser: sockets, the timer, the options, and calls that come back in.
//!
//! Where it runs is said from outside, as it runs in pages and in workers: .cargo/config.toml says a page.
//!
//! Nothing sleeps: the clock stands still until a test moves it, and sockets do what a test says.
#![cfg(target_arch = "wasm32")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test that fails is to stop"
)]

extern crate alloc;

mod asking;
mod cycles;
mod options;
mod reentrancy;
mod rust_client;
mod sockets;
mod timers;
mod world;
