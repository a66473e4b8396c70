//! Connections that are asked for one by one: each goes on where the last one stopped.

use regate::policy::{
    Action, Cause, ClientState, CloseCode, CloseRequest, Engine, ErrorCode, Event, GatewayIndex,
    GaveUp, Instant, Judgement, LogLine, Notice, Reconnect, Rng, Settings, StateReason, Verdict,
};

use crate::driver::{
    Dial, List, OPEN, REFUSE, Script, Session, Stage, closed_with, exact, with_schedule,
};

pub(crate) fn asked_for_each(mut settings: Settings) -> Settings {
    settings.connection.reconnect = Reconnect::OnRequest;
    settings
}

/// Connected to the first of two gateways, and lost after so many milliseconds.
fn lost_after(milliseconds: u64) -> Stage {
    let mut stage = Stage::connected_for(asked_for_each(exact()), 2, milliseconds);
    stage.lose(1006);
    stage
}

pub(crate) fn last_reason(stage: &Stage) -> Option<StateReason> {
    stage.notices.iter().rev().find_map(|(_, notice)| match notice {
        Notice::StateChanged { to: ClientState::Closed, reason, .. } => Some(*reason),
        _ => None,
    })
}

#[test]
fn after_a_loss_nothing_is_dialled_until_it_is_asked_for() {
    for held in [100, 5_000] {
        let mut stage = lost_after(held);
        assert_eq!(stage.engine.state(), ClientState::Closed, "{held}");
        assert_eq!(last_reason(&stage), Some(StateReason::GaveUp(GaveUp::ConnectionLost)));
        assert_eq!(stage.engine.poll_timeout(), None, "{held}: no timer keeps a process alive");
        assert!(stage.engine.is_quiet(), "{held}");
        stage.run_for(100_000);
        assert_eq!(stage.dialled(), "A", "{held}");
        stage.connect();
        stage.run_for(0);
        assert_eq!(stage.dialled(), "AB", "{held}: the next gateway, at once");
        assert_eq!(stage.engine.state(), ClientState::Connected, "{held}");
    }
}

#[test]
fn the_round_goes_on_and_the_lost_gateway_is_last() {
    let gateways = [Script::always(OPEN), Script::always(REFUSE), Script::always(REFUSE)];
    let mut stage = Stage::new(asked_for_each(exact()), &gateways);
    stage.connect();
    stage.run_until(6_000);
    stage.lose(1006);
    stage.connect();
    stage.run_for(0);
    assert_eq!(stage.dialled(), "ABCA");
    assert_eq!(
        stage.waits(),
        [0; 0],
        "a round has one dial of each, and no wait before it is over"
    );
}

#[test]
fn an_owed_wait_is_honoured_and_what_has_passed_of_it_counts() {
    for (asked_after, dialled_at) in [(0, 350), (100, 350), (250, 350), (1_000, 1_100)] {
        let mut stage = Stage::of(asked_for_each(exact()), 1, OPEN);
        stage.connect();
        stage.run_until(100);
        stage.lose(1006); // not steady: the round of one gateway is over, and its first wait is owed
        stage.run_for(asked_after);
        stage.connect();
        stage.run_for(2_000);
        assert_eq!(stage.dial_times(), [0, dialled_at], "asked after {asked_after}");
    }
}

/// A library without a pause of its own: it asks for the next one whenever it has none.
fn ask_again_and_again(stage: &mut Stage, milliseconds: u64) {
    for _ in 0..milliseconds {
        stage.run_for(1);
        if stage.engine.state() == ClientState::Closed {
            stage.connect();
        }
    }
}

