//! Networks that come back, tabs that are shown, pages that are put away and taken out again.

use regate::policy::{Call, ClientState, Completion, ErrorCode, Event, Ratio};

use crate::driver::{Dial, List, OPEN, REFUSE, RESULT, Script, Stage, exact};

use ClientState::{Closed, Connected, Connecting, Idle, Reconnecting};

/// One dead gateway, dialled at 0, 250, 750, 1750, 3750 and 7750; in a wait of 5 s since then.
fn in_a_long_wait() -> Stage {
    let mut stage = Stage::of(exact(), 1, REFUSE);
    stage.connect();
    stage.run_until(7_750);
    assert_eq!(stage.waits().last(), Some(&5_000));
    stage
}

/// B012: what was never started, or was closed, stays so.
#[test]
fn a_wake_never_starts_a_client() {
    for state in [Idle, Closed] {
        let mut stage = Stage::of(exact(), 1, OPEN);
        if state == Closed {
            stage.connect();
            stage.close();
        }
        for event in [Event::Woken, Event::PageHidden, Event::PageShown, Event::Woken] {
            stage.tell(event);
            stage.run_for(1_000);
        }
        assert_eq!((stage.engine.state(), stage.dials.len()), (state, 0));
        assert_eq!(stage.engine.poll_timeout(), None);
    }
}

/// B012, B087: it ends the wait, and a dial that fails then does not start the schedule afresh.
#[test]
fn a_wake_ends_a_wait_and_the_schedule_goes_on() {
    let mut stage = in_a_long_wait();
    stage.run_until(8_750);
    stage.tell(Event::Woken);
    assert_eq!(stage.dial_times()[6..], [8_750]);
    stage.run_until(60_000);
    assert_eq!(stage.dial_times()[6..9], [8_750, 13_750, 18_750]);
    // The schedule was shortened by one wait, not lengthened by one.
    stage.run_until(3_600_000);
    assert_eq!((stage.dials.len(), stage.engine.state()), (17, Closed));
}

/// B051.
#[test]
fn a_wake_dials_no_sooner_than_the_first_wait_after_the_round_began() {
    for (woken_after, dialled_after) in [(300, 300), (250, 250), (249, 250), (100, 250), (0, 250)] {
        let mut stage = in_a_long_wait();
        stage.run_until(7_750 + woken_after);
        stage.tell(Event::Woken);
        stage.run_until(12_000);
        assert_eq!(stage.dial_times()[6..], [7_750 + dialled_after], "{woken_after}");
    }
    // A wait that jitter has made shorter than that is not made longer by it.
    let mut settings = exact();
    settings.connection.jitter = Ratio::ONE;
    for seed in 1..=50 {
        let mut stage = Stage::seeded(settings, &[Script::always(REFUSE)], seed);
        stage.connect();
        stage.run_until(0);
        let wait = stage.waits()[0];
        stage.tell(Event::Woken);
        stage.run_until(wait);
        assert!(stage.dials.len() >= 2, "{seed}");
    }
}

#[test]
fn however_often_it_is_woken_a_client_keeps_to_the_floor() {
    let mut stage = Stage::of(exact(), 2, REFUSE);
    stage.connect();
    for at in (0..5_000).step_by(10) {
        stage.run_until(at);
        stage.tell(Event::Woken);
    }
    let mut rounds = stage.dial_times();
    rounds.dedup();
    assert!(rounds.windows(2).all(|pair| pair[1] - pair[0] >= 250), "{rounds:?}");
    assert_eq!(stage.dials.len(), rounds.len() * 2);
}

/// Where a policy says `same`, no round begins; the floor holds for the dials themselves.
#[test]
fn however_often_it_is_woken_a_client_keeps_to_the_floor_with_the_same_gateway_too() {
    let mut settings = exact();
    settings.connection.hooks.close_policy = true;
    for steady in [false, true] {
        let mut stage = Stage::of(settings, 2, if steady { OPEN } else { REFUSE });
        let verdict = Some(regate::policy::Verdict::Same);
        stage.judgements =
            Script::always(regate::policy::Judgement { verdict, wait_milliseconds: 0 });
        stage.connect();
        stage.run_until(6_000);
        if steady {
            stage.gateways = vec![Script::always(REFUSE); 2];
            stage.lose(1006);
        }
        for at in (6_000..12_000).step_by(10) {
            stage.run_until(at);
            stage.tell(Event::Woken);
        }
        let dials: Vec<_> = stage.dial_times().into_iter().filter(|&at| at > 6_000).collect();
        assert!(dials.len() > 10, "{dials:?}");
        assert!(dials.windows(2).all(|pair| pair[1] - pair[0] >= 250), "{dials:?}");
        assert!(!stage.dialled().contains('B'));
    }
}

#[test]
fn a_wake_changes_nothing_while_a_dial_runs_or_a_fleet_is_spread() {
    let mut stage = Stage::of(exact(), 2, Dial::Hang);
    stage.connect();
    stage.run_until(5_000);
    stage.tell(Event::Woken);
    stage.run_until(9_999);
    assert_eq!((stage.dialled(), stage.closed.len()), ("A".into(), 0));

    let mut settings = exact();
    settings.connection.failover_spread_milliseconds = 1_000_000;
    let mut stage = Stage::connected_for(settings, 2, 6_000);
    stage.lose(1006);
    stage.run_until(6_400);
    stage.tell(Event::Woken);
    assert_eq!(stage.dialled(), "A", "all of them may be woken at once");
}

