//! The driver, the clock and the application around one engine.

use core::hash::{Hash as _, Hasher as _};
use std::hash::DefaultHasher;

use regate::policy::{
    Action, Answer, AttemptId, ClientState, CloseRequest, Engine, ErrorCode, Event, Instant,
    Notice, OperationId, Rng, SendFailure, SocketId, StateReason,
};

use super::{
    Verdicts,
    dialling::{Dialling, From, closed},
    log::Log,
    network::{Happening, Network},
    operations::{Asked, Limit, Operations},
    plan::{Act, Hostile, Plan, Timers, Trigger},
    trace::{self, Trace},
};

/// More turns than any plan needs: a client that takes them is in a busy loop.
const MOST_TURNS: u32 = 60_000;

/// How long a client is watched after all faults have been mended.
const WATCHED_MILLISECONDS: u64 = 25_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recording {
    Off,
    On,
}

#[derive(Debug)]
pub(crate) struct World<'a> {
    plan: &'a Plan,
    engine: Engine,
    network: Network,
    now: u64,
    turns: u32,
    /// The deadline the timer was set for, and when it goes off.
    timer: Option<(u64, u64)>,
    timer_rng: Rng,
    sockets: Vec<SocketId>,
    connections: Vec<(u64, u32)>,
    passed_over: Vec<u32>,
    calls_from: From,
    /// Whether a handler has called back in since the turn began: what it meets has moved on.
    called_back: bool,
    gave_up: Option<ErrorCode>,
    dialling: Dialling,
    operations: Operations,
    log: Log,
    verdicts: Verdicts,
    trace: Option<Trace>,
    fingerprint: DefaultHasher,
    actions: u64,
}

impl<'a> World<'a> {
    pub(crate) fn new(plan: &'a Plan, recording: Recording) -> Self {
        let gateways = plan.latencies.len();
        let engine = Engine::new(plan.settings, u32::try_from(gateways).unwrap_or(0), plan.seed);
        Self {
            engine,
            network: Network::new(&plan.latencies, plan.seed),
            now: 0,
            turns: 0,
            timer: None,
            timer_rng: Rng::from_seed(plan.seed.rotate_left(17)),
            sockets: Vec::new(),
            connections: Vec::new(),
            passed_over: vec![0; plan.callbacks.len()],
            calls_from: From::Outside,
            called_back: false,
            gave_up: None,
            dialling: Dialling::new(plan.settings.connection, gateways),
            operations: Operations::new(plan.settings),
            log: Log::default(),
            verdicts: Verdicts::default(),
            trace: (recording == Recording::On).then(Trace::default),
            fingerprint: DefaultHasher::new(),
            actions: 0,
            plan,
        }
    }

    /// Plays the plan to its end, then mends everything, closes the client and annoys it.
    pub(crate) fn play(&mut self) -> Result<(), String> {
        self.play_steps()?;
        self.network.heal();
        self.run_until(self.now + WATCHED_MILLISECONDS);
        self.play_the_end()
    }

    /// The steps of the plan, and nothing after the last.
    pub(crate) fn play_steps(&mut self) -> Result<(), String> {
        let mut at = 0;
        for step in &self.plan.steps {
            at += step.after;
            at = at.max(self.now);
            self.run_until(at);
            self.turn(|world| world.act(&step.act));
        }
        self.verdicts.take()
    }

    fn play_the_end(&mut self) -> Result<(), String> {
        self.check_that_all_was_answered();
        self.passed_over.fill(u32::MAX / 2); // the application only listens from here on
        self.turn(|world| world.act(&Act::Close));
        self.check_silence();
        let after_close = [
            Hostile::Timeout,
            Hostile::LateAnswer(0),
            Hostile::StaleOpened(0),
            Hostile::StaleErred(0),
            Hostile::StaleClosed(0, 1006),
            Hostile::StaleSend(0, SendFailure::Threw),
        ];
        let actions = self.actions;
        for hostile in after_close {
            self.turn(|world| world.hostile(hostile));
        }
        self.verdicts.require(self.actions == actions, || "speaks after close()".to_owned());
        self.check_silence();
        self.run_until(self.now + 1_000);
        self.verdicts.take()
    }

