//! Fleets so large that all moving at once would sink the next gateway.

use regate::policy::{ClientState, Event, Settings};

use crate::driver::{Dial, OPEN, REFUSE, Script, Stage, exact};

const CLIENTS: u64 = 1_000;

fn spread_by(milliseconds: u64) -> Settings {
    let mut settings = exact();
    settings.connection.failover_spread_milliseconds = milliseconds;
    settings
}

/// Clients of A, which dies; B and C are up. Says when each dials again, and which.
fn after_the_loss(mut settings: Settings) -> Vec<(u64, char)> {
    settings.connection.shuffle_addresses = true;
    let clients = (1..=CLIENTS).map(|seed| {
        let down = Script::always(REFUSE);
        let mut stage =
            Stage::seeded(settings, &[Script::always(OPEN), down.clone(), down.clone()], seed);
        stage.connect();
        stage.run_until(10_000);
        let before = stage.dials.len();
        stage.gateways = vec![down, Script::always(OPEN), Script::always(OPEN)];
        stage.lose(1006);
        stage.run_until(20_000);
        assert_eq!(stage.engine.state(), ClientState::Connected, "seed {seed}");
        let (at, gateway) = stage.dials[before];
        (at - 10_000, gateway)
    });
    clients.collect()
}

/// B018.
#[test]
fn a_thousand_clients_that_lose_a_gateway_come_to_the_next_ones_one_by_one() {
    for spread in [0, 1_000] {
        let dials = after_the_loss(spread_by(spread));
        assert!(dials.iter().all(|&(after, _)| after <= spread), "{spread}");
        for gateway in ['B', 'C'] {
            let times: Vec<u64> =
                dials.iter().filter(|dial| dial.1 == gateway).map(|dial| dial.0).collect();
            assert!((400..=600).contains(&times.len()), "{} go to {gateway}", times.len());
            let mut buckets = vec![0; 101];
            times.iter().for_each(|&at| buckets[usize::try_from(at / 10).unwrap()] += 1);
            let most = buckets.iter().max().unwrap();
            match spread {
                0 => assert_eq!(*most, times.len(), "at once, unless it is asked for"),
                _ => assert!(*most <= 30, "{most} of {CLIENTS} within 10 ms"),
            }
        }
    }
}

#[test]
fn only_the_first_dial_after_a_loss_is_spread() {
    let settings = spread_by(1_000_000);
    // Neither the first connection, nor the rest of a round, nor a round after a wait.
    let mut stage = Stage::of(settings, 2, REFUSE);
    stage.connect();
    stage.run_until(800);
    assert_eq!(stage.dial_times(), [0, 0, 250, 250, 750, 750]);
    // Nor a failed dial that wants fresh credentials.
    let mut stage = Stage::of(settings, 2, Dial::FailAfter(4401, 10));
    stage.connect();
    stage.run_until(20);
    assert_eq!(stage.dial_times(), [0, 10]);
    // Nor what the application asks for, nor a page that is shown.
    let mut stage = Stage::connected_for(settings, 2, 6_000);
    stage.reconnect();
    stage.run_for(6_000);
    assert_eq!(stage.dial_times(), [0, 6_000]);
    stage.tell(Event::PageHidden);
    stage.tell(Event::PageShown);
    stage.run_for(0);
    assert_eq!(stage.dial_times(), [0, 6_000, 12_000]);
    // A loss is, steady or not, and `reconnect()` ends that too.
    for holds in [100, 6_000] {
        let mut stage = Stage::connected_for(settings, 2, holds);
        stage.lose(1006);
        stage.run_for(500);
        assert_eq!((stage.dials.len(), stage.waits()), (1, vec![]), "{holds}");
        stage.reconnect();
        assert_eq!(stage.dial_times(), [0, holds + 500]);
    }
}

#[test]
fn closing_while_the_fleet_is_spread_dials_nothing() {
    let mut stage = Stage::connected_for(spread_by(1_000), 2, 6_000);
    stage.lose(1006);
    stage.close();
    stage.assert_silent();
    assert_eq!(stage.dials.len(), 1);
}

#[test]
fn a_loss_at_the_very_floor_is_spread_as_any_other() {
    let mut settings = spread_by(1_000_000);
    settings.connection.steady_milliseconds = 100;
    let mut stage = Stage::connected_for(settings, 2, 250);
    stage.lose(1006);
    stage.run_for(0);
    assert_eq!(stage.dialled(), "A");
    stage.run_for(1_000_000);
    assert_eq!(stage.dialled(), "AB");
}
