//! The clock: what is next, what the client makes of it, and when that is enough.

use regate::policy::{
    Action, Cause, CloseCode, CloseRequest, Engine, Event, GatewayIndex, Instant, Notice, Rng,
    SocketId,
};

use crate::{
    happening::{Frame, Heard},
    network::Network,
    operations::{Operations, Turn},
    output::Play,
    plain,
    record::Recorder,
    scenario::{EventKind, Scenario},
    told::place,
};

/// More steps than that take longer than anybody wants to look at a page that does not answer.
pub(crate) const MOST_STEPS: u64 = 1_000_000;

pub(crate) fn play(scenario: &Scenario) -> Play {
    let mut recorder = Recorder::new(scenario);
    // One client has the seed that the options say; of a fleet, each draws its own.
    let mut seeds = Rng::from_seed(scenario.seed);
    let steps = MOST_STEPS / scenario.clients;
    for _ in 0..scenario.clients {
        let seed = if scenario.clients == 1 { scenario.seed } else { seeds.up_to(u64::MAX) };
        recorder.begin();
        match scenario.plain {
            Some(client) => plain::play(scenario, client, steps, &mut recorder),
            None => Player::new(scenario, seed, &mut recorder).play(steps),
        }
    }
    recorder.finish()
}

struct Player<'a, 'r> {
    scenario: &'a Scenario,
    engine: Engine,
    network: Network<'a>,
    operations: Operations<'a>,
    recorder: &'r mut Recorder<'a>,
    /// The gateway of each socket, by the socket's number less one.
    gateways: Vec<usize>,
    now: u64,
}

impl<'a, 'r> Player<'a, 'r> {
    fn new(scenario: &'a Scenario, seed: u64, recorder: &'r mut Recorder<'a>) -> Self {
        // Where a function gives the list, nothing is known before it is asked.
        let listed =
            if scenario.settings.connection.hooks.list { 0 } else { scenario.labels.len() };
        Self {
            scenario,
            engine: Engine::new(scenario.settings, u32::try_from(listed).unwrap_or(0), seed),
            network: Network::new(scenario),
            operations: Operations::new(scenario, recorder.play()),
            recorder,
            gateways: Vec::new(),
            now: 0,
        }
    }

    fn play(mut self, most_steps: u64) {
        let mut steps = 0;
        while let Some(next) = self.next_at().filter(|&next| next < self.scenario.horizon) {
            // What is in flight is looked through at each step.
            steps += 1 + self.operations.in_flight() / 16;
            if steps > most_steps {
                self.recorder.cut();
                break;
            }
            self.now = next;
            if self.network.next_at().is_some_and(|at| at <= next) {
                if let Some(heard) = self.network.pop(next) {
                    self.hear(heard);
                }
            } else {
                self.engine.handle_timeout(self.instant());
                self.follow(Turn::Other);
            }
        }
        let until = if steps > most_steps { self.now } else { self.scenario.horizon };
        Operations::reveal(&self.network.performed, self.recorder.play());
        self.recorder.end(self.engine.state().as_str(), until);
    }

    fn next_at(&self) -> Option<u64> {
        // A machine that sleeps runs its timers when it wakes up.
        let awake_at = self.network.asleep_until().unwrap_or(self.now);
        let timer = self.engine.poll_timeout().map(|at| at.as_milliseconds().max(awake_at));
        self.network.next_at().into_iter().chain(timer).min()
    }

    fn instant(&self) -> Instant {
        Instant::from_milliseconds(self.now)
    }

