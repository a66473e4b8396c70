//! The round: which gateway is dialled next, and when it is time to wait.
//!
//! A cluster has several gateways so that one of them may die. So the next one is tried at once,
//! and only when all of them failed is there a wait. A dead cluster costs one round per wait and
//! a healthy gateway is reached without any.

#[cfg(test)]
mod tests;

use alloc::vec::Vec;

use super::Rng;

/// A gateway, by a number that whoever drives the core gave it.
///
/// Where the list never changes that is the position in the list. Where it does, a gateway keeps
/// its number for as long as it is listed, so that a fresh token does not make a new gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GatewayIndex(u32);

impl GatewayIndex {
    /// The gateway of this number, counted from 0.
    #[must_use]
    pub const fn from_position(position: u32) -> Self {
        Self(position)
    }

    /// The number.
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
    /// Joined the list while the round was running: dialled before the round is over.
    Fresh,
    /// May be dialled in the running round.
    Untried,
    /// Being dialled, while others of the round may be dialled beside it.
    Pending,
    /// In the failed set.
    Failed,
    /// Joined the list while the round was running: dialled from the next round on.
    Later,
    /// Never dialled again until the marks are cleared.
    Out,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    gateway: GatewayIndex,
    standing: Standing,
    credentials: Credentials,
}

/// Whether a gateway has said, since a connection was last steady, that it wants fresh ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Credentials {
    Accepted,
    Refused,
}

impl Entry {
    const fn new(gateway: GatewayIndex, standing: Standing) -> Self {
        Self { gateway, standing, credentials: Credentials::Accepted }
    }
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
    /// What left the list since the round began, so that it keeps its marks if it comes back.
    gone: Vec<Entry>,
    /// Where in `entries` the next dial is looked for.
    cursor: usize,
    /// How many entries of the list this round has not passed yet, those that joined it since it
    /// began aside.
    left: usize,
}

impl Round {
    /// A first round over `gateways` gateways in the order of the list.
    #[must_use]
    pub fn new(gateways: u32) -> Self {
        let entries: Vec<_> = (0..gateways)
            .map(|position| Entry::new(GatewayIndex(position), Standing::Untried))
            .collect();
        Self { cursor: 0, left: entries.len(), entries, gone: Vec::new() }
    }

    /// Puts the gateways into an order of this client's own, so that a fleet spreads over them.
    pub fn shuffle(&mut self, rng: &mut Rng) {
        rng.shuffle(&mut self.entries);
    }

