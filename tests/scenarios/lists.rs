//! Lists that change: a function that gives the list, and `setGateways`.

use regate::policy::{
    Cause, ClientState, Event, GatewayIndex, GaveUp, Heartbeat, Judgement, LogLine, Notice,
    Settings, StateReason, Verdict,
};

use crate::driver::{Dial, Frame, List, OPEN, REFUSE, Script, Stage, closed_with, exact};

use ClientState::{Closed, Connected, Connecting};

fn with_list() -> Settings {
    let mut settings = exact();
    settings.connection.hooks.list = true;
    settings
}

/// A client whose list function does this, of gateways that all do the same.
fn listing(lists: Script<List>, gateways: usize, dial: Dial) -> Stage {
    let mut stage = Stage::of(with_list(), gateways, dial);
    stage.lists = lists;
    stage.connect();
    stage
}

fn verdicts(stage: &Stage) -> Vec<Verdict> {
    let verdict = |notice: &(u64, Notice)| match notice.1 {
        Notice::DialFailed { verdict, .. } => Some(verdict),
        _ => None,
    };
    stage.notices.iter().filter_map(verdict).collect()
}

/// B024.
#[test]
fn the_list_is_asked_for_at_the_start_of_every_round() {
    let lists = Script::first([List::Of(&[0, 1])], List::Of(&[2]));
    let mut stage = listing(lists, 3, REFUSE);
    stage.run_until(1_800);
    assert_eq!(stage.dialled(), "ABCCC");
    assert_eq!(stage.asked, [0, 250, 750, 1_750]);
}

#[test]
fn the_list_is_asked_for_before_the_first_dial_after_a_loss_and_not_within_the_round() {
    for (lasts, asked) in [(100, [0, 100]), (6_000, [0, 6_000])] {
        let mut stage = listing(Script::always(List::Of(&[0, 1, 2])), 3, OPEN);
        stage.run_until(lasts);
        stage.gateways[1] = Script::always(REFUSE);
        stage.lose(1006);
        stage.run_for(0);
        assert_eq!((stage.dialled(), stage.engine.state()), ("ABC".into(), Connected));
        assert_eq!(stage.asked, asked);
    }
}

/// B095: however a dial comes about, it is made with what the function says now.
#[test]
fn every_way_to_dial_again_asks_for_the_list() {
    let mut settings = with_list();
    settings.heartbeat = Heartbeat { period_milliseconds: 1_000 };
    settings.connection.read_timeouts = "500:500:1".parse().unwrap();
    let mut stage = Stage::of(settings, 2, OPEN);
    stage.lists = Script::always(List::Of(&[0, 1]));
    stage.connect();
    stage.run_until(6_000);
    let mut asked = vec![0];
    assert_eq!(stage.asked, asked);
    // A loss.
    stage.lose(1006);
    stage.run_for(6_000);
    asked.push(6_000);
    assert_eq!(stage.asked, asked);
    // `reconnect()`.
    stage.reconnect();
    stage.run_for(6_000);
    asked.push(12_000);
    assert_eq!(stage.asked, asked);
    // The page comes back.
    stage.tell(Event::PageHidden);
    stage.tell(Event::PageShown);
    stage.run_for(6_000);
    asked.push(18_000);
    assert_eq!(stage.asked, asked);
    // The heartbeat is lost: a ping at 24,000 or at the latest a period later.
    stage.pongs = Script::first([Frame::Silence], crate::driver::RESULT);
    stage.run_for(2_000);
    asked.push(*stage.asked.last().unwrap());
    assert!((24_500..=25_500).contains(&asked[4]), "{asked:?}");
    assert_eq!(stage.asked, asked);
    // A wake in a wait.
    stage.run_for(6_000);
    stage.gateways = vec![Script::always(REFUSE); 2];
    let lost_at = stage.now;
    stage.lose(1006);
    stage.run_for(2_000);
    let before = stage.asked.len();
    stage.tell(Event::Woken);
    assert_eq!(stage.asked.len(), before + 1);
    assert_eq!(stage.asked.last(), Some(&(lost_at + 2_000)));
}

