//! The simulated world: one client, its gateways and its application on a virtual clock.
//!
//! A [`Plan`] is data: settings, latencies, and steps that the application and the faults take.
//! A [`World`] plays it, obeys the engine as a driver does, and has every event and action judged
//! by models that know the contract and not the code: [`dialling`] for sockets, rounds, waits and
//! log lines, [`operations`] for what becomes of each request beside the gateways' journal.

mod dialling;
mod log;
mod network;
mod operations;
mod plan;
mod strategy;
mod trace;
mod world;

pub(crate) use plan::{Act, Answering, Fault, Mode, Plan, Request};
pub(crate) use strategy::plans;
pub(crate) use world::{Recording, World};

/// The first thing that broke the contract; nothing is judged after it.
#[derive(Debug, Default)]
pub(crate) struct Verdicts {
    first: Option<String>,
}

impl Verdicts {
    /// Notes `what` unless `holds`.
    pub(crate) fn require(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds && self.first.is_none() {
            self.first = Some(what());
        }
    }

    pub(crate) const fn is_broken(&self) -> bool {
        self.first.is_some()
    }

    pub(crate) fn take(&mut self) -> Result<(), String> {
        self.first.take().map_or(Ok(()), Err)
    }
}
