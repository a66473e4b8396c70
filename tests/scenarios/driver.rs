//! Drives an engine on a virtual clock against gateways that do what a script says.

use std::collections::BTreeMap;

use regate::policy::{
    Action, Answer, AttemptId, Binding, Call, Cause, ClientState, CloseCode, CloseRequest,
    Completion, ConnectionSettings, Engine, ErrorCode, Event, GatewayIndex, Heartbeat, Instant,
    Judgement, LogLine, Notice, OperationError, OperationId, Ratio, SendFailure, Settings,
    SocketId, Verdict,
};

pub(crate) use crate::script::{BUSY, Dial, Frame, List, OPEN, REFUSE, RESULT, Script, Session};

/// The defaults, without chance, and without the heartbeat where that is not the matter.
pub(crate) fn exact() -> Settings {
    let connection = ConnectionSettings {
        jitter: Ratio::ZERO,
        shuffle_addresses: false,
        dial_stagger_milliseconds: 0,
        ..Default::default()
    };
    let heartbeat = Heartbeat { period_milliseconds: 0 };
    Settings { connection, heartbeat, ..Default::default() }
}

pub(crate) fn with_schedule(text: &str) -> Settings {
    let mut settings = exact();
    settings.connection.connect_timeouts = text.parse().unwrap();
    settings
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) at: u64,
    pub(crate) socket: SocketId,
    pub(crate) operation: OperationId,
    pub(crate) attempt: AttemptId,
}

/// One client, its gateways, and all that happened.
pub(crate) struct Stage {
    pub(crate) engine: Engine,
    pub(crate) now: u64,
    pub(crate) gateways: Vec<Script<Dial>>,
    pub(crate) frames: Script<Frame>,
    /// What becomes of pings, where it is not that of other frames.
    pub(crate) pongs: Script<Frame>,
    pub(crate) sessions: Script<Session>,
    pub(crate) lists: Script<List>,
    pub(crate) judgements: Script<Judgement>,
    /// What the platform still has to send, where it tells.
    pub(crate) buffered: Option<u64>,
    /// What the network the network will say, by time and order.
    coming: BTreeMap<(u64, u64), Event>,
    sequence: u64,
    live: Option<SocketId>,
    /// When each dial began, of which gateway.
    pub(crate) dials: Vec<(u64, char)>,
    pub(crate) sockets: Vec<SocketId>,
    /// The sockets that the client let go.
    pub(crate) closed: Vec<SocketId>,
    pub(crate) sent: Vec<Sent>,
    /// When the list was asked for.
    pub(crate) asked: Vec<u64>,
    /// What the application was asked to judge.
    pub(crate) judged: Vec<(u64, char, Cause, Verdict)>,
    pub(crate) pings: Vec<(u64, SocketId, AttemptId)>,
    /// When the buffer was measured.
    pub(crate) measured: Vec<u64>,
    /// The sockets on which the session hook ran.
    pub(crate) greeted: Vec<SocketId>,
    /// What the session hook waits for, on which socket.
    log_ins: BTreeMap<OperationId, SocketId>,
    pub(crate) notices: Vec<(u64, Notice)>,
    settled: BTreeMap<OperationId, (u64, Result<(), OperationError>)>,
}

pub(crate) fn letter(gateway: GatewayIndex) -> char {
    char::from_digit(gateway.position() + 10, 36).unwrap().to_ascii_uppercase()
}

pub(crate) fn closed_with(code: u16) -> Cause {
    Cause::Closed(CloseCode::from_event(code))
}

fn gateways(list: &[u32]) -> Vec<GatewayIndex> {
    list.iter().map(|&position| GatewayIndex::from_position(position)).collect()
}

impl Stage {
    pub(crate) fn new(settings: Settings, gateways: &[Script<Dial>]) -> Self {
        Self::seeded(settings, gateways, 1)
    }

    pub(crate) fn seeded(settings: Settings, gateways: &[Script<Dial>], seed: u64) -> Self {
        // Where a function gives the list, nothing is known before it is asked.
        let known = if settings.connection.hooks.list { 0 } else { gateways.len() };
        let known = known.try_into().unwrap();
        Self {
            engine: Engine::new(settings, known, seed),
            now: 0,
            gateways: gateways.to_vec(),
            frames: Script::always(Frame::Silence),
            pongs: Script::always(RESULT),
            sessions: Script::always(Session::DoneAfter(0)),
            lists: Script::always(List::Fail),
            judgements: Script::always(Judgement { verdict: None, wait_milliseconds: 0 }),
            buffered: Some(0),
            coming: BTreeMap::new(),
            sequence: 0,
            live: None,
            dials: Vec::new(),
            sockets: Vec::new(),
            closed: Vec::new(),
            sent: Vec::new(),
            asked: Vec::new(),
            judged: Vec::new(),
            pings: Vec::new(),
            measured: Vec::new(),
            greeted: Vec::new(),
            log_ins: BTreeMap::new(),
            notices: Vec::new(),
            settled: BTreeMap::new(),
        }
    }

