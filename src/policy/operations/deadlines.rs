//! The deadlines of many operations, the next one first.

use alloc::collections::BinaryHeap;
use core::cmp::Reverse;

use super::table::Slot;
use crate::policy::Instant;

/// Deadlines by time. One that no longer counts is left where it is until it comes due or until
/// such ones outnumber the others: most operations are answered long before their deadline, and
/// taking each out of the heap would cost more than all the rest.
#[derive(Debug, Default)]
pub(super) struct Deadlines {
    heap: BinaryHeap<Reverse<(Instant, Slot)>>,
}

/// How many deadlines may be left over beside twice those that count.
const LEFT_OVER: usize = 64;

/// Room for how many deadlines is kept while there is no operation.
const MOST_IDLE: usize = 1_024;

impl Deadlines {
    pub(super) const fn new() -> Self {
        Self { heap: BinaryHeap::new() }
    }

    pub(super) fn push(&mut self, at: Instant, slot: Slot) {
        self.heap.push(Reverse((at, slot)));
    }

    /// The next deadline; it may turn out to be one that no longer counts.
    pub(super) fn next_at(&self) -> Option<Instant> {
        self.heap.peek().map(|&Reverse((at, _))| at)
    }

    /// Takes out the next deadline that is due.
    pub(super) fn pop_due(&mut self, now: Instant) -> Option<(Instant, Slot)> {
        if self.next_at()? > now {
            return None;
        }
        self.heap.pop().map(|Reverse(due)| due)
    }

    /// Drops those that no longer count where there are many; `live` operations may have some.
    pub(super) fn tidy(&mut self, live: usize, counts: impl Fn(Instant, Slot) -> bool) {
        if live == 0 && self.heap.capacity() > MOST_IDLE {
            self.heap = BinaryHeap::new(); // nothing is kept of a burst that is over
        } else if live == 0 {
            self.heap.clear();
        } else if self.heap.len() > live.saturating_mul(2).saturating_add(LEFT_OVER) {
            self.heap.retain(|&Reverse((at, slot))| counts(at, slot));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Deadlines, LEFT_OVER, MOST_IDLE};
    use crate::policy::{Instant, operations::table::Store};
    use alloc::collections::BinaryHeap;

    /// So many deadlines, at 1 ms, 2 ms and so on, in a heap with room for `room` of them.
    fn deadlines(count: usize, room: usize) -> Deadlines {
        let slot = Store::new().insert(()).unwrap();
        let mut deadlines = Deadlines { heap: BinaryHeap::with_capacity(room) };
        for at in 1..=u64::try_from(count).unwrap() {
            deadlines.push(Instant::from_milliseconds(at), slot);
        }
        deadlines
    }

    #[test]
    fn without_operations_nothing_is_kept_but_room_for_a_few() {
        for (room, kept) in [(MOST_IDLE, MOST_IDLE), (MOST_IDLE + 1, 0)] {
            let mut deadlines = deadlines(5, room);
            deadlines.tidy(0, |_, _| true);
            assert_eq!((deadlines.next_at(), deadlines.heap.capacity()), (None, kept));
        }
    }

    #[test]
    fn with_operations_only_those_that_do_not_count_are_dropped_and_only_when_they_are_many() {
        for (live, count, kept) in [
            (1, LEFT_OVER + 2, LEFT_OVER + 2),
            (1, LEFT_OVER + 3, 1),
            (10, LEFT_OVER + 20, LEFT_OVER + 20),
            (10, LEFT_OVER + 21, 1),
            (MOST_IDLE, MOST_IDLE * 2, MOST_IDLE * 2),
        ] {
            let mut deadlines = deadlines(count, count);
            let last = Instant::from_milliseconds(u64::try_from(count).unwrap());
            deadlines.tidy(live, |at, _| at == last);
            assert_eq!(deadlines.heap.len(), kept, "{live} operations and {count} deadlines");
        }
    }
}
