//! What the application says of a failure, and what it cannot say.

use regate::policy::{
    Cause, ClientState, Event, Judgement, Notice, Ratio, Reconnect, Settings, Verdict,
};

use crate::driver::{Dial, OPEN, REFUSE, Script, Stage, closed_with, exact};

use Verdict::{Next, Refresh, Same, Stop};

fn with_policy() -> Settings {
    let mut settings = exact();
    settings.connection.hooks.close_policy = true;
    settings
}

const fn say(verdict: Verdict) -> Judgement {
    Judgement { verdict: Some(verdict), wait_milliseconds: 0 }
}

const fn wait(wait_milliseconds: u64) -> Judgement {
    Judgement { verdict: None, wait_milliseconds }
}

/// A client whose policy says this, of gateways that all do the same.
fn judging(judgements: Script<Judgement>, gateways: usize, dial: Dial) -> Stage {
    let mut stage = Stage::of(with_policy(), gateways, dial);
    stage.judgements = judgements;
    stage.connect();
    stage
}

fn told(stage: &Stage) -> Vec<Verdict> {
    let verdict = |notice: &(u64, Notice)| match notice.1 {
        Notice::DialFailed { verdict, .. } => Some(verdict),
        _ => None,
    };
    stage.notices.iter().filter_map(verdict).collect()
}

/// B044: each default can be overridden, those of 1000 and 1005 too.
#[test]
fn the_policy_is_asked_for_every_code_and_has_the_last_word() {
    for (code, default) in [
        (1000, Next),
        (1005, Next),
        (1006, Next),
        (1011, Next),
        (1012, Next),
        (1013, Next),
        (3999, Next),
        (4000, Next),
        (4400, Stop),
        (4401, Refresh),
        (4429, Next),
        (4999, Next),
    ] {
        for (verdict, dialled) in [
            (None, "AB"),
            (Some(Next), "AB"),
            (Some(Refresh), "AB"),
            (Some(Stop), "AB"),
            (Some(Same), "A"),
        ] {
            let judgement = Judgement { verdict, wait_milliseconds: 0 };
            let mut stage = judging(Script::always(judgement), 2, Dial::FailAfter(code, 0));
            stage.run_until(0);
            assert_eq!(stage.judged[0], (0, 'A', closed_with(code), default), "{code}");
            assert_eq!(told(&stage)[0], verdict.unwrap_or(default), "{code}");
            assert_eq!(stage.dialled(), dialled, "{code} {verdict:?}");
            let out = verdict.unwrap_or(default) == Stop;
            assert_eq!(stage.engine.state() == ClientState::Closed, out, "{code} {verdict:?}");
        }
    }
}

#[test]
fn the_policy_is_asked_for_failures_without_a_code_too() {
    let mut settings = with_policy();
    settings.heartbeat.period_milliseconds = 1_000;
    let gateways = [
        Script::always(Dial::Hang),
        Script::always(Dial::Throw(Cause::Unusable)),
        Script::always(Dial::Throw(Cause::ConstructorThrew)),
        Script::always(OPEN),
    ];
    let mut stage = Stage::new(settings, &gateways);
    stage.pongs = Script::always(crate::driver::Frame::Silence);
    stage.connect();
    stage.run_until(18_280);
    assert_eq!(
        stage.judged,
        [
            (10_000, 'A', Cause::DialLimit, Next),
            (10_000, 'B', Cause::Unusable, Stop),
            (10_000, 'C', Cause::ConstructorThrew, Next),
            (18_280, 'D', Cause::HeartbeatLost, Next),
        ]
    );
}

#[test]
fn what_is_nobodys_failure_is_not_judged() {
    let mut stage = Stage::connected_for(with_policy(), 2, 100);
    stage.reconnect();
    stage.run_for(100);
    stage.tell(Event::PageHidden);
    stage.tell(Event::PageShown);
    stage.run_for(1_000);
    stage.close();
    assert_eq!(stage.judged, []);
}

#[test]
fn a_client_that_never_reconnects_asks_as_well_though_the_answer_changes_nothing() {
    let mut settings = with_policy();
    settings.connection.reconnect = Reconnect::Never;
    let mut stage = Stage::connected_for(settings, 2, 100);
    stage.judgements = Script::always(say(Same));
    stage.lose(4401);
    assert_eq!(stage.judged, [(100, 'A', closed_with(4401), Refresh)]);
    assert_eq!(stage.engine.state(), ClientState::Closed);
    stage.assert_silent();
}

#[test]
fn the_policy_can_make_the_next_wait_longer_and_no_other() {
    for (judgements, waits) in [
        (Script::always(wait(3_000)), [3_000, 3_000, 3_000, 3_000, 4_000, 5_000]),
        (Script::first([wait(3_000)], wait(0)), [3_000, 500, 1_000, 2_000, 4_000, 5_000]),
        (Script::first([wait(0), wait(700)], wait(0)), [250, 700, 1_000, 2_000, 4_000, 5_000]),
        // It may exceed what no wait of the schedule does.
        (Script::first([wait(8_000)], wait(0)), [8_000, 500, 1_000, 2_000, 4_000, 5_000]),
        (
            Script::first([wait(2_147_483_647)], wait(0)),
            [2_147_483_647, 500, 1_000, 2_000, 4_000, 5_000],
        ),
    ] {
        let mut stage = judging(judgements.clone(), 1, REFUSE);
        stage.run_until(3_000_000_000);
        assert_eq!(stage.waits()[..6], waits, "{judgements:?}");
        assert_eq!(stage.dials.len(), 17, "it is not summed: {judgements:?}");
    }
}

