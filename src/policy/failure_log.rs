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
    /// Since the last line.
    failures: Vec<FailureCount>,
}

/// Turns failures into lines.
#[derive(Debug, Default)]
pub(super) struct FailureLog {
    outage: Option<Outage>,
    /// Since the client was last known to be well, the dial whose failure began the outage included.
    rounds: u32,
    dials: u32,
}

impl FailureLog {
    pub(super) const fn new() -> Self {
        Self { outage: None, rounds: 0, dials: 0 }
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
        self.dials = self.dials.saturating_add(1);
    }

    pub(super) fn round_began(&mut self) {
        self.rounds = self.rounds.saturating_add(1);
    }

    /// A connection is ready. Outside an outage, what led to it was no part of one.
    pub(super) const fn opened(&mut self) {
        if self.outage.is_none() {
            (self.rounds, self.dials) = (0, 0);
        }
    }

    /// A connection that opened at `since` has become steady.
    pub(super) fn steadied(&mut self, gateway: GatewayIndex, since: Instant) -> Option<LogLine> {
        let outage = self.outage.take()?;
        let (rounds, dials) = self.take_counts();
        let milliseconds = since.since(outage.began_at);
        Some(LogLine::OutageEnded { gateway, milliseconds, rounds, dials })
    }

    /// The client is closed: says so where it gave up, and forgets the outage.
    pub(super) fn ended(&mut self, now: Instant, why: Option<GaveUp>) -> Option<LogLine> {
        let (rounds, dials) = self.take_counts();
        let (began_at, failures) = match self.outage.take() {
            Some(Outage { began_at, failures, .. }) => (began_at, failures),
            None => (now, Vec::new()),
        };
        let milliseconds = now.since(began_at);
        Some(LogLine::GaveUp { why: why?, milliseconds, rounds, dials, failures })
    }

    const fn take_counts(&mut self) -> (u32, u32) {
        let counts = (self.rounds, self.dials);
        (self.rounds, self.dials) = (0, 0);
        counts
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
