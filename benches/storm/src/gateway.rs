//! A gateway: takes no dial while it is down, accepts so many in 100 ms while it is up.

use std::{collections::VecDeque, mem};

/// The backlog holds what is accepted in so many ticks: one second.
const BACKLOG_TICKS: usize = 10;

/// A socket as the gateway sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Caller {
    /// Whose.
    pub(crate) client: u32,
    /// The number that the client's engine gave it.
    pub(crate) socket: u32,
}

/// What becomes of a dial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reception {
    /// It is accepted.
    Accepted,
    /// It is refused.
    Refused,
    /// It was too many: the backlog is full.
    TurnedAway,
    /// Nobody is there to say anything.
    Unheard,
    /// It waits in the backlog.
    Waits,
}

/// What a gateway that is down does with a dial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenDown {
    /// It refuses: the process is gone, the host is there.
    Refuses,
    /// Nothing: the host is gone, or something before it drops what comes.
    Silent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Down,
    Up,
}

impl WhenDown {
    pub(crate) const fn reception(self) -> Reception {
        match self {
            Self::Refuses => Reception::Refused,
            Self::Silent => Reception::Unheard,
        }
    }
}

/// One of the gateways.
#[derive(Debug)]
pub(crate) struct Gateway {
    mode: Mode,
    when_down: WhenDown,
    most_per_tick: usize,
    accepted_in_tick: usize,
    backlog: VecDeque<Caller>,
    /// All that were accepted since it is up. Clients ignore what it says of sockets they have left.
    accepted: Vec<Caller>,
}

impl Gateway {
    /// One that is up and accepts at most so many dials in a tick.
    #[must_use]
    pub(crate) const fn new(most_per_tick: usize, when_down: WhenDown) -> Self {
        Self {
            mode: Mode::Up,
            when_down,
            most_per_tick,
            accepted_in_tick: 0,
            backlog: VecDeque::new(),
            accepted: Vec::new(),
        }
    }

    /// A dial has come.
    pub(crate) fn receive(&mut self, caller: Caller) -> Reception {
        if self.mode == Mode::Down {
            return self.when_down.reception();
        }
        if self.accepted_in_tick < self.most_per_tick {
            self.accept(caller);
            return Reception::Accepted;
        }
        if self.backlog.len() < self.most_per_tick * BACKLOG_TICKS {
            self.backlog.push_back(caller);
            return Reception::Waits;
        }
        Reception::TurnedAway
    }

    /// A tick begins: says who is accepted from the backlog.
    pub(crate) fn begin_tick(&mut self) -> Vec<Caller> {
        self.accepted_in_tick = 0;
        let next = self.backlog.len().min(self.most_per_tick);
        let callers: Vec<_> = self.backlog.drain(..next).collect();
        for &caller in &callers {
            self.accept(caller);
        }
        callers
    }

    /// It dies: says whose sockets close, those of the backlog last.
    pub(crate) fn die(&mut self) -> Vec<Caller> {
        self.mode = Mode::Down;
        let mut callers = mem::take(&mut self.accepted);
        callers.extend(mem::take(&mut self.backlog));
        callers
    }

    /// It is up, as after its beginning.
    pub(crate) const fn return_to_life(&mut self) {
        self.mode = Mode::Up;
    }

    fn accept(&mut self, caller: Caller) {
        self.accepted_in_tick += 1;
        self.accepted.push(caller);
    }
}

#[cfg(test)]
mod tests {
    use super::{Caller, Gateway, Reception, WhenDown};

    fn caller(client: u32) -> Caller {
        Caller { client, socket: 1 }
    }

    #[test]
    fn so_many_are_accepted_in_a_tick_the_next_wait_and_the_rest_are_refused() {
        let mut gateway = Gateway::new(2, WhenDown::Refuses);
        let receptions: Vec<_> = (0..24).map(|client| gateway.receive(caller(client))).collect();
        assert_eq!(receptions[..2], [Reception::Accepted; 2]);
        assert_eq!(receptions[2..22], [Reception::Waits; 20]);
        assert_eq!(receptions[22..], [Reception::TurnedAway; 2]);
        assert_eq!(gateway.begin_tick(), [caller(2), caller(3)]);
        assert_eq!(gateway.receive(caller(24)), Reception::Waits, "the backlog was first");
    }

    #[test]
    fn a_dead_gateway_closes_what_it_had_and_takes_nothing_until_it_returns() {
        for (when_down, reception) in
            [(WhenDown::Refuses, Reception::Refused), (WhenDown::Silent, Reception::Unheard)]
        {
            let mut gateway = Gateway::new(1, when_down);
            gateway.receive(caller(0));
            gateway.receive(caller(1));
            assert_eq!(gateway.die(), [caller(0), caller(1)]);
            assert_eq!(gateway.receive(caller(2)), reception);
            assert_eq!(gateway.begin_tick(), []);
            gateway.return_to_life();
            assert_eq!(gateway.receive(caller(3)), Reception::Accepted);
            assert_eq!(gateway.die(), [caller(3)]);
        }
    }
}
