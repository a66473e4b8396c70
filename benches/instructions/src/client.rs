//! A client as a driver sees it: an engine that is obeyed, of whose actions few matter here.

use std::hint::black_box;

use regate::policy::{
    Action, Answer, AttemptId, Call, Cause, CloseCode, ConnectionSettings, Engine, Event,
    Heartbeat, Instant, Limits, MessagingSettings, Notice, OperationId, Ratio, Settings, SocketId,
};

const GATEWAYS: u32 = 3;

/// Nothing by chance, no ping between, no limit: a path is the same each time it is taken.
fn settings() -> Settings {
    Settings {
        connection: ConnectionSettings {
            jitter: Ratio::ZERO,
            shuffle_addresses: false,
            ..ConnectionSettings::default()
        },
        messaging: MessagingSettings {
            retry_timeout_seconds: 1 << 32,
            ..MessagingSettings::default()
        },
        limits: Limits {
            max_pending_operations: u64::MAX,
            max_in_flight_operations: 0,
            max_buffered_bytes: u64::MAX,
            ..Limits::default()
        },
        heartbeat: Heartbeat { period_milliseconds: 0 },
        ..Settings::default()
    }
}

/// What the engine asked for since it was told something.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    /// The frames that were to be sent.
    pub(crate) sent: usize,
    /// The attempt of the last of them.
    pub(crate) attempt: Option<AttemptId>,
    /// The operations that were settled.
    pub(crate) settled: usize,
    /// The socket that is to be opened.
    opens: Option<SocketId>,
}

#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) engine: Engine,
    now: u64,
    socket: SocketId,
}

impl Client {
    /// One that nobody has told to connect: what is invoked waits.
    pub(crate) fn idle() -> Self {
        let engine = Engine::new(settings(), GATEWAYS, 7);
        Self { engine, now: 0, socket: SocketId::from_u64(0) }
    }

    /// One that has been connected for long enough to be steady.
    pub(crate) fn connected() -> Self {
        let mut client = Self::idle();
        client.tell(Event::ConnectRequested);
        let asked = client.run_timers();
        client.open(&asked);
        client.now = 60_000;
        client.run_timers();
        client
    }

    /// The connection is lost; the next gateway opens at once.
    pub(crate) fn fail_over(&mut self) -> Asked {
        let (socket, cause) = (self.socket, Cause::Closed(CloseCode::ABNORMAL));
        let asked = self.tell(Event::SocketFailed { socket, cause });
        self.open(&asked)
    }

    fn open(&mut self, asked: &Asked) -> Asked {
        self.socket = asked.opens.expect("it dials");
        self.tell(Event::SocketOpened(self.socket))
    }

    /// An operation is made; a millisecond has passed since the last one.
    pub(crate) fn invoke(&mut self, call: Call) -> (OperationId, Asked) {
        self.now += 1;
        let operation = self.engine.reserve_operation();
        (operation, self.tell(Event::Invoked { operation, call }))
    }

    /// An operation is made and sent.
    pub(crate) fn send(&mut self, call: Call) -> AttemptId {
        self.invoke(call).1.attempt.expect("it is sent at once")
    }

    /// A result comes.
    pub(crate) fn answer(&mut self, attempt: AttemptId) -> Asked {
        self.engine.handle_event(self.now(), Event::Received(self.socket));
        self.tell(Event::Answered { attempt, answer: Answer::Result })
    }

    /// An operation is made and sent, the short way.
    pub(crate) fn send_at_once(&mut self, call: Call) -> AttemptId {
        self.now += 1;
        let operation = self.engine.reserve_operation();
        let socket = self.engine.invoke(self.now(), operation, call);
        assert!(socket == Some(self.socket), "it goes out at once");
        black_box(self.engine.poll_timeout());
        AttemptId::from_u64(operation.as_u64())
    }

    /// A result comes, and is settled the short way; says whether it was.
    pub(crate) fn take_result(&mut self, attempt: AttemptId) -> bool {
        self.engine.take_result(self.now(), self.socket, attempt).is_some()
    }

    /// The caller gives an operation up.
    pub(crate) fn abort(&mut self, operation: OperationId) -> Asked {
        self.tell(Event::OperationAborted(operation))
    }

    /// Goes on to the next deadline.
    pub(crate) fn pass_deadline(&mut self) -> Asked {
        let at = self.engine.poll_timeout().expect("a deadline is set").as_milliseconds();
        self.now = self.now.max(at);
        self.run_timers()
    }

    const fn now(&self) -> Instant {
        Instant::from_milliseconds(self.now)
    }

    fn run_timers(&mut self) -> Asked {
        self.engine.handle_timeout(self.now());
        self.obey()
    }

    fn tell(&mut self, event: Event) -> Asked {
        self.engine.handle_event(self.now(), event);
        self.obey()
    }

    fn obey(&mut self) -> Asked {
        let mut asked = Asked::default();
        while let Some(action) = self.engine.poll_action() {
            match action {
                Action::Send { attempt, .. } => {
                    asked.sent += 1;
                    asked.attempt = Some(attempt);
                }
                Action::Open { socket, .. } => asked.opens = Some(socket),
                Action::Tell(Notice::Settled { .. }) => asked.settled += 1,
                Action::AskForGateways
                | Action::Close { .. }
                | Action::Greet { .. }
                | Action::Judge { .. }
                | Action::MeasureBuffer { .. }
                | Action::Ping { .. }
                | Action::Tell(_) => {}
            }
        }
        black_box(self.engine.poll_timeout()); // a driver sets its timer by it, each time
        asked
    }
}
