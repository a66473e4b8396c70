//! Connections that are asked for one by one and have done their work: nobody failed.

use regate::policy::{ClientState, Event, StateReason};

use crate::{
    driver::{Dial, List, OPEN, REFUSE, Script, Stage, exact},
    resting::{asked_for_each, last_reason},
};

#[test]
fn work_that_is_done_is_nobodys_failure() {
    for steady_milliseconds in [0, 5_000] {
        for gateways in [1, 2] {
            let mut settings = asked_for_each(exact());
            settings.connection.steady_milliseconds = steady_milliseconds;
            settings.connection.hooks.list = gateways == 2;
            let mut stage = Stage::of(settings, gateways, OPEN);
            stage.lists = Script::always(List::Of(&[0, 1]));
            for number in 1..=20 {
                stage.connect();
                stage.run_for(0);
                assert_eq!(stage.engine.state(), ClientState::Connected, "socket {number}");
                stage.close_when_done();
                assert_eq!((stage.closed.len(), stage.engine.poll_timeout()), (number, None));
            }
            assert_eq!((stage.dialled(), stage.waits()), ("A".repeat(20), vec![]));
            assert_eq!(stage.dial_times(), [0; 20]);
            assert!(stage.failures().is_empty() && stage.lines().is_empty());
        }
    }
}

#[test]
fn a_gateway_that_dies_after_its_work_is_done_is_left_by_the_round() {
    for held in [100, 6_000] {
        let mut stage = Stage::connected_for(asked_for_each(exact()), 3, held);
        stage.close_when_done();
        stage.gateways[0] = Script::always(REFUSE);
        stage.connect();
        stage.run_for(0);
        assert_eq!((stage.dialled().as_str(), stage.waits()), ("AAB", vec![]), "held {held}");
        stage.lose(1006);
        stage.connect();
        stage.run_for(0);
        assert_eq!((stage.dialled().as_str(), stage.waits()), ("AABC", vec![]), "held {held}");
    }
}

#[test]
fn work_that_is_done_forgives_no_earlier_than_any_connection() {
    for (held, waited) in [(4_999, 4_000), (5_000, 250)] {
        let mut stage = Stage::of(asked_for_each(exact()), 1, REFUSE);
        stage.connect();
        stage.run_until(1_750); // the fourth dial, after 250, 500 and 1000 ms
        stage.gateways[0] = Script::always(OPEN);
        stage.run_until(3_750);
        stage.run_for(held);
        stage.close_when_done();
        stage.connect();
        stage.run_for(2_000);
        stage.lose(1006);
        let lost_at = stage.now;
        stage.connect();
        stage.run_for(10_000);
        assert_eq!(stage.dial_times().last(), Some(&(lost_at + waited)), "held {held}");
    }
}

#[test]
fn a_gateway_that_opens_and_closes_is_held_to_the_schedule_whatever_is_done_between() {
    for clean in [1, 3] {
        let mut stage = Stage::of(asked_for_each(exact()), 1, Dial::OpenThenClose(1006, 2));
        stage.connect();
        let (mut opened, mut lost) = (0, 0);
        for _ in 0..60_000 {
            let before = stage.engine.state();
            stage.run_for(1);
            match (before, stage.engine.state()) {
                (ClientState::Connected, ClientState::Closed) => {
                    lost += 1;
                    stage.connect();
                }
                (from, ClientState::Connected) if from != ClientState::Connected => {
                    opened += 1;
                    if opened % (clean + 1) != 0 {
                        stage.close_when_done();
                        stage.connect();
                    }
                }
                _ => {}
            }
        }
        assert!((10..20).contains(&lost), "{lost} losses, {clean} clean closes before each");
        assert_eq!(opened / (clean + 1), lost);
    }
}

#[test]
fn of_two_dials_side_by_side_the_one_whose_work_is_done_is_dialled_next() {
    let mut settings = asked_for_each(exact());
    settings.connection.dial_stagger_milliseconds = 300;
    let mut stage = Stage::of(settings, 2, Dial::Hang);
    stage.gateways[1] = Script::first([OPEN, OPEN], REFUSE);
    stage.connect();
    for number in 1..=2 {
        stage.run_until(300);
        assert_eq!(stage.engine.state(), ClientState::Connected, "socket {number}");
        stage.close_when_done();
        assert_eq!(stage.closed.len(), 1 + number, "the dial beside is let go as well");
        stage.connect();
    }
    stage.gateways[0] = Script::always(OPEN);
    stage.run_until(300);
    assert_eq!(stage.dialled(), "ABBBA", "what hung may be tried in the same round");
    assert_eq!(stage.engine.state(), ClientState::Connected);
}

#[test]
fn what_is_not_connected_is_left_in_the_middle_of_its_work() {
    let mut found_lost = Stage::connected_for(asked_for_each(exact()), 2, 100);
    let socket = found_lost.live();
    found_lost.tell(Event::SocketErred(socket));
    found_lost.close_when_done();
    found_lost.connect();
    found_lost.run_for(0);
    assert_eq!(found_lost.dialled(), "AB", "a lost one");

    let mut dialling = Stage::of(asked_for_each(exact()), 2, Dial::Hang);
    dialling.connect();
    dialling.run_for(100);
    dialling.close_when_done();
    dialling.connect();
    dialling.run_for(0);
    assert_eq!(dialling.dialled(), "AB", "a dial");
}

#[test]
fn a_client_that_comes_back_by_itself_is_closed_when_its_work_is_done() {
    let mut stage = Stage::connected_for(exact(), 2, 100);
    stage.close_when_done();
    assert_eq!(last_reason(&stage), Some(StateReason::Requested));
    stage.run_for(100_000);
    assert_eq!((stage.dialled().as_str(), stage.closed.len()), ("A", 1));
}
