//! The gateways, their sockets, and the machine that the client runs on.

use regate::policy::Answer;

use crate::{
    happening::{Coming, Frame, Happening, Heard},
    scenario::{EventKind, Fault, FaultKind, Key, Line, Scenario, WakeSignal},
};

/// How far a socket is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The gateway is done with it; the client may not have heard of that.
    Closing,
    Open,
    Opening,
}

/// Whether anything comes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Through {
    Nothing,
    Everything,
}

/// Whether the client listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listener {
    Gone,
    There,
}

#[derive(Clone, Copy, Debug)]
struct Socket {
    id: u64,
    gateway: usize,
    stage: Stage,
    through: Through,
    listener: Listener,
}

/// That a gateway did what an operation asks for. No client knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Performed {
    pub(crate) at: u64,
    pub(crate) operation: usize,
    pub(crate) gateway: usize,
    /// Which of the operation's attempts, counted from 1.
    pub(crate) number: u32,
}

/// The machine sleeps: what comes meanwhile is heard when it wakes up.
#[derive(Debug)]
struct Sleep {
    until: u64,
    line: Line,
    heard: Vec<Heard>,
}

#[derive(Debug)]
pub(crate) struct Network<'a> {
    scenario: &'a Scenario,
    /// Those that are not over.
    sockets: Vec<Socket>,
    coming: Coming,
    /// When the tokens of the list were made.
    listed_at: u64,
    sleep: Option<Sleep>,
    pub(crate) performed: Vec<Performed>,
}

impl<'a> Network<'a> {
    pub(crate) fn new(scenario: &'a Scenario) -> Self {
        let mut coming = Coming::default();
        for fault in &scenario.faults {
            coming.push(fault.from, Happening::Changed);
            coming.push(fault.until, Happening::Changed);
        }
        for event in &scenario.events {
            coming.push(event.at, Happening::Struck(event.kind));
        }
        for (place, operation) in scenario.operations.iter().enumerate() {
            coming.hear(operation.at, Heard::Invoked(place));
        }
        let (sockets, performed) = (Vec::new(), Vec::new());
        Self { scenario, sockets, coming, listed_at: 0, sleep: None, performed }
    }

    pub(crate) fn next_at(&self) -> Option<u64> {
        self.coming.next_at()
    }

    /// Until when the machine sleeps, where it does.
    pub(crate) fn asleep_until(&self) -> Option<u64> {
        self.sleep.as_ref().map(|sleep| sleep.until)
    }

    /// The next thing that has come about by `now`: what the client hears of it, if anything.
    pub(crate) fn pop(&mut self, now: u64) -> Option<Heard> {
        match self.coming.pop(now)? {
            Happening::Arrived(frame) => self.arrive(now, frame),
            Happening::Awoke(signal) => self.wake(now, signal == WakeSignal::Given),
            Happening::Changed => self.change(now),
            Happening::Heard(heard) => return self.hear(now, heard),
            Happening::Struck(kind) => return self.strike(now, kind),
            Happening::TokenExpired { socket } => self.close(now, socket, 4401),
        }
        None
    }

    pub(crate) fn dial(&mut self, now: u64, id: u64, gateway: usize) {
        let fault = self.fault(gateway, now);
        let world = &self.scenario.world;
        let opened_at = now
            + match fault {
                Some(FaultKind::Slow { dial_milliseconds, .. }) => dial_milliseconds,
                _ => world.dial_milliseconds,
            };
        self.sockets.push(Socket {
            id,
            gateway,
            stage: Stage::Opening,
            through: Through::Everything,
            listener: Listener::There,
        });
        match fault {
            Some(FaultKind::Hangs) => {}
            Some(FaultKind::Down) => self.close(now + world.refuse_milliseconds, id, 1006),
            _ => {
                self.coming.hear(opened_at, Heard::Opened { socket: id });
                if let Some(token) = world.token_milliseconds {
                    let at = opened_at.max(self.listed_at + token);
                    self.coming.push(at, Happening::TokenExpired { socket: id });
                }
                if let Some(FaultKind::Closes(code)) = fault {
                    self.close(opened_at, id, code);
                }
            }
        }
    }

