//! Sockets, rounds and waits, judged by the contract.

mod changes;
mod checks;

use core::mem;

use regate::policy::{
    Cause, ClientState, CloseCode, ConnectionSettings, GatewayIndex, InFlight, Notice, SocketId,
    Verdict, default_verdict,
};

use super::Verdicts;

/// What lets the next dial happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// The application asked: nothing holds it back.
    Asked,
    /// A steady connection was lost.
    Floor,
    /// The running round goes on.
    Round,
    Wait {
        until: u64,
        /// Not before this, whatever the wait was announced as.
        floor: u64,
    },
}

#[derive(Clone, Copy, Debug)]
struct Ours {
    socket: SocketId,
    gateway: GatewayIndex,
    dialled_at: u64,
    opened_at: Option<u64>,
    /// When it was connected: with a session hook that is later.
    ready_at: Option<u64>,
    /// When it counts as lost, since it was seen not to be open.
    doomed_at: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Gateway {
    failed: bool,
    out: bool,
    /// It wanted fresh credentials, and no connection was steady since.
    refused: bool,
    /// Since the schedule began.
    dials: usize,
    dialled_at: u64,
}

#[derive(Debug)]
pub(crate) struct Dialling {
    settings: ConnectionSettings,
    waits: Vec<u64>,
    state: ClientState,
    ours: Option<Ours>,
    /// The other of two dials.
    beside: Option<Ours>,
    /// The connection that is or was last: its gateway and when it opened.
    connected: Option<(GatewayIndex, u64)>,
    gateways: Vec<Gateway>,
    next: Next,
    waits_taken: usize,
    round_began_at: Option<u64>,
    newest_socket: u64,
    /// Where the last dial went since `connect()`.
    last_dialled: Option<usize>,
    /// Operations in flight when the last event came.
    in_flight: u64,
    ever_lost: bool,
    judging: Judging,
    /// What is judged after the next `connect()`.
    judging_next: Judging,
    /// What a session hook said that its failure means.
    said: Option<Verdict>,
    /// What the application said of the last failure.
    judged: Option<Verdict>,
    pace: Pace,
}

/// How far apart rounds begin, whatever else is known of them.
#[derive(Clone, Copy, Debug, Default)]
struct Pace {
    round: u32,
    began_at: Option<u64>,
    /// When the list was asked for: then the round began.
    asked_at: Option<u64>,
    wait_until: Option<u64>,
    /// The application wanted it so.
    excused: Excused,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Excused {
    #[default]
    No,
    Yes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judging {
    All,
    Sockets,
}

/// Where a call of the application comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum From {
    Handler,
    Outside,
}

impl Dialling {
    pub(crate) fn new(settings: ConnectionSettings, gateways: usize) -> Self {
        let timeouts = settings.connect_timeouts;
        let cap = u64::from(timeouts.max_single_milliseconds());
        let (mut waits, mut sum) = (Vec::new(), 0);
        let mut wait = u64::from(timeouts.initial_milliseconds());
        while sum < u64::from(timeouts.max_milliseconds()) {
            waits.push(wait.min(cap));
            sum += wait.min(cap);
            wait = wait.min(cap) * (u64::from(timeouts.backoff_percent()) + 100) / 100;
        }
        Self {
            settings,
            waits,
            state: ClientState::Idle,
            ours: None,
            beside: None,
            connected: None,
            gateways: vec![Gateway::default(); gateways],
            next: Next::Asked,
            waits_taken: 0,
            round_began_at: None,
            newest_socket: 0,
            last_dialled: None,
            in_flight: 0,
            ever_lost: false,
            judging: Judging::All,
            judging_next: if settings.hooks.list
                || settings.hooks.close_policy
                || settings.dial_stagger_milliseconds > 0
            {
                Judging::Sockets
            } else {
                Judging::All
            },
            said: None,
            judged: None,
            pace: Pace::default(),
        }
    }

    /// Something happens after which nobody outside can tell the waits and rounds.
    pub(crate) const fn lose_track(&mut self) {
        self.judging = Judging::Sockets;
    }