#[test]
fn a_gateway_that_wants_fresh_credentials_gets_the_list_asked_for_in_the_same_round() {
    let lists = Script::first([List::Of(&[0, 1])], List::Of(&[0, 1]));
    let mut stage = listing(lists, 2, REFUSE);
    stage.gateways[0] = Script::first([Dial::FailAfter(4401, 10)], REFUSE);
    stage.run_until(200);
    assert_eq!(stage.asked, [0, 10], "and the dial of B waits for it");
    assert_eq!(stage.dials, [(0, 'A'), (10, 'B')]);
    assert_eq!(verdicts(&stage), [Verdict::Refresh, Verdict::Next]);
}

/// B006.
#[test]
fn a_list_function_that_fails_costs_a_round_and_no_more() {
    for (fourth, connected_at) in [(List::Fail, 7_750), (List::Of(&[]), 7_750)] {
        let script = [List::Fail, List::Of(&[]), List::Fail, fourth, List::Fail];
        let mut stage = listing(Script::first(script, List::Of(&[0])), 1, OPEN);
        stage.run_until(60_000);
        assert_eq!(stage.asked, [0, 250, 750, 1_750, 3_750, connected_at]);
        assert_eq!(stage.dials, [(connected_at, 'A')]);
        assert_eq!(stage.engine.state(), Connected);
    }
    // One that is never done is bounded by the limit of a dial.
    let mut stage = listing(Script::first([List::Hang], List::Of(&[0])), 1, OPEN);
    stage.run_until(9_999);
    stage.tell(Event::Woken);
    assert_eq!(stage.asked, [0]);
    stage.run_until(10_249);
    // What it says at last is said to nobody.
    stage.tell(Event::GatewaysListed(Some(vec![GatewayIndex::from_position(0)])));
    assert_eq!(stage.dials, []);
    stage.run_until(10_250);
    assert_eq!((stage.asked.clone(), stage.dials.clone()), (vec![0, 10_250], vec![(10_250, 'A')]));
}

#[test]
fn a_list_function_that_always_fails_spends_the_schedule() {
    let mut stage = listing(Script::always(List::Fail), 1, OPEN);
    stage.run_until(62_749);
    assert_eq!(stage.engine.state(), Connecting);
    stage.run_until(62_750);
    assert_eq!((stage.engine.state(), stage.asked.len()), (Closed, 17));
    assert_eq!(stage.dials, []);
    stage.assert_silent();
}

#[test]
fn closing_while_the_list_is_asked_for_is_final() {
    let mut stage = listing(Script::always(List::Hang), 1, OPEN);
    stage.run_until(100);
    stage.close();
    stage.tell(Event::GatewaysListed(Some(vec![GatewayIndex::from_position(0)])));
    stage.assert_silent();
    assert_eq!(stage.dials, []);
}

#[test]
fn the_round_after_a_loss_ends_with_the_lost_gateway_in_the_new_list_too() {
    let lists = Script::first([List::Of(&[0, 1])], List::Of(&[0, 2, 1]));
    let mut stage = listing(lists, 3, OPEN);
    stage.run_until(6_000);
    stage.gateways = vec![Script::always(REFUSE); 3];
    stage.lose(1006);
    stage.run_until(6_200);
    assert_eq!(stage.dialled(), "ACBA");
}

#[test]
fn a_gateway_that_is_out_stays_out_whatever_token_the_function_gives_it() {
    let mut stage = listing(Script::always(List::Of(&[0, 1])), 2, REFUSE);
    stage.gateways[0] = Script::always(Dial::FailAfter(4400, 0));
    stage.run_until(800);
    assert_eq!(stage.dialled(), "ABBB");
}

