//! ns of one step of a backoff, as JSON: `steady`, one schedule that has reached its longest wait, and `episode`, one that is made
//! and taken 16 times. All double from 250 ms up to 5 s. Rounds of all are taken in turn.

use std::{
    array,
    hint::black_box,
    iter,
    time::{Duration, Instant},
};

use backon::BackoffBuilder;
use regate::policy::Schedule;
use serde_json::{Map, Value, json};

const FIRST: Duration = Duration::from_millis(250);
const LONGEST: Duration = Duration::from_secs(5);
const ROUNDS: usize = 9;
const STEPS: u32 = 16;
const EPISODES: u32 = 120_000;
const STEADY_STEPS: u32 = 2_000_000;

/// A schedule by name: how long its steady step and its episode's step take.
type Case = (&'static str, fn() -> f64, fn() -> f64);

macro_rules! case {
    ($name:literal, $make:expr) => {
        ($name, || steady($make), || episode(|| $make))
    };
}

const CASES: [Case; 8] = [
    case!("by hand (two integers)", by_hand()),
    case!("regate Schedule, parsed from 250:60000:100:5000", tcp_timeouts()),
    case!("backon ExponentialBuilder", backon().build()),
    case!("backon ExponentialBuilder, jitter", backon().with_jitter().build()),
    case!("exponential-backoff, jitter 0", exponential_backoff(0.0)),
    case!("exponential-backoff, jitter 0.3, its default", exponential_backoff(0.3)),
    case!("tokio-retry ExponentialBackoff", tokio_retry()),
    case!(
        "tokio-retry ExponentialBackoff, jitter",
        tokio_retry().map(tokio_retry::strategy::jitter)
    ),
];

fn main() {
    let mut taken: [(Vec<f64>, Vec<f64>); CASES.len()] = array::from_fn(|_| Default::default());
    for _ in 0..ROUNDS {
        for ((_, steady, episode), (steadies, episodes)) in CASES.iter().zip(&mut taken) {
            steadies.push(steady());
            episodes.push(episode());
        }
    }
    let results: Map<String, Value> = CASES
        .iter()
        .zip(taken)
        .map(|((name, ..), (steady, episode))| {
            (String::from(*name), json!({ "steady": steady, "episode": episode }))
        })
        .collect();
    println!("{}", Value::Object(results));
}

/// The floor.
fn by_hand() -> impl Iterator<Item = Duration> {
    let mut next = black_box(250_u64);
    iter::repeat_with(move || {
        let taken = next;
        next = (taken * 2).min(black_box(5000));
        Duration::from_millis(taken)
    })
}

/// By the schedule that the policy core runs through; one that is spent repeats its last wait, as here.
fn tcp_timeouts() -> impl Iterator<Item = u64> {
    let timeouts = black_box("250:60000:100:5000").parse().expect("a valid schedule");
    let mut schedule = Schedule::new(timeouts);
    iter::repeat_with(move || {
        let taken = schedule.take_current();
        schedule.advance();
        taken
    })
}

fn backon() -> backon::ExponentialBuilder {
    backon::ExponentialBuilder::new()
        .with_min_delay(black_box(FIRST))
        .with_max_delay(black_box(LONGEST))
        .with_factor(black_box(2.0))
        .without_max_times()
}

fn exponential_backoff(jitter: f32) -> impl Iterator<Item = Duration> {
    let mut backoff =
        exponential_backoff::Backoff::new(u32::MAX, black_box(FIRST), black_box(LONGEST));
    backoff.set_jitter(jitter);
    backoff.into_iter().flatten()
}

fn tokio_retry() -> impl Iterator<Item = Duration> {
    tokio_retry::strategy::ExponentialBackoff::from_millis(black_box(2))
        .factor(black_box(125))
        .max_delay(black_box(LONGEST))
}

fn steady<Wait>(mut waits: impl Iterator<Item = Wait>) -> f64 {
    take(&mut waits, STEPS);
    let began = Instant::now();
    take(&mut waits, STEADY_STEPS);
    nanoseconds_each(began, STEADY_STEPS)
}

fn episode<Wait, Waits: Iterator<Item = Wait>>(make: impl Fn() -> Waits) -> f64 {
    let began = Instant::now();
    for _ in 0..EPISODES {
        take(&mut make(), STEPS);
    }
    nanoseconds_each(began, EPISODES * STEPS)
}

fn take<Wait>(waits: &mut impl Iterator<Item = Wait>, count: u32) {
    for _ in 0..count {
        black_box(black_box(&mut *waits).next());
    }
}

fn nanoseconds_each(began: Instant, count: u32) -> f64 {
    began.elapsed().as_secs_f64() * 1e9 / f64::from(count)
}
