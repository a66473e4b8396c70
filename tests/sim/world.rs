//! The driver, the clock and the application around one engine.

mod acts;
mod ending;
mod feeding;

use core::hash::{Hash as _, Hasher as _};
use std::{
    collections::{BTreeMap, BTreeSet},
    hash::DefaultHasher,
};

use regate::policy::{
    Action, Answer, AttemptId, ClientState, Engine, ErrorCode, Event, Instant, Notice, OperationId,
    Rng, SendFailure, SocketId, StateReason,
};

use super::{
    Verdicts,
    dialling::{Dialling, From, closed},
    log::Log,
    network::{Happening, Network},
    operations::{Asked, Operations, Wakes},
    plan::{Act, Greeting, Hostile, Plan, Timers, Trigger},
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
    draining: bool,
    /// It began anew since, but what was refused is still to be heard of in this turn.
    drained: bool,
    /// The page is put away.
    hidden: bool,
    /// From here on the application answers well.
    sound: bool,
    listings: usize,
    judgements: usize,
    greetings: usize,
    /// What session hooks have sent, and on which socket.
    log_ins: BTreeMap<OperationId, SocketId>,
    /// What may be dialled.
    listed: BTreeSet<u32>,
    pings: BTreeSet<AttemptId>,
    /// When anything came last on the socket that is connected, or when it was connected.
    heard_at: u64,
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
        let count = u32::try_from(gateways).unwrap_or(0);
        let known = if plan.settings.connection.hooks.list { 0 } else { count };
        let engine = Engine::new(plan.settings, known, plan.seed);
        let mut dialling = Dialling::new(plan.settings.connection, gateways);
        let same = Some(regate::policy::Verdict::Same);
        let says_same = |greeting: &Greeting| matches!(greeting, Greeting::FailAfter(_, verdict) if *verdict == same);
        if plan.application.greetings.iter().any(says_same) {
            dialling.lose_track_for_good();
        }
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
            draining: false,
            drained: false,
            hidden: false,
            sound: false,
            listings: 0,
            judgements: 0,
            greetings: 0,
            log_ins: BTreeMap::new(),
            listed: (0..known).collect(),
            pings: BTreeSet::new(),
            heard_at: 0,
            dialling,
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
        self.sound = true;
        self.turn(|world| world.act(&Act::Show));
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
            if self.hidden {
                return;
            }
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
        self.draining &= !core::mem::take(&mut self.drained);
        self.called_back = false;
        self.verdicts.require(self.turns < MOST_TURNS, || "does not come to rest".to_owned());
        what(self);
        self.obey();
        self.hidden &= !matches!(self.engine.state(), ClientState::Idle | ClientState::Closed);
        let watched = self.is_watched();
        let v = &mut self.verdicts;
        let poll_timeout = self.engine.poll_timeout().map(Instant::as_milliseconds);
        let ours = self.dialling.socket();
        let ready = ours.filter(|_| self.dialling.is_ready());
        let wakes = if self.hidden { Wakes::Never } else { Wakes::Due };
        if self.hidden {
            v.require(ours.is_none() && poll_timeout.is_none(), || "is not put away".to_owned());
        } else {
            self.dialling.after_turn(poll_timeout, v);
        }
        self.operations.after_turn(ready, ours, poll_timeout, wakes, v);
        let v = &mut self.verdicts;
        let heartbeat = self.plan.settings.heartbeat.period_milliseconds;
        if watched && ready.is_some() && heartbeat > 0 {
            let patience = self.plan.settings.connection.read_timeouts.total_milliseconds();
            let dead_at = self.heard_at + heartbeat + patience;
            v.require(self.now <= dead_at, || format!("silent since {}", self.heard_at));
        }
        let subscriptions = self.operations.subscriptions();
        v.require(self.engine.subscriptions() == subscriptions, || {
            format!("{} subscriptions, not {subscriptions}", self.engine.subscriptions())
        });
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
                let listed = self.listed.contains(&gateway.position());
                self.verdicts.require(listed, || format!("{gateway:?} is not listed"));
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
                self.verdicts.require(was_ours || self.called_back || self.draining, || {
                    format!("{socket:?} is closed for nothing")
                });
                self.operations.on_socket_gone(self.now, socket, None);
            }
            Action::Send { socket, operation, attempt } => {
                let ready = self.dialling.is_ready() && self.dialling.socket() == Some(socket)
                    || self.log_ins.get(&operation) == Some(&socket)
                        && self.dialling.is_greeting(socket);
                self.verdicts.require(ready, || format!("{attempt:?} is sent on {socket:?}"));
                self.operations.on_send(self.now, socket, operation, attempt, &mut self.verdicts);
                if let Err(failure) = self.network.send(self.now, socket, operation, attempt) {
                    let attempt = Some(attempt);
                    self.feed(Event::SendFailed { socket, attempt, failure });
                }
            }
            Action::AskForGateways => {
                self.dialling.on_asked_for_list(self.now);
                self.log.on_asked_for_list();
                self.give_list();
            }
            Action::Judge { cause, verdict, .. } => {
                let judgement = self.judge();
                self.dialling.on_judge(cause, verdict, judgement.verdict, &mut self.verdicts);
                self.feed(Event::FailureJudged(judgement));
            }
            Action::Greet { socket, .. } => self.greet(socket),
            Action::MeasureBuffer { socket } => {
                self.feed(Event::BufferMeasured { socket, bytes: 0 });
            }
            Action::Ping { socket, attempt } => {
                let ready = self.dialling.is_ready() && self.dialling.socket() == Some(socket);
                self.verdicts.require(ready || self.called_back, || format!("pings {socket:?}"));
                let fresh = self.pings.insert(attempt);
                self.verdicts.require(fresh, || format!("{attempt:?} was used before"));
                if let Err(failure) = self.network.ping(self.now, socket, attempt) {
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
                    drain: self.draining,
                };
                self.operations.on_settled(self.now, operation, outcome, asked, &mut self.verdicts);
                if let Some(socket) = self.log_ins.remove(&operation) {
                    self.feed(match outcome {
                        Ok(()) => Event::SessionDone(socket),
                        Err(_) => Event::SessionFailed { socket, verdict: None },
                    });
                    return;
                }
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
            Happening::Answered { socket, attempt, answer } => {
                self.feed(Event::Received(socket));
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
            Happening::Greeted { socket, outcome } => self.feed(match outcome {
                Ok(()) => Event::SessionDone(socket),
                Err(verdict) => Event::SessionFailed { socket, verdict },
            }),
            Happening::Listed(list) => {
                self.feed(Event::GatewaysListed(list.map(|list| acts::gateways(&list))));
            }
            Happening::Ponged { socket, attempt } => {
                self.feed(Event::Received(socket));
                self.feed(Event::Answered { attempt, answer: Answer::Result });
            }
            Happening::Opened { socket } => self.feed(Event::SocketOpened(socket)),
        }
    }
}
