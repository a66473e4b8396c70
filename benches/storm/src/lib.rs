//! The storm: a fleet of clients, each a real [`Engine`](regate::policy::Engine), and five gateways
//! that fail. It answers one question: how many dials does one gateway get within 100 ms?
//!
//! # The world
//!
//! Time is whole milliseconds and chance comes from one seed, so that the same seed gives the same
//! result on every machine.
//!
//! - A **client** is an engine with settings, a seed of its own and a constant distance to all
//!   gateways, 5 to 30 ms each way. It sends nothing and its heartbeat is off: what counts here are
//!   dials. It has one timer, as in the browser.
//! - A **dial** reaches its gateway after one way, and is counted then, whatever becomes of it.
//! - A gateway that is **down** refuses: the client hears of it after the way back, one round trip in
//!   all. In the variants that say so it is **silent** instead, and such a dial ends by the limits of
//!   the client, even where the gateway is back before.
//! - A gateway that is **up** accepts at most 0.2 % of the fleet in 100 ms. The next dials wait in a
//!   backlog, which holds what is accepted in one second, in the order in which they came; what does
//!   not fit there is refused. The socket opens two and a half round trips after it was accepted: TCP,
//!   TLS and the WebSocket handshake, three in all.
//! - A gateway does not learn that a client has given up a dial: its place in the backlog is taken.
//! - A gateway that **dies** refuses what waits in its backlog and closes what it had accepted; clients
//!   see the close (1006) one way later.
//!
//! The clients start one by one over 100 s. Then one gateway dies and stays dead, a minute later the
//! others die too, and two minutes later all five return: see [`scenario`].

mod alone;
pub mod bars;
#[cfg(feature = "charts")]
pub mod charts;
mod client;
pub mod gateway;
pub mod report;
pub mod scenario;
pub mod share;
pub mod tally;
mod wheel;
pub mod world;
