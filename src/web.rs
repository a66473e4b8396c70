//! What a browser or a Worker sees: sockets, the timer, and a client for Rust or for JavaScript.
//!
//! Apps whose own code is Rust use [`Client`]. The feature `npm` adds the classes that the npm
//! package wraps; they are of no use without it, and may change with it.
//!
//! The shell obeys. It reports what happened to the [`Engine`](crate::policy::Engine) and does
//! what that answers; whatever is decided, is decided there. Payloads never come here: an
//! operation is a number, its frame an opaque JavaScript value.
//!
//! Where wasm calls the application it holds no borrow, as the callee may call straight back in.

mod application;
mod client;
mod clock;
mod gateways;
mod socket;
mod timer;

#[cfg(feature = "web")]
mod rust;

#[cfg(feature = "web")]
pub use rust::*;

#[cfg(feature = "npm")]
mod core;
#[cfg(feature = "npm")]
mod events;
#[cfg(feature = "npm")]
mod host;
#[cfg(feature = "npm")]
mod options;
#[cfg(feature = "npm")]
mod retry;

#[cfg(feature = "npm")]
pub use self::{core::Core, host::Host, options::Numbers, retry::RetryCore};
