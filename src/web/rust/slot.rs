//! What is waited for, and who waits. Nothing is borrowed while a waker runs.

use alloc::collections::VecDeque;
use core::{
    cell::{Cell, RefCell},
    task::{Context, Poll, Waker},
};

/// The place of one value that comes once.
#[derive(Debug)]
pub(super) struct Slot<T> {
    value: RefCell<Option<T>>,
    waker: RefCell<Option<Waker>>,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self { value: RefCell::new(None), waker: RefCell::new(None) }
    }
}

impl<T> Slot<T> {
    pub(super) fn settle(&self, value: T) {
        *self.value.borrow_mut() = Some(value);
        wake(&self.waker);
    }

    pub(super) fn take(&self) -> Option<T> {
        self.value.borrow_mut().take()
    }

    pub(super) fn poll(&self, context: &Context<'_>) -> Poll<T> {
        match self.take() {
            Some(value) => Poll::Ready(value),
            None => wait(&self.waker, context),
        }
    }
}

/// A line of values for one reader. Of more than it holds, the oldest is dropped and counted.
#[derive(Debug)]
pub(super) struct Queue<T> {
    values: RefCell<VecDeque<T>>,
    most: usize,
    missed: Cell<u64>,
    over: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

impl<T> Queue<T> {
    pub(super) const fn of_at_most(most: usize) -> Self {
        Self {
            values: RefCell::new(VecDeque::new()),
            most,
            missed: Cell::new(0),
            over: Cell::new(false),
            waker: RefCell::new(None),
        }
    }

    pub(super) fn push(&self, value: T) {
        if self.over.get() {
            return;
        }
        let mut values = self.values.borrow_mut();
        if values.len() >= self.most {
            values.pop_front();
            self.missed.set(self.missed.get().saturating_add(1));
        }
        values.push_back(value);
        drop(values);
        wake(&self.waker);
    }

    /// Nothing more will come.
    pub(super) fn end(&self) {
        self.over.set(true);
        wake(&self.waker);
    }

    pub(super) const fn missed(&self) -> u64 {
        self.missed.get()
    }

    pub(super) fn poll(&self, context: &Context<'_>) -> Poll<Option<T>> {
        let next = self.values.borrow_mut().pop_front();
        match next {
            Some(value) => Poll::Ready(Some(value)),
            None if self.over.get() => Poll::Ready(None),
            None => wait(&self.waker, context),
        }
    }
}

fn wake(waker: &RefCell<Option<Waker>>) {
    let waker = waker.borrow_mut().take();
    if let Some(waker) = waker {
        waker.wake();
    }
}

fn wait<T>(waker: &RefCell<Option<Waker>>, context: &Context<'_>) -> Poll<T> {
    let before = waker.borrow_mut().replace(context.waker().clone());
    drop(before); // after the borrow: dropping one may run code of the executor's
    Poll::Pending
}
