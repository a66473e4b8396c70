//! What the random cases have found, or would meet too seldom, each told as a test of its own.

use regate::policy::{ConnectionSettings, MessagingSettings, Redo, Settings};

use crate::sim::{Act, Answering, Fault, Mode, Plan, Recording, Request, World};

/// Plays `plan` for many seeds, as the network draws what comes first; gives the last trace.
fn play(plan: &Plan) -> String {
    let mut trace = String::new();
    for seed in 1..=32 {
        let plan = Plan { seed, ..plan.clone() };
        let mut world = World::new(&plan, Recording::On);
        let played = world.play();
        trace = world.trace();
        played.unwrap_or_else(|broken| panic!("{broken}\n{trace}"));
    }
    trace
}

#[test]
fn a_socket_that_has_failed_is_not_closed_once_more_when_the_client_gives_up() {
    let connect_timeouts = "70:1:1".parse().expect("a schedule");
    let connection = ConnectionSettings { connect_timeouts, ..ConnectionSettings::default() };
    let plan = Plan::new(Settings { connection, ..Settings::default() }, &[1])
        .strike(0, 0, Fault::Mode(Mode::Refuse))
        .then(0, Act::Connect)
        .then(500, Act::Sleep(0));
    assert!(play(&plan).contains("closed (CONNECT_TIMEOUT)"));
}

#[test]
fn a_timer_that_is_late_lets_nothing_go_out_whose_time_is_over() {
    let late = Request { timeout: Some(20), ..Request::of(Redo::Once) };
    let plan = Plan::new(Settings::default(), &[15])
        .then(0, Act::Connect)
        .then(5, Act::Invoke(late))
        .then(0, Act::Sleep(60));
    assert!(play(&plan).contains("1 TIMEOUT (no, 0 attempts)"));
}

#[test]
fn at_most_one_attempt_starts_exactly_at_the_retry_timeout() {
    let messaging = MessagingSettings {
        retry_timeout_seconds: 1,
        max_fast_invocation_count: 1,
        min_retry_delay_milliseconds: 400,
        ..MessagingSettings::default()
    };
    // Without latency the attempt at 1,000 ms is answered at 1,000 ms.
    let plan = Plan::new(Settings { messaging, ..Settings::default() }, &[0])
        .then(0, Act::Connect)
        .strike(0, 0, Fault::Answering(Answering::Busy(0)))
        .then(10, Act::Invoke(Request::of(Redo::Once)))
        .then(2_000, Act::Sleep(0));
    assert!(play(&plan).contains("1 RETRY_TIMEOUT (no, 3 attempts)"));
}
