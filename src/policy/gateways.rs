//! The round: which gateway is dialled next, and when it is time to wait.
//!
//! A cluster has several gateways so that one of them may die. So the next one is tried at once,
//! and only when all of them failed is there a wait. A dead cluster costs one round per wait and
//! a healthy gateway is reached without any.

use alloc::vec::Vec;

use super::Rng;

/// A gateway, by its position in the list that the application gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GatewayIndex(u32);

impl GatewayIndex {
    /// The gateway at `position`, counted from 0.
    #[must_use]
    pub const fn from_position(position: u32) -> Self {
        Self(position)
    }

    /// The position in the application's list, counted from 0.
    #[must_use]
    pub const fn position(self) -> u32 {
        self.0
    }
}

/// What a [`Round`] says to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "whoever drives a round must handle every answer")]
pub enum NextDial {
    /// Dial this gateway.
    Gateway(GatewayIndex),
    /// The round is over: begin the next one after a wait.
    RoundOver,
    /// No gateway is left that may be dialled at all.
    NoneLeft,
}

/// What is held of one gateway while the rounds go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// May be dialled in the running round.
    Untried,
    /// In the failed set.
    Failed,
    /// Never dialled again until the marks are cleared.
    Out,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    gateway: GatewayIndex,
    standing: Standing,
}

/// The gateways in the order in which this client dials them, and how far the round has come.
///
/// # Example
///
/// ```
/// use regate::policy::{GatewayIndex, NextDial, Round};
///
/// let mut round = Round::new(2);
/// let (a, b) = (GatewayIndex::from_position(0), GatewayIndex::from_position(1));
/// assert_eq!(round.next_dial(), NextDial::Gateway(a));
/// round.fail(a);
/// assert_eq!(round.next_dial(), NextDial::Gateway(b));
/// round.fail(b);
/// assert_eq!(round.next_dial(), NextDial::RoundOver);
/// round.begin_next();
/// assert_eq!(round.next_dial(), NextDial::Gateway(a));
/// ```
#[derive(Clone, Debug)]
pub struct Round {
    entries: Vec<Entry>,
    /// Where in `entries` the next dial is looked for.
    cursor: usize,
    /// How many entries of the list this round has not passed yet.
    left: usize,
}

impl Round {
    /// A first round over `gateways` gateways in the order of the list.
    #[must_use]
    pub fn new(gateways: u32) -> Self {
        let entries: Vec<_> = (0..gateways)
            .map(|position| Entry { gateway: GatewayIndex(position), standing: Standing::Untried })
            .collect();
        Self { cursor: 0, left: entries.len(), entries }
    }

    /// Puts the gateways into an order of this client's own, so that a fleet spreads over them.
    pub fn shuffle(&mut self, rng: &mut Rng) {
        rng.shuffle(&mut self.entries);
    }

