//! A client for tokio: the engine decides, this obeys.
//!
//! One task owns the [`Engine`]. It reports to it what it hears, does what it wants, and sleeps
//! until the engine wants to be asked again. Each socket is a task of its own, which lives for as
//! long as its channel. Nothing here decides anything: not when to dial, not what to send again.

use std::{
    collections::HashMap,
    future::pending,
    hash::{BuildHasher, RandomState},
    time::{Duration, Instant as Clock},
};

use regate::policy::{
    Action, AttemptId, Call, Cause, ClientState, CloseRequest, Engine, Event, GatewayIndex,
    Instant, Notice, OperationError, OperationId, SendFailure, Settings, SocketId,
};
use serde_json::Value;
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinSet,
};

use crate::{
    json_rpc,
    socket::{self, Heard},
};

/// How an operation failed, and what the gateway said if it was the gateway that failed it.
#[derive(Debug)]
pub struct Failed {
    pub error: OperationError,
    pub answer: Value,
}

type Outcome = Result<Value, Failed>;

enum Request {
    Invoke { method: String, params: Value, call: Call, reply: oneshot::Sender<Outcome> },
    Close,
}

/// A handle of a client. When the last one is dropped the client closes.
#[derive(Clone)]
pub struct Client(mpsc::UnboundedSender<Request>);

impl Client {
    /// Starts a client of these gateways; `told` hears what happens to it.
    pub fn start(urls: Vec<String>, told: impl Fn(&Notice) + Send + 'static) -> Self {
        let (requests, receiver) = mpsc::unbounded_channel();
        tokio::spawn(Driver::new(urls, Box::new(told)).run(receiver));
        Self(requests)
    }

    /// Runs one operation. `None` if the client was closed before it heard of it.
    pub async fn invoke(&self, method: String, params: Value, call: Call) -> Option<Outcome> {
        let (reply, outcome) = oneshot::channel();
        self.0.send(Request::Invoke { method, params, call, reply }).ok()?;
        outcome.await.ok()
    }

    /// Closes at once; what is pending fails with its completion. Done when all sockets are closed.
    pub async fn close(&self) {
        let _ = self.0.send(Request::Close);
        self.0.closed().await;
    }
}

struct Pending {
    method: String,
    params: Value,
    answer: Value,
    reply: oneshot::Sender<Outcome>,
}

struct Driver {
    engine: Engine,
    started: Clock,
    urls: Vec<String>,
    told: Box<dyn Fn(&Notice) + Send>,
    sockets: HashMap<SocketId, mpsc::UnboundedSender<String>>,
    operations: HashMap<OperationId, Pending>,
    heard: (mpsc::UnboundedSender<Heard>, mpsc::UnboundedReceiver<Heard>),
    tasks: JoinSet<()>,
}

impl Driver {
    #[expect(clippy::disallowed_methods, reason = "the core has no clock: here it comes in")]
    fn new(urls: Vec<String>, told: Box<dyn Fn(&Notice) + Send>) -> Self {
        let seed = RandomState::new().hash_one(0); // so that clients do not move in step
        let count = u32::try_from(urls.len()).unwrap_or(u32::MAX);
        Self {
            engine: Engine::new(Settings::default(), count, seed),
            started: Clock::now(),
            urls,
            told,
            sockets: HashMap::new(),
            operations: HashMap::new(),
            heard: mpsc::unbounded_channel(),
            tasks: JoinSet::new(),
        }
    }

    /// The whole driver: report one thing, do all that comes of it, sleep no longer than wanted.
    async fn run(mut self, mut requests: mpsc::UnboundedReceiver<Request>) {
        self.report(Event::ConnectRequested);
        while self.engine.state() != ClientState::Closed {
            let due_in = self.engine.poll_timeout().map(|at| at.since(self.now()));
            tokio::select! {
                Some(heard) = self.heard.1.recv() => self.hear(heard),
                request = requests.recv() => self.ask(request.unwrap_or(Request::Close)),
                () = sleep(due_in) => {
                    self.engine.handle_timeout(self.now());
                    self.obey();
                }
                Some(_) = self.tasks.join_next() => {} // a socket that has ended
            }
        }
        while self.tasks.join_next().await.is_some() {} // those that say goodbye
    }

    fn now(&self) -> Instant {
        let elapsed = self.started.elapsed().as_millis();
        Instant::from_milliseconds(u64::try_from(elapsed).unwrap_or(u64::MAX))
    }

