//! A subscription, as a stream of what it is told.

use alloc::{rc::Rc, string::String};
use core::{
    cell::{Cell, RefCell},
    fmt,
    future::poll_fn,
    marker::PhantomData,
    pin::Pin,
    task::{Context, Poll},
};

use futures_core::Stream;
use serde::de::DeserializeOwned;
use wasm_bindgen::JsValue;

use super::{
    Error,
    exchange::{Outcome, Pending, Told},
    json_rpc::Request,
    shared::Shared,
    slot::Queue,
};
use crate::policy::{Binding, Call, OperationId, Purpose};

/// How many messages wait for a reader that is slow.
const MOST_MESSAGES: usize = 10_000;

/// What the client and the subscription share.
#[derive(Debug)]
pub(super) struct Feed {
    queue: Queue<Outcome>,
    /// What the gateway that is connected calls it.
    name: RefCell<JsValue>,
    resumed: Cell<u32>,
}

impl Feed {
    fn new() -> Self {
        let queue = Queue::of_at_most(MOST_MESSAGES);
        Self { queue, name: RefCell::default(), resumed: Cell::default() }
    }

    pub(super) fn begin(&self, name: JsValue, resumed: bool) {
        self.name.replace(name);
        if resumed {
            self.resumed.set(self.resumed.get().saturating_add(1));
        }
    }

    pub(super) fn pause(&self) {
        self.name.replace(JsValue::UNDEFINED);
    }

    pub(super) fn is_named(&self, name: &JsValue) -> bool {
        !name.is_undefined() && *self.name.borrow() == *name
    }

    pub(super) fn tell(&self, told: Told) {
        self.queue.push(Ok(told));
    }

    pub(super) fn fail(&self, error: Error) {
        self.pause();
        self.queue.push(Err(error));
        self.queue.end();
    }
}

/// What a gateway tells again and again, read as `T`.
///
/// It is issued anew on every connection; [`resumed`](Self::resumed) says how often, as messages
/// may have been missed each time. A value that is no `T` is an error of its own, and the next
/// one comes. The last item is the error that ended it: a refusal, or the end of the client.
///
/// Of more than 10,000 messages that were not read yet the oldest are dropped; see
/// [`missed`](Self::missed). Dropping the subscription gives it up.
///
/// # Example
///
/// ```
/// # async fn watch(client: regate::Client) -> Result<(), regate::Error> {
/// let mut news = client.subscribe::<String>("topic.subscribe", ["news"])?;
/// while let Some(item) = news.next().await {
///     println!("{} (resumed {} times)", item?, news.resumed());
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "a subscription is given up when it is dropped"]
pub struct Subscription<T> {
    shared: Rc<Shared>,
    operation: OperationId,
    feed: Rc<Feed>,
    unsubscribe_method: Option<String>,
    value: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> Subscription<T> {
    pub(super) fn begin(shared: Rc<Shared>, method: &str, request: Request) -> Self {
        let feed = Rc::new(Feed::new());
        let pending = Pending::of_subscriber(request, Rc::clone(&feed));
        let operation = shared.begin(pending, Call::subscription());
        let unsubscribe_method = opposite_of(method);
        Self { shared, operation, feed, unsubscribe_method, value: PhantomData }
    }

    /// The next value; `None` when it is over.
    pub async fn next(&mut self) -> Option<Result<T, Error>> {
        poll_fn(|context| self.poll_value(context)).await
    }

    fn poll_value(&self, context: &Context<'_>) -> Poll<Option<Result<T, Error>>> {
        let value = self.feed.queue.poll(context);
        value.map(|value| value.map(|item| item.and_then(|told| self.shared.read(told))))
    }
}

impl<T> Subscription<T> {
    /// Whether a gateway has answered it on the connection that there is.
    #[must_use]
    pub fn is_live(&self) -> bool {
        !self.feed.name.borrow().is_undefined()
    }

    /// How often it was issued again after it had been live.
    #[must_use]
    pub fn resumed(&self) -> u32 {
        self.feed.resumed.get()
    }

    /// How many messages were dropped because they were not read in time.
    #[must_use]
    pub fn missed(&self) -> u64 {
        self.feed.queue.missed()
    }
}

impl<T: DeserializeOwned> Stream for Subscription<T> {
    type Item = Result<T, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_value(context)
    }
}

impl<T> Drop for Subscription<T> {
    fn drop(&mut self) {
        let name = self.feed.name.take();
        if let (Some(method), true) = (&self.unsubscribe_method, name.is_undefined()) {
            self.shared.leave_when_named(self.operation, method.clone());
        }
        self.shared.abort(self.operation);
        if let (Some(method), false) = (&self.unsubscribe_method, name.is_undefined()) {
            self.shared.leave(method, &name);
        }
    }
}

impl<T> fmt::Debug for Subscription<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription").finish_non_exhaustive()
    }
}

/// How a subscription is given up: the gateway that knows it is the one that is connected now.
pub(super) fn leaving() -> Call {
    Call { purpose: Purpose::Farewell, binding: Binding::Connection, ..Call::once() }
}

/// What the gateway is asked for when a subscription ends: the opposite of what began it.
fn opposite_of(method: &str) -> Option<String> {
    for (ending, opposite) in [("subscribe", "unsubscribe"), ("Subscribe", "Unsubscribe")] {
        if let Some(start) = method.strip_suffix(ending) {
            return Some(alloc::format!("{start}{opposite}"));
        }
    }
    None
}