    /// The gateways in the order in which they are dialled.
    pub fn order(&self) -> impl Iterator<Item = GatewayIndex> + '_ {
        self.entries.iter().map(|entry| entry.gateway)
    }

    /// Whether `gateway` is in the list.
    #[must_use]
    pub fn lists(&self, gateway: GatewayIndex) -> bool {
        self.entries.iter().any(|entry| entry.gateway == gateway)
    }

    /// What to do next. Asking changes nothing but to pass over gateways that are out.
    pub fn next_dial(&mut self) -> NextDial {
        if self.entries.iter().all(|entry| entry.standing == Standing::Out) {
            return NextDial::NoneLeft;
        }
        while self.left > 0 {
            let Some(entry) = self.entries.get(self.cursor) else { break };
            match entry.standing {
                Standing::Fresh | Standing::Untried => return NextDial::Gateway(entry.gateway),
                Standing::Failed => break,
                Standing::Later => self.step(),
                Standing::Pending | Standing::Out => self.pass(),
            }
        }
        match self.entries.iter().find(|entry| entry.standing == Standing::Fresh) {
            Some(entry) => {
                self.left = 0; // but for those that joined, the list is dialled through
                NextDial::Gateway(entry.gateway)
            }
            None => NextDial::RoundOver,
        }
    }

    /// The dial of `gateway` begins: the round goes on after it, for what may be dialled beside it.
    pub fn begin_dial(&mut self, gateway: GatewayIndex) {
        match self.mark(gateway, Standing::Pending) {
            Some(Standing::Untried) => self.pass(),
            // What has failed and is dialled again was passed before.
            Some(Standing::Fresh | Standing::Later | Standing::Failed | Standing::Out) => {
                self.step();
            }
            Some(Standing::Pending) | None => {}
        }
    }

    /// The dial of `gateway` is given up without a fault of its own: it may be dialled again
    /// before the round is over.
    pub fn abandon_dial(&mut self, gateway: GatewayIndex) {
        let found = self.entries.iter_mut().find(|entry| entry.gateway == gateway);
        if let Some(entry) = found.filter(|entry| entry.standing == Standing::Pending) {
            entry.standing = Standing::Fresh;
        }
    }

    /// `gateway` failed: it joins the failed set, and the round goes on after it.
    pub fn fail(&mut self, gateway: GatewayIndex) {
        self.mark_and_pass(gateway, Standing::Failed);
    }

    /// `gateway` failed, but is to be dialled again after a wait: it joins the failed set, and
    /// the round stays where it is.
    pub fn fail_and_stay(&mut self, gateway: GatewayIndex) {
        self.mark(gateway, Standing::Failed);
    }

    /// `gateway` is out until [`clear_all`](Self::clear_all); the round goes on after it.
    pub fn strike_out(&mut self, gateway: GatewayIndex) {
        self.mark_and_pass(gateway, Standing::Out);
    }

    /// `gateway` wants fresh credentials; `false` when it said so before and no connection was
    /// steady since.
    pub fn refuse_credentials(&mut self, gateway: GatewayIndex) -> bool {
        let found = self.entries.iter_mut().find(|entry| entry.gateway == gateway);
        found.is_none_or(|entry| {
            core::mem::replace(&mut entry.credentials, Credentials::Refused)
                == Credentials::Accepted
        })
    }

    /// A connection is steady: what gateways said of credentials is forgotten.
    pub fn accept_credentials(&mut self) {
        for entry in &mut self.entries {
            entry.credentials = Credentials::Accepted;
        }
    }

    /// The wait is over: empties the failed set and begins a round where the last one stopped.
    pub fn begin_next(&mut self) {
        for entry in &mut self.entries {
            if entry.standing != Standing::Out {
                entry.standing = Standing::Untried;
            }
        }
        self.gone.clear();
        self.left = self.entries.len();
    }

    /// A steady connection was lost: the failed set is emptied, and the round that begins has
    /// the lost gateway last.
    pub fn begin_after(&mut self, lost: GatewayIndex) {
        self.begin_next();
        if self.seek(lost) {
            self.step();
        }
    }

    /// Forgets every mark, and begins with the first gateway of the order.
    pub fn clear_all(&mut self) {
        self.clear_marks();
        self.begin_next();
        self.cursor = 0;
    }

    /// Forgets which gateways are out or want fresh credentials. The round goes on.
    pub fn clear_marks(&mut self) {
        for entry in &mut self.entries {
            if entry.standing == Standing::Out {
                entry.standing = Standing::Fresh;
            }
        }
        self.accept_credentials();
    }

    /// Begins the round at `gateway`, whatever was dialled before.
    pub fn begin_at(&mut self, gateway: GatewayIndex) {
        self.begin_next();
        self.seek(gateway);
    }

    /// Replaces the list. Gateways that stay keep their marks; new ones are dialled before the
    /// running round is over. With `rng` their places are drawn, else the list's order is kept.
    pub fn replace(&mut self, list: &[GatewayIndex], rng: Option<&mut Rng>) {
        self.take_in(list, rng, Standing::Fresh);
    }

    /// As [`replace`](Self::replace), but new gateways wait for the next round: a list that is
    /// another one whenever it is asked for would make a round without an end.
    pub fn replace_meanwhile(&mut self, list: &[GatewayIndex], rng: Option<&mut Rng>) {
        self.take_in(list, rng, Standing::Later);
    }

    fn take_in(&mut self, list: &[GatewayIndex], mut rng: Option<&mut Rng>, joins_as: Standing) {
        let stays = |entry: &Entry| list.contains(&entry.gateway);
        let (passed_to, listed) = (self.cursor, self.entries.len());
        let (mut next, mut left) = (None, 0_usize);
        let (passed, ahead) = self.entries.split_at_checked(passed_to).unwrap_or_default();
        for (place, entry) in ahead.iter().chain(passed).enumerate() {
            if !stays(entry) {
                continue;
            }
            next = next.or(Some(entry.gateway));
            if place < self.left && !matches!(entry.standing, Standing::Fresh | Standing::Later) {
                left = left.saturating_add(1);
            }
        }
        self.left = left;
        let mut known = core::mem::take(&mut self.entries);
        known.append(&mut self.gone);
        let entry = |gateway: GatewayIndex| {
            let found = known.iter().find(|entry| entry.gateway == gateway);
            found.copied().unwrap_or(Entry::new(gateway, joins_as))
        };
        if rng.is_some() {
            let stay = known.iter().take(listed).filter(|entry| stays(entry));
            self.entries.extend(stay);
        }
        for &gateway in list {
            if self.lists(gateway) {
                continue;
            }
            let end = self.entries.len();
            let place = rng.as_deref_mut().map_or(end, |rng| {
                let place = rng.up_to(u64::try_from(end).unwrap_or(0));
                usize::try_from(place).unwrap_or(end).min(end)
            });
            self.entries.insert(place, entry(gateway));
        }
        known.retain(|entry| !stays(entry));
        self.gone = known;
        // Where none stays, the place does, so that the first of ever new ones is not the only one.
        self.cursor = if passed_to < self.entries.len() { passed_to } else { 0 };
        if let Some(next) = next {
            self.seek(next);
        }
    }

    /// Looks there for the next dial; `false` where the gateway is not in the list any more.
    fn seek(&mut self, gateway: GatewayIndex) -> bool {
        let found = self.entries.iter().position(|entry| entry.gateway == gateway);
        self.cursor = found.unwrap_or(self.cursor);
        found.is_some()
    }

    /// Marks `gateway`, and looks there for the next dial unless its own has passed it already;
    /// says what it was before, where it is in the list.
    fn mark(&mut self, gateway: GatewayIndex, standing: Standing) -> Option<Standing> {
        let place = self.entries.iter().position(|entry| entry.gateway == gateway)?;
        let entry = self.entries.get_mut(place)?;
        let before = core::mem::replace(&mut entry.standing, standing);
        if before != Standing::Pending {
            self.cursor = place;
        }
        Some(before)
    }

    fn mark_and_pass(&mut self, gateway: GatewayIndex, standing: Standing) {
        match self.mark(gateway, standing) {
            Some(Standing::Fresh | Standing::Later) => self.step(),
            Some(Standing::Untried | Standing::Failed | Standing::Out) => self.pass(),
            Some(Standing::Pending) | None => {}
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
