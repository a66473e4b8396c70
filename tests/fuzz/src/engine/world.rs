//! The driver: it obeys as a shell does, or later, and reports what it likes.

use arbitrary::{Arbitrary as _, Result, Unstructured};
use regate::policy::{
    Action, AttemptId, Call, ClientState, CloseRequest, Engine, Event, GatewayIndex, Instant,
    Judgement, Notice, SendFailure, Settings, SocketId,
};

use super::{input, operations::Operations};

/// Steps of one run, and turns of the timer in one step: enough for every state to be reached.
const MOST_STEPS: u32 = 400;
const MOST_TURNS: u32 = 300;
/// Turns without time passing: more than that is a busy loop.
const MOST_AT_ONCE: u32 = 200;
/// Calls from handlers of the application in one step.
const MOST_CALLBACKS: u32 = 12;
/// More gateways than are ever known here.
const GATEWAYS: u32 = 6;

pub(super) struct World<'a, 'b> {
    engine: Engine,
    now: u64,
    input: &'a mut Unstructured<'b>,
    /// The socket that is there: asked for, not let go, and not reported lost.
    live: Option<SocketId>,
    opened: bool,
    sockets: Vec<SocketId>,
    let_go: Vec<SocketId>,
    session: Option<SocketId>,
    state: ClientState,
    operations: Operations,
    /// The page may be in the back/forward cache, where no timer runs.
    hidden: bool,
    actions: u64,
    /// Calls from handlers in this step.
    callbacks: u32,
    /// Whether `TRACE` is set: then all that is said is printed.
    trace: bool,
}

impl<'a, 'b> World<'a, 'b> {
    pub(super) fn new(settings: Settings, gateways: u8, input: &'a mut Unstructured<'b>) -> Self {
        let seed = u64::from(u16::arbitrary(input).unwrap_or(1));
        Self {
            engine: Engine::new(settings, u32::from(gateways), seed),
            now: 0,
            input,
            live: None,
            opened: false,
            sockets: Vec::new(),
            let_go: Vec::new(),
            session: None,
            state: ClientState::Idle,
            operations: Operations::default(),
            hidden: false,
            actions: 0,
            callbacks: 0,
            trace: std::env::var_os("TRACE").is_some(),
        }
    }

    pub(super) fn play(&mut self) {
        for _ in 0..MOST_STEPS {
            if self.input.is_empty() || self.step().is_err() {
                return;
            }
        }
    }

    /// The client is closed: everything is settled, and it is silent whatever comes.
    pub(super) fn end(&mut self) {
        self.feed(Event::CloseRequested(CloseRequest::Application));
        self.obey_quietly();
        self.check_rest();
        assert_eq!(self.engine.state(), ClientState::Closed);
        assert_eq!(self.live, None, "a socket is kept");
        let actions = self.actions;
        for socket in self.sockets.clone() {
            let cause = regate::policy::Cause::Closed(regate::policy::CloseCode::ABNORMAL);
            self.feed(Event::SocketOpened(socket));
            self.feed(Event::Received(socket));
            self.feed(Event::SessionDone(socket));
            self.feed(Event::SocketErred(socket));
            self.feed(Event::SocketFailed { socket, cause });
        }
        for event in [Event::Woken, Event::PageHidden, Event::PageShown, Event::DrainRequested] {
            self.feed(event);
        }
        self.now += 1 << 40;
        self.engine.handle_timeout(self.instant());
        self.obey_quietly();
        self.check_rest();
        assert_eq!(self.actions, actions, "it speaks after the end");
        assert_eq!(self.engine.state(), ClientState::Closed);
    }

    fn step(&mut self) -> Result<()> {
        self.callbacks = 0;
        match self.input.int_in_range(0..=15_u8)? {
            0..=3 => self.wait()?,
            4 => {
                // Nothing ran meanwhile.
                self.now += self.input.int_in_range(0..=5_000_u64)?;
                self.engine.handle_timeout(self.instant());
                self.obey()?;
                self.come_to_rest()?;
            }
            5 => {
                self.engine.handle_timeout(self.instant());
                self.obey()?;
            }
            6 => {
                // Several things in one turn.
                for _ in 0..self.input.int_in_range(1..=3_u8)? {
                    self.happen()?;
                }
                self.obey()?;
            }
            _ => {
                self.happen()?;
                self.obey()?;
            }
        }
        self.check();
        Ok(())
    }