    fn report(&mut self, event: Event) {
        self.engine.handle_event(self.now(), event);
        self.obey();
    }

    fn ask(&mut self, request: Request) {
        match request {
            Request::Close => self.report(Event::CloseRequested(CloseRequest::Application)),
            Request::Invoke { method, params, call, reply } => {
                let operation = self.engine.reserve_operation();
                let pending = Pending { method, params, answer: Value::Null, reply };
                self.operations.insert(operation, pending);
                self.report(Event::Invoked { operation, call });
            }
        }
    }

    fn hear(&mut self, heard: Heard) {
        match heard {
            Heard::Opened(socket) => self.report(Event::SocketOpened(socket)),
            Heard::Closed(socket, code) => {
                self.sockets.remove(&socket);
                self.report(Event::SocketFailed { socket, cause: Cause::Closed(code) });
            }
            Heard::Frame(socket, frame) if self.sockets.contains_key(&socket) => {
                self.report(Event::Received(socket));
                for message in json_rpc::decode(&frame) {
                    // What comes of one may have let the socket go.
                    if self.sockets.contains_key(&socket) {
                        self.take_answer(message);
                    }
                }
            }
            Heard::Frame(..) => {} // of a socket that was let go
        }
    }

    fn take_answer(&mut self, message: Value) {
        let Some(attempt) = json_rpc::attempt_of(&message) else { return };
        let answer = json_rpc::kind_of(&message);
        let operation = self.engine.operation_of(attempt);
        if let Some(pending) = operation.and_then(|it| self.operations.get_mut(&it)) {
            pending.answer = message; // until it is known what comes of it
        }
        self.report(Event::Answered { attempt, answer });
    }

    /// Does what the engine wants until it wants no more.
    fn obey(&mut self) {
        while let Some(action) = self.engine.poll_action() {
            match action {
                Action::Open { socket, gateway } => self.open(socket, gateway),
                Action::Close { socket } => drop(self.sockets.remove(&socket)),
                Action::Send { socket, operation, attempt } => {
                    self.send_attempt(socket, operation, attempt);
                }
                Action::Ping { socket, attempt } => {
                    self.send(socket, None, &json_rpc::frame(attempt, "ping", &Value::Null));
                }
                Action::Tell(Notice::Settled { operation, outcome }) => {
                    self.settle(operation, outcome);
                }
                Action::Tell(notice) => (self.told)(&notice),
                // What a socket still has to send is not told by this library.
                Action::MeasureBuffer { .. } => {}
                // Only where the settings name such hooks.
                Action::AskForGateways | Action::Judge { .. } | Action::Greet { .. } => {}
            }
        }
    }

    fn open(&mut self, socket: SocketId, gateway: GatewayIndex) {
        let place = usize::try_from(gateway.position()).unwrap_or(usize::MAX);
        let url = self.urls.get(place).cloned().unwrap_or_default();
        let (frames, receiver) = mpsc::unbounded_channel();
        self.sockets.insert(socket, frames);
        self.tasks.spawn(socket::run(socket, url, receiver, self.heard.0.clone()));
    }

    fn send_attempt(&mut self, socket: SocketId, operation: OperationId, attempt: AttemptId) {
        if let Some(pending) = self.operations.get(&operation) {
            let text = json_rpc::frame(attempt, &pending.method, &pending.params);
            self.send(socket, Some(attempt), &text);
        }
    }

    fn send(&mut self, socket: SocketId, attempt: Option<AttemptId>, text: &str) {
        let sent = self.sockets.get(&socket).is_some_and(|to| to.send(text.to_owned()).is_ok());
        if !sent {
            let failure = SendFailure::NotOpen;
            self.engine.handle_event(self.now(), Event::SendFailed { socket, attempt, failure });
        }
    }

    fn settle(&mut self, operation: OperationId, outcome: Result<(), OperationError>) {
        if let Some(Pending { mut answer, reply, .. }) = self.operations.remove(&operation) {
            let result = answer.get_mut("result").map(Value::take).unwrap_or_default();
            let _ = reply.send(match outcome {
                Ok(()) => Ok(result),
                Err(error) => Err(Failed { error, answer }),
            });
        }
    }
}

async fn sleep(milliseconds: Option<u64>) {
    match milliseconds {
        Some(milliseconds) => tokio::time::sleep(Duration::from_millis(milliseconds)).await,
        None => pending().await,
    }
}
