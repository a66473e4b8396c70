//! The operation rules for work of any kind: what is tried, where, when again, and what is known.
//!
//! An [`Engine`](super::Engine) owns a connection and sends operations on it. Work that brings its
//! own connections, an HTTP request for instance, follows the same rules by a [`Retry`]: a failed
//! attempt may have been performed unless it says otherwise; only what may be redone is run again;
//! the next gateway is tried at once, and a wait comes after each round of them.

use super::{
    AttemptEnd, Completion, Decision, ErrorCode, GatewayIndex, Instant, LastFailure,
    MessagingSettings, NextDial, OperationError, Redo, Rng, Round, Schedule, Settings, Standing,
    decide,
};

/// How an attempt failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no third way")]
pub enum AttemptFailure {
    /// It may have been performed.
    Unknown,
    /// It says that it was not performed and may be tried again, after so many milliseconds.
    Retryable {
        /// Not before so many milliseconds.
        after_milliseconds: u64,
    },
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "whoever drives it must handle both")]
pub enum RetryStep {
    /// Make an attempt.
    Attempt {
        /// When.
        at: Instant,
        /// At which gateway, where there is a list.
        gateway: Option<GatewayIndex>,
    },
    /// It has failed for good.
    Fail(OperationError),
}

/// One piece of work that is tried until it succeeds, may not be tried again, or is out of time.
///
/// # Example
///
/// ```
/// use regate::policy::{AttemptFailure, Instant, Redo, Retry, RetryStep, Settings};
///
/// let mut retry = Retry::new(Instant::default(), Redo::Redoable, Settings::default(), 2, 7);
/// let RetryStep::Attempt { gateway: first, .. } = retry.start() else { panic!() };
/// let failed_at = Instant::from_milliseconds(40);
/// let next = retry.fail(failed_at, AttemptFailure::Unknown);
/// let RetryStep::Attempt { at, gateway: second } = next else { panic!() };
/// assert_eq!(at, failed_at); // the next gateway at once
/// assert_ne!(first, second);
/// ```
#[derive(Debug)]
pub struct Retry {
    settings: Settings,
    redo: Redo,
    rng: Rng,
    round: Option<(Round, Schedule)>,
    last_wait_milliseconds: u64,
    made_at: Instant,
    delay_milliseconds: u64,
    known: Completion,
    attempts: u32,
    gateway: Option<GatewayIndex>,
    last_failure: LastFailure,
}

impl Retry {
    /// Work that begins at `now`, over `gateways` gateways or, for 0, without any.
    #[must_use]
    pub fn new(now: Instant, redo: Redo, settings: Settings, gateways: u32, seed: u64) -> Self {
        let mut rng = Rng::from_seed(seed);
        let round = (gateways > 0).then(|| {
            let mut round = Round::new(gateways);
            if settings.connection.shuffle_addresses {
                round.shuffle(&mut rng);
            }
            (round, Schedule::new(settings.connection.connect_timeouts))
        });
        Self {
            settings,
            redo,
            rng,
            round,
            last_wait_milliseconds: 0,
            made_at: now,
            delay_milliseconds: 0,
            known: Completion::No,
            attempts: 0,
            gateway: None,
            last_failure: LastFailure::None,
        }
    }

    /// The first attempt, at once.
    pub fn start(&mut self) -> RetryStep {
        self.attempt(self.made_at)
    }

    /// The attempt that was begun has failed.
    pub fn fail(&mut self, now: Instant, failure: AttemptFailure) -> RetryStep {
        let (end, after) = match failure {
            AttemptFailure::Unknown => (AttemptEnd::Lost, 0),
            AttemptFailure::Retryable { after_milliseconds } => {
                (AttemptEnd::AnsweredRetryable, after_milliseconds)
            }
        };
        self.known = self.known.and(end.completion());
        self.last_failure = LastFailure::Answered;
        let messaging = self.settings.messaging;
        match decide(end, self.known, Standing::Connected, self.redo, &messaging) {
            Decision::Fail(code) => RetryStep::Fail(self.error(now, code)),
            Decision::Retry => self.again(now, end, after, &messaging),
        }
    }

    /// What its end at `now` with such a code amounts to; an attempt that runs counts as unknown,
    /// one that is still to come not at all.
    #[must_use]
    pub fn give_up(&self, now: Instant, code: ErrorCode, running: bool) -> OperationError {
        let mut error = self.error(now, code);
        if running {
            error.completion = Completion::Maybe;
        } else {
            error.attempts = error.attempts.saturating_sub(1);
        }
        error
    }

    fn again(
        &mut self,
        now: Instant,
        end: AttemptEnd,
        after: u64,
        messaging: &MessagingSettings,
    ) -> RetryStep {
        let Some(timeout) = messaging.retry_timeout_milliseconds() else {
            return RetryStep::Fail(self.error(now, end.code()));
        };
        let left = self.made_at.after(timeout).since(now);
        if left == 0 || after > left {
            return RetryStep::Fail(self.error(now, ErrorCode::RetryTimeout));
        }
        let pause = if self.round.is_some() { self.round_pause() } else { self.delay(messaging) };
        self.attempt(now.after(pause.max(after).min(left)))
    }