#[test]
fn a_list_that_the_application_sets_while_the_function_is_asked_is_the_one_that_counts() {
    let mut stage = listing(Script::always(List::Hang), 2, Dial::Hang);
    stage.run_until(100);
    stage.set_gateways(&[1]);
    stage.tell(Event::GatewaysListed(Some(vec![GatewayIndex::from_position(0)])));
    stage.run_until(9_000);
    assert_eq!(stage.dials, [(100, 'B')]);
}

#[test]
fn a_dial_to_a_gateway_that_is_removed_is_abandoned() {
    let mut stage = Stage::of(exact(), 3, Dial::Hang);
    stage.connect();
    stage.run_until(100);
    let socket = stage.live();
    stage.set_gateways(&[1, 2]);
    assert_eq!((stage.closed.clone(), stage.dialled()), (vec![socket], "AB".into()));
    stage.tell(Event::SocketOpened(socket));
    assert_eq!(stage.engine.state(), Connecting);
    assert_eq!(stage.failures(), [], "it is nobody's fault");
    // One that stays in the list is not.
    stage.set_gateways(&[2, 1]);
    assert_eq!((stage.closed.len(), stage.dials.len()), (1, 2));
}

#[test]
fn a_live_connection_to_a_gateway_that_is_removed_stays_until_it_is_lost() {
    let mut stage = Stage::connected_for(exact(), 2, 6_000);
    stage.set_gateways(&[1]);
    stage.run_until(60_000);
    assert_eq!((stage.dialled(), stage.closed.len()), ("A".into(), 0));
    stage.gateways[1] = Script::always(REFUSE);
    stage.lose(1006);
    stage.run_until(61_000);
    assert_eq!(stage.dialled(), "ABBB", "and then it is never dialled again");
}

#[test]
fn a_gateway_that_joins_is_dialled_before_the_round_is_over() {
    let gateways = [Script::always(REFUSE), Script::always(Dial::FailAfter(1006, 100))];
    let gateways = [&gateways[..], &[Script::always(REFUSE)]].concat();
    for (list, dialled) in [(&[0, 1, 2][..], "ABC"), (&[2, 0, 1], "ABC"), (&[0, 2, 1], "ABC")] {
        let mut stage = Stage::new(exact(), &gateways);
        stage.set_gateways(&[0, 1]);
        stage.connect();
        stage.run_until(50);
        stage.set_gateways(list);
        stage.run_until(120);
        assert_eq!((stage.dialled(), stage.waits()), (dialled.into(), vec![250]), "{list:?}");
    }
    // In a wait the round is over: it is dialled in the next one, with the others.
    let mut stage = Stage::of(exact(), 3, REFUSE);
    stage.set_gateways(&[0, 1]);
    stage.connect();
    stage.run_until(100);
    stage.set_gateways(&[1, 2]);
    stage.run_until(240);
    assert_eq!(stage.dialled(), "AB");
    stage.run_until(800);
    assert_eq!(stage.dial_times()[2..], [250, 250, 750, 750]);
    assert!(!stage.dialled()[2..].contains('A'));
}

/// B075.
#[test]
fn twenty_losses_with_a_new_list_amid_them_always_reconnect() {
    let mut stage = Stage::of(exact(), 4, OPEN);
    stage.set_gateways(&[0, 1, 2]);
    stage.connect();
    stage.run_until(5_000);
    for loss in 0..20 {
        if loss == 7 {
            stage.set_gateways(&[2, 3]);
        }
        stage.lose(1006);
        stage.run_for(0);
        assert_eq!(stage.engine.state(), Connected, "{loss}");
        stage.run_for(5_000);
    }
    let dialled = stage.dialled();
    assert_eq!((&dialled[..8], dialled.len()), ("ABCABCAB", 21));
    let rest = &dialled[8..];
    assert!(rest == "CDCDCDCDCDCDC" || rest == "DCDCDCDCDCDCD", "{rest}");
}

