//! The client for Rust.

use alloc::{rc::Rc, string::String};
use core::fmt;

use serde::{Serialize, de::DeserializeOwned};

use super::{
    Error, Gateway, Invoke, Notices, Options, Subscription, json_rpc::Request, shared::Shared,
};
use crate::policy::{
    Binding, ClientState, CloseRequest, ErrorCode, Event, GatewayIndex, OperationCounts,
};

/// What became of a message without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no third case")]
pub enum Delivery {
    /// There was no connection; it is gone.
    Dropped,
    /// It was handed to the socket, which is no promise that it arrives.
    Sent,
}

/// Counters, which run from the making of the client, and gauges.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Stats {
    /// The state of the connection.
    pub state: ClientState,
    /// Sockets that were opened, or tried to be.
    pub dials: u32,
    /// Frames that came.
    pub messages_received: u64,
    /// Messages that were no answers.
    pub notifications: u64,
    /// Messages that made no sense.
    pub protocol_errors: u64,
    /// Operations that are parked or delayed.
    pub pending_operations: u64,
    /// Operations that were sent and are unanswered.
    pub in_flight_operations: u64,
    /// Subscriptions.
    pub subscriptions: u64,
    /// What became of operations.
    pub operations: OperationCounts,
}

/// Keeps an app talking to a cluster through a list of gateways, over JSON-RPC 2.0.
///
/// A client is a handle: clones share one connection, and when the last of them is dropped the
/// client is closed. Nothing is dialled before [`connect`](Self::connect).
///
/// # Example
///
/// ```
/// # async fn run() -> Result<(), regate::Error> {
/// use regate::{Client, Options};
///
/// let client = Client::new(Options::new(["wss://a.example/ws", "wss://b.example/ws"]))?;
/// client.connect().await?;
/// // A read may be run again when its connection is lost, so it is: for two minutes.
/// let value: Option<String> = client.invoke("map.get", ["key"]).read_only().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client(Rc<Handle>);

struct Handle(Rc<Shared>);

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Client {
    /// Reads the options. Nothing is dialled, armed or listened to.
    ///
    /// # Errors
    ///
    /// [`InvalidOption`](super::ErrorKind::InvalidOption) for an empty list, and for an entry that
    /// is no gateway.
    pub fn new(options: Options) -> Result<Self, Error> {
        Ok(Self(Rc::new(Handle(Shared::make(options)?))))
    }

    fn shared(&self) -> &Rc<Shared> {
        &self.0.0
    }

    /// Connects; done when a gateway is there. Dropping the future stops the waiting, not the
    /// dialling: that ends with [`close`](Self::close).
    ///
    /// # Errors
    ///
    /// `CONNECT_TIMEOUT` or `NO_GATEWAY` when the client gives up, with the last failure of each
    /// gateway; `CLIENT_CLOSED` when it is closed meanwhile;
    /// [`NoWebSocket`](super::ErrorKind::NoWebSocket) where there is none.
    pub async fn connect(&self) -> Result<(), Error> {
        self.shared().connect().await
    }

    /// Drops the connection and dials; what is idle or closed starts, a running wait ends.
    ///
    /// # Errors
    ///
    /// [`NoWebSocket`](super::ErrorKind::NoWebSocket) where there is none.
    pub fn reconnect(&self) -> Result<(), Error> {
        self.shared().start(Event::ReconnectRequested)
    }

    /// Replaces the list: what left it is never dialled again, what joined it never skipped.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); the list stays as it was.
    pub fn set_gateways<G: Into<Gateway>>(
        &self,
        gateways: impl IntoIterator<Item = G>,
    ) -> Result<(), Error> {
        self.shared().set_gateways(gateways.into_iter().map(Into::into).collect())
    }

    /// Closes at once. Pending operations fail with `CLIENT_CLOSED` and their completion.
    pub fn close(&self) {
        self.shared().close();
    }

    /// Takes no more operations, lets those that are pending finish, and closes.
    pub async fn drain(&self) {
        self.shared().handle(Event::DrainRequested);
        self.closed().await;
    }

    /// Done when the client is closed, by the application or because it gave up.
    pub async fn closed(&self) {
        self.shared().closed().await;
    }

    /// One operation of this method; `params` are a list, an object, or `()` for none. It begins
    /// when it is awaited.
    ///
    /// Numbers are those of JavaScript: a whole one beyond ±(2^53-1) is `ENCODE_FAILED` among the
    /// params, `DECODE_FAILED` in a result. Hand such a number over as a text.
    ///
    /// `R` is what the result is read as; `serde::de::IgnoredAny` takes whatever comes.
    pub fn invoke<R: DeserializeOwned>(&self, method: &str, params: impl Serialize) -> Invoke<R> {
        Invoke::new(Rc::clone(self.shared()), Binding::Anywhere, method, params)
    }

    /// Sends a message that has no answer, if there is a connection.
    ///
    /// # Errors
    ///
    /// [`EncodeFailed`](super::ErrorKind::EncodeFailed) for parameters that are no JSON.
    pub fn notify(&self, method: &str, params: impl Serialize) -> Result<Delivery, Error> {
        self.shared().notify(method, &params, None)
    }

    /// Subscribes by this method, now and on every new connection. What is listened to are
    /// notifications whose `params.subscription` is what the gateway answered.
    ///
    /// Its values are those of `params.result`, read as `T`. Dropped, it is given up by the
    /// opposite method: `topic.unsubscribe` for `topic.subscribe`.
    ///
    /// # Errors
    ///
    /// [`EncodeFailed`](super::ErrorKind::EncodeFailed) for parameters that are no JSON.
    pub fn subscribe<T: DeserializeOwned>(
        &self,
        method: &str,
        params: impl Serialize,
    ) -> Result<Subscription<T>, Error> {
        let request = Request::new(method, &params).map_err(Error::of_request)?;
        Ok(Subscription::begin(Rc::clone(self.shared()), method, request))
    }

    /// What happens from now on: changes of state, dials, waits, lines for the log.
    pub fn notices(&self) -> Notices {
        self.shared().hub.listen()
    }

    /// The state of the connection.
    #[must_use]
    pub fn state(&self) -> ClientState {
        self.shared().state()
    }

    /// The full URL of the gateway that is connected. It may hold a secret.
    #[must_use]
    pub fn gateway(&self) -> Option<String> {
        self.shared().gateway()
    }

    /// The gateway of this number as it may be shown: by origin and position.
    #[must_use]
    pub fn label(&self, gateway: GatewayIndex) -> String {
        self.shared().label(gateway)
    }

    /// Counters and gauges.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.shared().stats()
    }

    /// The error of an operation on a client that is closed.
    pub(super) fn closed_error() -> Error {
        Error::of_client(ErrorCode::ClientClosed)
    }
}

impl Shared {
    pub(super) fn close(&self) {
        self.handle(Event::CloseRequested(CloseRequest::Application));
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("state", &self.state()).finish_non_exhaustive()
    }
}
