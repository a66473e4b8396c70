//! regate keeps an app talking to a cluster through a list of WebSocket gateways.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

pub mod policy;

#[cfg(feature = "web")]
pub mod web;