/// B052.
#[test]
fn a_page_that_is_put_away_leaves_its_gateway_and_dials_when_it_is_shown() {
    let mut stage = Stage::connected_for(exact(), 2, 6_000);
    let (socket, read, write) = (stage.live(), stage.read(), stage.write());
    stage.tell(Event::PageHidden);
    assert_eq!((stage.engine.state(), stage.closed.clone()), (Reconnecting, vec![socket]));
    assert_eq!(stage.engine.poll_timeout(), None, "no timer may run");
    assert_eq!(stage.failure(write), (ErrorCode::ConnectionLost, Completion::Maybe));
    let parked = stage.read();
    stage.run_until(60_000);
    assert_eq!(stage.dials.len(), 1);
    stage.frames = Script::always(RESULT);
    stage.tell(Event::PageShown);
    stage.tell(Event::PageShown);
    stage.tell(Event::Woken);
    stage.run_for(0);
    assert_eq!((stage.dials.len(), stage.engine.state()), (2, Connected));
    assert_eq!((stage.outcome(read), stage.outcome(parked)), (Some(Ok(())), Some(Ok(()))));
    assert_eq!(stage.closed.len(), 1);
    assert_eq!((stage.lines(), stage.failures()), (vec![], vec![]), "it was no outage");
}

#[test]
fn a_page_is_put_away_in_any_state() {
    // Dialling for the first time: the socket is let go, and `connect()` still waits.
    let mut stage = Stage::of(exact(), 2, Dial::OpenAfter(100));
    stage.connect();
    stage.run_until(50);
    let socket = stage.live();
    stage.tell(Event::PageHidden);
    stage.tell(Event::SocketOpened(socket));
    assert_eq!((stage.engine.state(), stage.closed.clone()), (Connecting, vec![socket]));
    assert_eq!(stage.engine.poll_timeout(), None);
    stage.run_until(1_000);
    stage.tell(Event::PageShown);
    stage.run_until(1_100);
    assert_eq!((stage.engine.state(), stage.dialled()), (Connected, "AA".into()));

    // In a wait: it is over when the page is shown, but for the floor.
    for (shown_at, dialled_at) in [(8_750, 8_750), (7_850, 8_000)] {
        let mut stage = in_a_long_wait();
        stage.tell(Event::PageHidden);
        assert_eq!(stage.engine.poll_timeout().filter(|at| at.as_milliseconds() < 60_000), None);
        stage.run_until(shown_at);
        stage.tell(Event::PageShown);
        stage.run_until(10_000);
        assert_eq!(stage.dial_times()[6..7], [dialled_at]);
    }

    // While the list is asked for.
    let mut settings = exact();
    settings.connection.hooks.list = true;
    let mut stage = Stage::of(settings, 1, OPEN);
    stage.lists = Script::first([List::Hang], List::Of(&[0]));
    stage.connect();
    stage.run_until(10);
    stage.tell(Event::PageHidden);
    assert_eq!(stage.engine.poll_timeout(), None);
    stage.run_until(500);
    stage.tell(Event::PageShown);
    stage.run_for(0);
    assert_eq!((stage.asked.clone(), stage.engine.state()), (vec![0, 500], Connected));
}

#[test]
fn a_page_that_is_put_away_can_be_closed_or_reconnected() {
    let mut stage = Stage::connected_for(exact(), 2, 6_000);
    stage.tell(Event::PageHidden);
    stage.close();
    stage.tell(Event::PageShown);
    assert_eq!(stage.engine.state(), Closed);
    stage.assert_silent();

    let mut stage = Stage::connected_for(exact(), 2, 100);
    stage.tell(Event::PageHidden);
    stage.reconnect();
    stage.run_for(0);
    assert_eq!((stage.dial_times(), stage.engine.state()), (vec![0, 100], Connected));
}

#[test]
fn what_ran_out_while_the_page_was_away_fails_when_it_is_shown() {
    let mut stage = Stage::connected_for(exact(), 1, 6_000);
    let timed = Call { timeout_milliseconds: Some(5_000), ..Call::redoable() };
    let (timed, parked) = (stage.invoke(timed), stage.read());
    stage.tell(Event::PageHidden);
    stage.run_until(600_000);
    assert_eq!((stage.outcome(timed), stage.outcome(parked)), (None, None));
    stage.tell(Event::PageShown);
    stage.run_for(0);
    assert_eq!(stage.failure(timed), (ErrorCode::Timeout, Completion::Maybe));
    assert_eq!(stage.failure(parked), (ErrorCode::RetryTimeout, Completion::Maybe));
    assert_eq!(stage.sent.len(), 2, "neither was sent again");
}

#[test]
fn only_a_steady_connection_is_forgiven_when_the_page_is_put_away() {
    for (holds, waits) in [(100, [250, 500]), (6_000, [250, 250])] {
        let gateways = [Script::first([REFUSE, OPEN], REFUSE)];
        let mut stage = Stage::new(exact(), &gateways);
        stage.connect();
        stage.run_until(250 + holds);
        assert_eq!(stage.engine.state(), Connected);
        stage.tell(Event::PageHidden);
        stage.run_for(1_000);
        stage.tell(Event::PageShown);
        stage.run_for(0);
        assert_eq!(stage.waits(), waits, "{holds}");
    }
}

#[test]
fn a_page_that_is_shown_at_the_very_floor_dials_without_a_wait() {
    let mut stage = Stage::connected_for(exact(), 1, 100);
    stage.tell(Event::PageHidden);
    stage.run_until(250);
    stage.tell(Event::PageShown);
    assert_eq!((stage.dial_times(), stage.waits()), (vec![0, 250], vec![]));
}
