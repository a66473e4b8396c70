use super::{GatewayIndex, NextDial, Round};
use crate::policy::Rng;
use alloc::vec::Vec;

fn gateway(position: u32) -> GatewayIndex {
    GatewayIndex::from_position(position)
}

/// Dials until the round is over, every dial failing; says which gateways were dialled.
fn play_out(round: &mut Round) -> Vec<u32> {
    let mut dialled = Vec::new();
    while let NextDial::Gateway(gateway) = round.next_dial() {
        dialled.push(gateway.position());
        round.fail(gateway);
    }
    dialled
}

#[test]
fn a_round_that_stopped_behind_the_end_of_a_new_list_goes_on_at_its_beginning() {
    let mut round = Round::new(2);
    round.fail(gateway(0));
    round.replace_meanwhile(&[gateway(2)], None);
    round.begin_next();
    assert_eq!(round.next_dial(), NextDial::Gateway(gateway(2)));
}

#[test]
fn a_round_dials_every_gateway_once() {
    let mut round = Round::new(3);
    assert_eq!(play_out(&mut round), [0, 1, 2]);
    assert_eq!(round.next_dial(), NextDial::RoundOver);
    round.begin_next();
    assert_eq!(play_out(&mut round), [0, 1, 2]);
}

#[test]
fn the_round_after_a_steady_loss_ends_with_the_lost_gateway() {
    let mut round = Round::new(3);
    round.fail(gateway(0));
    round.begin_after(gateway(1));
    assert_eq!(play_out(&mut round), [2, 0, 1]);
    round.begin_next();
    assert_eq!(play_out(&mut round), [2, 0, 1], "and the next goes on where it stopped");
}

#[test]
fn staying_neither_ends_the_round_nor_empties_the_set() {
    let mut round = Round::new(3);
    round.fail(gateway(0));
    round.fail_and_stay(gateway(1));
    assert_eq!(round.next_dial(), NextDial::RoundOver, "a wait comes before it is dialled");
    round.fail(gateway(1));
    assert_eq!(play_out(&mut round), [2]);
}

#[test]
fn a_gateway_that_is_out_is_passed_over_until_the_marks_are_cleared() {
    let mut round = Round::new(3);
    round.strike_out(gateway(0));
    assert_eq!(play_out(&mut round), [1, 2]);
    round.begin_next();
    assert_eq!(play_out(&mut round), [1, 2]);
    round.strike_out(gateway(1));
    round.strike_out(gateway(2));
    assert_eq!(round.next_dial(), NextDial::NoneLeft);
    round.clear_all();
    assert_eq!(play_out(&mut round), [0, 1, 2]);
}

#[test]
fn a_new_list_drops_what_left_and_dials_what_came_before_the_round_is_over() {
    let list = |numbers: &[u32]| numbers.iter().map(|&n| gateway(n)).collect::<Vec<_>>();
    for (label, new, rest) in [
        ("the same list", &[0, 1, 2][..], &[1, 2][..]),
        ("one left", &[0, 2], &[2]),
        ("one came before those that failed", &[3, 0, 1, 2], &[1, 2, 3]),
        ("one came among them", &[0, 3, 1, 2], &[1, 2, 3]),
        ("all others", &[3, 4], &[3, 4]),
        ("only the failed one stays", &[0], &[]),
    ] {
        let mut round = Round::new(3);
        round.fail(gateway(0));
        round.replace(&list(new), None);
        let mut dialled = play_out(&mut round);
        if label.contains("among") {
            dialled.sort_unstable(); // in which order does not matter
        }
        assert_eq!(dialled, rest, "{label}");
        round.begin_next();
        let mut all = play_out(&mut round);
        all.sort_unstable();
        let mut expected = new.to_vec();
        expected.sort_unstable();
        assert_eq!(all, expected, "{label}: the next round dials all of them once");
    }
    let mut round = Round::new(3);
    round.replace(&list(&[0, 1, 2, 3, 4]), Some(&mut Rng::from_seed(5)));
    let mut all = play_out(&mut round);
    all.sort_unstable();
    assert_eq!(all, [0, 1, 2, 3, 4]);
}

#[test]
fn a_gateway_that_leaves_and_comes_back_keeps_its_marks_until_the_round_is_over() {
    let mut round = Round::new(2);
    round.fail(gateway(0));
    for list in [[1], [0]] {
        round.replace(&list.map(gateway), None);
    }
    assert_eq!(round.next_dial(), NextDial::RoundOver);
    round.begin_next();
    assert_eq!(play_out(&mut round), [0]);
    round.replace(&[1, 0].map(gateway), None);
    assert_eq!(play_out(&mut round), [1], "it left in an earlier round");
}

#[test]
fn a_list_that_is_another_one_each_time_makes_no_round_without_an_end() {
    for seed in [None, Some(3)] {
        let mut rng = seed.map(Rng::from_seed);
        let mut round = Round::new(2);
        round.fail(gateway(0));
        round.replace_meanwhile(&[1, 2, 3].map(gateway), rng.as_mut());
        assert_eq!(play_out(&mut round), [1], "what stays is dialled, what is new is not yet");
        round.begin_next();
        let mut dialled = play_out(&mut round);
        dialled.sort_unstable();
        assert_eq!(dialled, [1, 2, 3]);
    }
    // All are new each time, and the first of them always fails.
    let mut round = Round::new(2);
    let mut dialled = Vec::new();
    for number in (2..20).step_by(2) {
        let NextDial::Gateway(next) = round.next_dial() else { panic!("nothing to dial") };
        dialled.push(next.position() % 2);
        round.fail(next);
        round.replace_meanwhile(&[number, number + 1].map(gateway), None);
        assert_eq!(round.next_dial(), NextDial::RoundOver);
        round.begin_next();
    }
    assert_eq!(dialled[..4], [0, 1, 0, 1], "the second has its turn too");
}

#[test]
fn fresh_credentials_are_asked_for_once_until_a_connection_is_steady() {
    let mut round = Round::new(2);
    assert!(round.refuse_credentials(gateway(0)));
    assert!(!round.refuse_credentials(gateway(0)));
    assert!(round.refuse_credentials(gateway(1)));
    round.accept_credentials();
    assert!(round.refuse_credentials(gateway(0)));
}

#[test]
fn every_gateway_is_first_for_about_its_share_of_the_clients() {
    let mut first = [0_u32; 3];
    for seed in 1..=300 {
        let mut round = Round::new(3);
        round.shuffle(&mut Rng::from_seed(seed));
        let gateway = round.order().next().unwrap();
        first[usize::try_from(gateway.position()).unwrap()] += 1;
    }
    assert!(first.iter().all(|count| (70..=130).contains(count)), "{first:?}");
}
