//! Dials side by side: a gateway that hangs in the handshake does not hold up the next one.
//!
//! The idea is that of RFC 8305, where addresses of one host race. A dial that has neither opened
//! nor failed for a while gets the next gateway of the round beside it, and the first to open wins.
//! There are never more than two: [`State::Dialling`] has one of them, `beside` the other. Which of
//! them is which makes no difference; what happens to the other brings it forward first.

use core::mem;

use super::{Connection, ConnectionEvent, ConnectionOutput, Dial, Owed, State, Then};
use crate::policy::{InFlight, Instant, NextDial, time};

impl Connection {
    /// When a dial that begins now gets another one beside it.
    pub(super) fn beside_at(&self, now: Instant) -> Option<Instant> {
        let stagger = u64::from(self.settings.dial_stagger_milliseconds);
        (stagger > 0).then(|| now.after(stagger))
    }

    /// An event of the dial beside brings that one forward. While the application is asked about
    /// the other one, it waits until the answer is there; says whether it does.
    pub(super) fn makes_wait(&mut self, event: &ConnectionEvent) -> bool {
        let Some(other) = self.beside.filter(|other| event.socket() == Some(other.socket)) else {
            return false;
        };
        match self.state {
            State::Dialling(dial) => {
                self.beside = Some(dial);
                self.state = State::Dialling(other);
                false
            }
            State::Judging { .. } => {
                if !self.deferred.contains(event) {
                    self.deferred.push(event.clone());
                }
                true
            }
            State::Idle
            | State::Pausing { .. }
            | State::Listing { .. }
            | State::Greeting { .. }
            | State::Connected { .. }
            | State::Hidden
            | State::Closed => false,
        }
    }

    /// The application has said what a failure means: what happened to the other dial meanwhile.
    pub(super) fn handle_deferred(&mut self, now: Instant) {
        for event in mem::take(&mut self.deferred) {
            self.handle_event(now, event);
        }
    }

    /// The next deadline of the dials.
    pub(super) fn dials_timeout(&self, dial: Dial) -> Option<Instant> {
        match self.beside {
            Some(other) => Some(dial.give_up_at.min(other.give_up_at)),
            None if self.owed == Owed::Nothing => {
                time::earlier(Some(dial.give_up_at), dial.beside_at)
            }
            None => Some(dial.give_up_at),
        }
    }

    /// A deadline of the dials has come.
    pub(super) fn handle_dials_timeout(&mut self, now: Instant, dial: Dial) {
        let first = self.beside.filter(|other| other.give_up_at < dial.give_up_at);
        let late = first.unwrap_or(dial);
        if late.give_up_at > now {
            return self.dial_beside(now, dial);
        }
        if late != dial {
            self.beside = Some(dial);
        }
        self.push(ConnectionOutput::Close { socket: late.socket });
        self.fail_dial(now, late.gateway, late.cause, None, InFlight::Nothing);
    }

    /// Dials the next gateway of the round beside this one, where there is one.
    fn dial_beside(&mut self, now: Instant, dial: Dial) {
        match self.round.next_dial() {
            NextDial::Gateway(gateway) => {
                self.beside = Some(dial);
                self.dial(now, gateway);
            }
            NextDial::NoneLeft | NextDial::RoundOver => {
                self.state = State::Dialling(Dial { beside_at: None, ..dial });
            }
        }
    }

    /// A dial is over, and its gateway marked: goes on with the other one where there is one, then
    /// with what is owed, then with the round.
    pub(super) fn go_on_dialling(&mut self, now: Instant) {
        if let Some(other) = self.beside.take() {
            self.state = State::Dialling(other);
            if other.give_up_at <= now {
                self.handle_dials_timeout(now, other); // its timer is late
            } else if self.owed == Owed::Nothing && other.beside_at.is_some_and(|at| at <= now) {
                self.dial_beside(now, other);
            }
            return;
        }
        match (mem::replace(&mut self.owed, Owed::Nothing), self.round.next_dial()) {
            (Owed::Redial(gateway), _) => self.wait(now, Then::Redial(gateway)),
            (Owed::List, NextDial::Gateway(_)) => self.proceed(now, Then::NextDial),
            (Owed::Nothing | Owed::List, _) => self.dial_next(now),
        }
    }

    /// Gives up the dial beside, which is no fault of its gateway.
    pub(super) fn abandon_beside(&mut self) {
        self.owed = Owed::Nothing;
        self.deferred.clear();
        if let Some(Dial { socket, gateway, .. }) = self.beside.take() {
            self.push(ConnectionOutput::Close { socket });
            self.round.abandon_dial(gateway);
        }
    }
}
