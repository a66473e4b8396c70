//! What is to happen when: a timing wheel with a slot for each millisecond.

use std::mem;

/// Two minutes and a little: longer than any wait, limit or latency here.
const SLOTS: usize = 1 << 17;

/// A queue of `T`s by time. What is due in the same millisecond comes out in the order it went in.
///
/// Every step costs the same however much is queued; a heap of a million timers would not.
#[derive(Debug)]
pub(crate) struct Wheel<T> {
    slots: Vec<Vec<T>>,
    now: u64,
}

impl<T> Wheel<T> {
    /// An empty one, at time 0.
    #[must_use]
    pub(crate) fn new() -> Self {
        Self { slots: (0..SLOTS).map(|_| Vec::new()).collect(), now: 0 }
    }

    /// The time up to which it was turned.
    #[must_use]
    pub(crate) const fn now(&self) -> u64 {
        self.now
    }

    /// Queues `item` for the time `at`; for now, where that is past.
    /// Panics where `at` is a turn of the wheel away or more.
    pub(crate) fn push(&mut self, at: u64, item: T) {
        let at = at.max(self.now);
        assert!(at - self.now < SLOTS as u64, "{at} is further from {} than a turn", self.now);
        let slot = Self::slot(at);
        self.slots[slot].push(item);
    }

    /// What is due now. Asked again, it tells what was queued for now since: nothing, at the end.
    #[must_use]
    pub(crate) fn take_due(&mut self) -> Vec<T> {
        let slot = Self::slot(self.now);
        mem::take(&mut self.slots[slot])
    }

    /// Goes on to the next millisecond.
    /// Panics where something is due that was not taken.
    pub(crate) fn turn(&mut self) {
        assert!(self.slots[Self::slot(self.now)].is_empty(), "something is still due");
        self.now += 1;
    }

    /// Goes on to `until`, and hands out all that is queued, in its order, with its time.
    #[must_use]
    pub(crate) fn skip_to(&mut self, until: u64) -> Vec<(u64, T)> {
        let mut all = Vec::new();
        for at in self.now..self.now + SLOTS as u64 {
            all.extend(mem::take(&mut self.slots[Self::slot(at)]).into_iter().map(|it| (at, it)));
        }
        self.now = until;
        all
    }

    fn slot(at: u64) -> usize {
        usize::try_from(at % SLOTS as u64).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::Wheel;

    #[test]
    fn what_is_queued_comes_out_in_the_order_of_time_and_then_of_queueing() {
        let mut wheel = Wheel::new();
        for (at, item) in [(3, 'd'), (0, 'a'), (1, 'b'), (3, 'e'), (1, 'c'), (100_000, 'f')] {
            wheel.push(at, item);
        }
        let mut seen = Vec::new();
        for now in 0..2 {
            seen.extend(wheel.take_due().into_iter().map(|item| (now, item)));
            wheel.turn();
        }
        assert_eq!(seen, [(0, 'a'), (1, 'b'), (1, 'c')]);
        assert_eq!(wheel.skip_to(200_000), [(3, 'd'), (3, 'e'), (100_000, 'f')]);
        assert!(wheel.take_due().is_empty());
        assert_eq!(wheel.now(), 200_000);
    }

    #[test]
    fn what_is_past_is_due_now() {
        let mut wheel = Wheel::new();
        wheel.turn();
        wheel.push(0, 'a');
        assert_eq!(wheel.take_due(), ['a']);
        assert!(wheel.take_due().is_empty());
    }

    #[test]
    #[should_panic(expected = "further")]
    fn nothing_is_queued_a_turn_ahead() {
        Wheel::new().push(1 << 17, 'a');
    }
}
