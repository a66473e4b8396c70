//! What the handles of a client share: the shell, and all that waits for it.

mod link;

use alloc::{
    rc::{Rc, Weak},
    string::String,
    vec::Vec,
};
use core::{
    cell::{Cell, RefCell},
    fmt,
    future::poll_fn,
};

use js_sys::{Array, Function, Math, Reflect, futures::spawn_local};
use serde::{Serialize, de::DeserializeOwned};
use wasm_bindgen::prelude::*;

use super::{
    Delivery, Error, ErrorKind, Gateway, Options, Stats,
    exchange::{Exchange, Pending, Told},
    json_rpc::{self, Kind, Request},
    notices::Hub,
    options::{CloseHook, ListHook, SessionHook, read_list},
    slot::Slot,
    wakes::Wakes,
};
use crate::{
    policy::{
        Call, Cause, ClientState, Event, GatewayIndex, Notice, OperationId, SocketId, StateReason,
    },
    web::{
        client::{Inner, Parts},
        gateways::{Gateway as Entry, LIST},
    },
};

pub(super) struct Shared {
    inner: Rc<Inner<Link>>,
    has_web_socket: bool,
    link: Link,
    exchange: RefCell<Exchange>,
    pub(super) hub: Hub,
    list: RefCell<Lister>,
    /// Which question for the list is the last one. Answers to others come too late.
    listings: Cell<u64>,
    session: Option<SessionHook>,
    close_policy: Option<CloseHook>,
    ping: Request,
    /// How often connecting began, and of how many of these beginnings the notice was taken.
    starts: Cell<u64>,
    told: Cell<u64>,
    readies: RefCell<Vec<Ready>>,
    ends: RefCell<Vec<Rc<Slot<()>>>>,
    wakes: RefCell<Option<Wakes>>,
    taking: Cell<bool>,
    messages: Cell<u64>,
}

/// Who waits for a connection, since which beginning.
struct Ready {
    start: u64,
    slot: Rc<Slot<Result<(), Error>>>,
}

/// Who says which gateways there are.
#[derive(Clone)]
enum Lister {
    Fixed(Vec<Entry>),
    Hook(ListHook),
}

/// What the shell holds of the client.
#[derive(Clone)]
struct Link(Weak<Shared>);

impl Shared {
    pub(super) fn make(options: Options) -> Result<Rc<Self>, Error> {
        let Options { gateways, mut settings, seed, constructor, ping_method, .. } = options;
        let hooks = &mut settings.connection.hooks;
        hooks.list = options.list.is_some();
        hooks.session = options.session.is_some();
        hooks.close_policy = options.close_policy.is_some();
        let gateways = if hooks.list { Vec::new() } else { read_list(&gateways)? };
        let constructor = constructor.or_else(platform_constructor);
        let parts = Parts {
            settings,
            gateways: gateways.clone(),
            constructor: constructor.clone().map_or(JsValue::UNDEFINED, JsValue::from),
            seed: seed.unwrap_or_else(|| Math::random().to_bits()),
        };
        let inner = Inner::make(parts);
        let ping = encode(&ping_method, &())?;
        Ok(Rc::new_cyclic(|weak| Self {
            inner,
            has_web_socket: constructor.is_some(),
            link: Link(weak.clone()),
            exchange: RefCell::default(),
            hub: Hub::default(),
            list: RefCell::new(options.list.map_or(Lister::Fixed(gateways), Lister::Hook)),
            listings: Cell::default(),
            session: options.session,
            close_policy: options.close_policy,
            ping,
            starts: Cell::default(),
            told: Cell::default(),
            readies: RefCell::default(),
            ends: RefCell::default(),
            wakes: RefCell::default(),
            taking: Cell::default(),
            messages: Cell::default(),
        }))
    }

    /// Feeds an event of the application, and takes what comes of it.
    pub(super) fn handle(&self, event: Event) {
        self.inner.handle(event);
        self.take_all();
    }

    pub(super) fn start(&self, event: Event) -> Result<(), Error> {
        if !self.has_web_socket {
            return Err(Error::new(ErrorKind::NoWebSocket));
        }
        let starts = matches!(self.state(), ClientState::Idle | ClientState::Closed);
        self.inner.attach(&self.link);
        if starts {
            self.starts.set(self.starts.get().saturating_add(1));
        }
        self.handle(event);
        if starts {
            // Not in this turn: connect and close in one turn open nothing.
            let link = self.link.clone();
            spawn_local(async move {
                link.with(|shared| {
                    shared.inner.handle_timeout();
                    shared.take_all();
                });
            });
        }
        Ok(())
    }

