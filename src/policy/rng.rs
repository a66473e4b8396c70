//! Chance, from a seed: the same seed gives the same numbers on every target.

/// A small generator (SplitMix64, Steele, Lea and Flood 2014) that its maker seeds.
///
/// Good enough to spread clients over time and gateways; never use it for secrets. It is not
/// `Clone`: two machines that share a copy would move in step, which is what chance is there
/// to prevent.
#[derive(Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// A generator that yields the sequence of `seed`.
    #[must_use]
    pub const fn from_seed(seed: u64) -> Self {
        Self { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in `0..=most`.
    ///
    /// The upper half of a 64 by 64 bit product: its bias is below `most / 2^64`.
    pub fn up_to(&mut self, most: u64) -> u64 {
        let product = u128::from(self.next()).wrapping_mul(u128::from(most).wrapping_add(1));
        u64::try_from(product >> 64).unwrap_or(most)
    }

    /// Puts `items` into an order drawn by this generator (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.up_to(u64::try_from(last).unwrap_or(0));
            items.swap(last, usize::try_from(other).unwrap_or(last));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Rng;
    use alloc::vec::Vec;

    #[test]
    fn draws_stay_in_range_and_reach_both_ends() {
        let mut rng = Rng::from_seed(7);
        let mut seen = [0_u32; 4];
        for _ in 0..4_000 {
            seen[usize::try_from(rng.up_to(3)).unwrap()] += 1;
        }
        assert!(seen.iter().all(|&count| (900..1_100).contains(&count)), "{seen:?}");
        assert_eq!(rng.up_to(0), 0);
        assert!((0..100).any(|_| rng.up_to(u64::MAX) > u64::MAX / 2));
    }

    /// The numbers that other implementations of the generator give for this seed.
    #[test]
    fn the_sequence_is_that_of_split_mix_64() {
        let mut rng = Rng::from_seed(1_234_567);
        for expected in [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ] {
            assert_eq!(rng.up_to(u64::MAX), expected);
        }
    }

    #[test]
    fn a_seed_is_a_sequence_and_two_seeds_are_two() {
        let draw = |seed| {
            let mut rng = Rng::from_seed(seed);
            (0..32).map(|_| rng.up_to(999)).collect::<Vec<_>>()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }

    #[test]
    fn a_shuffle_keeps_every_item() {
        let mut items: Vec<u32> = (0..50).collect();
        Rng::from_seed(3).shuffle(&mut items);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }
}
