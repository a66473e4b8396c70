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
