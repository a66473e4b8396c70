//! What happens, as a stream.

use alloc::{
    rc::{Rc, Weak},
    vec::Vec,
};
use core::{
    cell::RefCell,
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll},
};

use futures_core::Stream;

use super::slot::Queue;
use crate::policy::Notice;

/// How many notices wait for a reader that is slow.
const MOST_NOTICES: usize = 1_000;

/// What happens to a client, for whoever wants to know: see [`Notice`].
///
/// Of more than 1,000 that were not read yet the oldest are dropped. It ends when the client is
/// gone. What becomes of operations is told to their callers alone.
///
/// # Example
///
/// ```
/// # async fn watch(client: regate::Client) {
/// use regate::policy::Notice;
///
/// let mut notices = client.notices();
/// while let Some(notice) = notices.next().await {
///     if let Notice::StateChanged { from, to, .. } = notice {
///         println!("{} -> {}", from.as_str(), to.as_str());
///     }
/// }
/// # }
/// ```
#[derive(Debug)]
#[must_use = "a stream does nothing unless it is read"]
pub struct Notices(Rc<Queue<Notice>>);

impl Notices {
    /// The next notice; `None` when the client is gone.
    pub async fn next(&mut self) -> Option<Notice> {
        poll_fn(|context| self.0.poll(context)).await
    }
}

impl Stream for Notices {
    type Item = Notice;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Notice>> {
        self.0.poll(context)
    }
}

/// Those who listen.
#[derive(Debug, Default)]
pub(super) struct Hub(RefCell<Vec<Weak<Queue<Notice>>>>);

impl Hub {
    pub(super) fn listen(&self) -> Notices {
        let queue = Rc::new(Queue::of_at_most(MOST_NOTICES));
        self.0.borrow_mut().push(Rc::downgrade(&queue));
        Notices(queue)
    }

    pub(super) fn tell(&self, notice: &Notice) {
        self.0.borrow_mut().retain(|queue| queue.strong_count() > 0);
        for queue in self.listening() {
            queue.push(notice.clone());
        }
    }

    fn listening(&self) -> Vec<Rc<Queue<Notice>>> {
        self.0.borrow().iter().filter_map(Weak::upgrade).collect()
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        for queue in self.listening() {
            queue.end();
        }
    }
}