    /// The client lets a socket go. What it has sent is on its way all the same.
    pub(crate) fn let_go(&mut self, socket: u64) {
        self.sockets.retain(|entry| entry.id != socket || entry.stage == Stage::Open);
        if let Some(socket) = self.socket(socket) {
            socket.listener = Listener::Gone;
        }
    }

    pub(crate) fn send(&mut self, now: u64, frame: Frame) {
        let Some(&mut Socket { gateway, .. }) = self.socket(frame.socket) else { return };
        let way = self.answer_milliseconds(now, gateway, Some(frame.operation)) / 2;
        self.coming.push(now + way, Happening::Arrived(frame));
    }

    pub(crate) fn ping(&mut self, now: u64, socket: u64, attempt: u64) {
        let Some(&mut Socket { gateway, stage, through, .. }) = self.socket(socket) else { return };
        let answers = !matches!(self.fault(gateway, now), Some(FaultKind::Hangs));
        if answers && stage == Stage::Open && through == Through::Everything {
            let at = now + self.answer_milliseconds(now, gateway, None);
            self.coming.hear(at, Heard::Answered { socket, attempt, answer: Answer::Result });
        }
    }

    /// The client asks its application for the list.
    pub(crate) fn ask_for_list(&mut self, now: u64) {
        let after = self.scenario.world.list_milliseconds.unwrap_or(0);
        self.coming.hear(now + after, Heard::Listed);
    }

    /// What is wrong with a gateway, if anything.
    fn fault(&self, gateway: usize, now: u64) -> Option<FaultKind> {
        let is_now = |fault: &&Fault| {
            fault.gateway.is_none_or(|of| of == gateway) && (fault.from..fault.until).contains(&now)
        };
        self.scenario.faults.iter().rev().find(is_now).map(|fault| fault.kind)
    }

    fn answer_milliseconds(&self, now: u64, gateway: usize, operation: Option<usize>) -> u64 {
        if let Some(FaultKind::Slow { answer_milliseconds, .. }) = self.fault(gateway, now) {
            return answer_milliseconds;
        }
        operation
            .and_then(|place| self.scenario.operations.get(place)?.answer_milliseconds)
            .unwrap_or(self.scenario.world.answer_milliseconds)
    }

    /// A frame has come to its gateway, unless its line is gone meanwhile.
    fn arrive(&mut self, now: u64, frame: Frame) {
        let Frame { socket, attempt, number, operation } = frame;
        let Some(&mut Socket { gateway, stage: Stage::Open, through: Through::Everything, .. }) =
            self.socket(socket)
        else {
            return;
        };
        let (answer, performs) = match self.fault(gateway, now) {
            Some(FaultKind::Hangs) => return,
            Some(FaultKind::Mute) => (None, true),
            Some(FaultKind::Answers(answer)) => (Some(answer), says_performed(answer)),
            Some(FaultKind::Closes(_) | FaultKind::Down | FaultKind::Slow { .. }) | None => {
                (Some(Answer::Result), true)
            }
        };
        let keyed = self.scenario.operations.get(operation).map(|operation| operation.key);
        let known = keyed == Some(Key::OfOperation)
            && self.performed.iter().any(|before| before.operation == operation);
        if performs && !known {
            self.performed.push(Performed { at: now, operation, gateway, number });
        }
        if let Some(answer) = answer {
            let all = self.answer_milliseconds(now, gateway, Some(operation));
            let at = now + (all - all / 2);
            self.coming.hear(at, Heard::Answered { socket, attempt, answer });
        }
    }

