//! One client: the engine, its timer, and how far it is from the gateways.

use regate::policy::{
    Action, Cause, ClientState, CloseCode, Engine, Event, Instant, Notice, SocketId,
};

use crate::{tally::Tally, wheel::Wheel};

/// Something that will be at a set time, and whom it concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Happening {
    pub(crate) client: u32,
    pub(crate) what: What,
}

/// What will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// The application connects.
    Started,
    /// The timer runs out.
    Woken,
    /// A dial reaches its gateway.
    Arrived {
        socket: u32,
        gateway: u8,
    },
    Opened {
        socket: u32,
    },
    Closed {
        socket: u32,
    },
}

/// Where what will be is queued.
pub(crate) trait Queue {
    fn push(&mut self, at: u64, happening: Happening);
}

impl Queue for Wheel<Happening> {
    fn push(&mut self, at: u64, happening: Happening) {
        Self::push(self, at, happening);
    }
}

#[derive(Debug)]
pub(crate) struct Client {
    engine: Engine,
    number: u32,
    /// How long a message takes to a gateway, or back.
    way_milliseconds: u64,
    /// What its one timer is set to.
    wakes_at: Option<u64>,
}

impl Client {
    pub(crate) const fn new(number: u32, engine: Engine, way_milliseconds: u64) -> Self {
        Self { engine, number, way_milliseconds, wakes_at: None }
    }

    pub(crate) const fn number(&self) -> u32 {
        self.number
    }

    /// Something has come about: tells the engine, and does what that asks for.
    pub(crate) fn handle(
        &mut self,
        now: u64,
        what: What,
        queue: &mut impl Queue,
        tally: &mut Tally,
    ) {
        let instant = Instant::from_milliseconds(now);
        match what {
            What::Started => self.engine.handle_event(instant, Event::ConnectRequested),
            What::Woken if self.wakes_at != Some(now) => return, // it was set to another time since
            What::Woken => {
                self.wakes_at = None;
                self.engine.handle_timeout(instant);
            }
            What::Opened { socket } => {
                let socket = SocketId::from_u64(socket.into());
                self.engine.handle_event(instant, Event::SocketOpened(socket));
            }
            What::Closed { socket } => {
                let socket = SocketId::from_u64(socket.into());
                let cause = Cause::Closed(CloseCode::ABNORMAL);
                self.engine.handle_event(instant, Event::SocketFailed { socket, cause });
            }
            What::Arrived { .. } => return, // that is the gateway's
        }
        self.obey(now, queue, tally);
        self.set_timer(now, queue);
    }

    fn obey(&mut self, now: u64, queue: &mut impl Queue, tally: &mut Tally) {
        while let Some(action) = self.engine.poll_action() {
            match action {
                Action::Open { socket, gateway } => {
                    let socket = u32::try_from(socket.as_u64()).expect("few dials");
                    let gateway = u8::try_from(gateway.position()).expect("few gateways");
                    self.push(now, 1, What::Arrived { socket, gateway }, queue);
                }
                Action::Tell(Notice::StateChanged { from, to, .. }) => {
                    if to == ClientState::Connected {
                        tally.connected(now);
                    } else if from == ClientState::Connected {
                        tally.lost(now);
                    }
                }
                Action::AskForGateways
                | Action::Close { .. }
                | Action::Greet { .. }
                | Action::Judge { .. }
                | Action::MeasureBuffer { .. }
                | Action::Ping { .. }
                | Action::Send { .. }
                | Action::Tell(_) => {}
            }
        }
    }

    /// Sets the timer anew only where it has to run out earlier: a late one asks again.
    fn set_timer(&mut self, now: u64, queue: &mut impl Queue) {
        let Some(at) = self.engine.poll_timeout() else { return };
        let at = at.as_milliseconds().max(now);
        if self.wakes_at.is_none_or(|set| at < set) {
            self.wakes_at = Some(at);
            queue.push(at, Happening { client: self.number, what: What::Woken });
        }
    }

    /// Queues what will be when a message has gone so many ways.
    pub(crate) fn push(&self, now: u64, ways: u64, what: What, queue: &mut impl Queue) {
        let at = now + ways * self.way_milliseconds;
        queue.push(at, Happening { client: self.number, what });
    }
}