    /// As [`lose_track`](Self::lose_track), for good.
    pub(crate) const fn lose_track_for_good(&mut self) {
        self.judging = Judging::Sockets;
        self.judging_next = Judging::Sockets;
    }

    pub(crate) const fn on_asked_for_list(&mut self, now: u64) {
        self.pace.asked_at = Some(now);
    }

    pub(crate) const fn on_session_failed(&mut self, verdict: Option<Verdict>) {
        self.said = verdict;
    }

    /// The application is asked, and says this.
    pub(crate) fn on_judge(
        &mut self,
        cause: Cause,
        default: Verdict,
        says: Option<Verdict>,
        v: &mut Verdicts,
    ) {
        let expected = self.default_verdict(cause);
        v.require(default == expected, || format!("{cause:?} is {default:?} by default"));
        self.judged = says;
    }

    fn default_verdict(&self, cause: Cause) -> Verdict {
        let in_flight = if self.in_flight == 0 { InFlight::Nothing } else { InFlight::Something };
        let said = self.said.filter(|_| cause == Cause::SessionFailed);
        said.unwrap_or(default_verdict(cause, in_flight))
    }

    pub(crate) const fn state(&self) -> ClientState {
        self.state
    }

    pub(crate) fn socket(&self) -> Option<SocketId> {
        self.ours.map(|ours| ours.socket)
    }

    /// Whether it is ours, or the other of two dials.
    pub(crate) fn has(&self, socket: SocketId) -> bool {
        self.ours.into_iter().chain(self.beside).any(|ours| ours.socket == socket)
    }

    /// Whether operations can go out.
    pub(crate) fn is_ready(&self) -> bool {
        self.ours.is_some_and(|ours| ours.ready_at.is_some() && ours.doomed_at.is_none())
    }

    /// A socket is reported lost while so many operations are in flight.
    pub(crate) const fn before_loss(&mut self, in_flight: u64) {
        self.in_flight = in_flight;
    }

    /// The application calls `reconnect()`. From within a handler that hears of what is over
    /// already, nobody outside can tell what it met: waits are not judged until the next start.
    pub(crate) fn on_reconnect(&mut self, from: From) {
        self.pace.excused = Excused::Yes;
        if from == From::Handler {
            self.judging = Judging::Sockets;
            return;
        }
        match self.state {
            ClientState::Idle | ClientState::Closed => {}
            ClientState::Connecting | ClientState::Reconnecting => {
                if self.state == ClientState::Reconnecting {
                    self.begin_schedule();
                }
                self.gateways.iter_mut().for_each(|gateway| gateway.dials = 0);
                // Where a fleet is spread within a round, that round goes on.
                if self.ours.is_none() && self.next != Next::Round {
                    self.next = Next::Asked;
                }
            }
            ClientState::Connected => self.round_began_at = None,
        }
    }

    /// Says whether this is the connection from now on.
    pub(crate) fn on_opened(&mut self, now: u64, socket: SocketId) -> bool {
        self.bring_forward(socket);
        let dialling = |ours: &&mut Ours| ours.socket == socket && ours.opened_at.is_none();
        let Some(ours) = self.ours.as_mut().filter(dialling) else { return false };
        (ours.opened_at, ours.doomed_at) = (Some(now), None);
        if self.settings.hooks.session {
            return false;
        }
        ours.ready_at = Some(now);
        self.connected = Some((ours.gateway, now));
        true
    }

    /// The session hook says that it is done: is this the connection from now on?
    pub(crate) fn on_greeted(&mut self, now: u64, socket: SocketId) -> bool {
        let greeting = |ours: &&mut Ours| {
            let runs = ours.opened_at.is_some() && ours.ready_at.is_none();
            ours.socket == socket && runs && ours.doomed_at.is_none()
        };
        let Some(ours) = self.ours.as_mut().filter(greeting) else { return false };
        ours.ready_at = Some(now);
        self.connected = Some((ours.gateway, now));
        true
    }

