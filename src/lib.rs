//! Keeps an app talking to a cluster through a list of WebSocket gateways.
//!
//! Most users want the npm package; its wasm is this crate with the feature `web`. Without
//! features it is the policy core alone, `no_std`, for whoever drives sockets of their own:
//!
//! - [`policy::Engine`] is a whole client: events and time go in, actions come out.
//! - [`policy::TcpTimeouts`] is the schedule of waits, [`policy::Round`] goes round gateways.
//! - [`policy::decide`] says whether an operation may be run again.
//! - [`docs`] says why things are as they are, and where each number comes from.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod docs;
pub mod policy;
#[cfg(feature = "_shell")]
pub mod web;

#[cfg(feature = "web")]
pub use web::{Client, Error, Gateway, Options, Subscription};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