    /// Lets time pass, with a timer that goes off when it should.
    fn wait(&mut self) -> Result<()> {
        let span = *self.input.choose(&[1_u64, 10, 50, 300, 3_000, 70_000])?;
        let until = self.now + self.input.int_in_range(0..=span)?;
        for _ in 0..MOST_TURNS {
            self.come_to_rest()?;
            let Some(at) = self.engine.poll_timeout().map(Instant::as_milliseconds) else { break };
            if at > until {
                break;
            }
            self.now = self.now.max(at);
        }
        self.now = self.now.max(until);
        self.come_to_rest()
    }

    /// The timer goes off until nothing is due.
    fn come_to_rest(&mut self) -> Result<()> {
        for _ in 0..MOST_AT_ONCE + 4 * self.operations.len() as u32 {
            let due = self.engine.poll_timeout().is_some_and(|at| at <= self.instant());
            if !due {
                if !self.hidden {
                    self.operations.check_timeouts(self.now);
                }
                return Ok(());
            }
            self.engine.handle_timeout(self.instant());
            self.obey()?;
        }
        panic!("it does not come to rest: {:?}", self.engine);
    }

    fn instant(&self) -> Instant {
        Instant::from_milliseconds(self.now)
    }

    fn feed(&mut self, event: Event) {
        if self.trace {
            eprintln!("{:>8} ms  {event:?}", self.now);
        }
        match &event {
            Event::SocketOpened(socket) if self.live == Some(*socket) => self.opened = true,
            Event::SocketFailed { socket, .. } => self.lose(*socket),
            Event::PageHidden => self.hidden = true,
            Event::PageShown => self.hidden = false,
            Event::SendFailed { attempt: Some(attempt), failure, .. } => {
                self.operations.fail_send(*attempt, *failure);
            }
            Event::Answered { attempt, answer } => self.operations.answer(*attempt, *answer),
            _ => {}
        }
        self.engine.handle_event(self.instant(), event);
    }

    fn lose(&mut self, socket: SocketId) {
        if self.live == Some(socket) {
            self.live = None;
            self.opened = false;
            self.operations.lose(socket);
        }
        self.session.take_if(|session| *session == socket);
    }

    /// Something happens, or is said to.
    fn happen(&mut self) -> Result<()> {
        let socket = self.some_socket()?;
        let event = match self.input.int_in_range(0..=24_u8)? {
            0 | 1 => Event::ConnectRequested,
            2 => Event::ReconnectRequested,
            3 => Event::CloseRequested(match self.input.int_in_range(0..=2_u8)? {
                0 => CloseRequest::Application,
                1 => CloseRequest::Done,
                _ => CloseRequest::ConnectAborted,
            }),
            4..=8 => return self.invoke(),
            9 => match self.operations.newest(self.input.int_in_range(0..=5)?) {
                Some(operation) => Event::OperationAborted(operation),
                None => return Ok(()),
            },
            10 => Event::GatewaysSet(self.list()?),
            11 => Event::GatewaysListed(if self.input.ratio(1, 4)? {
                None
            } else {
                Some(self.list()?)
            }),
            12 => Event::FailureJudged(self.judgement()?),
            13 | 14 => Event::SocketOpened(socket),
            15 => Event::SessionDone(socket),
            16 => Event::SessionFailed { socket, verdict: input::verdict(self.input)? },
            17 => Event::SocketErred(socket),
            18 => Event::SocketFailed { socket, cause: input::closed(self.input)? },
            // Nobody can have tried to send on a socket that is not open yet.
            19 if self.live != Some(socket) || self.opened => Event::SendFailed {
                socket,
                attempt: self.some_attempt()?,
                failure: input::failure(self.input)?,
            },
            19 => return Ok(()),
            20 => Event::Received(socket),
            21 => Event::BufferMeasured {
                socket,
                bytes: *self.input.choose(&[0, 5, 1_000, u64::MAX])?,
            },
            22 => match self.input.int_in_range(0..=4_u8)? {
                0 => Event::DrainRequested,
                1 => Event::PageHidden,
                2 | 3 => Event::PageShown,
                _ => Event::Woken,
            },
            _ => match self.some_attempt()? {
                Some(attempt) => Event::Answered { attempt, answer: input::answer(self.input)? },
                None => return Ok(()),
            },
        };
        self.feed(event);
        Ok(())
    }

