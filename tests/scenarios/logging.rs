//! One outage is a handful of lines.

use regate::policy::{GaveUp, LogLine, Reconnect};

use crate::driver::{Dial, OPEN, REFUSE, Script, Stage, closed_with, exact, letter};

fn kinds(stage: &Stage) -> Vec<(u64, &'static str)> {
    let kind = |line: &LogLine| match line {
        LogLine::OutageBegan { .. } => "began",
        LogLine::OutageGoesOn { .. } => "goes on",
        LogLine::OutageEnded { .. } => "ended",
        LogLine::GaveUp { .. } => "gave up",
        _ => "unknown",
    };
    stage.lines().iter().map(|(at, line)| (*at, kind(line))).collect()
}

/// B036, at its shortest.
#[test]
fn a_client_that_dials_a_dead_gateway_until_it_gives_up_says_three_things() {
    let mut stage = Stage::of(exact(), 1, REFUSE);
    stage.connect();
    stage.run_until(3_600_000);
    assert_eq!(kinds(&stage), [(0, "began"), (60_000, "goes on"), (62_750, "gave up")]);
    match &stage.lines()[2].1 {
        LogLine::GaveUp { why: GaveUp::ScheduleSpent, milliseconds: 62_750, failures, .. } => {
            assert_eq!(failures.iter().map(|count| count.failures).sum::<u32>(), 1);
        }
        other => panic!("{other:?}"),
    }
}

/// B036: the summaries leave nothing out and count nothing twice.
#[test]
fn an_hour_of_outage_is_one_line_a_minute_with_exact_counts() {
    let mut stage = Stage::connected_for(exact(), 3, 5_000);
    stage.gateways = vec![Script::always(REFUSE); 3];
    stage.lose(1006);
    stage.run_for(3_600_000);
    let lines = stage.lines();
    assert_eq!(lines.len(), 1 + 60);
    let mut counted = [0; 3];
    for (at, line) in &lines[1..] {
        let LogLine::OutageGoesOn { milliseconds, failures } = line else { panic!("{line:?}") };
        assert_eq!(*milliseconds, at - 5_000);
        assert_eq!(milliseconds % 60_000, 0);
        for count in failures {
            counted[usize::try_from(count.gateway.unwrap().position()).unwrap()] += count.failures;
        }
    }
    // The loss itself is the first line; every failed dial is in a summary.
    for (position, gateway) in "ABC".chars().enumerate() {
        let dialled = stage.dials[1..].iter().filter(|dial| dial.1 == gateway).count();
        assert_eq!(usize::try_from(counted[position]).unwrap(), dialled, "{gateway}");
    }
}

#[test]
fn recovery_is_one_line_with_the_length_rounds_and_dials_of_the_outage() {
    let gateways = [Script::first([OPEN], REFUSE), Script::first([REFUSE, REFUSE], OPEN)];
    let mut stage = Stage::new(exact(), &gateways);
    stage.connect();
    stage.run_until(6_000);
    stage.lose(1006); // then B, A; after 250 ms B, A; after 500 ms B opens
    stage.run_until(60_000);
    assert_eq!(kinds(&stage), [(6_000, "began"), (11_750, "ended")]);
    match &stage.lines()[1].1 {
        LogLine::OutageEnded { gateway, milliseconds: 750, rounds: 3, dials: 5 } => {
            assert_eq!(letter(*gateway), 'B');
        }
        other => panic!("{other:?}"),
    }
    stage.run_until(3_600_000);
    assert_eq!(stage.lines().len(), 2, "nothing is said of a connection that holds");
}

#[test]
fn a_gateway_that_opens_and_closes_all_the_time_is_one_outage() {
    let mut stage = Stage::of(exact(), 1, Dial::OpenThenClose(1006, 1_000));
    stage.connect();
    stage.run_until(181_500);
    let expected =
        [(1_000, "began"), (61_000, "goes on"), (121_000, "goes on"), (181_000, "goes on")];
    assert_eq!(kinds(&stage), expected);
}

#[test]
fn closing_on_purpose_and_reconnecting_on_purpose_are_no_outage() {
    let mut stage = Stage::connected_for(exact(), 2, 6_000);
    stage.reconnect();
    stage.run_for(6_000);
    stage.close();
    stage.run_for(600_000);
    assert_eq!(kinds(&stage), []);
}

#[test]
fn a_steady_connection_ends_the_outage_even_if_it_is_lost_before_the_timer_says_so() {
    let mut stage = Stage::new(exact(), &[Script::first([REFUSE], OPEN)]);
    stage.connect();
    stage.run_until(3_000);
    stage.now = 9_000; // the timer is late
    stage.lose(1006);
    assert_eq!(kinds(&stage), [(0, "began"), (9_000, "ended"), (9_000, "began")]);
}

#[test]
fn a_client_that_never_reconnects_says_what_it_lost_before_it_says_that_it_gave_up() {
    let mut settings = exact();
    settings.connection.reconnect = Reconnect::Never;
    let mut stage = Stage::connected_for(settings, 2, 6_000);
    stage.lose(1011);
    assert_eq!(kinds(&stage), [(6_000, "began"), (6_000, "gave up")]);
    match stage.lines()[0].1 {
        LogLine::OutageBegan { gateway, cause } => {
            assert_eq!((gateway.map(letter), cause), (Some('A'), closed_with(1011)));
        }
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn the_counts_of_a_first_outage_begin_with_the_first_dial() {
    let mut stage = Stage::of(exact(), 3, Dial::FailAfter(4400, 10));
    stage.connect();
    stage.run_until(100);
    match stage.lines()[1].1 {
        LogLine::GaveUp { rounds, dials, ref failures, .. } => {
            assert_eq!((rounds, dials, failures.len()), (1, 3, 2), "the first has its own line");
        }
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn what_led_to_a_connection_is_not_counted_in_a_later_outage() {
    let mut stage = Stage::connected_for(exact(), 2, 6_000);
    stage.gateways[1] = Script::first([REFUSE], OPEN);
    stage.lose(1006);
    stage.run_for(6_000);
    match stage.lines()[1].1 {
        LogLine::OutageEnded { rounds, dials, .. } => assert_eq!((rounds, dials), (1, 2)),
        ref other => panic!("{other:?}"),
    }
}
