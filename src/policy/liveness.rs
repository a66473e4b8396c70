//! Whether the line is alive: the heartbeat, and the read schedule while an answer is owed.
//!
//! A browser cannot send protocol pings, and a line can be dead for minutes before anything says
//! so. So a message of the gateway's own protocol is sent when nothing was heard for a while;
//! whatever comes back is life.

use super::{Instant, Schedule, TcpTimeouts};

/// How late a timer may be before it says more about this machine than about the line.
const LATE_MILLISECONDS: u64 = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// No socket, or nothing may be asked on it.
    Off,
    /// Something was heard lately. `ping_at` is when that will be too long ago.
    Heard { ping_at: Instant },
    /// A ping is unanswered; at `until` this wait is over, and the next one begins or the end is.
    Owed { schedule: Schedule, wait: u64, until: Instant, grace: Grace },
    /// The schedule is spent. One last look at what the platform still has to send.
    Spent { since: Instant },
}

/// Whether one late timer was forgiven already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grace {
    Given,
    Left,
}

/// What to do about the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LivenessOutput {
    /// Send a ping.
    Ping,
    /// See whether the platform has sent anything since.
    Measure,
    /// The line is dead.
    Dead,
}

#[derive(Debug)]
pub(super) struct Liveness {
    period_milliseconds: u64,
    read_timeouts: TcpTimeouts,
    state: State,
    heard_at: Instant,
}

impl Liveness {
    /// A period of 0 asks for nothing, ever.
    pub(super) fn new(period_milliseconds: u64, read_timeouts: TcpTimeouts) -> Self {
        let heard_at = Instant::default();
        Self { period_milliseconds, read_timeouts, state: State::Off, heard_at }
    }

    pub(super) fn opened(&mut self, now: Instant) {
        self.heard(now);
        if self.period_milliseconds > 0 {
            self.state = State::Heard { ping_at: now.after(self.period_milliseconds) };
        }
    }

    /// State of one socket never carries over to the next.
    pub(super) fn ended(&mut self) {
        self.state = State::Off;
    }

    /// Anything came, or left: the line is alive. Called for each message, so it does no more.
    pub(super) fn heard(&mut self, now: Instant) {
        self.heard_at = self.heard_at.max(now);
        if self.owes_an_answer() {
            self.state = State::Heard { ping_at: self.heard_at.after(self.period_milliseconds) };
        }
    }

    /// Whether a ping was sent, and nothing came since.
    pub(super) const fn owes_an_answer(&self) -> bool {
        matches!(self.state, State::Owed { .. } | State::Spent { .. })
    }

    /// There is reason to doubt the line: pings at once, unless an answer is owed already.
    pub(super) fn probe(&mut self, now: Instant) -> Option<LivenessOutput> {
        matches!(self.state, State::Heard { .. }).then(|| self.ping(now))
    }

    pub(super) fn poll_timeout(&self) -> Option<Instant> {
        match self.state {
            State::Off => None,
            State::Heard { ping_at: at }
            | State::Owed { until: at, .. }
            | State::Spent { since: at } => Some(at),
        }
    }

    pub(super) fn handle_timeout(&mut self, now: Instant) -> Option<LivenessOutput> {
        let due_at = self.poll_timeout().filter(|&at| at <= now)?;
        match self.state {
            State::Off => None,
            State::Heard { .. } => {
                let ping_at = self.heard_at.after(self.period_milliseconds);
                if ping_at > now {
                    self.state = State::Heard { ping_at };
                    return None;
                }
                Some(self.ping(now))
            }
            State::Owed { schedule, wait, grace: Grace::Left, .. }
                if now.since(due_at) > LATE_MILLISECONDS =>
            {
                // Asleep, or throttled: what came meanwhile may be waiting behind this timer.
                let until = now.after(wait);
                self.state = State::Owed { schedule, wait, until, grace: Grace::Given };
                Some(LivenessOutput::Ping)
            }
            State::Owed { mut schedule, grace, .. } => match schedule.next_wait() {
                Some(wait) => {
                    self.state = State::Owed { schedule, wait, until: now.after(wait), grace };
                    Some(LivenessOutput::Ping)
                }
                None => {
                    self.state = State::Spent { since: now };
                    Some(LivenessOutput::Measure)
                }
            },
            State::Spent { .. } => {
                self.state = State::Off;
                Some(LivenessOutput::Dead)
            }
        }
    }

