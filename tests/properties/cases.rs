//! Random plans, each from a seed of its own, shrunk to a minimal trace when one fails.

use std::{env, thread};

use proptest::{
    strategy::Strategy as _,
    test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner},
};

use crate::sim::{Plan, Recording, World, plans};

/// How many cases `cargo test` runs.
const FEW: u64 = 400;

fn number(name: &str) -> Option<u64> {
    let text = env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} must be a number, not {text:?}")))
}

fn runner(seed: u64) -> TestRunner {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config =
        Config { failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

fn play(plan: &Plan) -> Result<(), TestCaseError> {
    World::new(plan, Recording::Off).play().map_err(TestCaseError::fail)
}

/// Plays the plan of `seed`; the error is what broke, and the smallest trace in which it does.
fn run(seed: u64) -> Result<(), String> {
    let mut runner = runner(seed);
    let tree = plans().new_tree(&mut runner).map_err(|reason| reason.to_string())?;
    match runner.run_one(tree, |plan| play(&plan)) {
        Ok(_) => Ok(()),
        Err(TestError::Abort(reason)) => Err(reason.to_string()),
        Err(TestError::Fail(reason, plan)) => {
            let mut world = World::new(&plan, Recording::On);
            let broken = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| world.play()));
            let trace = world.trace();
            drop(broken);
            Err(format!("{reason}\n{trace}{:#?}\nREGATE_SEED={seed}", plan.settings))
        }
    }
}

#[test]
fn every_promise_holds_in_every_world() {
    if let Some(seed) = number("REGATE_SEED") {
        run(seed).unwrap_or_else(|broken| panic!("{broken}"));
        return;
    }
    let cases = number("REGATE_CASES");
    let (first, count) = (number("REGATE_FIRST_SEED").unwrap_or(1), cases.unwrap_or(FEW));
    let workers = thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let broken = thread::scope(|scope| {
        let work = move |worker: u64| {
            for seed in (first..first + count).filter(|seed| seed % workers == worker) {
                run(seed)?;
                let done = seed - first + 1;
                if cases.is_some() && worker == 0 && (done / workers).is_multiple_of(5_000) {
                    eprintln!("{done} of {count} cases, none broken");
                }
            }
            Ok::<(), String>(())
        };
        let threads: Vec<_> =
            (0..workers).map(|worker| scope.spawn(move || work(worker))).collect();
        let ended = threads.into_iter().map(|thread| thread.join().expect("a worker panicked"));
        ended.filter_map(Result::err).collect::<Vec<_>>()
    });
    assert!(broken.is_empty(), "{}", broken.join("\n\n"));
}

#[test]
fn the_same_seed_and_events_give_the_same_trace() {
    for seed in 1..=40 {
        let mut runner = runner(seed);
        let plan = plans().new_tree(&mut runner).expect("a plan");
        let plan = proptest::strategy::ValueTree::current(&plan);
        let traces = [(); 2].map(|()| {
            let mut world = World::new(&plan, Recording::On);
            world.play().unwrap_or_else(|broken| panic!("{broken}\n{}", world.trace()));
            (world.trace(), world.fingerprint())
        });
        assert_eq!(traces[0], traces[1], "seed {seed}");
    }
}
