//! One timer for all deadlines of a client.

use super::clock;
use crate::policy::Instant;

/// The longest step of a timer, 2^31-1 ms: beyond it `setTimeout` fires at once.
const LONGEST_STEP_MILLISECONDS: u32 = 2_147_483_647;

/// The alarm of the platform that is set, and when it fires. It is let go by being dropped.
///
/// It is only moved when the deadline comes nearer, as moving it costs more than a late or a
/// vain firing: then the engine is asked again.
#[derive(Debug)]
pub(super) struct Timer<A> {
    running: Option<(Instant, A)>,
}

impl<A> Timer<A> {
    pub(super) const fn new() -> Self {
        Self { running: None }
    }

    /// Sees to it that an alarm fires at `deadline`, or none. `set` sets one after so many
    /// milliseconds, where the platform lets it.
    pub(super) fn arm(&mut self, deadline: Option<Instant>, set: impl FnOnce(u32) -> Option<A>) {
        let Some(at) = deadline else {
            self.running = None;
            return;
        };
        if self.running.as_ref().is_some_and(|&(armed_at, _)| armed_at <= at) {
            return;
        }
        self.running = None;
        let now = clock::now();
        let step = u32::try_from(at.since(now)).unwrap_or(u32::MAX).min(LONGEST_STEP_MILLISECONDS);
        let fires_at = now.after(u64::from(step));
        self.running = set(step).map(|alarm| (fires_at, alarm));
    }

    /// It has fired.
    pub(super) fn fired(&mut self) {
        self.running = None;
    }
}
