//! What is on its way, in the order in which it will be.

use std::{cmp::Ordering, collections::BinaryHeap};

use regate::policy::Answer;

use crate::scenario::{EventKind, WakeSignal};

/// A frame of an operation, on its way to a gateway.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) socket: u64,
    pub(crate) attempt: u64,
    /// Which of the operation's attempts, counted from 1.
    pub(crate) number: u32,
    /// Which operation, by its place in the scenario.
    pub(crate) operation: usize,
}

/// What the client hears, or is told by its application.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Heard {
    Answered {
        socket: u64,
        attempt: u64,
        answer: Answer,
    },
    Asked(EventKind),
    Closed {
        socket: u64,
        code: u16,
    },
    Invoked(usize),
    /// The list that was asked for.
    Listed,
    Opened {
        socket: u64,
    },
    Woken,
}

/// What will be at a set time.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Happening {
    Arrived(Frame),
    Awoke(WakeSignal),
    /// A fault begins or ends.
    Changed,
    Heard(Heard),
    Struck(EventKind),
    TokenExpired {
        socket: u64,
    },
}

/// An entry of the queue: the earliest is the greatest, and of those the one that was made first.
#[derive(Clone, Copy, Debug)]
struct Entry {
    at: u64,
    sequence: u64,
    happening: Happening,
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.sequence).cmp(&(self.at, self.sequence))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.sequence == other.sequence
    }
}

impl Eq for Entry {}

/// What will be, by time, and by the order of its making where the time is the same.
#[derive(Debug, Default)]
pub(crate) struct Coming {
    queue: BinaryHeap<Entry>,
    sequence: u64,
}

impl Coming {
    pub(crate) fn push(&mut self, at: u64, happening: Happening) {
        self.sequence += 1;
        self.queue.push(Entry { at, sequence: self.sequence, happening });
    }

    pub(crate) fn hear(&mut self, at: u64, heard: Heard) {
        self.push(at, Happening::Heard(heard));
    }

    pub(crate) fn next_at(&self) -> Option<u64> {
        self.queue.peek().map(|entry| entry.at)
    }

    pub(crate) fn pop(&mut self, now: u64) -> Option<Happening> {
        self.queue.peek().filter(|entry| entry.at <= now)?;
        self.queue.pop().map(|entry| entry.happening)
    }
}
