//! One timer for all deadlines of a client.

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

    /// Whether the alarm is to be moved for `deadline`.
    pub(super) fn is_to_move(&self, deadline: Option<Instant>) -> bool {
        match (&self.running, deadline) {
            (Some((armed_at, _)), Some(at)) => *armed_at > at,
            (running, deadline) => running.is_some() != deadline.is_some(),
        }
    }

    /// Another alarm in the place of the one there is, which is handed back to be let go.
    #[must_use]
    pub(super) fn replace(&mut self, running: Option<(Instant, A)>) -> Option<(Instant, A)> {
        core::mem::replace(&mut self.running, running)
    }
}

/// How far an alarm can be set towards `deadline`, in milliseconds, and when it fires then.
pub(super) fn step_towards(deadline: Instant, now: Instant) -> (u32, Instant) {
    let left = u32::try_from(deadline.since(now)).unwrap_or(u32::MAX);
    let step = left.min(LONGEST_STEP_MILLISECONDS);
    (step, now.after(u64::from(step)))
}
