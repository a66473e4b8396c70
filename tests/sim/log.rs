//! The lines of an outage, judged by the contract: few, and their counts exact.

use core::mem;

use regate::policy::{Cause, FailureCount, LogLine, Notice, StateReason};

use super::Verdicts;

#[derive(Debug)]
struct Outage {
    began_at: u64,
    last_line_at: u64,
    failures_since_line: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Log {
    outage: Option<Outage>,
    /// Since the client was last well.
    dials: u32,
    /// The list was asked for, and nothing has come of that yet.
    awaits_list: bool,
}

fn total(failures: &[FailureCount]) -> u32 {
    failures.iter().map(|count| count.failures).sum()
}

impl Log {
    pub(crate) const fn on_asked_for_list(&mut self) {
        self.awaits_list = true;
    }

    pub(crate) const fn on_list(&mut self) {
        self.awaits_list = false;
    }

    pub(crate) const fn on_dial(&mut self) {
        self.awaits_list = false;
        self.dials += 1;
    }

    pub(crate) fn on_notice(&mut self, now: u64, notice: &Notice, v: &mut Verdicts) {
        let awaited_list = self.awaits_list;
        if matches!(notice, Notice::StateChanged { .. } | Notice::WaitBegan { .. }) {
            self.awaits_list = false;
        }
        match notice {
            // A round that is over without a dial, or the list that it was to be of.
            Notice::WaitBegan { .. } if awaited_list => self.count(now),
            Notice::DialFailed { .. }
            | Notice::StateChanged {
                reason:
                    StateReason::Lost(
                        Cause::Closed(_)
                        | Cause::HeadersFailed
                        | Cause::HeartbeatLost
                        | Cause::NotOpen
                        | Cause::SendThrew
                        | Cause::WrongContext,
                    ),
                ..
            } => self.count(now),
            // Closed by the application: the outage is forgotten, and nothing is said.
            Notice::StateChanged {
                reason: StateReason::Requested | StateReason::Aborted, ..
            } => (self.outage, self.dials) = (None, 0),
            Notice::StateChanged { reason: StateReason::Opened, .. } if self.outage.is_none() => {
                self.dials = 0;
            }
            Notice::Logged(line) => self.line(now, line, v),
            _ => {}
        }
    }

    fn count(&mut self, now: u64) {
        let outage = self.outage.get_or_insert(Outage {
            began_at: now,
            last_line_at: u64::MAX,
            failures_since_line: 0,
        });
        outage.failures_since_line += 1;
    }

    fn line(&mut self, now: u64, line: &LogLine, v: &mut Verdicts) {
        match line {
            LogLine::OutageBegan { .. } => {
                // Said just before, or just after, the failure itself.
                let known = self.outage.get_or_insert(Outage {
                    began_at: now,
                    last_line_at: u64::MAX,
                    failures_since_line: 0,
                });
                v.require(known.last_line_at == u64::MAX, || "an outage begins twice".to_owned());
                known.last_line_at = now;
            }
            LogLine::OutageGoesOn { milliseconds, failures } => {
                let Some(outage) = &mut self.outage else {
                    return v.require(false, || "no outage goes on".to_owned());
                };
                v.require(now >= outage.last_line_at.saturating_add(60_000), || {
                    format!("two lines within a minute: {} and {now}", outage.last_line_at)
                });
                v.require(*milliseconds == now - outage.began_at, || "its length".to_owned());
                // The first failure has had its own line.
                let first = u32::from(outage.last_line_at == outage.began_at);
                let counted = outage.failures_since_line - first;
                v.require(total(failures) == counted && counted > 0, || {
                    format!("{} failures in a line, not {counted}", total(failures))
                });
                outage.failures_since_line = 0;
                outage.last_line_at = now;
            }
            LogLine::OutageEnded { dials, .. } => {
                let dialled = mem::take(&mut self.dials);
                v.require(self.outage.take().is_some(), || "no outage ends".to_owned());
                v.require(dialled == *dials, || format!("{dials} dials, not {dialled}"));
            }
            LogLine::GaveUp { dials, .. } => {
                self.outage = None;
                let dialled = mem::take(&mut self.dials);
                v.require(dialled == *dials, || format!("{dials} dials, not {dialled}"));
            }
            _ => v.require(false, || "a line of a kind that has no rule".to_owned()),
        }
    }
}
