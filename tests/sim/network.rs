//! Gateways, sockets and what is on its way between them.

use std::collections::BTreeMap;

use regate::policy::{Answer, AttemptId, OperationId, Rng, SendFailure, SocketId, Verdict};

use super::plan::{Answering, Fault, Mode};

/// Something that will reach its end at a set time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Happening {
    Answered {
        socket: SocketId,
        attempt: AttemptId,
        answer: Answer,
    },
    Closed {
        socket: SocketId,
        code: u16,
    },
    Erred {
        socket: SocketId,
    },
    FrameArrived {
        socket: SocketId,
        operation: OperationId,
        attempt: AttemptId,
    },
    /// The session hook is done, or has failed.
    Greeted {
        socket: SocketId,
        outcome: Result<(), Option<Verdict>>,
    },
    /// The list function has an answer.
    Listed(Option<Vec<u32>>),
    Opened {
        socket: SocketId,
    },
    /// A ping was answered.
    Ponged {
        socket: SocketId,
        attempt: AttemptId,
    },
}

#[derive(Debug)]
struct Gateway {
    mode: Mode,
    answering: Answering,
    latency: u64,
    failing_sends: Option<(SendFailure, u32)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Closed at the gateway, or the gateway is gone.
    Gone,
    Live,
}

#[derive(Clone, Copy, Debug)]
struct Socket {
    gateway: usize,
    stage: Stage,
    /// `readyState` is OPEN.
    open: bool,
    /// The client still listens.
    attached: bool,
}

#[derive(Debug)]
pub(crate) struct Network {
    gateways: Vec<Gateway>,
    sockets: BTreeMap<SocketId, Socket>,
    coming: BTreeMap<(u64, u64), Happening>,
    sequence: u64,
    rng: Rng,
}

/// What a gateway did with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Executed {
    Done,
    NotDone,
}

impl Network {
    pub(crate) fn new(latencies: &[u64], seed: u64) -> Self {
        let gateway = |&latency: &u64| Gateway {
            mode: Mode::Up,
            answering: Answering::Prompt,
            latency,
            failing_sends: None,
        };
        Self {
            gateways: latencies.iter().map(gateway).collect(),
            sockets: BTreeMap::new(),
            coming: BTreeMap::new(),
            sequence: 0,
            rng: Rng::from_seed(!seed),
        }
    }

    pub(crate) fn next_at(&self) -> Option<u64> {
        self.coming.keys().next().map(|&(at, _)| at)
    }

    /// The next thing that has come by `now`, unless the client no longer listens to it.
    pub(crate) fn pop(&mut self, now: u64) -> Option<Happening> {
        while self.next_at()? <= now {
            let (_, happening) = self.coming.pop_first()?;
            let heard =
                |socket: SocketId| self.sockets.get(&socket).is_some_and(|socket| socket.attached);
            match happening {
                Happening::FrameArrived { .. }
                | Happening::Greeted { .. }
                | Happening::Listed(_) => return Some(happening),
                Happening::Opened { socket } if heard(socket) => {
                    if let Some(socket) = self.sockets.get_mut(&socket) {
                        socket.open = true;
                    }
                    return Some(happening);
                }
                Happening::Closed { socket, .. } if heard(socket) => {
                    self.detach(socket);
                    return Some(happening);
                }
                Happening::Answered { socket, .. }
                | Happening::Erred { socket }
                | Happening::Ponged { socket, .. }
                    if heard(socket) =>
                {
                    return Some(happening);
                }
                Happening::Answered { .. }
                | Happening::Ponged { .. }
                | Happening::Closed { .. }
                | Happening::Erred { .. }
                | Happening::Opened { .. } => {}
            }
        }
        None
    }

    /// A dial. `Err` is what the constructor threw.
    pub(crate) fn dial(
        &mut self,
        now: u64,
        socket: SocketId,
        gateway: usize,
    ) -> Result<(), regate::policy::Cause> {
        let Gateway { mode, latency, .. } = self.gateways[gateway];
        if let Mode::Throw(cause) = mode {
            return Err(cause);
        }
        let live = Socket { gateway, stage: Stage::Live, open: false, attached: true };
        self.sockets.insert(socket, live);
        let there_and_back = now + 2 * latency + self.rng.up_to(latency);
        match mode {
            Mode::Hang | Mode::Throw(_) => {}
            Mode::Stall | Mode::Up => self.later(there_and_back, Happening::Opened { socket }),
            Mode::AcceptThenClose(code) => {
                self.later(there_and_back, Happening::Opened { socket });
                self.later(there_and_back + 1, Happening::Closed { socket, code });
                self.mark_gone(socket);
            }
            Mode::Refuse => {
                self.fail_somehow(there_and_back, socket, 1006);
                self.mark_gone(socket);
            }
        }
        Ok(())
    }

    /// The client lets a socket go.
    pub(crate) fn detach(&mut self, socket: SocketId) {
        if let Some(socket) = self.sockets.get_mut(&socket) {
            socket.attached = false;
            socket.open = false;
        }
    }

    /// Takes a frame, unless the socket is not open or the send throws.
    pub(crate) fn send(
        &mut self,
        now: u64,
        socket: SocketId,
        operation: OperationId,
        attempt: AttemptId,
    ) -> Result<(), SendFailure> {
        let Some(&Socket { gateway, open, stage, .. }) = self.sockets.get(&socket) else {
            return Err(SendFailure::NotOpen);
        };
        if !open {
            return Err(SendFailure::NotOpen);
        }
        let entry = &mut self.gateways[gateway];
        if let Some((failure, count)) = entry.failing_sends {
            entry.failing_sends = (count > 1).then_some((failure, count - 1));
            if failure == SendFailure::NotOpen
                && let Some(socket) = self.sockets.get_mut(&socket)
            {
                socket.open = false;
            }
            return Err(failure);
        }
        if stage == Stage::Live {
            let at = now + entry.latency;
            self.later(at, Happening::FrameArrived { socket, operation, attempt });
        }
        Ok(())
    }