    /// A client of gateways that all do the same.
    pub(crate) fn of(settings: Settings, gateways: usize, dial: Dial) -> Self {
        Self::new(settings, &vec![Script::always(dial); gateways])
    }

    /// One that is connected to its first gateway, and has been for `milliseconds`.
    pub(crate) fn connected_for(settings: Settings, gateways: usize, milliseconds: u64) -> Self {
        let mut stage = Self::of(settings, gateways, OPEN);
        stage.connect();
        stage.run_for(milliseconds);
        assert_eq!(stage.engine.state(), ClientState::Connected);
        stage
    }

    pub(crate) fn connect(&mut self) {
        self.tell(Event::ConnectRequested);
    }

    pub(crate) fn reconnect(&mut self) {
        self.tell(Event::ReconnectRequested);
    }

    pub(crate) fn close(&mut self) {
        self.tell(Event::CloseRequested(CloseRequest::Application));
    }

    /// Closes a connection that has done its work.
    pub(crate) fn close_when_done(&mut self) {
        self.tell(Event::CloseRequested(CloseRequest::Done));
    }

    pub(crate) fn invoke(&mut self, call: Call) -> OperationId {
        let operation = self.engine.reserve_operation();
        let now = Instant::from_milliseconds(self.now);
        if let Some(socket) = self.engine.invoke(now, operation, call) {
            let attempt = AttemptId::from_u64(operation.as_u64());
            self.send(Sent { at: self.now, socket, operation, attempt });
        }
        self.drain();
        operation
    }

    pub(crate) fn read(&mut self) -> OperationId {
        self.invoke(Call::redoable())
    }

    pub(crate) fn write(&mut self) -> OperationId {
        self.invoke(Call::once())
    }

    /// The live socket closes with `code`.
    pub(crate) fn lose(&mut self, code: u16) {
        let socket = self.live.expect("no socket is live");
        self.tell(Event::SocketFailed { socket, cause: closed_with(code) });
    }

    pub(crate) fn live(&self) -> SocketId {
        self.live.expect("no socket is live")
    }

    pub(crate) fn tell(&mut self, event: Event) {
        if !self.take_result(&event) {
            self.feed(event);
        }
        self.drain();
    }

    /// A result goes the short way, where it can: it settles an operation and nothing else.
    fn take_result(&mut self, event: &Event) -> bool {
        let &Event::Answered { attempt, answer: Answer::Result } = event else { return false };
        let now = Instant::from_milliseconds(self.now);
        let nowhere = SocketId::from_u64(u64::MAX); // that it was received was told already
        let Some(operation) = self.engine.take_result(now, nowhere, attempt) else { return false };
        self.settle(operation, Ok(()));
        true
    }

    fn settle(&mut self, operation: OperationId, outcome: Result<(), OperationError>) {
        let again = self.settled.insert(operation, (self.now, outcome));
        assert_eq!(again, None, "{operation:?} is settled twice");
        self.notices.push((self.now, Notice::Settled { operation, outcome }));
        self.end_log_in(operation, outcome);
    }

    /// Reports, and leaves what comes of it for later.
    pub(crate) fn feed(&mut self, event: Event) {
        self.engine.handle_event(Instant::from_milliseconds(self.now), event);
    }

    pub(crate) fn subscribe(&mut self) -> OperationId {
        self.invoke(Call::subscription())
    }

    /// Made by the session hook that runs on `socket`.
    pub(crate) fn invoke_in_session(&mut self, socket: SocketId) -> OperationId {
        self.invoke(Call { binding: Binding::Session(socket), ..Call::redoable() })
    }

    pub(crate) fn set_gateways(&mut self, list: &[u32]) {
        self.tell(Event::GatewaysSet(gateways(list)));
    }

    /// Anything comes on the live socket.
    pub(crate) fn hear(&mut self) {
        let socket = self.live();
        self.tell(Event::Received(socket));
    }