fn gaps(stage: &Stage) -> Vec<u64> {
    stage.dial_times().windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[test]
fn a_gateway_that_opens_and_closes_is_waited_for_ever_longer() {
    let mut stage = Stage::of(asked_for_each(exact()), 1, Dial::OpenThenClose(1006, 0));
    stage.connect();
    ask_again_and_again(&mut stage, 60_000);
    let gaps = gaps(&stage);
    assert!(gaps.len() < 20, "{gaps:?}");
    assert!(gaps.is_sorted(), "{gaps:?}");
    assert!(gaps.ends_with(&[5_001, 5_001]) || gaps.ends_with(&[5_000, 5_000]), "{gaps:?}");
}

#[test]
fn leaving_a_connection_again_and_again_is_waited_for_too() {
    let mut stage = Stage::of(asked_for_each(exact()), 2, OPEN);
    stage.connect();
    for _ in 0..60_000 {
        stage.run_for(1);
        if stage.engine.state() == ClientState::Connected {
            stage.close();
            stage.connect();
        }
    }
    let dials = stage.dials.len();
    assert!((30..40).contains(&dials), "{dials} dials of two gateways");
}

#[test]
fn without_a_steady_time_the_floor_still_holds() {
    let mut settings = asked_for_each(exact());
    settings.connection.steady_milliseconds = 0;
    for leaves in [false, true] {
        let mut stage = Stage::of(settings, 2, OPEN);
        stage.connect();
        for _ in 0..10_000 {
            stage.run_for(1);
            if stage.engine.state() == ClientState::Connected {
                if leaves {
                    stage.close()
                } else {
                    stage.lose(1006)
                }
                stage.connect();
            }
        }
        let dials = stage.dials.len();
        assert!((36..=41).contains(&dials), "leaves {leaves}: {dials} dials in 10 s");
    }
}

#[test]
fn a_steady_connection_that_is_left_is_followed_by_the_next_gateway() {
    let mut stage = Stage::connected_for(asked_for_each(exact()), 3, 5_000);
    let left = stage.live();
    stage.close();
    assert_eq!(stage.closed, [left]);
    assert_eq!(stage.failures(), [], "leaving is no failure to be told");
    assert!(stage.judged.is_empty() && stage.lines().is_empty());
    stage.connect();
    stage.run_for(0);
    assert_eq!(stage.dialled(), "AB");
}

#[test]
fn a_dial_that_is_left_counts_as_failed() {
    let mut stage = Stage::of(asked_for_each(exact()), 2, Dial::Hang);
    stage.gateways[1] = Script::always(OPEN);
    stage.connect();
    stage.run_until(4_000);
    stage.close();
    assert_eq!(stage.closed.len(), 1);
    stage.connect();
    stage.run_for(0);
    assert_eq!(stage.dialled(), "AB", "a library with a limit of its own gets past what hangs");
}

#[test]
fn the_last_dial_of_a_round_that_is_left_owes_the_wait() {
    let mut stage = Stage::of(asked_for_each(exact()), 1, Dial::Hang);
    stage.connect();
    stage.run_until(1_000);
    stage.close();
    stage.connect();
    stage.run_until(2_000);
    assert_eq!(stage.dial_times(), [0, 1_250]);
}

#[test]
fn leaving_in_a_wait_keeps_what_is_left_of_it() {
    let mut stage = Stage::of(asked_for_each(exact()), 1, REFUSE);
    stage.connect();
    stage.run_until(5_000); // dialled at 0, 250, 750, 1750 and 3750
    stage.close();
    stage.run_until(6_000);
    stage.connect();
    stage.run_until(10_000);
    assert_eq!(stage.dial_times(), [0, 250, 750, 1_750, 3_750, 7_750]);
}

#[test]
fn connecting_and_leaving_in_one_turn_opens_nothing_and_owes_nothing() {
    let mut stage = Stage::of(asked_for_each(exact()), 1, OPEN);
    stage.connect();
    stage.close();
    stage.connect();
    stage.close();
    stage.run_for(0);
    assert_eq!(stage.dialled(), "");
    stage.connect();
    stage.run_for(0);
    assert_eq!(stage.dial_times(), [0]);
}

#[test]
fn a_spent_schedule_gives_up_and_whoever_asks_again_waits_the_last_wait() {
    let mut stage = Stage::of(asked_for_each(with_schedule("100:300:100")), 1, REFUSE);
    stage.connect();
    stage.run_until(300);
    assert_eq!(last_reason(&stage), Some(StateReason::GaveUp(GaveUp::ScheduleSpent)));
    ask_again_and_again(&mut stage, 1_000);
    assert_eq!(stage.dial_times()[..5], [0, 100, 300, 500, 700]);
    stage.gateways[0] = Script::always(OPEN);
    ask_again_and_again(&mut stage, 1_000);
    assert_eq!(stage.engine.state(), ClientState::Connected);
}

#[test]
fn when_no_gateway_is_left_all_are_tried_again_no_faster_than_the_schedule() {
    let mut stage = Stage::of(asked_for_each(exact()), 2, Dial::FailAfter(4404, 0));
    stage.connect();
    stage.run_for(0);
    assert_eq!(last_reason(&stage), Some(StateReason::GaveUp(GaveUp::NoGateway)));
    assert_eq!(GaveUp::NoGateway.code(), ErrorCode::NoGateway);
    ask_again_and_again(&mut stage, 8_000);
    assert_eq!(stage.dial_times(), [0, 0, 250, 250, 750, 750, 1750, 1750, 3750, 3750, 7750, 7750]);
    assert_eq!(stage.dialled(), "ABABABABABAB");
}

#[test]
fn a_loss_is_judged_and_its_wait_is_owed() {
    let mut settings = asked_for_each(exact());
    settings.connection.hooks.close_policy = true;
    let mut stage = Stage::of(settings, 2, OPEN);
    stage.judgements =
        Script::always(Judgement { verdict: Some(Verdict::Same), wait_milliseconds: 7_000 });
    stage.connect();
    stage.run_until(6_000);
    stage.lose(4000);
    assert_eq!(stage.judged, [(6_000, 'A', closed_with(4000), Verdict::Next)]);
    stage.connect();
    stage.run_until(20_000);
    assert_eq!(stage.dials, [(0, 'A'), (13_000, 'A')]);
}

#[test]
fn the_list_is_asked_for_when_the_next_connection_is_and_not_before() {
    let mut settings = asked_for_each(exact());
    settings.connection.hooks.list = true;
    let mut stage = Stage::of(settings, 2, OPEN);
    stage.lists = Script::always(List::Of(&[0, 1]));
    stage.connect();
    stage.run_until(6_000);
    stage.lose(1006);
    stage.run_until(9_000);
    assert_eq!(stage.asked, [0]);
    stage.connect();
    stage.run_until(9_000);
    assert_eq!(stage.asked, [0, 9_000]);
    assert_eq!(stage.dialled(), "AB");
}

#[test]
fn leaving_while_the_list_is_asked_for_keeps_the_round() {
    let mut settings = asked_for_each(exact());
    settings.connection.hooks.list = true;
    let mut stage = Stage::of(settings, 1, OPEN);
    stage.lists = Script::first([List::Hang], List::Of(&[0]));
    stage.connect();
    stage.run_until(100);
    stage.close();
    stage.connect();
    stage.run_until(1_000);
    assert_eq!(stage.asked, [0, 250], "no sooner than the floor");
    assert_eq!(stage.dial_times(), [250]);
}

#[test]
fn one_outage_is_one_outage_over_all_its_connections() {
    let mut stage = Stage::of(asked_for_each(exact()), 2, Dial::OpenThenClose(1006, 0));
    stage.connect();
    ask_again_and_again(&mut stage, 59_000);
    let began = LogLine::OutageBegan {
        gateway: Some(GatewayIndex::from_position(0)),
        cause: Cause::Closed(CloseCode::ABNORMAL),
    };
    assert_eq!(stage.lines(), [(0, began)]);
    stage.gateways = vec![Script::always(OPEN); 2];
    ask_again_and_again(&mut stage, 11_000);
    let lines = stage.lines();
    assert!(
        matches!(lines.last(), Some((_, LogLine::OutageEnded { .. }))) && lines.len() <= 3,
        "{lines:?}"
    );
}

#[test]
fn a_loss_after_which_no_gateway_is_left_owes_a_wait_and_forgives_all() {
    for held in [100, 6_000] {
        let mut stage = Stage::connected_for(asked_for_each(exact()), 1, held);
        stage.lose(4404);
        assert_eq!(last_reason(&stage), Some(StateReason::GaveUp(GaveUp::NoGateway)), "{held}");
        stage.connect();
        stage.run_until(held + 249);
        assert_eq!(stage.dials.len(), 1, "{held}");
        stage.run_until(held + 250);
        assert_eq!(stage.engine.state(), ClientState::Connected, "{held}");
    }
}

#[test]
fn what_is_left_while_a_session_hook_runs_counts_as_failed() {
    let mut settings = asked_for_each(exact());
    settings.connection.hooks.session = true;
    let mut stage = Stage::of(settings, 2, OPEN);
    stage.sessions = Script::always(Session::Hang);
    stage.connect();
    stage.run_until(100);
    stage.close();
    assert_eq!(stage.closed.len(), 1);
    stage.connect();
    stage.run_until(100);
    assert_eq!(stage.dialled(), "AB");
}

#[test]
fn what_is_left_while_a_failure_is_judged_is_not_dialled_on() {
    let mut settings = asked_for_each(exact());
    settings.connection.hooks.close_policy = true;
    for gateways in [1, 2] {
        let mut engine = Engine::new(settings, gateways, 1);
        let now = Instant::from_milliseconds;
        engine.handle_event(now(0), Event::ConnectRequested);
        engine.handle_timeout(now(0));
        let opened = core::iter::from_fn(|| engine.poll_action()).find_map(|action| match action {
            Action::Open { socket, .. } => Some(socket),
            _ => None,
        });
        let cause = closed_with(1006);
        engine.handle_event(now(0), Event::SocketFailed { socket: opened.unwrap(), cause });
        // The application closes when it hears of the failure, and only then says what it means.
        engine.handle_event(now(0), Event::CloseRequested(CloseRequest::Application));
        engine.handle_event(now(0), Event::FailureJudged(Judgement::default()));
        assert_eq!(engine.state(), ClientState::Closed);
        engine.handle_event(now(0), Event::ConnectRequested);
        let wanted = if gateways == 1 { 250 } else { 0 };
        assert_eq!(engine.poll_timeout(), Some(now(wanted)), "{gateways} gateways");
    }
}

#[test]
fn a_page_that_was_put_away_and_is_closed_goes_on_no_sooner_than_the_floor() {
    let mut stage = Stage::of(asked_for_each(exact()), 1, OPEN);
    stage.connect();
    stage.run_until(100);
    stage.tell(Event::PageHidden);
    stage.close();
    stage.connect();
    stage.run_until(1_000);
    assert_eq!(stage.dial_times(), [0, 250]);
}

/// Whatever gateways do and however a library asks and leaves, no second has more rounds than the
/// first wait allows, and nothing happens while nobody asks.
#[test]
fn no_library_makes_it_dial_faster_than_the_floor() {
    for seed in 0..300 {
        let mut rng = Rng::from_seed(seed);
        let gateways = usize::try_from(1 + rng.up_to(3)).unwrap();
        let mut settings = asked_for_each(exact());
        settings.connection.steady_milliseconds =
            [0, 100, 5_000][usize::try_from(rng.up_to(2)).unwrap()];
        settings.connection.hooks.list = rng.up_to(1) == 0;
        let dial = |rng: &mut Rng| match rng.up_to(5) {
            0 => Dial::Hang,
            1 => REFUSE,
            2 => Dial::FailAfter(4404, rng.up_to(50)),
            3 => Dial::OpenThenClose(1006, rng.up_to(300)),
            4 => Dial::OpenThenClose(4403, rng.up_to(300)),
            _ => Dial::OpenAfter(rng.up_to(300)),
        };
        let scripts: Vec<_> = (0..gateways)
            .map(|_| {
                Script::first([dial(&mut rng), dial(&mut rng), dial(&mut rng)], dial(&mut rng))
            })
            .collect();
        let mut stage = Stage::new(settings, &scripts);
        stage.lists = Script::always(List::Of(&[0, 1, 2, 3][..gateways]));
        let mut done_at = Vec::new(); // each allows one more round, and is the library's own
        for _ in 0..400 {
            match (stage.engine.state(), rng.up_to(9)) {
                (ClientState::Connected, 0) if rng.up_to(1) == 0 => {
                    done_at.push(stage.now);
                    stage.close_when_done();
                }
                (ClientState::Closed | ClientState::Idle, 0) => {
                    assert_eq!(stage.engine.poll_timeout(), None, "seed {seed}");
                    assert!(stage.engine.is_quiet(), "seed {seed}");
                    stage.run_for(rng.up_to(1_000));
                }
                (ClientState::Closed | ClientState::Idle, _) => stage.connect(),
                (_, 0) => stage.close(),
                (_, 1) => stage.tell(Event::Woken),
                (_, _) => stage.run_for(rng.up_to(100)),
            }
        }
        let times = stage.dial_times();
        for (place, &began) in times.iter().enumerate() {
            let second = times[place..].iter().take_while(|&&at| at < began + 1_000).count();
            let done = done_at.iter().filter(|&&at| (began..began + 1_000).contains(&at)).count();
            assert!(
                second <= (5 + done) * gateways,
                "seed {seed}: {second} dials of {gateways} in {times:?}"
            );
        }
    }
}
