//! What was counted: dials of each gateway and connected clients, by tick.

use std::ops::Range;

use crate::{
    scenario::{END_AT, GATEWAYS, TICK_MILLISECONDS},
    share::Share,
};

/// The counts of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    fleet: u32,
    /// By gateway, then by tick.
    dials: Vec<Vec<u32>>,
    /// By how much there are more or fewer connected clients, by tick.
    changes: Vec<i64>,
    all_dials: u64,
    /// Dials that gateways refused although they were up.
    turned_away: u64,
}

impl Tally {
    /// Nothing yet, of a fleet of so many clients.
    #[must_use]
    pub fn new(fleet: u32) -> Self {
        let ticks = tick(END_AT);
        Self {
            fleet,
            dials: (0..GATEWAYS).map(|_| vec![0; ticks]).collect(),
            changes: vec![0; ticks],
            all_dials: 0,
            turned_away: 0,
        }
    }

    /// Adds what was counted of clients of the same fleet.
    pub(crate) fn add(&mut self, other: &Self) {
        let dials = self.dials.iter_mut().flatten().zip(other.dials.iter().flatten());
        dials.for_each(|(sum, more)| *sum += more);
        let changes = self.changes.iter_mut().zip(&other.changes);
        changes.for_each(|(sum, more)| *sum += more);
        self.all_dials += other.all_dials;
        self.turned_away += other.turned_away;
    }

    pub(crate) fn dialled(&mut self, now: u64, gateway: usize) {
        self.dials[gateway][tick(now)] += 1;
        self.all_dials += 1;
    }

    pub(crate) const fn turned_away_one(&mut self) {
        self.turned_away += 1;
    }

    pub(crate) fn connected(&mut self, now: u64) {
        self.changes[tick(now)] += 1;
    }

    pub(crate) fn lost(&mut self, now: u64) {
        self.changes[tick(now)] -= 1;
    }

    /// How many clients there are.
    #[must_use]
    pub const fn fleet(&self) -> u32 {
        self.fleet
    }

    /// How many clients were connected at the end of each tick.
    #[must_use]
    pub fn connected_clients(&self) -> Vec<u64> {
        let sum = |connected: &mut i64, change: &i64| {
            *connected += change;
            Some(connected.unsigned_abs())
        };
        self.changes.iter().scan(0, sum).collect()
    }

    /// All dials.
    #[must_use]
    pub const fn dials(&self) -> u64 {
        self.all_dials
    }

    /// Dials refused by gateways that were up, as their backlog was full.
    #[must_use]
    pub const fn turned_away(&self) -> u64 {
        self.turned_away
    }

    /// The dials of the busiest gateway in each tick.
    #[must_use]
    pub fn busiest(&self) -> Vec<u32> {
        let in_tick = |tick: usize| self.dials.iter().map(move |dials| dials[tick]);
        (0..tick(END_AT)).map(|tick| in_tick(tick).max().unwrap_or(0)).collect()
    }

    /// All dials in this time.
    #[must_use]
    pub fn dials_in(&self, time: Range<u64>) -> u64 {
        (0..self.dials.len()).map(|gateway| self.dials_of(gateway, time.clone())).sum()
    }

    /// The most dials that one gateway got in one tick of this time.
    #[must_use]
    pub fn peak_in(&self, time: Range<u64>) -> Share {
        let ticks = tick(time.start)..tick(time.end);
        let most = self.dials.iter().filter_map(|dials| dials[ticks.clone()].iter().max()).max();
        self.share(u64::from(most.copied().unwrap_or(0)))
    }

    /// How many times the mean of this time is the peak of the same gateway, in hundredths: of the
    /// gateway where that is the most. `None` where nobody dialled.
    #[must_use]
    pub fn peak_over_mean_in(&self, time: Range<u64>) -> Option<u64> {
        let ticks = tick(time.start)..tick(time.end);
        let hundredths = |dials: &Vec<u32>| {
            let of_time = &dials[ticks.clone()];
            let sum: u64 = of_time.iter().copied().map(u64::from).sum();
            let peak = u64::from(*of_time.iter().max()?);
            (sum > 0).then(|| (peak * 100 * of_time.len() as u64).div_ceil(sum))
        };
        self.dials.iter().filter_map(hundredths).max()
    }

    /// When at last so many hundredths of the fleet were connected, counted from `since`.
    #[must_use]
    pub fn connected_again(&self, since: u64, hundredths: u64) -> Option<u64> {
        let enough = u64::from(self.fleet) * hundredths;
        let connected = self.connected_clients();
        let later = connected.get(tick(since)..)?;
        let ticks = later.iter().position(|connected| connected * 100 >= enough)?;
        Some((ticks as u64 + 1) * TICK_MILLISECONDS)
    }

    fn dials_of(&self, gateway: usize, time: Range<u64>) -> u64 {
        self.dials[gateway][tick(time.start)..tick(time.end)].iter().copied().map(u64::from).sum()
    }

    fn share(&self, count: u64) -> Share {
        Share::of(count, self.fleet)
    }
}

fn tick(at: u64) -> usize {
    usize::try_from(at / TICK_MILLISECONDS).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::Tally;
    use crate::share::Share;

    fn tally() -> Tally {
        let mut tally = Tally::new(1_000);
        for (at, gateway, dials) in [(0, 0, 5), (99, 0, 5), (100, 0, 20), (350, 1, 7)] {
            for _ in 0..dials {
                tally.dialled(at, gateway);
            }
        }
        tally
    }

    #[test]
    fn dials_are_counted_by_gateway_and_tick() {
        assert_eq!(tally().dials_in(0..400), 37);
        assert_eq!(tally().dials_in(100..300), 20);
        assert_eq!(tally().busiest()[..5], [10, 20, 0, 7, 0]);
    }

    #[test]
    fn the_peak_is_that_of_one_gateway_in_one_tick() {
        assert_eq!(tally().peak_in(0..400), Share::of(20, 1_000));
        assert_eq!(tally().peak_in(200..400), Share::of(7, 1_000));
        assert_eq!(tally().peak_in(0..100), Share::of(10, 1_000));
    }

    #[test]
    fn a_peak_is_measured_against_the_mean_of_its_gateway() {
        assert_eq!(tally().peak_over_mean_in(0..200), Some(134), "20 against 15");
        assert_eq!(tally().peak_over_mean_in(0..400), Some(400), "7 against 7/4");
        assert_eq!(tally().peak_over_mean_in(400..500), None);
    }

    #[test]
    fn the_fleet_is_back_when_enough_are_connected() {
        let mut tally = tally();
        (0..1_000).for_each(|_| tally.connected(99));
        (0..1_000).for_each(|_| tally.lost(100));
        (0..500).for_each(|_| tally.connected(200));
        (0..490).for_each(|_| tally.connected(300));
        assert_eq!(tally.connected_clients()[..5], [1_000, 0, 500, 990, 990]);
        assert_eq!(tally.connected_again(0, 99), Some(100));
        assert_eq!(tally.connected_again(100, 99), Some(300));
        assert_eq!(tally.connected_again(100, 100), None);
    }
}
