//! Dials side by side: a gateway that hangs in the handshake does not hold up the next one.

use regate::policy::{ClientState, Event, Judgement, Notice, Settings, Verdict};

use crate::driver::{Dial, List, OPEN, REFUSE, Script, Session, Stage, closed_with, exact, letter};

use ClientState::{Closed, Connected, Connecting, Reconnecting};

const LIMIT: u64 = 10_000;

fn staggered() -> Settings {
    let mut settings = exact();
    settings.connection.dial_stagger_milliseconds = 300;
    settings
}

/// A client that dials gateways which do this, in order.
fn dialling_with(settings: Settings, dials: &[Dial]) -> Stage {
    let gateways: Vec<_> = dials.iter().map(|&dial| Script::always(dial)).collect();
    let mut stage = Stage::new(settings, &gateways);
    stage.lists = Script::always(List::Of(&[0, 1, 2]));
    stage.connect();
    stage
}

fn dialling(dials: &[Dial]) -> Stage {
    dialling_with(staggered(), dials)
}

fn connected_to(stage: &Stage) -> Option<char> {
    stage.engine.gateway().map(letter)
}

fn failed(stage: &Stage) -> Vec<(u64, char)> {
    let failure = |notice: &(u64, Notice)| match notice.1 {
        Notice::DialFailed { gateway, .. } => Some((notice.0, letter(gateway))),
        _ => None,
    };
    stage.notices.iter().filter_map(failure).collect()
}

#[test]
fn the_next_gateway_is_dialled_beside_one_that_hangs_and_the_first_to_open_wins() {
    let mut stage = dialling(&[Dial::Hang, Dial::OpenAfter(10), OPEN]);
    stage.run_until(299);
    assert_eq!(stage.dials, [(0, 'A')]);
    stage.run_until(310);
    assert_eq!(stage.dials, [(0, 'A'), (300, 'B')]);
    assert_eq!(connected_to(&stage), Some('B'));
    assert_eq!(stage.closed, stage.sockets[..1], "the other is abandoned");
    stage.run_until(100_000);
    assert_eq!((failed(&stage), stage.failures()), (vec![], vec![]), "which is no failure");
    assert_eq!((stage.dials.len(), stage.lines().len()), (2, 0));
}

#[test]
fn the_one_that_was_dialled_first_may_win_too() {
    let mut stage = dialling(&[Dial::OpenAfter(400), Dial::Hang]);
    stage.run_until(400);
    assert_eq!((stage.dialled(), connected_to(&stage)), ("AB".into(), Some('A')));
    assert_eq!(stage.closed, stage.sockets[1..]);
}

#[test]
fn two_at_the_most_and_each_keeps_its_own_limit() {
    let mut stage = dialling(&[Dial::Hang; 4]);
    stage.run_until(LIMIT - 1);
    assert_eq!(stage.dialled(), "AB");
    stage.run_until(LIMIT + 300);
    assert_eq!(failed(&stage), [(LIMIT, 'A'), (LIMIT + 300, 'B')]);
    assert_eq!(stage.dials[2..], [(LIMIT, 'C'), (LIMIT + 300, 'D')]);
    stage.run_until(2 * LIMIT + 300);
    assert_eq!(stage.waits(), [250], "a wait begins when none is pending");
}

#[test]
fn where_one_of_two_fails_the_next_waits_for_as_long_as_the_other_is_young() {
    // B fails at 310, and A has hung for long enough.
    let mut stage = dialling(&[Dial::Hang, Dial::FailAfter(1006, 10), OPEN]);
    stage.run_until(310);
    assert_eq!(stage.dials, [(0, 'A'), (300, 'B'), (310, 'C')]);
    assert_eq!((connected_to(&stage), failed(&stage)), (Some('C'), vec![(310, 'B')]));

    // A fails at 350, and B has been dialled for 50 ms only.
    let mut stage = dialling(&[Dial::FailAfter(1006, 350), Dial::Hang, OPEN]);
    stage.run_until(599);
    assert_eq!(stage.dials, [(0, 'A'), (300, 'B')]);
    stage.run_until(600);
    assert_eq!((stage.dials[2], connected_to(&stage)), ((600, 'C'), Some('C')));
}

#[test]
fn a_round_with_one_that_hangs_is_over_when_all_have_failed() {
    let mut stage = dialling(&[Dial::Hang, REFUSE, REFUSE]);
    stage.run_until(LIMIT);
    assert_eq!(stage.dials, [(0, 'A'), (300, 'B'), (300, 'C')]);
    assert_eq!(failed(&stage), [(300, 'B'), (300, 'C'), (LIMIT, 'A')]);
    assert_eq!(stage.waits(), [250]);
    stage.run_until(LIMIT + 250);
    assert_eq!(stage.dials[3], (LIMIT + 250, 'A'), "each once a round, in its order");
}

#[test]
fn there_is_nothing_beside_a_single_gateway_nor_with_a_stagger_of_zero() {
    let mut stage = dialling(&[Dial::Hang]);
    stage.run_until(LIMIT - 1);
    assert_eq!(stage.dialled(), "A");
    let mut settings = staggered();
    settings.connection.dial_stagger_milliseconds = 0;
    let mut stage = dialling_with(settings, &[Dial::Hang, OPEN]);
    stage.run_until(LIMIT - 1);
    assert_eq!(stage.dialled(), "A");
}

