//! Many clients that lose one gateway: they spread over the others, and over time.

use regate::policy::{ConnectionSettings, Ratio, Settings};

use crate::sim::{Act, Fault, Mode, Plan, Recording, World};

const CLIENTS: u64 = 1_000;

/// All clients are connected to the first of three gateways; then `end` befalls them, and they
/// are watched for 30 s. Says when each was connected again, and to which.
fn after_the_loss(settings: Settings, end: impl Fn(Plan) -> Plan) -> Vec<(u64, u32)> {
    let plan = Plan::new(settings, &[5, 5, 5])
        .strike(0, 1, Fault::Mode(Mode::Refuse))
        .strike(0, 2, Fault::Mode(Mode::Refuse))
        .then(0, Act::Connect)
        .strike(20_000, 1, Fault::Mode(Mode::Up))
        .strike(0, 2, Fault::Mode(Mode::Up));
    let plan = end(plan).then(30_000, Act::Sleep(0));
    let clients = (1..=CLIENTS).map(|seed| {
        let plan = Plan { seed, ..plan.clone() };
        let mut world = World::new(&plan, Recording::Off);
        world.play_steps().unwrap_or_else(|broken| panic!("seed {seed}: {broken}"));
        let [first, second] = world.connections() else {
            panic!("seed {seed}: {:?}", world.connections())
        };
        assert_eq!(first.1, 0, "seed {seed}");
        *second
    });
    clients.collect()
}

#[test]
fn a_fleet_that_loses_a_gateway_spreads_over_the_others() {
    let connected = after_the_loss(Settings::default(), |plan| plan.strike(0, 0, Fault::Kill));
    for gateway in [1, 2] {
        let share = connected.iter().filter(|&&(_, to)| to == gateway).count();
        assert!((400..=600).contains(&share), "{share} of {CLIENTS} go to gateway {gateway}");
    }
}

#[test]
fn a_fleet_that_loses_every_gateway_does_not_return_all_at_once() {
    let all_down = |plan: Plan| {
        let plan =
            plan.strike(0, 1, Fault::Mode(Mode::Refuse)).strike(0, 2, Fault::Mode(Mode::Refuse));
        plan.strike(0, 0, Fault::Kill).strike(20_000, 0, Fault::Mode(Mode::Up))
    };
    let busiest = |jitter| {
        let connection = ConnectionSettings { jitter, ..ConnectionSettings::default() };
        let settings = Settings { connection, ..Settings::default() };
        let mut tenths: Vec<u64> =
            after_the_loss(settings, all_down).iter().map(|&(at, _)| at / 100).collect();
        tenths.sort_unstable();
        tenths.chunk_by(|a, b| a == b).map(<[u64]>::len).max().expect("clients return")
    };
    let (with, without) = (busiest(ConnectionSettings::DEFAULT.jitter), busiest(Ratio::ZERO));
    assert!(with <= 100, "{with} of {CLIENTS} return within a tenth of a second");
    assert!(
        without >= 300,
        "{without}: without jitter nothing spreads them, or this shows nothing"
    );
}
