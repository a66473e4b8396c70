//! One timer for all deadlines of a client.

use gloo_timers::callback::Timeout;

use super::clock;
use crate::policy::Instant;

/// The longest step of a timer, 2^31-1 ms: beyond it `setTimeout` fires at once.
const LONGEST_STEP_MILLISECONDS: u64 = 2_147_483_647;

/// The timer, and when it fires.
///
/// It is only moved when the deadline comes nearer, as moving it costs more than a late or a
/// vain firing: then the engine is asked again.
#[derive(Debug, Default)]
pub(super) struct Timer {
    running: Option<(Instant, Timeout)>,
}

impl Timer {
    /// Sees to it that `fire` is called at `deadline`, or never.
    pub(super) fn arm(&mut self, deadline: Option<Instant>, fire: impl FnOnce() + 'static) {
        let Some(at) = deadline else {
            self.running = None;
            return;
        };
        if self.running.as_ref().is_some_and(|&(armed_at, _)| armed_at <= at) {
            return;
        }
        let now = clock::now();
        let step = at.since(now).min(LONGEST_STEP_MILLISECONDS);
        let milliseconds = u32::try_from(step).unwrap_or(u32::MAX);
        self.running = Some((now.after(step), Timeout::new(milliseconds, fire)));
    }

    /// The timer has fired; what it held may be dropped once this is called.
    pub(super) fn fired(&mut self) {
        self.running = None;
    }
}