/// B096: a new list ends what was final.
#[test]
fn a_client_whose_token_was_refused_for_good_connects_with_a_new_list() {
    let mut stage = Stage::of(exact(), 1, Dial::FailAfter(4403, 0));
    stage.connect();
    stage.run_until(1_000);
    assert_eq!((stage.dials.len(), stage.engine.state()), (2, Closed));
    assert_eq!(verdicts(&stage), [Verdict::Refresh, Verdict::Stop]);
    let no_gateway = stage.notices.iter().any(|(_, notice)| {
        matches!(
            notice,
            Notice::StateChanged { reason: StateReason::GaveUp(GaveUp::NoGateway), .. }
        )
    });
    assert!(no_gateway);
    stage.gateways[0] = Script::always(OPEN);
    stage.set_gateways(&[0]); // the same gateway, with another token
    stage.run_until(2_000);
    assert_eq!(stage.engine.state(), Closed, "a list alone starts nothing");
    stage.connect();
    stage.run_for(0);
    assert_eq!(stage.engine.state(), Connected);
}

#[test]
fn setting_the_list_lets_gateways_back_in_that_were_out() {
    let mut stage = Stage::of(exact(), 2, REFUSE);
    stage.gateways[0] = Script::first([Dial::FailAfter(4400, 0)], REFUSE);
    stage.connect();
    stage.run_until(300);
    assert_eq!(stage.dialled(), "ABB");
    stage.set_gateways(&[0, 1]);
    stage.run_until(600);
    assert_eq!(stage.dialled(), "ABB");
    stage.run_until(800);
    let mut round: Vec<_> = stage.dialled()[3..].chars().collect();
    round.sort_unstable();
    assert_eq!(round, ['A', 'B']);
}

/// B045.
#[test]
fn the_same_refusal_twice_from_one_gateway_takes_it_out() {
    let bad_key = Dial::FailAfter(1008, 0);
    let gateways =
        [Script::always(bad_key), Script::first([REFUSE, REFUSE, REFUSE, bad_key], bad_key)];
    let mut stage = Stage::new(exact(), &gateways);
    stage.connect();
    stage.run_until(60_000);
    assert_eq!(stage.dialled(), "ABABBBB");
    assert_eq!(stage.engine.state(), Closed);
    assert_eq!(stage.failures(), [('A', closed_with(1008)), ('B', closed_with(1008))]);
    stage.assert_silent();
}

#[test]
fn only_a_steady_connection_makes_a_refusal_the_first_one_again() {
    for (holds, verdict) in [(100, Verdict::Stop), (6_000, Verdict::Refresh)] {
        let gateways = [Script::always(Dial::FailAfter(4401, 0)), Script::always(OPEN)];
        let mut stage = Stage::new(exact(), &gateways);
        stage.connect();
        stage.run_until(holds);
        assert_eq!(stage.dialled(), "AB");
        stage.reconnect(); // the application asked: B is not to blame, but A has not changed
        stage.run_for(0);
        assert_eq!(stage.dialled(), "ABAB");
        assert_eq!(verdicts(&stage), [Verdict::Refresh, verdict], "{holds}");
    }
    let mut stage = Stage::of(exact(), 2, Dial::OpenThenClose(4401, 10));
    stage.connect();
    stage.run_until(1_000);
    assert_eq!((stage.dialled(), stage.engine.state()), ("ABAB".into(), Closed));
    assert_eq!(stage.failures(), [('A', closed_with(4401)), ('B', closed_with(4401))]);
}

#[test]
fn a_steady_loss_that_wants_fresh_credentials_counts_as_the_first_refusal() {
    let mut stage = Stage::connected_for(exact(), 2, 6_000);
    stage.gateways = vec![Script::always(REFUSE), Script::always(REFUSE)];
    stage.gateways[0] = Script::always(Dial::FailAfter(4401, 0));
    stage.now = 7_000;
    stage.lose(4401);
    stage.run_until(7_200);
    assert_eq!(stage.dialled(), "ABA");
    assert_eq!(verdicts(&stage), [Verdict::Next, Verdict::Stop], "the loss was the first");
    assert_eq!(
        stage.failures(),
        [('A', closed_with(4401)), ('B', Cause::Closed(regate::policy::CloseCode::ABNORMAL))]
    );
}