    pub(super) async fn connect(&self) -> Result<(), Error> {
        match self.state() {
            ClientState::Connected => return Ok(()),
            ClientState::Idle | ClientState::Closed => self.start(Event::ConnectRequested)?,
            ClientState::Connecting | ClientState::Reconnecting => {}
        }
        let slot = Rc::new(Slot::default());
        let ready = Ready { start: self.starts.get(), slot: Rc::clone(&slot) };
        self.readies.borrow_mut().push(ready);
        poll_fn(|context| slot.poll(context)).await
    }

    pub(super) async fn closed(&self) {
        if self.state() == ClientState::Closed {
            return;
        }
        let end = Rc::new(Slot::default());
        self.ends.borrow_mut().push(Rc::clone(&end));
        poll_fn(|context| end.poll(context)).await;
    }

    pub(super) fn set_gateways(&self, gateways: Vec<Gateway>) -> Result<(), Error> {
        let list = read_list(&gateways)?;
        let taken = self.inner.take_list(list.clone());
        *self.list.borrow_mut() = Lister::Fixed(list); // where a hook was asked, it says this now
        self.end_listing();
        self.handle(Event::GatewaysSet(taken));
        Ok(())
    }

    /// Begins an operation under the number that it gives to `pending`.
    pub(super) fn begin(&self, pending: Pending, mut call: Call) -> OperationId {
        call.bytes = pending.request.bytes();
        call.buffered_bytes = self.inner.buffered_bytes_before(call.bytes);
        let operation = self.inner.engine.borrow_mut().reserve_operation();
        self.exchange.borrow_mut().add(operation, pending);
        self.inner.attach(&self.link);
        self.handle(Event::Invoked { operation, call });
        operation
    }

    /// Gives an operation up. What it comes to is told as any other outcome.
    pub(super) fn abort(&self, operation: OperationId) {
        self.handle(Event::OperationAborted(operation));
    }

    /// Has a gateway that was asked already, and has not answered yet, told when it does.
    pub(super) fn leave_when_named(&self, operation: OperationId, method: String) {
        self.exchange.borrow_mut().leave_when_named(operation, method);
    }

    /// Sends a message without an answer on this socket, or on that of the connection.
    pub(super) fn notify(
        &self,
        method: &str,
        params: &impl Serialize,
        socket: Option<SocketId>,
    ) -> Result<Delivery, Error> {
        let frame = encode(method, params)?.notification();
        let bytes = u64::try_from(frame.len()).unwrap_or(u64::MAX);
        let sent = self.inner.notify(socket, bytes, &frame.into());
        if !sent {
            self.take_all();
        }
        Ok(if sent { Delivery::Sent } else { Delivery::Dropped })
    }

    pub(super) fn redoes_operations(&self) -> bool {
        self.inner.settings.redo_operations
    }

    pub(super) fn state(&self) -> ClientState {
        self.inner.engine.borrow().state()
    }

    pub(super) fn gateway(&self) -> Option<String> {
        let gateway = self.inner.engine.borrow().gateway()?;
        self.inner.gateways.borrow().url(gateway).as_string()
    }

    pub(super) fn label(&self, gateway: GatewayIndex) -> String {
        self.inner.label(gateway).as_string().unwrap_or_default()
    }

    pub(super) fn stats(&self) -> Stats {
        let engine = self.inner.engine.borrow();
        let exchange = self.exchange.borrow();
        Stats {
            state: engine.state(),
            dials: self.inner.dials.get(),
            messages_received: self.messages.get(),
            notifications: exchange.notifications,
            protocol_errors: exchange.protocol_errors,
            pending_operations: engine.pending_operations(),
            in_flight_operations: engine.in_flight_operations(),
            subscriptions: engine.subscriptions(),
            operations: *engine.operation_counts(),
        }
    }

    fn failures(&self) -> Vec<(String, Cause)> {
        let engine = self.inner.engine.borrow();
        let failures = engine.last_failures().iter();
        failures.map(|&(gateway, cause)| (self.label_or_list(gateway), cause)).collect()
    }

    fn label_or_list(&self, gateway: Option<GatewayIndex>) -> String {
        gateway.map_or_else(|| LIST.into(), |gateway| self.label(gateway))
    }

    /// Takes all notices. What a waker causes is taken by the loop that called it.
    fn take_all(&self) {
        if self.taking.replace(true) {
            return;
        }
        loop {
            let next = self.inner.notices.borrow_mut().pop_front(); // the borrow ends on this line
            let Some(notice) = next else { break };
            self.take(notice);
        }
        self.taking.set(false);
        self.inner.let_application_go();
    }