    /// Whatever happens until `at`, then it is that time.
    pub(crate) fn run_until(&mut self, at: u64) {
        for _ in 0..2_000_000 {
            let network = self.coming.keys().next().map(|&(at, _)| at);
            let timer = self.engine.poll_timeout().map(|at| at.as_milliseconds().max(self.now));
            let Some(next) = network.into_iter().chain(timer).min().filter(|&next| next <= at)
            else {
                self.now = self.now.max(at);
                return;
            };
            self.now = self.now.max(next);
            if network == Some(next) {
                let (_, event) = self.coming.pop_first().unwrap();
                self.tell(event);
            } else {
                self.ask();
            }
        }
        panic!("it never comes to rest: {} dials, {} frames", self.dials.len(), self.sent.len());
    }

    pub(crate) fn run_for(&mut self, milliseconds: u64) {
        self.run_until(self.now + milliseconds);
    }

    /// Says that it is now, whether or not anything is due.
    pub(crate) fn ask(&mut self) {
        self.engine.handle_timeout(Instant::from_milliseconds(self.now));
        self.drain();
    }

    fn later(&mut self, milliseconds: u64, event: Event) {
        self.sequence += 1;
        self.coming.insert((self.now.saturating_add(milliseconds), self.sequence), event);
    }

    fn drain(&mut self) {
        while let Some(action) = self.engine.poll_action() {
            match action {
                Action::Open { socket, gateway } => self.dial(socket, gateway),
                Action::Close { socket } => {
                    assert!(!self.closed.contains(&socket), "{socket:?} is let go twice");
                    self.closed.push(socket);
                }
                Action::Send { socket, operation, attempt } => {
                    self.send(Sent { at: self.now, socket, operation, attempt });
                }
                Action::Tell(Notice::Settled { operation, outcome }) => {
                    self.settle(operation, outcome);
                }
                Action::AskForGateways => {
                    self.asked.push(self.now);
                    let list = match self.lists.take() {
                        List::Of(list) => Some(gateways(list)),
                        List::Fail => None,
                        List::Hang => continue,
                    };
                    self.later(0, Event::GatewaysListed(list));
                }
                Action::Judge { gateway, cause, verdict } => {
                    self.judged.push((self.now, letter(gateway), cause, verdict));
                    let judgement = self.judgements.take();
                    self.feed(Event::FailureJudged(judgement));
                }
                Action::Greet { socket, .. } => self.greet(socket),
                Action::MeasureBuffer { socket } => {
                    self.measured.push(self.now);
                    if let Some(bytes) = self.buffered {
                        self.feed(Event::BufferMeasured { socket, bytes });
                    }
                }
                Action::Ping { socket, attempt } => self.ping(socket, attempt),
                Action::Tell(notice) => self.notices.push((self.now, notice)),
            }
        }
    }

    fn dial(&mut self, socket: SocketId, gateway: GatewayIndex) {
        self.dials.push((self.now, letter(gateway)));
        self.sockets.push(socket);
        self.live = Some(socket);
        let position = usize::try_from(gateway.position()).unwrap();
        match self.gateways[position].take() {
            Dial::Hang => {}
            Dial::OpenAfter(milliseconds) => {
                self.later(milliseconds, Event::SocketOpened(socket));
            }
            Dial::OpenThenClose(code, milliseconds) => {
                self.later(0, Event::SocketOpened(socket));
                let cause = closed_with(code);
                self.later(milliseconds, Event::SocketFailed { socket, cause });
            }
            Dial::FailAfter(code, milliseconds) => {
                let cause = closed_with(code);
                self.later(milliseconds, Event::SocketFailed { socket, cause });
            }
            Dial::Throw(cause) => self.later(0, Event::SocketFailed { socket, cause }),
        }
    }

    fn greet(&mut self, socket: SocketId) {
        self.greeted.push(socket);
        match self.sessions.take() {
            Session::DoneAfter(after) => self.later(after, Event::SessionDone(socket)),
            Session::FailAfter(after, verdict) => {
                self.later(after, Event::SessionFailed { socket, verdict });
            }
            Session::LogIn => {
                let operation = self.engine.reserve_operation();
                self.log_ins.insert(operation, socket);
                let call = Call { binding: Binding::Session(socket), ..Call::once() };
                self.feed(Event::Invoked { operation, call });
            }
            Session::Hang => {}
        }
    }

    fn end_log_in(&mut self, operation: OperationId, outcome: Result<(), OperationError>) {
        let Some(socket) = self.log_ins.remove(&operation) else { return };
        self.feed(match outcome {
            Ok(()) => Event::SessionDone(socket),
            Err(_) => Event::SessionFailed { socket, verdict: None },
        });
    }