    pub(crate) fn is_greeting(&self, socket: SocketId) -> bool {
        self.ours.is_some_and(|ours| {
            ours.socket == socket && ours.opened_at.is_some() && ours.ready_at.is_none()
        })
    }

    /// When the socket that is ours fails by itself, unless it is connected.
    fn limit_of(&self, ours: Ours) -> u64 {
        let dial = u64::from(self.settings.connection_timeout_milliseconds);
        let session = self.settings.session_timeout_milliseconds;
        let at = ours.opened_at.map_or(ours.dialled_at + dial, |at| at + session);
        ours.doomed_at.unwrap_or(at)
    }

    /// An `error` came, or the socket was found not open: it is lost after `patience`.
    pub(crate) fn on_doomed(&mut self, now: u64, socket: SocketId, patience: u64) {
        self.bring_forward(socket);
        let limit = self.ours.map_or(0, |ours| self.limit_of(ours));
        if let Some(ours) = self.ours.as_mut().filter(|ours| ours.socket == socket) {
            // An error counts at once, also where the limit has passed and no timer has said so.
            let limited = patience > 0 && ours.ready_at.is_none();
            let at = if limited { limit.min(now + patience) } else { now + patience };
            ours.doomed_at = Some(ours.doomed_at.map_or(at, |earlier| earlier.min(at)));
        }
    }

    /// Says whether the socket was ours until now.
    pub(crate) fn on_gone(&mut self, socket: SocketId) -> bool {
        self.bring_forward(socket);
        let was_ours = self.ours.is_some_and(|ours| ours.socket == socket);
        if was_ours {
            self.ours = self.beside.take();
        }
        was_ours
    }

    /// What happens to the other of two dials happens to the one.
    fn bring_forward(&mut self, socket: SocketId) {
        if self.beside.is_some_and(|other| other.socket == socket) {
            mem::swap(&mut self.ours, &mut self.beside);
        }
    }

    pub(crate) fn on_open(
        &mut self,
        now: u64,
        socket: SocketId,
        at: GatewayIndex,
        v: &mut Verdicts,
    ) {
        let stagger = u64::from(self.settings.dial_stagger_milliseconds);
        let hangs = |ours: Ours| {
            ours.opened_at.is_none() && stagger > 0 && now >= ours.dialled_at + stagger
        };
        let alone = self.ours.is_none_or(hangs) && self.beside.is_none();
        v.require(alone, || {
            format!("{socket:?} is dialled beside {:?} and {:?}", self.ours, self.beside)
        });
        self.beside = self.ours;
        v.require(socket.as_u64() > self.newest_socket, || format!("{socket:?} is used again"));
        self.newest_socket = socket.as_u64();
        let (dialled_at, gateway) = (now, at);
        self.ours = Some(Ours {
            socket,
            gateway,
            dialled_at,
            opened_at: None,
            ready_at: None,
            doomed_at: None,
        });
        if self.judging == Judging::All {
            self.judge_order(at.position() as usize, v);
            self.judge_dial(now, socket, at, v);
        }
    }

    /// Whatever happens, the list is gone round in its order.
    fn judge_order(&mut self, at: usize, v: &mut Verdicts) {
        let count = self.gateways.len();
        let first = self.last_dialled.map_or(0, |last| last + 1);
        let round = (first..first + count).map(|position| position % count);
        let expected = round.clone().find(|&position| !self.gateways[position].out);
        let in_order = self.settings.shuffle_addresses || expected == Some(at);
        v.require(in_order, || format!("gateway {at} is dialled, and {expected:?} is next"));
        self.last_dialled = Some(at);
    }

