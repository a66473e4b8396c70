//! What is asked and answered: payloads, which the core knows by number only.

use alloc::{collections::BTreeMap, rc::Rc, string::String, vec::Vec};

use wasm_bindgen::JsValue;

use super::{
    Error,
    json_rpc::{self, Kind, Request},
    slot::Slot,
    subscription::Feed,
};
use crate::{
    policy::{AttemptId, Cause, ErrorCode, GatewayIndex, Instant, OperationError, OperationId},
    web::clock,
};

/// How many subscriptions that were given up before their answer are remembered.
const MOST_LEFT: usize = 1_000;

/// A value that a gateway told, and what an error of it would say.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) value: JsValue,
    pub(super) gateway: Option<GatewayIndex>,
    pub(super) attempts: u32,
    pub(super) elapsed_milliseconds: u64,
}

/// The value of a result, or why there is none.
pub(super) type Outcome = Result<Told, Error>;

/// Who wants to know what becomes of an operation.
#[derive(Debug)]
enum Owner {
    Caller(Rc<Slot<Outcome>>),
    Nobody,
    Subscriber(Rc<Feed>),
}

/// An operation that is not settled.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) request: Request,
    owner: Owner,
    /// The attempt that was written last, and the message that answered one last.
    attempt: Option<AttemptId>,
    answer: Option<JsValue>,
    gateway: Option<GatewayIndex>,
    attempts: u32,
    began_at: Instant,
}

impl Pending {
    fn new(request: Request, owner: Owner) -> Self {
        Self {
            request,
            owner,
            attempt: None,
            answer: None,
            gateway: None,
            attempts: 0,
            began_at: clock::now(),
        }
    }

    pub(super) fn of_caller(request: Request, slot: Rc<Slot<Outcome>>) -> Self {
        Self::new(request, Owner::Caller(slot))
    }

    pub(super) fn of_nobody(request: Request) -> Self {
        Self::new(request, Owner::Nobody)
    }

    pub(super) fn of_subscriber(request: Request, feed: Rc<Feed>) -> Self {
        Self::new(request, Owner::Subscriber(feed))
    }

    fn told(&self, value: JsValue, gateway: Option<GatewayIndex>) -> Told {
        let elapsed_milliseconds = clock::now().since(self.began_at);
        Told { value, gateway, attempts: self.attempts, elapsed_milliseconds }
    }

    /// Tells its owner how it ended; `failures` are asked for where the client gave up.
    pub(super) fn settle(
        self,
        outcome: Result<(), OperationError>,
        gateway: Option<String>,
        failures: impl Fn() -> Vec<(String, Cause)>,
    ) {
        let outcome = outcome.map_err(|failed| {
            let error = Error::of_operation(&failed, gateway, self.answer.as_ref());
            let gave_up = matches!(failed.code, ErrorCode::ConnectTimeout | ErrorCode::NoGateway);
            if gave_up { error.with_failures(failures()) } else { error }
        });
        match (&self.owner, outcome) {
            (Owner::Caller(slot), Ok(())) => {
                let result = self.answer.as_ref().map(|answer| json_rpc::get(answer, "result"));
                slot.settle(Ok(self.told(result.unwrap_or_default(), self.gateway)));
            }
            (Owner::Caller(slot), Err(error)) => slot.settle(Err(error)),
            (Owner::Subscriber(feed), Err(error)) => feed.fail(error),
            (Owner::Subscriber(_), Ok(())) | (Owner::Nobody, _) => {}
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Exchange {
    operations: BTreeMap<OperationId, Pending>,
    /// By the ids of their frames: subscriptions that were given up before their answer, and the
    /// method that gives them up.
    left: BTreeMap<AttemptId, String>,
    pub(super) notifications: u64,
    pub(super) protocol_errors: u64,
}

impl Exchange {
    pub(super) fn add(&mut self, operation: OperationId, pending: Pending) {
        self.operations.insert(operation, pending);
    }

    pub(super) fn remove(&mut self, operation: OperationId) -> Option<Pending> {
        self.operations.remove(&operation)
    }

    pub(super) fn frame(&mut self, operation: OperationId, attempt: AttemptId) -> Option<String> {
        let pending = self.operations.get_mut(&operation)?;
        pending.attempt = Some(attempt);
        pending.attempts = pending.attempts.saturating_add(1);
        Some(pending.request.frame(attempt))
    }

    /// Keeps a message of this gateway until it is known what comes of it.
    pub(super) fn answer(
        &mut self,
        operation: OperationId,
        message: &JsValue,
        gateway: Option<GatewayIndex>,
    ) {
        if let Some(pending) = self.operations.get_mut(&operation) {
            pending.answer = Some(message.clone());
            pending.gateway = gateway;
        }
    }

    /// A subscription was answered.
    pub(super) fn begin(&self, operation: OperationId, resumed: bool) {
        let Some(pending) = self.operations.get(&operation) else { return };
        if let (Owner::Subscriber(feed), Some(answer)) = (&pending.owner, &pending.answer) {
            feed.begin(json_rpc::get(answer, "result"), resumed);
        }
    }

    /// The connection is lost: subscriptions hear nothing until they are issued again.
    pub(super) fn pause(&mut self) {
        self.left.clear();
        self.subscribers().for_each(|(feed, _)| feed.pause());
    }

    fn subscribers(&self) -> impl Iterator<Item = (&Rc<Feed>, &Pending)> {
        self.operations.values().filter_map(|pending| match &pending.owner {
            Owner::Subscriber(feed) => Some((feed, pending)),
            Owner::Caller(_) | Owner::Nobody => None,
        })
    }

    /// A message of this gateway that is no answer came. Says whom to tell what.
    pub(super) fn hear(
        &mut self,
        message: &JsValue,
        gateway: Option<GatewayIndex>,
    ) -> Option<(Rc<Feed>, Told)> {
        if !matches!(json_rpc::kind_of(message), Kind::Notification) {
            self.count_protocol_error();
            return None;
        }
        self.notifications = self.notifications.saturating_add(1);
        let params = json_rpc::get(message, "params");
        let name = json_rpc::get(&params, "subscription");
        let (feed, pending) = self.subscribers().find(|(feed, _)| feed.is_named(&name))?;
        Some((Rc::clone(feed), pending.told(json_rpc::get(&params, "result"), gateway)))
    }

    pub(super) fn count_protocol_error(&mut self) {
        self.protocol_errors = self.protocol_errors.saturating_add(1);
    }

    pub(super) fn leave_when_named(&mut self, operation: OperationId, method: String) {
        let attempt = self.operations.get(&operation).and_then(|pending| pending.attempt);
        let Some(attempt) = attempt else { return };
        if self.left.len() >= MOST_LEFT {
            self.left.pop_first();
        }
        self.left.insert(attempt, method);
    }

    pub(super) fn take_left(&mut self, attempt: AttemptId) -> Option<String> {
        self.left.remove(&attempt)
    }
}
