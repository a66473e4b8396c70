//! What Rust sees: a client for apps whose own code is wasm.
//!
//! [`Client`] is the handle, [`Invoke`] an operation before it is awaited, [`Operation`] the
//! future of its outcome, [`Subscription`] and [`Notices`] are streams.

mod client;
mod error;
mod exchange;
mod json_rpc;
mod notices;
mod operation;
mod options;
mod session;
mod shared;
mod slot;
mod subscription;
mod wakes;

pub use client::{Client, Delivery, Stats};
pub use error::{Error, ErrorKind};
pub use json_rpc::RemoteError;
pub use notices::Notices;
pub use operation::{Invoke, Operation};
pub use options::{Gateway, GatewayFailed, Options, SessionFailed};
pub use session::Session;
pub use subscription::Subscription;