    /// What the client hears now, unless nobody listens, or not now.
    fn hear(&mut self, now: u64, heard: Heard) -> Option<Heard> {
        let of_socket = match heard {
            Heard::Answered { socket, .. }
            | Heard::Closed { socket, .. }
            | Heard::Opened { socket } => Some(socket),
            Heard::Asked(_) | Heard::Invoked(_) | Heard::Listed | Heard::Woken => None,
        };
        if let Some(sleep) = &mut self.sleep {
            sleep.heard.push(heard);
            return None;
        }
        if let Some(id) = of_socket {
            let &mut Socket { gateway, stage, through, listener, .. } = self.socket(id)?;
            let hangs = matches!(self.fault(gateway, now), Some(FaultKind::Hangs));
            let silent = through == Through::Nothing || hangs && stage != Stage::Closing;
            match heard {
                Heard::Closed { .. } => self.sockets.retain(|socket| socket.id != id),
                _ if silent => return None,
                Heard::Opened { .. } if stage == Stage::Opening => {
                    self.socket(id)?.stage = Stage::Open;
                }
                _ => {}
            }
            if listener == Listener::Gone {
                return None;
            }
        }
        if let Heard::Listed = heard {
            self.listed_at = now;
        }
        Some(heard)
    }

    fn socket(&mut self, id: u64) -> Option<&mut Socket> {
        self.sockets.iter_mut().rev().find(|socket| socket.id == id)
    }

    /// The gateway closes a socket, unless nobody would hear of it.
    fn close(&mut self, at: u64, id: u64, code: u16) {
        let Some(socket) = self.socket(id) else { return };
        if socket.stage != Stage::Closing && socket.through == Through::Everything {
            socket.stage = Stage::Closing;
            self.coming.hear(at, Heard::Closed { socket: id, code });
        }
    }

    /// A fault began or ended: closes what a gateway does not keep any more.
    fn change(&mut self, now: u64) {
        for Socket { id, gateway, .. } in self.sockets.clone() {
            match self.fault(gateway, now) {
                Some(FaultKind::Down) => self.close(now, id, 1006),
                Some(FaultKind::Closes(code)) => self.close(now, id, code),
                _ => {}
            }
        }
    }

    fn strike(&mut self, now: u64, kind: EventKind) -> Option<Heard> {
        match kind {
            EventKind::Cut(code) => {
                for id in self.live() {
                    self.close(now, id, code);
                }
            }
            EventKind::Drop => self.set_lines(Through::Nothing),
            EventKind::Sleep { until, line, signal } if self.sleep.is_none() => {
                self.sleep = Some(Sleep { until, line, heard: Vec::new() });
                self.set_lines(Through::Nothing);
                self.coming.push(until, Happening::Awoke(signal));
            }
            EventKind::Sleep { .. } => {} // it sleeps already
            EventKind::Wake => return self.hear(now, Heard::Woken),
            EventKind::Close | EventKind::Connect | EventKind::Reconnect => {
                return self.hear(now, Heard::Asked(kind));
            }
        }
        None
    }

    fn wake(&mut self, now: u64, signalled: bool) {
        let Some(Sleep { line, heard, .. }) = self.sleep.take() else { return };
        for heard in heard {
            self.coming.hear(now, heard);
        }
        if line == Line::Closed {
            self.set_lines(Through::Everything);
            for id in self.live() {
                self.close(now, id, 1006);
            }
        }
        if signalled {
            self.coming.hear(now, Heard::Woken);
        }
    }

    /// The sockets that the client holds.
    fn live(&self) -> Vec<u64> {
        let live =
            |socket: &&Socket| socket.listener == Listener::There && socket.stage != Stage::Closing;
        self.sockets.iter().filter(|socket| live(socket)).map(|socket| socket.id).collect()
    }

    fn set_lines(&mut self, through: Through) {
        for id in self.live() {
            if let Some(socket) = self.socket(id) {
                socket.through = through;
            }
        }
    }
}

/// Whether an answer says that the operation was performed: by JSON-RPC, not where it was not even tried.
const fn says_performed(answer: Answer) -> bool {
    !matches!(
        answer,
        Answer::Retryable { .. } | Answer::Error { code: -32_700 | -32_600 | -32_601 | -32_602 }
    )
}
