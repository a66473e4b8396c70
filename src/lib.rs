//! Keeps an app talking to a cluster through a list of WebSocket gateways.
//!
//! It goes round the gateways on a schedule, runs again what may be run again, and says of every
//! operation that failed whether it may have been performed. The npm package of the same name is
//! this crate for JavaScript; for Rust it has two uses.
#![cfg_attr(
    feature = "web",
    doc = r#"
# A client for apps that are compiled to wasm

With the feature `web`, in a page or a worker, over JSON-RPC 2.0:

```
use regate::{Client, Error, Options, policy::Completion};

async fn offer(gateways: Vec<String>) -> Result<(), Error> {
    let client = Client::new(Options::new(gateways))?;
    client.connect().await?; // gives up after about a minute, unless it is told not to

    // A read may be run again when its connection is lost, so it is: for two minutes.
    let value: Option<String> = client.invoke("map.get", ["key"]).read_only().await?;

    // A write is not run again once it may have been performed.
    let offered: Result<u32, Error> = client.invoke("queue.offer", [value]).await;
    match offered.as_ref().map_err(Error::completion) {
        Ok(length) => println!("performed: there are {length}"),
        Err(Completion::No) => println!("not performed: offer it again"),
        Err(Completion::Maybe) => println!("look before you offer it again"),
        Err(Completion::Yes) => println!("performed, and answered with an error"),
    }

    // Issued again on every new connection.
    let mut news = client.subscribe::<String>("topic.subscribe", ["news"])?;
    while let Some(item) = news.next().await {
        println!("{}", item?);
    }
    Ok(())
}
```

Start at [`Client`], and at [`Options`] for what it can be told. Dropping the future of an
operation gives it up; dropping the last handle of a client closes it.
"#
)]
//!
//! # The policy core alone
//!
//! Without features: `no_std`, without a clock, chance, sockets or panics, for whoever drives
//! sockets of their own. [`Engine`](policy::Engine) is the whole client as a machine: events and
//! time go in, actions come out. `examples/native` drives it over tokio-tungstenite.
//!
//! ```
//! use regate::policy::{Action, Engine, Event, Instant, Settings};
//!
//! let mut engine = Engine::new(Settings::default(), 2, 7); // two gateways, a seed for its chance
//! let now = Instant::default();
//! engine.handle_event(now, Event::ConnectRequested);
//! engine.handle_timeout(now); // the first dial is due at once
//! let mut dialled = Vec::new();
//! while let Some(action) = engine.poll_action() {
//!     if let Action::Open { socket, gateway } = action {
//!         dialled.push(gateway); // open a socket, and report how that went
//!         engine.handle_event(now, Event::SocketOpened(socket));
//!     }
//! }
//! assert_eq!(dialled.len(), 1);
//! assert_eq!(engine.state().as_str(), "connected");
//! assert!(engine.poll_timeout().is_some()); // when to call handle_timeout next
//! ```
//!
//! Its parts stand alone too: [`TcpTimeouts`](policy::TcpTimeouts) is the schedule of waits,
//! [`Round`](policy::Round) goes round gateways, [`Retry`](policy::Retry) runs any work again by
//! the same rules, [`decide`](policy::decide) says whether an operation may be.
//!
//! # Features
//!
//! | feature | what it adds |
//! | --- | --- |
//! | none | the policy core; its one dependency is `thiserror` |
//! | `web` | `Client` for apps that are compiled to `wasm32-unknown-unknown` |
//! | `npm` | the classes that the npm package wraps; they may change with it |
//!
//! [`docs`] says why things are as they are, and where each number comes from.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

pub mod docs;
pub mod policy;
#[cfg(feature = "_shell")]
pub mod web;

#[cfg(feature = "web")]
pub use web::{Client, Error, Gateway, Options, Session, SessionFailed, Subscription};

#[cfg(all(doctest, feature = "web"))]
mod documents {
    #[doc = include_str!("../README.md")]
    mod readme {}

    #[doc = include_str!("../www/guides/orb.md")]
    mod guide_for_orbs {}

    #[doc = include_str!("../www/guides/schedule.md")]
    mod guide_to_schedules {}
}
