//! One operation: what is asked for, and the future of its outcome.

use alloc::{boxed::Box, rc::Rc, string::String};
use core::{
    fmt,
    future::{Future, IntoFuture},
    marker::PhantomData,
    pin::Pin,
    task::{Context, Poll},
};

use serde::{Serialize, de::DeserializeOwned};

use super::{
    Error,
    exchange::{Outcome, Pending},
    json_rpc::Request,
    shared::Shared,
    slot::Slot,
};
use crate::policy::{Binding, Call, Completion, MessagingSettings, OperationId, Redo};

/// An operation before it begins: await it, or say more of it first.
///
/// # Example
///
/// ```
/// # async fn get(client: regate::Client) -> Result<(), regate::Error> {
/// let value: Option<String> =
///     client.invoke("map.get", ["key"]).read_only().timeout_milliseconds(5_000).await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "an operation begins when it is awaited"]
pub struct Invoke<R> {
    shared: Rc<Shared>,
    request: Result<Request, String>,
    call: Call,
    result: PhantomData<fn() -> R>,
}

impl<R: DeserializeOwned> Invoke<R> {
    pub(super) fn new(
        shared: Rc<Shared>,
        binding: Binding,
        method: &str,
        params: impl Serialize,
    ) -> Self {
        let redo = if shared.redoes_operations() { Redo::Redoable } else { Redo::Once };
        let call = Call { binding, redo, ..Call::once() };
        let request = Request::new(method, &params);
        Self { shared, request, call, result: PhantomData }
    }

    /// It reads only, so it may be run again.
    pub fn read_only(self) -> Self {
        self.redoable(true)
    }

    /// Whether it may be run again although it may have been performed: else as the client has it.
    pub fn redoable(mut self, redoable: bool) -> Self {
        self.call.redo = if redoable { Redo::Redoable } else { Redo::Once };
        self
    }

    /// It is never sent on another connection than the one that there is when it begins.
    pub fn bound_to_connection(mut self) -> Self {
        if self.call.binding == Binding::Anywhere {
            self.call.binding = Binding::Connection;
        }
        self
    }

    /// It fails with `TIMEOUT` when it takes longer in all.
    pub fn timeout_milliseconds(mut self, milliseconds: u64) -> Self {
        self.call.timeout_milliseconds = Some(milliseconds);
        self
    }

    /// With settings of its own in the place of the client's.
    pub fn messaging(mut self, settings: MessagingSettings) -> Self {
        self.call.messaging = Some(Box::new(settings));
        self
    }

    /// With a key that stays the same over its attempts: a gateway that remembers keys makes
    /// running it again exactly-once.
    pub fn operation_key(mut self, key: &str) -> Self {
        self.request = self.request.and_then(|request| request.with_operation_key(key));
        self
    }
}

impl<R: DeserializeOwned> IntoFuture for Invoke<R> {
    type Output = Result<R, Error>;
    type IntoFuture = Operation<R>;

    fn into_future(self) -> Operation<R> {
        let Self { shared, request, call, result } = self;
        let slot = Rc::new(Slot::default());
        Operation { shared, slot, stage: Stage::Fresh(request, call), result }
    }
}

/// The future of an operation's outcome. Dropping it gives the operation up.
#[must_use = "an operation begins when it is awaited"]
pub struct Operation<R> {
    shared: Rc<Shared>,
    slot: Rc<Slot<Outcome>>,
    stage: Stage,
    result: PhantomData<fn() -> R>,
}

enum Stage {
    Fresh(Result<Request, String>, Call),
    Begun(OperationId),
    Over(Completion),
}

impl<R> Operation<R> {
    /// Gives the operation up, and says whether it may have been performed.
    pub fn abort(mut self) -> Completion {
        self.give_up()
    }

    fn give_up(&mut self) -> Completion {
        let completion = match self.stage {
            Stage::Fresh(..) => Completion::No,
            Stage::Over(completion) => completion,
            Stage::Begun(operation) => {
                self.shared.abort(operation); // which settles it, if it was not
                match self.slot.take() {
                    Some(Ok(_)) => Completion::Yes,
                    Some(Err(error)) => error.completion(),
                    None => Completion::Maybe,
                }
            }
        };
        self.stage = Stage::Over(completion);
        completion
    }
}

impl<R: DeserializeOwned> Future for Operation<R> {
    type Output = Result<R, Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<R, Error>> {
        let this = self.get_mut();
        if let Stage::Fresh(request, call) = &mut this.stage {
            let call = core::mem::replace(call, Call::once());
            match core::mem::replace(request, Err(String::new())) {
                Ok(request) => {
                    let pending = Pending::of_caller(request, Rc::clone(&this.slot));
                    this.stage = Stage::Begun(this.shared.begin(pending, call));
                }
                Err(why) => {
                    this.stage = Stage::Over(Completion::No);
                    return Poll::Ready(Err(Error::of_request(why)));
                }
            }
        }
        let Poll::Ready(outcome) = this.slot.poll(context) else { return Poll::Pending };
        let outcome = outcome.and_then(|told| this.shared.read(told));
        this.stage =
            Stage::Over(outcome.as_ref().map_or_else(Error::completion, |_| Completion::Yes));
        Poll::Ready(outcome)
    }
}

impl<R> Drop for Operation<R> {
    fn drop(&mut self) {
        self.give_up();
    }
}

impl<R> fmt::Debug for Invoke<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Invoke").field("call", &self.call).finish_non_exhaustive()
    }
}

impl<R> fmt::Debug for Operation<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operation").finish_non_exhaustive()
    }
}