    fn judge_dial(&mut self, now: u64, socket: SocketId, at: GatewayIndex, v: &mut Verdicts) {
        let began = self.round_began_at;
        let initial = u64::from(self.settings.connect_timeouts.initial_milliseconds());
        match self.next {
            Next::Asked => {}
            Next::Round => {}
            Next::Floor => v.require(began.is_none_or(|began| now >= began + initial), || {
                format!("a round begins at {now}, {initial} ms have not passed since {began:?}")
            }),
            Next::Wait { until, floor } => v.require(now >= until.max(floor), || {
                format!("{socket:?} is dialled before the wait is over at {until}")
            }),
        }
        if self.next != Next::Round {
            self.gateways.iter_mut().for_each(|gateway| gateway.failed = false);
            self.round_began_at = Some(now);
        }
        let asked = self.next == Next::Asked;
        self.next = Next::Round;
        let jitter = self.settings.jitter;
        let gap = |dials: usize| {
            let wait = self.waits.get(dials - 1).or(self.waits.last()).copied().unwrap_or(0);
            wait - jitter.of(wait)
        };
        let Some(gateway) = self.gateways.get_mut(at.position() as usize) else {
            return v.require(false, || format!("{at:?} is not of the list"));
        };
        v.require(!gateway.out, || format!("{at:?} is out and dialled"));
        v.require(!gateway.failed, || format!("{at:?} is dialled twice in a round"));
        if gateway.dials > 0 && !asked {
            let earliest = gateway.dialled_at + gap(gateway.dials);
            v.require(now >= earliest, || {
                format!("{at:?} is dialled {} times and again before {earliest}", gateway.dials)
            });
        }
        gateway.dials += 1;
        gateway.dialled_at = now;
    }

    pub(crate) fn on_notice(&mut self, now: u64, notice: &Notice, v: &mut Verdicts) {
        match *notice {
            Notice::DialFailed { gateway, verdict, cause } => {
                let mut expected = self.judged.take().unwrap_or(self.default_verdict(cause));
                let refused = self.gateways.get(gateway.position() as usize).map(|g| g.refused);
                if expected == Verdict::Refresh && refused == Some(true) {
                    expected = Verdict::Stop;
                }
                // Of what an application says of losses, and of lists, nothing is seen here.
                let unseen = self.judging == Judging::Sockets
                    && matches!(
                        (expected, verdict),
                        (Verdict::Refresh, Verdict::Stop)
                            | (Verdict::Stop, Verdict::Refresh)
                            | (Verdict::Same, Verdict::Next)
                    );
                v.require(verdict == expected || unseen, || {
                    format!("{cause:?} is {verdict:?}, not {expected:?}")
                });
                let alone = self.ours.is_none() || self.settings.dial_stagger_milliseconds > 0;
                v.require(alone, || format!("{:?} failed and is kept", self.ours));
                self.mark(gateway, verdict);
            }
            Notice::StateChanged { from, to, reason, gateway } => {
                v.require(from == self.state && from != to, || format!("{from:?} to {to:?}"));
                self.state = to;
                self.change(now, to, reason, gateway, v);
            }
            Notice::WaitBegan { milliseconds, .. } => {
                self.pace.wait_until = Some(now + milliseconds);
                self.wait(now, milliseconds, v);
            }
            Notice::Dialled { round, .. } => self.keep_pace(now, round, v),
            _ => {}
        }
    }

    /// Whatever verdicts, lists or wake signals do, two rounds do not begin too close together.
    fn keep_pace(&mut self, now: u64, round: u32, v: &mut Verdicts) {
        let asked_at = self.pace.asked_at.take();
        if round == self.pace.round {
            return;
        }
        let initial = u64::from(self.settings.connect_timeouts.initial_milliseconds());
        let began_at = asked_at.unwrap_or(now);
        let waited = self.pace.wait_until.is_some_and(|until| began_at >= until);
        let far = self.pace.began_at.is_none_or(|before| began_at >= before + initial);
        v.require(far || waited || self.pace.excused == Excused::Yes, || {
            format!("round {round} begins at {began_at}, {:?}", self.pace)
        });
        // What `reconnect()` calls the first round may be one that has begun before.
        let known = self.pace.excused == Excused::No;
        self.pace = Pace { round, began_at: Some(began_at).filter(|_| known), ..Pace::default() };
    }
}

/// The cause that a driver reports for a close event.
pub(crate) const fn closed(code: u16) -> Cause {
    Cause::Closed(CloseCode::from_event(code))
}