    /// Lets the clock jump from one thing to the next until `at`.
    pub(crate) fn run_until(&mut self, at: u64) {
        while !self.verdicts.is_broken() {
            self.set_timer();
            let timer_at = self.timer.map(|(_, goes_off_at)| goes_off_at);
            let next = [timer_at, self.network.next_at()].into_iter().flatten().min();
            let Some(next) = next.filter(|&next| next <= at) else { break };
            self.now = self.now.max(next);
            let timer_first = timer_at.is_some_and(|timer| timer <= self.now)
                && (self.network.next_at().is_none_or(|network| network > self.now)
                    || self.timer_rng.up_to(1) == 0);
            if timer_first {
                self.turn(Self::serve_timer);
            } else if let Some(happening) = self.network.pop(self.now) {
                self.turn(|world| world.happen(happening));
            }
        }
        self.now = self.now.max(at);
    }

    pub(crate) fn trace(&self) -> String {
        self.trace.as_ref().map_or_else(String::new, Trace::text)
    }

    /// A number that stands for all actions and when they came.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.fingerprint.finish()
    }

    /// When it was connected, and to which gateway, from the first time on.
    pub(crate) fn connections(&self) -> &[(u64, u32)] {
        &self.connections
    }

    fn set_timer(&mut self) {
        let wanted = self.engine.poll_timeout().map(Instant::as_milliseconds);
        if wanted == self.timer.map(|(deadline, _)| deadline) {
            return;
        }
        self.timer = wanted.map(|deadline| {
            let goes_off_at = match self.plan.timers {
                Timers::Punctual => deadline,
                Timers::Sloppy(_) if self.timer_rng.up_to(9) == 0 => deadline.saturating_sub(1),
                Timers::Sloppy(late) => deadline + self.timer_rng.up_to(late),
            };
            (deadline, goes_off_at.max(self.now))
        });
    }

    fn serve_timer(&mut self) {
        let deadline = self.timer.take().map_or(0, |(deadline, _)| deadline);
        self.note(|| "timer".to_owned());
        self.engine.handle_timeout(self.instant());
        self.obey();
        if self.now < deadline {
            self.timer = Some((deadline, deadline)); // it was early: the next one is not
        } else {
            let ready = self.dialling.is_ready();
            self.dialling.after_timeout(self.now, &mut self.verdicts);
            self.operations.after_timeout(self.now, ready, &mut self.verdicts);
        }
        if let Some(trace) = &mut self.trace {
            trace.drop_if_empty();
        }
    }

    fn turn(&mut self, what: impl FnOnce(&mut Self)) {
        if self.verdicts.is_broken() {
            return;
        }
        self.turns += 1;
        self.called_back = false;
        self.verdicts.require(self.turns < MOST_TURNS, || "does not come to rest".to_owned());
        what(self);
        self.obey();
        let v = &mut self.verdicts;
        let poll_timeout = self.engine.poll_timeout().map(Instant::as_milliseconds);
        self.dialling.after_turn(poll_timeout, v);
        self.operations.after_turn(self.dialling.is_ready(), poll_timeout, v);
        let silent = poll_timeout.is_none() && self.operations.unsettled().next().is_none();
        v.require(silent || self.engine.state() != ClientState::Closed, || {
            "closed, and not silent".to_owned()
        });
        v.require(self.engine.state() == self.dialling.state(), || "the state".to_owned());
        let in_flight = self.operations.in_flight();
        v.require(self.engine.in_flight_operations() == in_flight, || {
            format!("{} in flight, not {in_flight}", self.engine.in_flight_operations())
        });
        let pending = self.operations.unsettled().count() as u64 - in_flight;
        v.require(self.engine.pending_operations() == pending, || {
            format!("{} pending, not {pending}", self.engine.pending_operations())
        });
    }

    fn instant(&self) -> Instant {
        Instant::from_milliseconds(self.now)
    }

    fn note(&mut self, what: impl FnOnce() -> String) {
        if let Some(trace) = &mut self.trace {
            trace.begin(self.now, &what());
        }
    }

    fn feed(&mut self, event: Event) {
        self.note(|| trace::event(&event));
        match &event {
            Event::ReconnectRequested => self.dialling.on_reconnect(self.calls_from),
            Event::OperationAborted(operation) => self.operations.on_abort(*operation),
            Event::SocketOpened(socket) => {
                if self.dialling.on_opened(self.now, *socket) {
                    self.operations.on_connected();
                }
            }
            Event::SocketErred(socket) => self.dialling.on_doomed(self.now, *socket, 0),
            Event::SocketFailed { socket, cause } => {
                if self.dialling.on_gone(*socket) {
                    self.dialling.before_loss(self.engine.in_flight_operations());
                    let code = cause.close_code().map(|code| code.as_u16());
                    self.operations.on_socket_gone(self.now, *socket, code);
                }
            }
            Event::SendFailed { socket, attempt, failure } => {
                if let Some(attempt) = attempt {
                    self.operations.on_send_failed(self.now, *attempt, *failure);
                }
                if *failure == SendFailure::NotOpen {
                    let patience = self.plan.settings.connection.read_timeouts.total_milliseconds();
                    self.dialling.on_doomed(self.now, *socket, patience);
                }
            }
            Event::Answered { attempt, answer } => {
                self.operations.on_answer(self.now, *attempt, *answer);
            }
            Event::CloseRequested(_) | Event::ConnectRequested | Event::Invoked { .. } => {}
        }
        self.engine.handle_event(self.instant(), event);
    }

    /// Obeys until there is nothing left to do. A handler that calls back in only feeds.
    fn obey(&mut self) {
        while let Some(action) = self.engine.poll_action() {
            self.actions += 1;
            self.verdicts.require(self.actions < 1_000_000, || "never stops talking".to_owned());
            if self.verdicts.is_broken() {
                return;
            }
            (self.now, format!("{action:?}")).hash(&mut self.fingerprint);
            if let Some(trace) = &mut self.trace {
                trace.add(&trace::action(&action));
            }
            self.perform(action);
        }
    }

    fn perform(&mut self, action: Action) {
        match action {
            Action::Open { socket, gateway } => {
                self.sockets.push(socket);
                self.dialling.on_open(self.now, socket, gateway, &mut self.verdicts);
                self.log.on_dial();
                let dialled = self.network.dial(self.now, socket, gateway.position() as usize);
                if let Err(cause) = dialled {
                    self.feed(Event::SocketFailed { socket, cause });
                }
            }
            Action::Close { socket } => {
                self.network.detach(socket);
                let was_ours = self.dialling.on_gone(socket);
                self.verdicts.require(was_ours || self.called_back, || {
                    format!("{socket:?} is closed for nothing")
                });
                self.operations.on_socket_gone(self.now, socket, None);
            }
            Action::Send { socket, operation, attempt } => {
                let ready = self.dialling.is_ready() && self.dialling.socket() == Some(socket);
                self.verdicts.require(ready, || format!("{attempt:?} is sent on {socket:?}"));
                self.operations.on_send(self.now, socket, operation, attempt, &mut self.verdicts);
                if let Err(failure) = self.network.send(self.now, socket, operation, attempt) {
                    let attempt = Some(attempt);
                    self.feed(Event::SendFailed { socket, attempt, failure });
                }
            }
            Action::Tell(notice) => self.hear(&notice),
        }
    }

    fn hear(&mut self, notice: &Notice) {
        self.dialling.on_notice(self.now, notice, &mut self.verdicts);
        self.log.on_notice(self.now, notice, &mut self.verdicts);
        let trigger = match *notice {
            Notice::Settled { operation, outcome } => {
                let asked = Asked {
                    close: self.dialling.state() == ClientState::Closed,
                    ready: self.dialling.is_ready(),
                    amid_actions: self.called_back,
                    gave_up: self.gave_up,
                };
                self.operations.on_settled(self.now, operation, outcome, asked, &mut self.verdicts);
                Trigger::Settled
            }
            Notice::StateChanged { to: ClientState::Closed, reason, .. } => {
                self.gave_up = match reason {
                    StateReason::GaveUp(why) => Some(why.code()),
                    _ => None,
                };
                Trigger::Closed
            }
            Notice::StateChanged { to: ClientState::Connected, gateway, .. } => {
                let gateway = gateway.map_or(u32::MAX, |gateway| gateway.position());
                self.connections.push((self.now, gateway));
                Trigger::Connected
            }
            Notice::StateChanged { to: ClientState::Reconnecting, .. } => Trigger::Reconnecting,
            Notice::StateChanged { to: ClientState::Connecting, .. } => {
                self.gave_up = None;
                return;
            }
            Notice::WaitBegan { .. } => Trigger::Waiting,
            Notice::DialFailed { .. } => Trigger::DialFailed,
            _ => return,
        };
        for (callback, passed) in self.plan.callbacks.iter().zip(0..) {
            if callback.trigger == trigger {
                self.passed_over[passed] += 1;
                if self.passed_over[passed] == callback.skip + 1 {
                    self.act_amid_actions(&callback.act);
                }
            }
        }
    }

    fn happen(&mut self, happening: Happening) {
        match happening {
            Happening::Answered { attempt, answer, .. } => {
                self.feed(Event::Answered { attempt, answer });
            }
            Happening::Closed { socket, code } => {
                self.feed(Event::SocketFailed { socket, cause: closed(code) });
            }
            Happening::Erred { socket } => self.feed(Event::SocketErred(socket)),
            Happening::FrameArrived { socket, operation, attempt } => {
                let executed = self.network.arrive(self.now, socket, attempt);
                self.note(|| format!("frame {} arrives: {executed:?}", attempt.as_u64()));
                self.operations.on_arrival(operation, attempt, executed, &mut self.verdicts);
            }
            Happening::Opened { socket } => self.feed(Event::SocketOpened(socket)),
        }
    }

    /// Acts while there are actions that were not obeyed yet.
    fn act_amid_actions(&mut self, act: &Act) {
        self.called_back = true;
        let outer = core::mem::replace(&mut self.calls_from, From::Handler);
        self.act(act);
        self.calls_from = outer;
    }

    fn act(&mut self, act: &Act) {
        match act {
            Act::Abort { back } => {
                if let Some(operation) = self.operations.newest(*back) {
                    self.feed(Event::OperationAborted(operation));
                }
            }
            Act::AbortConnect => {
                self.feed(Event::CloseRequested(CloseRequest::ConnectAborted));
            }
            Act::Close => self.feed(Event::CloseRequested(CloseRequest::Application)),
            Act::Connect => self.feed(Event::ConnectRequested),
            Act::Fault { gateway, fault } => {
                let gateway = gateway % self.plan.latencies.len();
                self.note(|| format!("gateway {gateway}: {fault:?}"));
                self.network.strike(self.now, gateway, *fault);
            }
            Act::Hostile(hostile) => self.hostile(*hostile),
            Act::Invoke(request) => {
                let (operation, call) = (self.engine.reserve_operation(), request.call());
                let limit = match (self.calls_from, self.dialling.is_ready()) {
                    (From::Handler, _) => None,
                    (From::Outside, true) => Some(Limit::InFlight),
                    (From::Outside, false) => Some(Limit::Pending),
                };
                let v = &mut self.verdicts;
                self.operations.on_invoke(self.now, operation, &call, limit, v);
                self.feed(Event::Invoked { operation, call });
            }
            Act::Reconnect => self.feed(Event::ReconnectRequested),
            Act::Sleep(milliseconds) => {
                self.note(|| format!("sleep {milliseconds} ms"));
                self.now += milliseconds;
            }
            Act::Turn(acts) => acts.iter().for_each(|act| self.act_amid_actions(act)),
        }
    }

    fn hostile(&mut self, hostile: Hostile) {
        let stale = |back: usize| {
            let ours = self.dialling.socket();
            self.sockets.iter().rev().filter(|&&socket| Some(socket) != ours).nth(back).copied()
        };
        let answered = |attempt| Event::Answered { attempt, answer: Answer::Result };
        let event = match hostile {
            Hostile::LateAnswer(back) => self.operations.finished_attempt(back).map(answered),
            Hostile::MadeUpAnswer(0) => Some(answered(AttemptId::from_u64(0))),
            Hostile::MadeUpAnswer(beyond) => {
                let unused = self.operations.newest_id().saturating_add(beyond);
                Some(answered(AttemptId::from_u64(unused)))
            }
            Hostile::InvokedAgain(back) => self.unsettled(back).map(|operation| Event::Invoked {
                operation,
                call: regate::policy::Call::redoable(),
            }),
            Hostile::Timeout => {
                self.note(|| "timer for nothing".to_owned());
                self.engine.handle_timeout(self.instant());
                None
            }
            Hostile::StaleClosed(back, code) => {
                stale(back).map(|socket| Event::SocketFailed { socket, cause: closed(code) })
            }
            Hostile::StaleErred(back) => stale(back).map(Event::SocketErred),
            Hostile::StaleOpened(back) => stale(back).map(Event::SocketOpened),
            Hostile::StaleSend(back, failure) => stale(back).map(|socket| {
                let attempt = self.operations.finished_attempt(back);
                Event::SendFailed { socket, attempt, failure }
            }),
        };
        if let Some(event) = event {
            self.feed(event);
        }
    }

    fn unsettled(&self, back: usize) -> Option<OperationId> {
        let unsettled: Vec<_> = self.operations.unsettled().map(|(id, _)| id).collect();
        unsettled.into_iter().rev().nth(back)
    }

    /// A client that is connected to a sound gateway has answered all that can be answered.
    fn check_that_all_was_answered(&mut self) {
        match self.dialling.state() {
            ClientState::Idle | ClientState::Closed => return,
            ClientState::Connected => {}
            state @ (ClientState::Connecting | ClientState::Reconnecting) => {
                let what = || format!("is {} beside sound gateways", state.as_str());
                return self.verdicts.require(false, what);
            }
        }
        let waiting = self.operations.unsettled().find(|&(_, in_flight)| !in_flight);
        self.verdicts.require(waiting.is_none(), || format!("{waiting:?} waits for nothing"));
    }

    fn check_silence(&mut self) {
        let v = &mut self.verdicts;
        v.require(self.engine.poll_timeout().is_none(), || "wakes after close()".to_owned());
        v.require(self.engine.poll_action().is_none(), || "acts after close()".to_owned());
        v.require(self.engine.is_quiet(), || "is not quiet after close()".to_owned());
        let unsettled = self.operations.unsettled().next();
        v.require(unsettled.is_none(), || format!("{unsettled:?} is never settled"));
        // The engine shows no other sign of what it keeps.
        let debug = format!("{:?}", self.engine);
        let index = debug.split("index: Index").nth(1).and_then(|text| text.split('}').next());
        v.require(index.is_some_and(|text| text.ends_with("len: 0 ")), || {
            format!("keeps something of what is settled: {index:?}")
        });
        let attempts = self.operations.attempts();
        v.require(self.engine.operation_counts().attempts == attempts, || {
            format!("{} attempts, not {attempts}", self.engine.operation_counts().attempts)
        });
    }
}