    fn ping(&mut self, now: Instant) -> LivenessOutput {
        let mut schedule = Schedule::new(self.read_timeouts);
        let wait = schedule.next_wait().unwrap_or(0);
        let until = now.after(wait);
        self.state = State::Owed { schedule, wait, until, grace: Grace::Left };
        LivenessOutput::Ping
    }
}

#[cfg(test)]
mod tests {
    use super::{Liveness, LivenessOutput};
    use crate::policy::{Instant, TcpTimeouts};
    use alloc::vec::Vec;

    fn at(milliseconds: u64) -> Instant {
        Instant::from_milliseconds(milliseconds)
    }

    /// Plays until nothing is due or the line is dead; says what was done when.
    fn play(liveness: &mut Liveness, most: usize) -> Vec<(u64, LivenessOutput)> {
        let mut done = Vec::new();
        while let Some(due) = liveness.poll_timeout() {
            if done.len() == most {
                break;
            }
            done.extend(liveness.handle_timeout(due).map(|output| (due.as_milliseconds(), output)));
        }
        done
    }

    #[test]
    fn silence_is_pinged_through_the_read_schedule_and_then_dead() {
        use LivenessOutput::{Dead, Measure, Ping};
        let mut liveness = Liveness::new(15_000, TcpTimeouts::READ);
        liveness.opened(at(0));
        assert_eq!(
            play(&mut liveness, 9),
            [(15_000, Ping), (17_000, Ping), (19_400, Ping), (22_280, Measure), (22_280, Dead)]
        );
    }

    /// B089: whatever comes is life, and the period is kept.
    #[test]
    fn anything_heard_puts_the_ping_off() {
        let mut liveness = Liveness::new(700, TcpTimeouts::READ);
        liveness.opened(at(0));
        for now in (300..6_000).step_by(300) {
            liveness.heard(at(now));
            assert_eq!(liveness.handle_timeout(at(now)), None);
        }
        let mut liveness = Liveness::new(700, TcpTimeouts::READ);
        liveness.opened(at(0));
        for now in [700, 1_400, 2_100] {
            assert_eq!(liveness.handle_timeout(at(now)), Some(LivenessOutput::Ping));
            liveness.heard(at(now));
        }
    }

    #[test]
    fn one_late_timer_is_forgiven_and_no_second_one() {
        use LivenessOutput::{Dead, Measure, Ping};
        let mut liveness = Liveness::new(1_000, "500:500:1".parse().unwrap());
        liveness.opened(at(0));
        assert_eq!(liveness.handle_timeout(at(3_600_000)), Some(Ping));
        assert_eq!(liveness.handle_timeout(at(3_660_000)), Some(Ping), "an hour of sleep");
        assert_eq!(liveness.handle_timeout(at(3_720_000)), Some(Measure));
        assert_eq!(liveness.handle_timeout(at(3_720_000)), Some(Dead));
    }

    #[test]
    fn a_probe_pings_at_once_and_only_once() {
        let mut liveness = Liveness::new(15_000, TcpTimeouts::READ);
        assert_eq!(liveness.probe(at(0)), None, "no socket");
        liveness.opened(at(0));
        assert_eq!(liveness.probe(at(5)), Some(LivenessOutput::Ping));
        assert_eq!(liveness.probe(at(6)), None);
        liveness.heard(at(7));
        assert_eq!(liveness.poll_timeout(), Some(at(15_007)));
        let mut off = Liveness::new(0, TcpTimeouts::READ);
        off.opened(at(0));
        assert_eq!((off.probe(at(1)), off.poll_timeout()), (None, None));
    }
}
