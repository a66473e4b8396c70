//! What is said about an outage: a handful of lines, however long it lasts.
//!
//! A line for each failed dial buries the log of a client whose cluster is down, and says nothing
//! that the first did not. So: the first failure, at most one summary a minute with exact counts,
//! and one line at the end. An outage ends when a connection has become steady; a gateway that
//! opens and closes again ten times a minute is one outage, not ten.

use alloc::vec::Vec;

use super::{Cause, FailureCount, GatewayIndex, GaveUp, Instant, LogLine};

/// The shortest time between two summaries.
pub const SUMMARY_MILLISECONDS: u64 = 60_000;

#[derive(Debug)]
struct Outage {
    began_at: Instant,
    summary_at: Instant,
    rounds: u32,
    dials: u32,
    /// Since the last line.
    failures: Vec<FailureCount>,
}

/// Turns failures into lines.
#[derive(Debug, Default)]
pub(super) struct FailureLog {
    outage: Option<Outage>,
}

impl FailureLog {
    pub(super) const fn new() -> Self {
        Self { outage: None }
    }

    /// A dial failed, a connection was lost, or (`None`) there was no list. Only the first of an outage makes a line.
    pub(super) fn failed(
        &mut self,
        now: Instant,
        gateway: Option<GatewayIndex>,
        cause: Cause,
    ) -> Option<LogLine> {
        let Some(outage) = &mut self.outage else {
            self.outage = Some(Outage {
                began_at: now,
                summary_at: now.after(SUMMARY_MILLISECONDS),
                rounds: 0,
                dials: 0,
                failures: Vec::new(),
            });
            return Some(LogLine::OutageBegan { gateway, cause });
        };
        match outage.failures.iter_mut().find(|count| count.gateway == gateway) {
            Some(count) => {
                count.failures = count.failures.saturating_add(1);
                count.last_cause = cause;
            }
            None => outage.failures.push(FailureCount { gateway, failures: 1, last_cause: cause }),
        }
        None
    }

    pub(super) fn dialled(&mut self) {
        if let Some(outage) = &mut self.outage {
            outage.dials = outage.dials.saturating_add(1);
        }
    }

    pub(super) fn round_began(&mut self) {
        if let Some(outage) = &mut self.outage {
            outage.rounds = outage.rounds.saturating_add(1);
        }
    }

    /// A connection that opened at `since` has become steady.
    pub(super) fn steadied(&mut self, gateway: GatewayIndex, since: Instant) -> Option<LogLine> {
        let outage = self.outage.take()?;
        Some(LogLine::OutageEnded {
            gateway,
            milliseconds: since.since(outage.began_at),
            rounds: outage.rounds,
            dials: outage.dials,
        })
    }

    /// The client is closed: says so where it gave up, and forgets the outage.
    pub(super) fn ended(&mut self, now: Instant, why: Option<GaveUp>) -> Option<LogLine> {
        let outage = self.outage.take();
        let why = why?;
        Some(match outage {
            Some(Outage { began_at, rounds, dials, failures, .. }) => {
                let milliseconds = now.since(began_at);
                LogLine::GaveUp { why, milliseconds, rounds, dials, failures }
            }
            None => {
                LogLine::GaveUp { why, milliseconds: 0, rounds: 0, dials: 0, failures: Vec::new() }
            }
        })
    }

    /// The summary, where one is due and anything has failed since the last line.
    pub(super) fn handle_timeout(&mut self, now: Instant) -> Option<LogLine> {
        let outage = self.outage.as_mut()?;
        if outage.summary_at > now {
            return None;
        }
        outage.summary_at = now.after(SUMMARY_MILLISECONDS);
        if outage.failures.is_empty() {
            return None;
        }
        Some(LogLine::OutageGoesOn {
            milliseconds: now.since(outage.began_at),
            failures: core::mem::take(&mut outage.failures),
        })
    }

    /// When a summary may be due. `None` outside an outage.
    pub(super) fn poll_timeout(&self) -> Option<Instant> {
        self.outage.as_ref().map(|outage| outage.summary_at)
    }
}