    fn ping(&mut self, socket: SocketId, attempt: AttemptId) {
        self.pings.push((self.now, socket, attempt));
        match self.pongs.take() {
            Frame::Answered(answer) => self.answer(socket, attempt, answer),
            Frame::Silence => {}
            Frame::Closed(code) => {
                self.later(0, Event::SocketFailed { socket, cause: closed_with(code) });
            }
            Frame::Refused(failure) => {
                self.feed(Event::SendFailed { socket, attempt: Some(attempt), failure });
            }
        }
    }

    fn answer(&mut self, socket: SocketId, attempt: AttemptId, answer: Answer) {
        self.later(0, Event::Received(socket));
        self.later(0, Event::Answered { attempt, answer });
    }

    fn send(&mut self, sent: Sent) {
        let Sent { socket, attempt, .. } = sent;
        match self.frames.take() {
            Frame::Answered(answer) => self.answer(socket, attempt, answer),
            Frame::Silence => {}
            Frame::Closed(code) => {
                let cause = closed_with(code);
                self.later(0, Event::SocketFailed { socket, cause });
            }
            Frame::Refused(failure) => {
                let attempt = Some(attempt);
                let now = Instant::from_milliseconds(self.now);
                self.engine.handle_event(now, Event::SendFailed { socket, attempt, failure });
                if failure == SendFailure::NotOpen {
                    return;
                }
            }
        }
        self.sent.push(sent);
    }

    /// When the frames of `operation` went out; one that threw counts.
    pub(crate) fn sent_at(&self, operation: OperationId) -> Vec<u64> {
        self.sent.iter().filter(|sent| sent.operation == operation).map(|sent| sent.at).collect()
    }

    pub(crate) fn dial_times(&self) -> Vec<u64> {
        self.dials.iter().map(|&(at, _)| at).collect()
    }

    /// Why gateways failed last; `-` for the list.
    pub(crate) fn failures(&self) -> Vec<(char, Cause)> {
        let failures = self.engine.last_failures().iter();
        failures.map(|&(gateway, cause)| (gateway.map_or('-', letter), cause)).collect()
    }

    pub(crate) fn ping_times(&self) -> Vec<u64> {
        self.pings.iter().map(|&(at, ..)| at).collect()
    }

    /// The gateways in the order of the dials.
    pub(crate) fn dialled(&self) -> String {
        self.dials.iter().map(|&(_, gateway)| gateway).collect()
    }

    /// The waits that were announced.
    pub(crate) fn waits(&self) -> Vec<u64> {
        let wait = |notice: &(u64, Notice)| match notice.1 {
            Notice::WaitBegan { milliseconds, .. } => Some(milliseconds),
            _ => None,
        };
        self.notices.iter().filter_map(wait).collect()
    }

    pub(crate) fn states(&self) -> Vec<ClientState> {
        let state = |notice: &(u64, Notice)| match notice.1 {
            Notice::StateChanged { to, .. } => Some(to),
            _ => None,
        };
        self.notices.iter().filter_map(state).collect()
    }

    pub(crate) fn lines(&self) -> Vec<(u64, LogLine)> {
        let line = |notice: &(u64, Notice)| match &notice.1 {
            Notice::Logged(line) => Some((notice.0, line.clone())),
            _ => None,
        };
        self.notices.iter().filter_map(line).collect()
    }

    /// Whether and how `operation` was settled.
    pub(crate) fn outcome(&self, operation: OperationId) -> Option<Result<(), OperationError>> {
        self.settled.get(&operation).map(|&(_, outcome)| outcome)
    }

    pub(crate) fn error(&self, operation: OperationId) -> OperationError {
        match self.outcome(operation) {
            Some(Err(error)) => error,
            other => panic!("{operation:?} did not fail: {other:?}"),
        }
    }

    /// The code and completion that `operation` failed with.
    pub(crate) fn failure(&self, operation: OperationId) -> (ErrorCode, Completion) {
        let error = self.error(operation);
        (error.code, error.completion)
    }

    pub(crate) fn settled_at(&self, operation: OperationId) -> u64 {
        self.settled.get(&operation).expect("it is not settled").0
    }

    /// Nothing is left that could happen, however long one waits.
    pub(crate) fn assert_silent(&mut self) {
        assert_eq!(self.engine.poll_timeout(), None, "a timer is left");
        let (dials, sent, notices) = (self.dials.len(), self.sent.len(), self.notices.len());
        self.run_for(86_400_000);
        assert_eq!((self.dials.len(), self.sent.len(), self.notices.len()), (dials, sent, notices));
    }
}
