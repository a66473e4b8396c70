//! When a client stops dialling by itself, and what it says then.

use regate::policy::{
    ClientState, Completion, ErrorCode, FirstConnect, GaveUp, LastFailure, Notice, Reconnect,
    StateReason,
};

use crate::driver::{Dial, OPEN, REFUSE, Script, Stage, closed_with, exact, with_schedule};

fn gave_up(stage: &Stage) -> Option<GaveUp> {
    stage.notices.iter().find_map(|(_, notice)| match notice {
        Notice::StateChanged {
            to: ClientState::Closed, reason: StateReason::GaveUp(why), ..
        } => Some(*why),
        _ => None,
    })
}

#[test]
fn a_spent_schedule_is_a_connect_timeout_that_names_the_cause_at_each_gateway() {
    let gateways = [Script::always(REFUSE), Script::always(Dial::FailAfter(1013, 0))];
    let mut stage = Stage::new(exact(), &gateways);
    stage.connect();
    let parked = stage.write();
    stage.run_until(62_749);
    assert_eq!(gave_up(&stage), None);
    stage.run_until(62_750);
    assert_eq!(gave_up(&stage), Some(GaveUp::ScheduleSpent));
    assert_eq!(GaveUp::ScheduleSpent.code().as_str(), "CONNECT_TIMEOUT");
    assert_eq!(stage.failures(), [('A', closed_with(1006)), ('B', closed_with(1013))]);
    assert_eq!(stage.dials.len(), 34, "the round after the last wait is dialled to its end");
    assert_eq!(stage.failure(parked), (ErrorCode::ConnectTimeout, Completion::No));
    stage.assert_silent();
}

#[test]
fn a_first_connect_that_never_gives_up_repeats_the_last_wait() {
    let mut settings = with_schedule("100:300:100");
    settings.connection.first_connect = FirstConnect::Always;
    let mut stage = Stage::of(settings, 1, REFUSE);
    stage.connect();
    stage.run_until(1_000);
    assert_eq!(stage.dial_times(), [0, 100, 300, 500, 700, 900]);
    assert_eq!(stage.engine.state(), ClientState::Connecting);
}

#[test]
fn a_client_that_reconnects_by_schedule_gives_up_when_it_is_spent() {
    let mut settings = with_schedule("100:300:100");
    settings.connection.reconnect = Reconnect::Schedule;
    let mut stage = Stage::connected_for(settings, 1, 5_000);
    let in_flight = stage.read();
    stage.gateways[0] = Script::always(REFUSE);
    stage.lose(1006);
    stage.run_until(60_000);
    assert_eq!(stage.dial_times()[1..], [5_000, 5_100, 5_300]);
    assert_eq!(gave_up(&stage), Some(GaveUp::ScheduleSpent));
    // It was in flight when the connection was lost, and parked when the client gave up.
    assert_eq!(stage.failure(in_flight), (ErrorCode::ConnectTimeout, Completion::Maybe));
    assert_eq!(stage.error(in_flight).last_failure, LastFailure::Lost(closed_with(1006)));
    stage.assert_silent();
}

#[test]
fn a_client_that_never_reconnects_gives_up_at_the_loss() {
    for steady_for in [100, 5_000] {
        let mut settings = exact();
        settings.connection.reconnect = Reconnect::Never;
        let mut stage = Stage::connected_for(settings, 2, steady_for);
        let (read, write) = (stage.read(), stage.write());
        stage.lose(1001);
        assert_eq!(gave_up(&stage), Some(GaveUp::ConnectionLost));
        for operation in [read, write] {
            let failure = (ErrorCode::ConnectionLost, Completion::Maybe);
            assert_eq!(stage.failure(operation), failure);
            assert_eq!(stage.error(operation).last_failure, LastFailure::Lost(closed_with(1001)));
        }
        assert_eq!(stage.failures(), [('A', closed_with(1001))]);
        assert_eq!(stage.dialled(), "A");
        stage.assert_silent();
    }
}

#[test]
fn a_client_gives_up_at_once_when_no_gateway_is_left() {
    let mut stage = Stage::of(exact(), 2, Dial::FailAfter(4400, 10));
    stage.connect();
    let parked = stage.read();
    stage.run_until(60_000);
    assert_eq!(stage.dial_times(), [0, 10]);
    assert_eq!(gave_up(&stage), Some(GaveUp::NoGateway));
    assert_eq!(stage.failure(parked), (ErrorCode::NoGateway, Completion::No));
    assert_eq!(stage.settled_at(parked), 20);
    stage.assert_silent();
}

#[test]
fn losing_the_last_gateway_that_was_left_is_the_end_at_once() {
    for (steady, lasts) in [(5_000, 100), (5_000, 6_000), (0, 100), (0, 6_000)] {
        let mut settings = exact();
        settings.connection.steady_milliseconds = steady;
        let mut stage = Stage::connected_for(settings, 1, lasts);
        stage.lose(4400);
        assert_eq!(gave_up(&stage), Some(GaveUp::NoGateway), "{steady} {lasts}");
        assert_eq!(stage.engine.state(), ClientState::Closed, "{steady} {lasts}");
        stage.assert_silent();
    }
}

#[test]
fn connecting_again_after_giving_up_starts_afresh() {
    let mut stage = Stage::of(with_schedule("100:100:100"), 2, REFUSE);
    stage.connect();
    stage.run_until(1_000);
    assert_eq!(gave_up(&stage), Some(GaveUp::ScheduleSpent));
    stage.gateways[1] = Script::first([REFUSE], OPEN);
    stage.connect();
    assert_eq!(stage.failures(), []);
    stage.run_until(2_000);
    assert_eq!(stage.dial_times()[4..], [1_000, 1_000, 1_100, 1_100]);
    assert_eq!(stage.engine.state(), ClientState::Connected);
    let operation = stage.read();
    assert_eq!(stage.sent_at(operation), [2_000]);
}