    /// The gateways in the order in which they are dialled.
    pub fn order(&self) -> impl Iterator<Item = GatewayIndex> + '_ {
        self.entries.iter().map(|entry| entry.gateway)
    }

    /// What to do next. Asking changes nothing but to pass over gateways that are out.
    pub fn next_dial(&mut self) -> NextDial {
        if self.entries.iter().all(|entry| entry.standing == Standing::Out) {
            return NextDial::NoneLeft;
        }
        while self.left > 0 {
            let Some(entry) = self.entries.get(self.cursor) else { break };
            match entry.standing {
                Standing::Untried => return NextDial::Gateway(entry.gateway),
                Standing::Failed => break,
                Standing::Out => self.pass(),
            }
        }
        NextDial::RoundOver
    }

    /// `gateway` failed: it joins the failed set, and the round goes on after it.
    pub fn fail(&mut self, gateway: GatewayIndex) {
        self.mark(gateway, Standing::Failed);
        self.pass();
    }

    /// `gateway` failed, but is to be dialled again after a wait: it joins the failed set, and
    /// the round stays where it is.
    pub fn fail_and_stay(&mut self, gateway: GatewayIndex) {
        self.mark(gateway, Standing::Failed);
    }

    /// `gateway` is out until [`clear_all`](Self::clear_all); the round goes on after it.
    pub fn strike_out(&mut self, gateway: GatewayIndex) {
        self.mark(gateway, Standing::Out);
        self.pass();
    }

    /// The wait is over: empties the failed set and begins a round where the last one stopped.
    pub fn begin_next(&mut self) {
        for entry in &mut self.entries {
            if entry.standing == Standing::Failed {
                entry.standing = Standing::Untried;
            }
        }
        self.left = self.entries.len();
    }

    /// A steady connection was lost: the failed set is emptied, and the round that begins has
    /// the lost gateway last.
    pub fn begin_after(&mut self, lost: GatewayIndex) {
        self.begin_next();
        self.seek(lost);
        self.step();
    }

    /// Forgets every mark, and begins with the first gateway of the order.
    pub fn clear_all(&mut self) {
        for entry in &mut self.entries {
            entry.standing = Standing::Untried;
        }
        self.cursor = 0;
        self.left = self.entries.len();
    }

    /// Begins the round at `gateway`, whatever was dialled before.
    pub fn begin_at(&mut self, gateway: GatewayIndex) {
        self.begin_next();
        self.seek(gateway);
    }

    fn seek(&mut self, gateway: GatewayIndex) {
        let found = self.entries.iter().position(|entry| entry.gateway == gateway);
        self.cursor = found.unwrap_or(self.cursor);
    }

    fn mark(&mut self, gateway: GatewayIndex, standing: Standing) {
        self.seek(gateway);
        if let Some(entry) = self.entries.get_mut(self.cursor) {
            entry.standing = standing;
        }
    }

    fn pass(&mut self) {
        self.left = self.left.saturating_sub(1);
        self.step();
    }

    fn step(&mut self) {
        let next = self.cursor.saturating_add(1);
        self.cursor = if next < self.entries.len() { next } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::{GatewayIndex, NextDial, Round};
    use crate::policy::Rng;
    use alloc::vec::Vec;

    fn gateway(position: u32) -> GatewayIndex {
        GatewayIndex::from_position(position)
    }

    /// Dials until the round is over, every dial failing; says which gateways were dialled.
    fn play_out(round: &mut Round) -> Vec<u32> {
        let mut dialled = Vec::new();
        while let NextDial::Gateway(gateway) = round.next_dial() {
            dialled.push(gateway.position());
            round.fail(gateway);
        }
        dialled
    }

    #[test]
    fn a_round_dials_every_gateway_once() {
        let mut round = Round::new(3);
        assert_eq!(play_out(&mut round), [0, 1, 2]);
        assert_eq!(round.next_dial(), NextDial::RoundOver);
        round.begin_next();
        assert_eq!(play_out(&mut round), [0, 1, 2]);
    }

    #[test]
    fn the_round_after_a_steady_loss_ends_with_the_lost_gateway() {
        let mut round = Round::new(3);
        round.fail(gateway(0));
        round.begin_after(gateway(1));
        assert_eq!(play_out(&mut round), [2, 0, 1]);
        round.begin_next();
        assert_eq!(play_out(&mut round), [2, 0, 1], "and the next goes on where it stopped");
    }

    #[test]
    fn staying_neither_ends_the_round_nor_empties_the_set() {
        let mut round = Round::new(3);
        round.fail(gateway(0));
        round.fail_and_stay(gateway(1));
        assert_eq!(round.next_dial(), NextDial::RoundOver, "a wait comes before it is dialled");
        round.fail(gateway(1));
        assert_eq!(play_out(&mut round), [2]);
    }

    #[test]
    fn a_gateway_that_is_out_is_passed_over_until_the_marks_are_cleared() {
        let mut round = Round::new(3);
        round.strike_out(gateway(0));
        assert_eq!(play_out(&mut round), [1, 2]);
        round.begin_next();
        assert_eq!(play_out(&mut round), [1, 2]);
        round.strike_out(gateway(1));
        round.strike_out(gateway(2));
        assert_eq!(round.next_dial(), NextDial::NoneLeft);
        round.clear_all();
        assert_eq!(play_out(&mut round), [0, 1, 2]);
    }

    #[test]
    fn every_gateway_is_first_for_about_its_share_of_the_clients() {
        let mut first = [0_u32; 3];
        for seed in 1..=300 {
            let mut round = Round::new(3);
            round.shuffle(&mut Rng::from_seed(seed));
            let gateway = round.order().next().unwrap();
            first[usize::try_from(gateway.position()).unwrap()] += 1;
        }
        assert!(first.iter().all(|count| (70..=130).contains(count)), "{first:?}");
    }
}
