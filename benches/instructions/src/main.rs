//! The hot paths of the core, each by itself, for callgrind to count and for a clock.
//!
//! `regate-instructions [ROUNDS]` takes each path so many times, once by default, in the function
//! `counted`, where callgrind looks. It prints a line for each: name, how much is pending, how many
//! steps were taken, ns per step of each round.

mod client;
mod paths;

use std::{env, hint::black_box, time::Instant};

use paths::{PATHS, Ready};

fn main() {
    let rounds = env::args().nth(1).map_or(1, |text| text.parse().expect("a number of rounds"));
    for path in PATHS {
        for &pending in path.pending {
            let mut steps = 0;
            let mut times = Vec::new();
            for _ in 0..rounds {
                let ready = (path.ready)(pending);
                steps = ready.steps;
                times.push(nanoseconds_per_step(ready).to_string());
            }
            println!("{}\t{pending}\t{steps}\t{}", path.name, times.join(","));
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the core is measured here, it measures nothing")]
fn nanoseconds_per_step(mut ready: Ready) -> f64 {
    let began = Instant::now();
    let taken = counted(&mut *ready.run);
    let time = began.elapsed();
    assert_eq!(taken, ready.steps, "each step must come about, or nothing was counted");
    time.as_secs_f64() * 1e9 / f64::from(u32::try_from(taken).expect("few steps"))
}

/// Where callgrind counts: a function that is really called and really returns. By reference, so that
/// neither making ready nor clearing away is part of it.
#[inline(never)]
fn counted(run: &mut dyn FnMut() -> usize) -> usize {
    let taken = run();
    black_box(taken)
}
