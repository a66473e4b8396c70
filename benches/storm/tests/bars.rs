//! The bars, with 100,000 clients; and that a run is the work of its seed alone.

use regate_storm::{
    bars::bars,
    report::Run,
    scenario::{END_AT, RETURN_AT, Variant, large_fleet, variants},
    tally::Tally,
    world::play,
};

fn run(variant: Variant, fleet: u32, seed: u64) -> Run {
    let tally = play(&variant, fleet, seed, |_| {});
    Run { variant, tally }
}

fn variant(name: &str) -> Variant {
    variants().into_iter().find(|variant| variant.name == name).expect("a variant of this name")
}

/// The bars that a run misses.
fn missed(run: &Run) -> Vec<&'static str> {
    bars(&run.peaks()).into_iter().filter(|bar| !bar.holds).map(|bar| bar.what).collect()
}

fn connected_at_the_end(tally: &Tally) -> Option<u64> {
    tally.connected_clients().last().copied()
}

#[test]
fn the_bars_hold_for_100_000_clients() {
    let run = run(large_fleet(), 100_000, 1);
    for bar in bars(&run.peaks()) {
        assert!(bar.holds, "{bar}");
    }
    assert_eq!(connected_at_the_end(&run.tally), Some(100_000), "all are back");
    assert_eq!(run.tally.dials_in(RETURN_AT..END_AT), 100_000, "with one dial each");
    assert_eq!(run.tally.turned_away(), 0, "no gateway is overrun");
}

#[test]
fn the_bars_are_missed_by_settings_that_are_not_for_a_large_fleet() {
    for (name, expected) in [
        ("defaults", &["after one gateway died", "all down, first 20 s"][..]),
        ("shuffle-off", &["after one gateway died"]),
        ("jitter-0", &["all down, after the first minute"]),
        ("spread-0", &["after one gateway died", "all down, first 20 s"]),
    ] {
        let missed = missed(&run(variant(name), 10_000, 1));
        for bar in expected {
            assert!(missed.contains(bar), "{name} misses {missed:?}");
        }
    }
}

#[test]
fn a_run_is_the_work_of_its_seed_alone() {
    for variant in [large_fleet(), variant("defaults")] {
        let tally = |seed| play(&variant, 1_000, seed, |_| {});
        assert_eq!(tally(7), tally(7), "{}", variant.name);
        assert_ne!(tally(7), tally(8), "{}", variant.name);
        assert_eq!(connected_at_the_end(&tally(7)), Some(1_000), "{}", variant.name);
    }
}