    fn invoke(&mut self) -> Result<()> {
        let call = input::call(self.input, self.session)?;
        if self.input.ratio(1, 30)? {
            // Once more under the same number, while it is known not to be settled.
            self.obey_quietly();
            let before = self.operations.newest_unsettled(self.input.int_in_range(0..=2)?);
            if let Some(operation) = before {
                self.engine.handle_event(self.instant(), Event::Invoked { operation, call });
            }
            return Ok(());
        }
        let operation = self.engine.reserve_operation();
        self.operations.reserve(operation);
        self.made(operation, call);
        Ok(())
    }

    fn made(&mut self, operation: regate::policy::OperationId, call: Call) {
        self.operations.invoke(self.now, operation, call.clone());
        self.feed(Event::Invoked { operation, call });
    }

    fn some_socket(&mut self) -> Result<SocketId> {
        let known = match self.input.int_in_range(0..=9_u8)? {
            0 => self.sockets.iter().rev().nth(self.input.int_in_range(0..=3)?).copied(),
            1 => None,
            _ => self.live,
        };
        Ok(known.unwrap_or(SocketId::from_u64(*self.input.choose(&[0, u64::MAX])?)))
    }

    fn some_attempt(&mut self) -> Result<Option<AttemptId>> {
        if self.input.ratio(1, 20)? {
            return Ok(Some(AttemptId::from_u64(*self.input.choose(&[0, u64::MAX])?)));
        }
        Ok(self.operations.newest_attempt(self.input.int_in_range(0..=5)?))
    }

    fn list(&mut self) -> Result<Vec<GatewayIndex>> {
        let (mut list, from) = (Vec::new(), self.input.int_in_range(0..=GATEWAYS - 1)?);
        for step in 0..self.input.int_in_range(0..=GATEWAYS)? {
            list.push(GatewayIndex::from_position((from + step) % GATEWAYS));
        }
        Ok(list)
    }

    fn judgement(&mut self) -> Result<Judgement> {
        let verdict = input::verdict(self.input)?;
        Ok(Judgement { verdict, wait_milliseconds: *self.input.choose(&[0, 20, 2_147_483_647])? })
    }

    /// Does what is asked for; a platform that fails at once says so at once.
    fn obey(&mut self) -> Result<()> {
        let mut obeyed = 0;
        while let Some(action) = self.engine.poll_action() {
            obeyed += 1;
            assert!(obeyed < 10_000, "it never stops talking");
            self.take(&action);
            self.answer_at_once(action)?;
        }
        Ok(())
    }

    fn obey_quietly(&mut self) {
        while let Some(action) = self.engine.poll_action() {
            self.take(&action);
        }
    }

    fn take(&mut self, action: &Action) {
        self.actions += 1;
        if self.trace {
            eprintln!("{:>8}     -> {action:?}", "");
        }
        match action {
            Action::Open { socket, .. } => {
                assert_eq!(self.live, None, "{socket:?} is opened beside another");
                assert!(self.sockets.last().is_none_or(|last| last < socket), "{socket:?} again");
                self.sockets.push(*socket);
                self.live = Some(*socket);
                self.opened = false;
            }
            Action::Close { socket } => {
                assert!(self.sockets.contains(socket), "{socket:?} was never opened");
                assert!(!self.let_go.contains(socket), "{socket:?} is let go twice");
                self.let_go.push(*socket);
                self.lose(*socket);
            }
            Action::Send { socket, operation, attempt } => {
                assert!(
                    self.live == Some(*socket) && self.opened,
                    "{attempt:?} goes to {socket:?}"
                );
                self.operations.send(*socket, *operation, *attempt);
            }
            Action::Ping { attempt, .. } => self.operations.ping(*attempt),
            Action::Greet { socket, .. } => {
                self.session = Some(*socket).filter(|_| self.live == Some(*socket));
            }
            Action::Tell(notice) => self.hear(notice),
            Action::AskForGateways | Action::Judge { .. } | Action::MeasureBuffer { .. } => {}
        }
    }