    fn hear(&mut self, heard: Heard) {
        match heard {
            Heard::Answered { socket, attempt, answer } => {
                self.tell(Event::Received(SocketId::from_u64(socket)), Turn::Other);
                let attempt_id = regate::policy::AttemptId::from_u64(attempt);
                let answered = Event::Answered { attempt: attempt_id, answer };
                self.tell(answered, Turn::Answered { attempt, answer });
            }
            Heard::Asked(kind) => {
                let event = match kind {
                    EventKind::Connect => Event::ConnectRequested,
                    EventKind::Reconnect => Event::ReconnectRequested,
                    EventKind::Close => Event::CloseRequested(CloseRequest::Application),
                    EventKind::Wake => Event::Woken,
                    EventKind::Cut(_) | EventKind::Drop | EventKind::Sleep { .. } => return,
                };
                self.tell(event, Turn::Other);
            }
            Heard::Closed { socket, code } => {
                let cause = Cause::Closed(CloseCode::from_event(code));
                let socket = SocketId::from_u64(socket);
                self.tell(Event::SocketFailed { socket, cause }, Turn::Closed { code });
            }
            Heard::Invoked(place) => {
                let operation = self.engine.reserve_operation();
                if let Some(call) = self.operations.make(place, operation) {
                    self.tell(Event::Invoked { operation, call }, Turn::Other);
                }
            }
            Heard::Listed => {
                let all = 0..u32::try_from(self.scenario.labels.len()).unwrap_or(0);
                let all = all.map(GatewayIndex::from_position).collect();
                self.tell(Event::GatewaysListed(Some(all)), Turn::Other);
            }
            Heard::Opened { socket } => {
                if let Some(place) = self.gateway_of(socket) {
                    self.recorder.dial_opened(self.now, place);
                }
                self.tell(Event::SocketOpened(SocketId::from_u64(socket)), Turn::Other);
            }
            Heard::Woken => self.tell(Event::Woken, Turn::Other),
        }
    }

    fn tell(&mut self, event: Event, turn: Turn) {
        self.engine.handle_event(self.instant(), event);
        self.follow(turn);
    }

    /// Obeys the engine until it wants no more.
    fn follow(&mut self, turn: Turn) {
        self.operations.after(self.now, turn, &self.engine);
        while let Some(action) = self.engine.poll_action() {
            self.obey(action);
        }
        self.operations.close_turn(self.now, &self.engine, self.recorder.play());
    }

    fn obey(&mut self, action: Action) {
        match action {
            Action::Open { socket, gateway } => {
                let place = place(gateway).unwrap_or(usize::MAX);
                self.gateways.push(place);
                self.recorder.dialled(self.now, place);
                self.network.dial(self.now, socket.as_u64(), place);
            }
            Action::Close { socket } => {
                if let Some(place) = self.gateway_of(socket.as_u64()) {
                    self.recorder.let_go(self.now, place);
                }
                self.network.let_go(socket.as_u64());
            }
            Action::AskForGateways => self.network.ask_for_list(self.now),
            Action::MeasureBuffer { socket } => {
                let event = Event::BufferMeasured { socket, bytes: 0 };
                self.engine.handle_event(self.instant(), event);
            }
            Action::Ping { socket, attempt } => {
                self.network.ping(self.now, socket.as_u64(), attempt.as_u64());
            }
            Action::Send { socket, operation, attempt } => {
                let Some(gateway) = self.gateway_of(socket.as_u64()) else { return };
                let what = (operation, attempt, socket);
                let play = self.recorder.play();
                if let Some((operation, number)) =
                    self.operations.sent(self.now, what, gateway, play)
                {
                    let (socket, attempt) = (socket.as_u64(), attempt.as_u64());
                    self.network.send(self.now, Frame { socket, attempt, number, operation });
                }
            }
            Action::Tell(Notice::Settled { operation, outcome }) => {
                self.operations.settled(operation, outcome);
            }
            Action::Tell(notice) => self.recorder.notice(self.now, &notice),
            // The hooks for these are not set.
            Action::Greet { .. } | Action::Judge { .. } => {}
        }
    }

    fn gateway_of(&self, socket: u64) -> Option<usize> {
        self.gateways.get(usize::try_from(socket).ok()?.checked_sub(1)?).copied()
    }
}