#[test]
fn what_one_of_two_means_comes_when_the_other_is_over() {
    for (verdict, then) in [
        // A again after the wait, and nothing else before.
        (Verdict::Same, vec![(300, 'B'), (10_300, '-'), (10_550, 'A')]),
        // The list is asked for again before the next dial.
        (Verdict::Refresh, vec![(300, 'B'), (10_300, '?'), (10_300, 'C')]),
        (Verdict::Stop, vec![(300, 'B'), (600, 'C')]),
        (Verdict::Next, vec![(300, 'B'), (600, 'C')]),
    ] {
        let mut settings = staggered();
        settings.connection.hooks.close_policy = true;
        settings.connection.hooks.list = true;
        let mut stage =
            dialling_with(settings, &[Dial::FailAfter(4_000, 350), Dial::Hang, Dial::Hang]);
        let says = Judgement { verdict: Some(verdict), wait_milliseconds: 0 };
        stage.judgements = Script::first([says], Judgement::default());
        stage.run_until(10_599);
        let mut seen = stage.dials[1..].to_vec();
        seen.extend(stage.asked.iter().filter(|&&at| at > 0).map(|&at| (at, '?')));
        let waits = |notice: &(u64, Notice)| matches!(notice.1, Notice::WaitBegan { .. });
        let waits = stage.notices.iter().filter(|notice| waits(notice));
        seen.extend(waits.map(|&(at, _)| (at, '-')));
        seen.retain(|&(_, what)| what != '?' || verdict == Verdict::Refresh);
        seen.sort_by_key(|&(at, what)| (at, what != '-', what != '?'));
        assert_eq!(seen, then, "{verdict:?}");
    }
}

#[test]
fn whatever_ends_the_dialling_lets_both_sockets_go() {
    type End = fn(&mut Stage);
    let ends: [(End, ClientState); 3] = [
        (|stage| stage.close(), Closed),
        (|stage| stage.tell(Event::PageHidden), Connecting),
        (|stage| stage.set_gateways(&[2]), Connecting),
    ];
    for (end, state) in ends {
        let mut stage = dialling(&[Dial::Hang; 3]);
        stage.run_until(500);
        end(&mut stage);
        let mut closed = stage.closed.clone();
        closed.sort_unstable();
        assert_eq!((closed, stage.engine.state()), (stage.sockets[..2].to_vec(), state));
    }
}

#[test]
fn a_list_that_keeps_one_of_two_keeps_its_dial() {
    for (list, kept) in [([0, 2], 0), ([1, 2], 1)] {
        let mut stage = dialling(&[Dial::Hang; 3]);
        stage.run_until(500);
        stage.set_gateways(&list);
        assert_eq!(stage.closed, [stage.sockets[1 - kept]]);
        stage.run_until(600);
        assert_eq!(stage.dialled(), "ABC", "and the new one gets its turn beside it");
        stage.tell(Event::SocketOpened(stage.sockets[kept]));
        assert_eq!(stage.engine.state(), Connected);
    }
}

#[test]
fn a_gateway_that_was_abandoned_is_dialled_when_the_one_that_won_cannot_be_kept() {
    let mut settings = staggered();
    settings.connection.hooks.session = true;
    let mut stage = dialling_with(settings, &[Dial::Hang, OPEN]);
    stage.gateways[0] = Script::first([Dial::Hang], OPEN);
    stage.sessions = Script::first([Session::FailAfter(5, None)], Session::DoneAfter(0));
    stage.run_until(400);
    assert_eq!(stage.dials, [(0, 'A'), (300, 'B'), (305, 'A')], "in the same round");
    assert_eq!(connected_to(&stage), Some('A'));
}

#[test]
fn an_error_of_either_ends_that_one() {
    for which in [0, 1] {
        let mut stage = dialling(&[Dial::Hang; 3]);
        stage.run_until(350);
        let socket = stage.sockets[which];
        stage.tell(Event::SocketErred(socket));
        stage.run_for(0);
        assert_eq!(failed(&stage), [(350, ['A', 'B'][which])]);
        assert_eq!(stage.closed, [socket]);
        stage.tell(Event::SocketFailed { socket, cause: closed_with(1006) });
        assert_eq!(failed(&stage).len(), 1, "its close says nothing new");
    }
}

#[test]
fn a_loss_is_followed_by_the_same_race() {
    let mut stage = Stage::of(staggered(), 3, OPEN);
    stage.connect();
    stage.run_until(6_000);
    stage.gateways[1] = Script::always(Dial::Hang);
    stage.lose(1006);
    assert_eq!(stage.engine.state(), Reconnecting);
    stage.reconnect(); // a dial that is under way is none the worse
    stage.run_until(6_400);
    assert_eq!(stage.dials[1..], [(6_000, 'B'), (6_300, 'C')]);
    assert_eq!(connected_to(&stage), Some('C'));
}

#[test]
fn a_late_timer_ends_both_of_two_dials() {
    let mut stage = dialling(&[Dial::Hang; 2]);
    stage.run_until(300);
    stage.now = 60_000;
    stage.ask();
    assert_eq!(failed(&stage), [(60_000, 'A'), (60_000, 'B')]);
    assert_eq!(stage.waits(), [250]);
}

#[test]
fn nothing_is_dialled_beside_an_old_dial_while_the_other_is_owed_its_wait() {
    let mut settings = staggered();
    settings.connection.hooks.close_policy = true;
    let mut stage = dialling_with(settings, &[Dial::Hang, Dial::FailAfter(4_000, 10), OPEN]);
    let says = Judgement { verdict: Some(Verdict::Same), wait_milliseconds: 0 };
    stage.judgements = Script::first([says], Judgement::default());
    stage.run_until(LIMIT);
    assert_eq!((stage.dialled(), stage.waits()), ("AB".into(), vec![250]));
    stage.run_until(LIMIT + 250);
    assert_eq!(stage.dialled(), "ABB");
}