    fn hear(&mut self, notice: &Notice) {
        match *notice {
            Notice::Settled { operation, outcome } => {
                self.operations.settle(self.instant(), operation, outcome);
            }
            Notice::Subscribed { operation, .. } => self.operations.subscribed(operation),
            Notice::StateChanged { from, to, .. } => {
                assert_eq!(from, self.state);
                assert_ne!(from, to);
                self.state = to;
            }
            _ => {}
        }
    }

    fn answer_at_once(&mut self, action: Action) -> Result<()> {
        if self.input.is_empty() {
            return Ok(());
        }
        match action {
            Action::Open { socket, .. } => match self.input.int_in_range(0..=9_u8)? {
                0 => {
                    let cause = input::cause(self.input)?;
                    self.feed(Event::SocketFailed { socket, cause });
                }
                1..=3 => self.feed(Event::SocketOpened(socket)),
                _ => {}
            },
            Action::Judge { .. } => {
                if !self.input.ratio(1, 10)? {
                    let judgement = self.judgement()?;
                    self.feed(Event::FailureJudged(judgement));
                }
            }
            Action::Send { socket, attempt, .. } => match self.input.int_in_range(0..=11_u8)? {
                0 => {
                    let failure = input::failure(self.input)?;
                    self.feed(Event::SendFailed { socket, attempt: Some(attempt), failure });
                }
                1..=4 => {
                    let answer = input::answer(self.input)?;
                    self.feed(Event::Answered { attempt, answer });
                }
                _ => {}
            },
            Action::Ping { socket, attempt } => match self.input.int_in_range(0..=3_u8)? {
                0 => self.feed(Event::Received(socket)),
                1 => {
                    let failure = SendFailure::Threw;
                    self.feed(Event::SendFailed { socket, attempt: Some(attempt), failure });
                }
                _ => {}
            },
            Action::MeasureBuffer { socket } => {
                if self.input.ratio(2, 3)? {
                    let bytes = *self.input.choose(&[0, 5, 1_000])?;
                    self.feed(Event::BufferMeasured { socket, bytes });
                }
            }
            Action::AskForGateways => {
                if self.input.ratio(1, 2)? {
                    let list = self.list()?;
                    self.feed(Event::GatewaysListed(Some(list)));
                }
            }
            Action::Tell(_) => {
                // A handler of the application that calls back in, though not for ever.
                if self.callbacks < MOST_CALLBACKS && self.input.ratio(1, 16)? {
                    self.callbacks += 1;
                    self.happen()?;
                }
            }
            Action::Greet { .. } | Action::Close { .. } => {}
        }
        Ok(())
    }

    /// What holds whenever nothing is left to be obeyed.
    fn check(&self) {
        let (requests, subscriptions) = self.operations.unsettled();
        let counted = self.engine.pending_operations() + self.engine.in_flight_operations();
        assert_eq!(counted, requests, "requests");
        assert_eq!(self.engine.subscriptions(), subscriptions);
        assert_eq!(self.engine.state(), self.state);
        if self.engine.state() == ClientState::Closed {
            self.check_rest();
        }
        if let Some(socket) = self.engine.sendable_socket() {
            assert!(self.live == Some(socket) && self.opened, "{socket:?} is not open");
        }
    }

    fn check_rest(&self) {
        assert_eq!(self.operations.unsettled(), (0, 0), "something is not settled");
        assert_eq!(self.engine.poll_timeout(), None, "it wakes after the end");
        assert!(self.engine.is_quiet());
    }
}