/// A token in the path makes a new gateway each time: the rounds stay as far apart as ever.
#[test]
fn a_list_of_ever_new_gateways_that_all_refuse_makes_no_busy_loop() {
    const LISTS: [List; 9] = [
        List::Of(&[0, 1]),
        List::Of(&[2, 3]),
        List::Of(&[4, 5]),
        List::Of(&[6, 7]),
        List::Of(&[8, 9]),
        List::Of(&[10, 11]),
        List::Of(&[12, 13]),
        List::Of(&[14, 15]),
        List::Of(&[16, 17]),
    ];
    let mut stage = listing(Script::first(LISTS, List::Fail), 18, Dial::FailAfter(4401, 0));
    stage.run_until(1_800);
    let mut rounds = stage.dial_times();
    rounds.dedup();
    assert_eq!(rounds, [0, 250, 750, 1_750]);
    let of_a_pair: Vec<u32> =
        stage.dialled().chars().map(|gateway| (gateway as u32 - 'A' as u32) % 2).collect();
    assert!(of_a_pair.contains(&0) && of_a_pair.contains(&1), "each of a pair has its turn");
}

#[test]
fn taking_a_gateway_out_of_the_list_and_back_in_does_not_dial_it_twice_in_a_round() {
    let mut stage = Stage::of(exact(), 3, REFUSE);
    stage.gateways[1] = Script::always(Dial::FailAfter(1006, 10));
    stage.gateways[2] = Script::always(Dial::FailAfter(1006, 10));
    stage.set_gateways(&[0, 1]);
    stage.connect();
    stage.run_until(5);
    stage.set_gateways(&[1, 2]);
    stage.run_until(15);
    stage.set_gateways(&[0, 2]);
    stage.run_until(200);
    assert_eq!(stage.dialled(), "ABC");
    stage.run_until(300);
    assert_eq!(stage.dialled().len(), 5);
}

#[test]
fn a_list_that_is_not_to_be_had_is_a_failure_that_is_logged_and_kept_until_there_is_one() {
    let lists = Script::first([List::Fail, List::Hang], List::Of(&[0]));
    let mut stage = listing(lists, 1, REFUSE);
    stage.run_until(240);
    assert_eq!(stage.failures(), [('-', Cause::ListFailed)]);
    assert!(matches!(
        stage.lines()[..],
        [(0, LogLine::OutageBegan { gateway: None, cause: Cause::ListFailed })]
    ));
    stage.run_until(40_000);
    assert_eq!(stage.failures(), [('A', closed_with(1006))]);
    assert_eq!(stage.lines().len(), 1);
}

#[test]
fn a_gateway_that_was_to_be_dialled_again_is_not_where_the_list_has_lost_it_meanwhile() {
    let mut settings = with_list();
    settings.connection.hooks.close_policy = true;
    let mut stage = Stage::of(settings, 2, REFUSE);
    stage.lists = Script::first([List::Of(&[0])], List::Of(&[1]));
    let judgement = Judgement { verdict: Some(Verdict::Same), wait_milliseconds: 0 };
    stage.judgements = Script::first([judgement], Judgement::default());
    stage.connect();
    stage.run_until(1_000);
    assert_eq!(stage.dialled(), "AB");
}

#[test]
fn an_empty_list_is_none_whoever_sets_it() {
    let mut stage = Stage::of(exact(), 2, REFUSE);
    stage.connect();
    stage.set_gateways(&[]);
    stage.run_until(300);
    assert_eq!((stage.dialled(), stage.engine.state()), ("ABAB".into(), Connecting));
}