    /// How long to wait before the next gateway: not at all, until the round is over.
    fn round_pause(&mut self) -> u64 {
        let Some((round, schedule)) = &mut self.round else { return 0 };
        if let Some(gateway) = self.gateway {
            round.fail(gateway);
        }
        if round.next_dial() != NextDial::RoundOver {
            return 0;
        }
        round.begin_next();
        let wait = schedule.next_wait().unwrap_or(self.last_wait_milliseconds);
        self.last_wait_milliseconds = wait;
        wait.saturating_sub(self.rng.up_to(self.settings.connection.jitter.of(wait)))
    }

    fn delay(&mut self, messaging: &MessagingSettings) -> u64 {
        if u64::from(self.attempts) < messaging.max_fast_invocation_count {
            return 0;
        }
        let next = match self.delay_milliseconds {
            0 => messaging.min_retry_delay_milliseconds,
            previous => previous.saturating_add(previous),
        };
        self.delay_milliseconds = next;
        next.saturating_add(self.rng.up_to(messaging.jitter.of(next)))
    }

    fn attempt(&mut self, at: Instant) -> RetryStep {
        self.attempts = self.attempts.saturating_add(1);
        self.gateway = self.round.as_mut().and_then(|(round, _)| match round.next_dial() {
            NextDial::Gateway(gateway) => Some(gateway),
            NextDial::RoundOver | NextDial::NoneLeft => None,
        });
        RetryStep::Attempt { at, gateway: self.gateway }
    }

    const fn error(&self, now: Instant, code: ErrorCode) -> OperationError {
        OperationError {
            code,
            completion: self.known,
            attempts: self.attempts,
            elapsed_milliseconds: now.since(self.made_at),
            gateway: self.gateway,
            last_failure: self.last_failure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AttemptFailure, Retry, RetryStep};
    use crate::policy::{Completion, ErrorCode, Instant, OperationError, Ratio, Redo, Settings};
    use alloc::vec::Vec;

    /// Fails every attempt at once; says when each was made and where, and how it ended.
    fn play(
        redo: Redo,
        gateways: u32,
        failure: AttemptFailure,
        configure: impl Fn(&mut Settings),
    ) -> (Vec<(u64, Option<u32>)>, OperationError) {
        let mut settings = Settings::default();
        settings.connection.jitter = Ratio::ZERO;
        settings.connection.shuffle_addresses = false;
        configure(&mut settings);
        let mut retry = Retry::new(Instant::default(), redo, settings, gateways, 1);
        let (mut step, mut made) = (retry.start(), Vec::new());
        loop {
            match step {
                RetryStep::Fail(error) => return (made, error),
                RetryStep::Attempt { at, gateway } => {
                    made.push((at.as_milliseconds(), gateway.map(|gateway| gateway.position())));
                    step = retry.fail(at, failure);
                }
            }
        }
    }

    #[test]
    fn gateways_are_tried_one_after_the_other_with_one_wait_a_round() {
        let (made, error) = play(Redo::Redoable, 2, AttemptFailure::Unknown, |settings| {
            settings.messaging.retry_timeout_seconds = 2;
        });
        let expected: Vec<_> = [(0, 0), (0, 1), (250, 0), (250, 1), (750, 0), (750, 1)]
            .into_iter()
            .chain([(1_750, 0), (1_750, 1), (2_000, 0)])
            .map(|(at, gateway)| (at, Some(gateway)))
            .collect();
        assert_eq!(made, expected, "the last one starts at the limit");
        assert_eq!((error.code, error.completion), (ErrorCode::RetryTimeout, Completion::Maybe));
        assert_eq!(error.attempts, 9);
    }

    #[test]
    fn without_gateways_the_delays_are_those_of_operations() {
        let (made, _) = play(Redo::Redoable, 0, AttemptFailure::Unknown, |_| {});
        let at: Vec<u64> = made.iter().map(|&(at, _)| at).collect();
        assert_eq!(at, [0, 0, 0, 0, 0, 1_000, 3_000, 7_000, 15_000, 31_000, 63_000, 120_000]);
    }

    #[test]
    fn what_may_not_be_redone_is_tried_once_unless_it_was_not_performed() {
        let (made, error) = play(Redo::Once, 2, AttemptFailure::Unknown, |_| {});
        assert_eq!((made.len(), error.code), (1, ErrorCode::ConnectionLost));
        assert_eq!(error.completion, Completion::Maybe);
        let busy = AttemptFailure::Retryable { after_milliseconds: 0 };
        let (made, error) = play(Redo::Once, 0, busy, |_| {});
        assert_eq!((made.len(), error.code), (12, ErrorCode::RetryTimeout));
        assert_eq!(error.completion, Completion::No);
    }

    #[test]
    fn a_retry_after_is_a_floor_and_beyond_the_limit_the_end() {
        let after = |after_milliseconds| AttemptFailure::Retryable { after_milliseconds };
        let (made, _) = play(Redo::Once, 0, after(50_000), |_| {});
        assert_eq!(made.iter().map(|&(at, _)| at).collect::<Vec<_>>(), [0, 50_000, 100_000]);
        let (made, error) = play(Redo::Once, 0, after(120_000), |_| {});
        assert_eq!((made.len(), error.code), (2, ErrorCode::RetryTimeout), "at the limit itself");
        let (made, error) = play(Redo::Once, 0, after(120_001), |_| {});
        assert_eq!((made.len(), error.code), (1, ErrorCode::RetryTimeout));
        let (made, error) = play(Redo::Redoable, 0, AttemptFailure::Unknown, |settings| {
            settings.messaging.retry_timeout_seconds = 0;
        });
        assert_eq!((made.len(), error.code), (1, ErrorCode::ConnectionLost));
    }
}
