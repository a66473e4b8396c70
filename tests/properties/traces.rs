//! Scenarios whose traces are committed and compared to the letter.
//!
//! `REGATE_BLESS=1 cargo test --test properties traces` writes them anew; the diff is to be read.

use std::{env, fs, path::Path};

use regate::policy::{ConnectionSettings, MessagingSettings, Ratio, Redo, SendFailure, Settings};

use crate::sim::{Act, Answering, Fault, Mode, Plan, Recording, Request, World};

const READ: Act = Act::Invoke(Request::of(Redo::Redoable));
const WRITE: Act = Act::Invoke(Request::of(Redo::Once));

fn exact() -> Settings {
    let connection = ConnectionSettings {
        jitter: Ratio::ZERO,
        shuffle_addresses: false,
        ..ConnectionSettings::default()
    };
    Settings { connection, ..Settings::default() }
}

fn compare(name: &str, plan: &Plan) {
    let mut world = World::new(plan, Recording::On);
    let played = world.play_steps();
    let trace = world.trace();
    played.unwrap_or_else(|broken| panic!("{name}: {broken}\n{trace}"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/traces/{name}.txt"));
    if env::var_os("REGATE_BLESS").is_some() {
        fs::write(&path, &trace).expect("the trace can be written");
    }
    let committed = fs::read_to_string(&path).expect("a committed trace");
    assert_eq!(trace, committed, "{name}: read the difference, then bless it or mend the core");
}

#[test]
fn one_dead_gateway_is_dialled_seventeen_times() {
    let plan = Plan::new(exact(), &[0])
        .strike(0, 0, Fault::Mode(Mode::Refuse))
        .then(0, Act::Connect)
        .then(70_000, READ)
        .then(0, Act::Close);
    compare("one_dead_gateway", &plan);
}

#[test]
fn reads_survive_a_kill_and_a_write_in_flight_is_a_maybe() {
    let plan = Plan::new(exact(), &[10, 10, 10])
        .then(0, READ)
        .then(0, Act::Connect)
        .then(6_000, READ)
        .then(0, WRITE)
        .strike(5, 0, Fault::Kill)
        .then(20, READ)
        .then(0, WRITE)
        .strike(2_000, 1, Fault::CloseAll(1012))
        .strike(10_000, 2, Fault::Sends(SendFailure::Threw, 1))
        .then(0, WRITE)
        .then(0, READ)
        .then(100, WRITE)
        .then(15, Act::Close);
    compare("failover", &plan);
}

#[test]
fn a_busy_gateway_is_asked_again_ever_more_rarely() {
    let messaging = MessagingSettings {
        retry_timeout_seconds: 20,
        max_fast_invocation_count: 2,
        ..MessagingSettings::default()
    };
    let plan = Plan::new(Settings { messaging, ..exact() }, &[5])
        .then(0, Act::Connect)
        .strike(0, 0, Fault::Answering(Answering::Busy(300)))
        .then(100, WRITE)
        .then(21_000, Act::Close);
    compare("busy_gateway", &plan);
}

#[test]
fn a_hanging_handshake_costs_one_dial_limit_a_round_or_nothing_where_dials_are_staggered() {
    for (name, stagger) in [("hanging_handshake", 0), ("hanging_handshake_staggered", 2_000)] {
        let mut settings = Settings::default();
        settings.connection.dial_stagger_milliseconds = stagger;
        compare(name, &hanging_handshake(settings));
    }
}

fn hanging_handshake(settings: Settings) -> Plan {
    Plan { seed: 7, ..Plan::new(settings, &[10, 10, 10]) }
        .then(0, Act::Connect)
        .strike(6_000, 0, Fault::Mode(Mode::Hang))
        .strike(0, 1, Fault::Mode(Mode::AcceptThenClose(1013)))
        .strike(0, 2, Fault::Kill)
        .then(10, READ)
        .then(0, WRITE)
        .strike(0, 0, Fault::CloseAll(1001))
        .strike(0, 1, Fault::CloseAll(1001))
        .strike(40_000, 1, Fault::Mode(Mode::Up))
        .then(20_000, Act::Close)
}

#[test]
fn an_outage_of_minutes_makes_a_line_a_minute() {
    let connect_timeouts = "2500:60000:100:20000".parse().expect("a schedule");
    let connection = ConnectionSettings { connect_timeouts, ..ConnectionSettings::default() };
    let settings = Settings { connection, ..Settings::default() };
    let plan = Plan { seed: 3, ..Plan::new(settings, &[10, 10]) }
        .then(0, Act::Connect)
        .strike(6_000, 0, Fault::Kill)
        .strike(0, 1, Fault::Kill)
        .strike(190_000, 1, Fault::Mode(Mode::Up))
        .then(60_000, Act::Close);
    compare("long_outage", &plan);
}