    /// Takes a ping, which is answered where anything is.
    pub(crate) fn ping(
        &mut self,
        now: u64,
        socket: SocketId,
        attempt: AttemptId,
    ) -> Result<(), SendFailure> {
        let Some(&Socket { gateway, open: true, stage, .. }) = self.sockets.get(&socket) else {
            return Err(SendFailure::NotOpen);
        };
        let Gateway { mode, answering, latency, .. } = self.gateways[gateway];
        let answers = mode != Mode::Stall && answering != Answering::Never;
        if stage == Stage::Live && answers {
            self.later(now + 2 * latency + 1, Happening::Ponged { socket, attempt });
        }
        Ok(())
    }

    /// A frame has come to its gateway; says whether it was carried out.
    pub(crate) fn arrive(&mut self, now: u64, socket: SocketId, attempt: AttemptId) -> Executed {
        let Some(&Socket { gateway, .. }) = self.sockets.get(&socket) else {
            return Executed::NotDone;
        };
        let Gateway { mode, answering, latency, .. } = self.gateways[gateway];
        if mode == Mode::Stall {
            return Executed::NotDone;
        }
        let mut reply = |after: u64, attempt, answer| {
            self.later(now + latency + after, Happening::Answered { socket, attempt, answer });
        };
        match answering {
            Answering::Prompt => reply(0, attempt, Answer::Result),
            Answering::Late(after) => reply(after, attempt, Answer::Result),
            Answering::Twice => {
                reply(0, attempt, Answer::Result);
                reply(1, attempt, Answer::Result);
            }
            Answering::Never => {}
            Answering::Neither => reply(0, attempt, Answer::Neither),
            Answering::UnknownId => {
                reply(0, AttemptId::from_u64(u64::MAX - attempt.as_u64()), Answer::Result);
            }
            Answering::Busy(after_milliseconds) => {
                reply(0, attempt, Answer::Retryable { after_milliseconds });
                return Executed::NotDone;
            }
            Answering::Error(code) => {
                reply(0, attempt, Answer::Error { code });
                if [-32_700, -32_600, -32_601, -32_602].contains(&code) {
                    return Executed::NotDone;
                }
            }
        }
        Executed::Done
    }

    pub(crate) fn strike(&mut self, now: u64, gateway: usize, fault: Fault) {
        match fault {
            Fault::Answering(answering) => self.gateways[gateway].answering = answering,
            Fault::Mode(mode) => self.gateways[gateway].mode = mode,
            Fault::Sends(failure, count) => {
                self.gateways[gateway].failing_sends = (count > 0).then_some((failure, count));
            }
            Fault::GoDead => {
                for socket in self.live_sockets(gateway) {
                    self.drop_frames(socket, 2);
                    self.mark_gone(socket);
                    if let Some(socket) = self.sockets.get_mut(&socket) {
                        socket.open = false;
                    }
                }
            }
            Fault::CloseAll(code) => self.close_all(now, gateway, code),
            Fault::Kill => {
                self.gateways[gateway].mode = Mode::Refuse;
                self.close_all(now, gateway, 1006);
            }
        }
    }

    /// All is well again.
    pub(crate) fn heal(&mut self) {
        for gateway in &mut self.gateways {
            gateway.mode = Mode::Up;
            gateway.answering = Answering::Prompt;
            gateway.failing_sends = None;
        }
    }

    fn close_all(&mut self, now: u64, gateway: usize, code: u16) {
        let latency = self.gateways[gateway].latency;
        for socket in self.live_sockets(gateway) {
            self.drop_frames(socket, 1);
            self.fail_somehow(now + latency, socket, code);
            self.mark_gone(socket);
        }
    }

    /// Of the frames and answers on their way, each is lost or not, whatever the other becomes;
    /// an answer does not overtake the close.
    fn drop_frames(&mut self, gone: SocketId, often: u64) {
        let rng = &mut self.rng;
        self.coming.retain(|_, happening| match *happening {
            Happening::FrameArrived { socket, .. }
            | Happening::Answered { socket, .. }
            | Happening::Ponged { socket, .. } => socket != gone || rng.up_to(often) == 0,
            Happening::Closed { socket, .. } | Happening::Opened { socket } => socket != gone,
            Happening::Erred { .. } | Happening::Greeted { .. } | Happening::Listed(_) => true,
        });
    }

    /// A close, an error before it, an error alone, or a code of 0: platforms differ.
    fn fail_somehow(&mut self, at: u64, socket: SocketId, code: u16) {
        match self.rng.up_to(3) {
            0 => self.later(at, Happening::Erred { socket }),
            1 => {
                self.later(at, Happening::Erred { socket });
                self.later(at, Happening::Closed { socket, code });
            }
            2 if code == 1006 => self.later(at, Happening::Closed { socket, code: 0 }),
            _ => self.later(at, Happening::Closed { socket, code }),
        }
    }

    fn live_sockets(&self, gateway: usize) -> Vec<SocketId> {
        let live = |socket: &Socket| socket.gateway == gateway && socket.stage == Stage::Live;
        let known = self.sockets.iter().filter(|(_, socket)| live(socket));
        known.map(|(&id, _)| id).collect()
    }

    fn mark_gone(&mut self, socket: SocketId) {
        if let Some(socket) = self.sockets.get_mut(&socket) {
            socket.stage = Stage::Gone;
        }
    }

    pub(crate) fn later(&mut self, at: u64, happening: Happening) {
        self.sequence += 1;
        self.coming.insert((at, self.sequence), happening);
    }
}