#[test]
fn what_the_policy_asks_for_is_not_shortened_by_jitter() {
    let mut settings = with_policy();
    settings.connection.jitter = Ratio::ONE;
    for seed in 1..=100 {
        let mut stage = Stage::seeded(settings, &[Script::always(REFUSE)], seed);
        stage.judgements = Script::always(wait(3_000));
        stage.connect();
        stage.run_until(100_000);
        assert!(stage.waits().iter().all(|&wait| (3_000..=5_000).contains(&wait)), "{seed}");
    }
}

#[test]
fn inside_a_round_nothing_waits_and_the_longest_of_its_waits_counts() {
    let mut stage = judging(Script::first([wait(3_000), wait(1_000)], wait(0)), 2, REFUSE);
    stage.run_until(3_400);
    assert_eq!(stage.dial_times(), [0, 0, 3_000, 3_000]);
    stage.run_until(3_500);
    assert_eq!(stage.waits(), [3_000, 500, 1_000]);
}

#[test]
fn a_wait_means_nothing_for_a_gateway_that_is_out() {
    let stop = Judgement { verdict: Some(Stop), wait_milliseconds: 9_000 };
    let mut stage = judging(Script::first([stop], wait(0)), 2, REFUSE);
    stage.run_until(300);
    assert_eq!((stage.dialled(), stage.waits()), ("ABB".into(), vec![250, 500]));
}

#[test]
fn a_steady_connection_forgets_what_the_policy_asked_for_before_it() {
    let mut stage = judging(Script::first([wait(60_000)], wait(0)), 2, OPEN);
    stage.gateways[0] = Script::always(REFUSE);
    stage.run_until(6_000);
    assert_eq!(stage.dialled(), "AB");
    stage.gateways[1] = Script::always(REFUSE);
    stage.lose(1006);
    stage.run_until(6_300);
    assert_eq!((stage.dialled(), stage.waits()), ("ABABAB".into(), vec![250, 500]));

    // What it says of that loss itself holds for the next wait, but no wait comes before the dial.
    let mut stage = judging(Script::always(wait(0)), 1, OPEN);
    stage.run_until(6_000);
    stage.gateways[0] = Script::always(REFUSE);
    stage.judgements = Script::first([wait(2_000)], wait(0));
    stage.lose(1012);
    stage.run_until(8_600);
    assert_eq!(stage.dial_times(), [0, 6_000, 8_000, 8_500]);
}

#[test]
fn the_same_gateway_is_dialled_again_after_the_wait_that_the_policy_asks_for() {
    let same = Judgement { verdict: Some(Same), wait_milliseconds: 700 };
    let mut stage = judging(Script::first([same, say(Same)], say(Next)), 2, REFUSE);
    stage.run_until(1_300);
    assert_eq!(stage.dials, [(0, 'A'), (700, 'A'), (1_200, 'A'), (1_200, 'B')]);
    // After a steady loss too, on a fresh schedule.
    let mut stage = judging(Script::always(say(Same)), 2, OPEN);
    stage.run_until(6_000);
    stage.lose(1013);
    stage.run_until(6_250);
    assert_eq!(stage.dials, [(0, 'A'), (6_250, 'A')]);
}

#[test]
fn same_for_a_gateway_that_was_removed_is_next() {
    let mut stage = judging(Script::always(say(Same)), 2, Dial::Hang);
    stage.run_until(0);
    let socket = stage.live();
    stage.feed(Event::SocketFailed { socket, cause: closed_with(1013) });
    stage.set_gateways(&[1]);
    stage.run_until(0);
    assert_eq!(stage.dialled(), "AB");
}

/// A handler that hears of the loss calls `reconnect()` before the policy has been asked.
#[test]
fn reconnect_is_not_lost_while_the_policy_is_asked() {
    let mut stage = judging(Script::always(wait(5_000)), 1, Dial::OpenThenClose(1006, 100));
    stage.run_until(99);
    let socket = stage.live();
    stage.gateways[0] = Script::always(OPEN);
    stage.feed(Event::SocketFailed { socket, cause: closed_with(1006) });
    stage.tell(Event::ReconnectRequested);
    stage.run_until(99);
    assert_eq!(stage.dial_times(), [0, 99]);
    assert_eq!(stage.engine.state(), ClientState::Connected);

    let mut stage = judging(Script::always(say(Stop)), 1, Dial::Hang);
    stage.run_until(0);
    let socket = stage.live();
    stage.feed(Event::SocketFailed { socket, cause: closed_with(1006) });
    stage.tell(Event::ReconnectRequested);
    assert_eq!(stage.engine.state(), ClientState::Closed, "what it says still counts");
    stage.assert_silent();
}

#[test]
fn closing_or_hiding_while_the_policy_is_asked_leaves_its_answer_to_nobody() {
    let mut stage = judging(Script::always(say(Same)), 2, Dial::Hang);
    stage.run_until(0);
    let socket = stage.live();
    stage.feed(Event::SocketFailed { socket, cause: closed_with(1006) });
    stage.close();
    stage.assert_silent();
    assert_eq!((stage.dialled(), stage.closed.len()), ("A".into(), 0));

    let mut stage = judging(Script::always(say(Same)), 2, Dial::Hang);
    stage.run_until(0);
    let socket = stage.live();
    stage.feed(Event::SocketFailed { socket, cause: closed_with(1006) });
    stage.tell(Event::PageHidden);
    stage.assert_silent();
    stage.tell(Event::FailureJudged(say(Stop)));
    stage.tell(Event::PageShown);
    assert_eq!(stage.dials.len(), 2);
}