    fn take(&self, notice: Notice) {
        match notice {
            Notice::Settled { operation, outcome } => {
                let settled = self.exchange.borrow_mut().remove(operation);
                if let Some(pending) = settled {
                    let gateway = outcome.err().and_then(|error| error.gateway);
                    let gateway = gateway.map(|gateway| self.label(gateway));
                    pending.settle(outcome, gateway, || self.failures());
                }
            }
            Notice::Subscribed { operation, resumed } => {
                self.exchange.borrow().begin(operation, resumed);
            }
            Notice::StateChanged { from, to, reason, .. } => {
                self.change_state(from, to, reason);
                self.hub.tell(&notice);
            }
            Notice::WaitBegan { .. } => {
                self.end_listing();
                self.hub.tell(&notice);
            }
            Notice::Dialled { .. } | Notice::DialFailed { .. } | Notice::Logged(_) => {
                self.hub.tell(&notice);
            }
        }
    }

    fn change_state(&self, from: ClientState, to: ClientState, reason: StateReason) {
        self.end_listing();
        if from == ClientState::Connected {
            self.exchange.borrow_mut().pause();
        }
        if to == ClientState::Connecting {
            self.told.set(self.told.get().saturating_add(1));
            let link = self.link.clone();
            let wakes = Wakes::listen(move |event| link.with(|shared| shared.handle(event)));
            self.wakes.replace(Some(wakes));
        }
        if to == ClientState::Connected || to == ClientState::Closed {
            self.tell_readies(to, reason);
        }
        if to == ClientState::Closed {
            drop(self.wakes.take());
            for end in self.ends.take() {
                end.settle(());
            }
        }
    }

    /// Tells those who wait for a beginning that the notices have come to.
    fn tell_readies(&self, to: ClientState, reason: StateReason) {
        let told = self.told.get();
        let (theirs, later) =
            self.readies.take().into_iter().partition::<Vec<_>, _>(|ready| ready.start <= told);
        self.readies.borrow_mut().extend(later);
        for ready in theirs {
            ready.slot.settle(match (to, reason) {
                (ClientState::Connected, _) => Ok(()),
                (_, StateReason::GaveUp(why)) => {
                    Err(Error::of_client(why.code()).with_failures(self.failures()))
                }
                _ => Err(super::Client::closed_error()),
            });
        }
    }

    /// Whatever the application still says of the list comes too late.
    fn end_listing(&self) {
        self.listings.set(self.listings.get().saturating_add(1));
    }

    /// Reads what was told as what is wanted.
    pub(super) fn read<T: DeserializeOwned>(&self, told: Told) -> Result<T, Error> {
        let Told { value, gateway, attempts, elapsed_milliseconds } = told;
        json_rpc::from_value(value).map_err(|why| {
            let error = Error::of_result(why, attempts, elapsed_milliseconds);
            error.at(|| gateway.map(|gateway| self.label(gateway)))
        })
    }

    /// Looks at the messages of a frame. What comes of one may end the connection that the rest
    /// came on.
    fn hear_all(&self, messages: &Array) {
        let before = self.state();
        for message in messages.iter() {
            if self.state() != before {
                return;
            }
            self.hear(&message);
        }
    }

    fn hear(&self, message: &JsValue) {
        let gateway = self.inner.engine.borrow().gateway();
        let Kind::Answer(attempt, answer) = json_rpc::kind_of(message) else {
            let heard = self.exchange.borrow_mut().hear(message, gateway); // the borrow ends here
            if let Some((feed, told)) = heard {
                feed.tell(told);
            }
            return;
        };
        let operation = self.inner.engine.borrow().operation_of(attempt);
        let left = {
            let mut exchange = self.exchange.borrow_mut();
            match operation {
                Some(operation) => {
                    exchange.answer(operation, message, gateway);
                    None
                }
                None => exchange.take_left(attempt),
            }
        };
        self.handle(Event::Answered { attempt, answer });
        if let Some(method) = left {
            self.leave(&method, &json_rpc::get(message, "result"));
        }
    }

    /// Tells the gateway that is connected now that a subscription is over.
    pub(super) fn leave(&self, method: &str, name: &JsValue) {
        let Some(name) =
            name.as_string().map(Name::Text).or_else(|| name.as_f64().map(Name::Number))
        else {
            return;
        };
        if let Ok(request) = encode(method, &[name]) {
            self.begin(Pending::of_nobody(request), super::subscription::leaving());
        }
    }
}

/// What a gateway may call a subscription.
#[derive(Serialize)]
#[serde(untagged)]
enum Name {
    Text(String),
    Number(f64),
}

fn encode(method: &str, params: &impl Serialize) -> Result<Request, Error> {
    Request::new(method, params).map_err(Error::of_request)
}

impl Link {
    fn with(&self, then: impl FnOnce(&Rc<Shared>)) {
        if let Some(shared) = self.0.upgrade() {
            then(&shared);
        }
    }
}

fn platform_constructor() -> Option<Function> {
    Reflect::get(&js_sys::global(), &"WebSocket".into()).ok()?.dyn_into().ok()
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive() // payloads and URLs hold secrets
    }
}
