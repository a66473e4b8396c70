//! Which gateway is dialled when.

use regate::policy::{Cause, ClientState, CloseCode, Event, Notice, Ratio, TcpTimeouts, Verdict};

use crate::driver::{Dial, OPEN, REFUSE, Script, Stage, closed_with, exact, letter, with_schedule};

/// A dead cluster is tried 16 times in its first minute, not 60,000 times.
const ONE_DEAD_GATEWAY: [u64; 17] = [
    0, 250, 750, 1_750, 3_750, 7_750, 12_750, 17_750, 22_750, 27_750, 32_750, 37_750, 42_750,
    47_750, 52_750, 57_750, 62_750,
];

#[test]
fn one_dead_gateway_is_dialled_seventeen_times() {
    let mut stage = Stage::of(exact(), 1, REFUSE);
    stage.connect();
    stage.run_until(3_600_000);
    assert_eq!(stage.dial_times(), ONE_DEAD_GATEWAY);
    assert_eq!(stage.dial_times().iter().filter(|&&at| at < 60_000).count(), 16);
    assert_eq!(stage.engine.state(), ClientState::Closed);
}

#[test]
fn jitter_shortens_the_whole_to_fifty_to_sixty_three_seconds() {
    let mut settings = exact();
    settings.connection.jitter = Ratio::from_millionths(200_000);
    let mut ends = Vec::new();
    for seed in 0..200 {
        let mut stage = Stage::seeded(settings, &[Script::always(REFUSE)], seed);
        stage.connect();
        stage.run_until(3_600_000);
        let times = stage.dial_times();
        assert_eq!(times.len(), 17, "seed {seed}");
        assert!((50_000..=63_000).contains(times.last().unwrap()), "seed {seed}: {times:?}");
        ends.push(*times.last().unwrap());
    }
    ends.sort_unstable();
    ends.dedup();
    assert!(ends.len() > 190, "seeds share their waits");
}

/// B098: jitter is drawn within the wait, so that no cap is exceeded.
#[test]
fn no_wait_exceeds_its_place_in_the_schedule_however_large_the_jitter() {
    let full: Vec<u64> = TcpTimeouts::CONNECT.waits().collect();
    for millionths in [500_000, 1_000_000] {
        let mut settings = exact();
        settings.connection.jitter = Ratio::from_millionths(millionths);
        let mut shortest = u64::MAX;
        for seed in 0..500 {
            let mut stage = Stage::seeded(settings, &[Script::always(REFUSE)], seed);
            stage.connect();
            stage.run_until(3_600_000);
            for (wait, full) in stage.waits().iter().zip(&full) {
                let least = full - Ratio::from_millionths(millionths).of(*full);
                assert!((least..=*full).contains(wait), "{wait} of {full}");
                shortest = shortest.min(*wait * 1_000 / full);
            }
        }
        assert!(shortest < 520, "it never came near its lower end: {shortest} thousandths");
    }
}

#[test]
fn a_round_dials_every_gateway_without_a_pause_and_then_waits() {
    let mut stage = Stage::of(exact(), 3, REFUSE);
    stage.connect();
    stage.run_until(800);
    assert_eq!(stage.dialled(), "ABCABCABC");
    assert_eq!(stage.dial_times(), [0, 0, 0, 250, 250, 250, 750, 750, 750]);
}

/// B016: what holds for a loss holds for the first connection too.
#[test]
fn the_first_connection_has_the_whole_schedule() {
    let gateways = [Script::always(REFUSE), Script::first([REFUSE, REFUSE, REFUSE], OPEN)];
    let mut stage = Stage::new(exact(), &gateways);
    stage.connect();
    stage.run_until(10_000);
    assert_eq!(stage.dialled(), "ABABABAB");
    assert_eq!(stage.dial_times().last(), Some(&1_750));
    assert_eq!(stage.engine.state(), ClientState::Connected);
    assert_eq!(stage.states(), [ClientState::Connecting, ClientState::Connected]);
}

/// B021: such a schedule once froze a client for good.
#[test]
fn a_schedule_of_one_wait_waits_once_and_gives_up() {
    for (schedule, gateways, times, dialled) in [
        ("100:100:100:1000", 1, &[0, 100][..], "AA"),
        ("100:100:100:1000", 2, &[0, 0, 100, 100], "ABAB"),
        ("1:1:1", 1, &[0, 1], "AA"),
        ("7000:6000:20", 1, &[0, 7_000], "AA"),
        ("1:2147483647:2147483647", 1, &[0, 1, 21_474_838, 2_168_958_485], "AAAA"),
    ] {
        let mut stage = Stage::of(with_schedule(schedule), gateways, REFUSE);
        stage.connect();
        stage.run_until(10_000_000_000);
        assert_eq!(stage.dial_times(), times, "{schedule}");
        assert_eq!(stage.dialled(), dialled, "{schedule}");
        assert_eq!(stage.engine.state(), ClientState::Closed, "{schedule}");
    }
}

/// B054: beyond 2^31-1 there is no schedule at all.
#[test]
fn a_schedule_that_no_timer_can_wait_is_refused() {
    for text in ["2000000000:4000000000:100", "2147483648:1:1", "1:1:1:2147483648"] {
        assert!(text.parse::<TcpTimeouts>().is_err(), "{text}");
    }
}

/// B020, B023: a healthy gateway is reached without any wait, whatever the lost one said.
#[test]
fn a_steady_loss_moves_on_at_once_and_tries_the_lost_gateway_last() {
    for code in [1000, 1001, 1005, 1006, 1011, 1012, 1013, 4408] {
        let mut stage = Stage::connected_for(exact(), 3, 6_000);
        stage.gateways = vec![Script::always(REFUSE); 3];
        stage.lose(code);
        stage.run_until(6_300);
        assert_eq!(stage.dialled()[1..], *"BCABCA", "{code}");
        assert_eq!(stage.dial_times()[1..], [6_000, 6_000, 6_000, 6_250, 6_250, 6_250], "{code}");
    }
}

#[test]
fn a_steady_loss_starts_the_schedule_and_the_failed_set_afresh() {
    // A fails twice and B three times before B opens, so the waits have grown to 1 s.
    let gateways = [Script::always(REFUSE), Script::first([REFUSE, REFUSE], OPEN)];
    let mut stage = Stage::new(exact(), &gateways);
    stage.connect();
    stage.run_until(10_000);
    assert_eq!(stage.waits(), [250, 500]);
    stage.gateways[1] = Script::always(REFUSE);
    stage.lose(1006);
    stage.run_until(10_800);
    assert_eq!(stage.dialled()[6..], *"ABABAB", "A had failed in the round that B opened in");
    assert_eq!(stage.waits()[2..4], [250, 500]);
}

#[test]
fn the_loss_of_an_unsteady_connection_is_a_failure_in_the_running_round() {
    let gateways = [
        Script::always(REFUSE),
        Script::first([Dial::OpenThenClose(1006, 4_999)], REFUSE),
        Script::always(REFUSE),
    ];
    let mut stage = Stage::new(exact(), &gateways);
    stage.connect();
    stage.run_until(6_000);
    assert_eq!(stage.dialled(), "ABCABCABC", "C is still due in this round, A is not");
    assert_eq!(stage.dial_times(), [0, 0, 4_999, 5_249, 5_249, 5_249, 5_749, 5_749, 5_749]);
}

#[test]
fn a_connection_is_steady_exactly_at_its_time() {
    for (lasts, then) in [(4_999, vec![5_249]), (5_000, vec![5_000])] {
        let gateways = [Script::first([Dial::OpenThenClose(1006, lasts)], OPEN)];
        let mut stage = Stage::new(exact(), &gateways);
        stage.connect();
        stage.run_until(8_000);
        assert_eq!(stage.dial_times()[1..], then, "{lasts}");
    }
}

/// B001: the time to be steady belongs to one socket and dies with it.
#[test]
fn a_lost_connection_never_becomes_steady() {
    let gateways = [Script::first([Dial::OpenThenClose(1006, 100)], REFUSE)];
    let mut stage = Stage::new(exact(), &gateways);
    stage.connect();
    stage.run_until(20_000);
    assert_eq!(stage.dial_times(), [0, 350, 850, 1_850, 3_850, 7_850, 12_850, 17_850]);
}

/// B002: not even opening again and again forgives.
#[test]
fn a_gateway_that_opens_and_closes_is_waited_for_ever_longer() {
    let mut stage = Stage::of(exact(), 1, Dial::OpenThenClose(4001, 10));
    stage.connect();
    stage.run_until(12_800);
    assert_eq!(stage.waits(), [250, 500, 1_000, 2_000, 4_000, 5_000]);
}

#[test]
fn rounds_are_initial_apart_even_where_every_connection_is_forgiven_at_once() {
    for lasts in [0, 1, 100, 249] {
        let mut settings = exact();
        settings.connection.steady_milliseconds = 0;
        let mut stage = Stage::of(settings, 1, Dial::OpenThenClose(1006, lasts));
        stage.connect();
        stage.run_until(1_100);
        assert_eq!(stage.dial_times(), [0, 250, 500, 750, 1_000], "{lasts}");
    }
    let mut settings = exact();
    settings.connection.steady_milliseconds = 0;
    let mut stage = Stage::of(settings, 1, Dial::OpenThenClose(1006, 400));
    stage.connect();
    stage.run_until(900);
    assert_eq!(stage.dial_times(), [0, 400, 800], "the round began long enough ago");
}

#[test]
fn after_a_loss_the_last_wait_is_repeated_for_as_long_as_it_takes() {
    let mut stage = Stage::connected_for(with_schedule("100:300:100"), 1, 5_000);
    stage.gateways[0] = Script::always(REFUSE);
    stage.lose(1006);
    stage.run_until(6_000);
    assert_eq!(stage.dial_times()[1..], [5_000, 5_100, 5_300, 5_500, 5_700, 5_900]);
    stage.run_until(3_600_000);
    assert_eq!(stage.engine.state(), ClientState::Reconnecting);
}

/// B088, and B063's part of it: each dial ends by its own limit, whatever the waits are.
#[test]
fn hanging_gateways_are_dialled_as_their_limit_and_the_schedule_say() {
    for (limit, schedule) in [(5_000, "100:60000:100:5000"), (50, "1000:60000:100:5000")] {
        let mut settings = with_schedule(schedule);
        settings.connection.connection_timeout_milliseconds = limit;
        let mut stage = Stage::of(settings, 2, Dial::Hang);
        stage.connect();
        stage.run_until(60_000);
        let (mut at, mut expected) = (0, vec![]);
        for wait in schedule.parse::<TcpTimeouts>().unwrap().waits() {
            expected.extend([at, at + u64::from(limit)]);
            at += 2 * u64::from(limit) + wait;
        }
        expected.retain(|&at| at <= 60_000);
        assert_eq!(stage.dial_times(), expected, "{schedule}");
        assert!(stage.closed.len() + 1 >= stage.dials.len(), "each but the last is let go");
    }
}

#[test]
fn a_gateway_that_never_answers_fails_at_ten_seconds_by_default() {
    let mut stage = Stage::new(exact(), &[Script::always(Dial::Hang), Script::always(OPEN)]);
    stage.connect();
    stage.run_until(9_999);
    assert_eq!(stage.dialled(), "A");
    stage.run_until(10_000);
    assert_eq!(stage.dialled(), "AB");
}

/// B007: what an abandoned socket still says is heard by nobody.
#[test]
fn an_abandoned_dial_fails_once_whatever_its_socket_says_later() {
    let mut settings = exact();
    settings.connection.connection_timeout_milliseconds = 100;
    let mut stage = Stage::new(settings, &[Script::always(Dial::Hang), Script::always(Dial::Hang)]);
    stage.connect();
    stage.run_until(100);
    let (a, b) = (stage.sockets[0], stage.sockets[1]);
    let before = stage.notices.len();
    for event in [
        Event::SocketErred(a),
        Event::SocketFailed { socket: a, cause: closed_with(1006) },
        Event::SocketErred(a),
        Event::SocketOpened(a),
    ] {
        stage.tell(event);
    }
    assert_eq!(stage.notices.len(), before);
    let failures: Vec<_> = stage
        .notices
        .iter()
        .filter_map(|(at, notice)| match notice {
            Notice::DialFailed { gateway, cause, .. } => Some((*at, letter(*gateway), *cause)),
            _ => None,
        })
        .collect();
    assert_eq!(failures, [(100, 'A', Cause::DialLimit)]);
    assert_eq!((stage.closed.clone(), stage.dialled()), (vec![a], "AB".into()));
    stage.tell(Event::SocketOpened(b));
    assert_eq!(stage.engine.gateway().map(letter), Some('B'));
}

/// B008: a slow handshake is no failure, unless its limit says so.
#[test]
fn a_slow_handshake_connects_at_the_first_try_and_is_ignored_when_it_is_too_late() {
    let mut stage = Stage::of(exact(), 1, Dial::OpenAfter(1_500));
    stage.connect();
    stage.run_until(5_000);
    assert_eq!((stage.dials.len(), stage.engine.state()), (1, ClientState::Connected));

    let mut settings = exact();
    settings.connection.connection_timeout_milliseconds = 1_000;
    let mut stage = Stage::of(settings, 1, Dial::OpenAfter(1_500));
    stage.connect();
    stage.run_until(1_500);
    assert_eq!(stage.closed, [stage.sockets[0]]);
    assert_eq!(stage.engine.state(), ClientState::Connecting);
}

/// A platform may send `close` after `error`, with the code, or never.
#[test]
fn an_error_counts_as_1006_unless_a_close_follows_in_the_same_turn() {
    for (close, cause) in [(Some(4_000), closed_with(4_000)), (None, closed_with(1006))] {
        for dialling in [true, false] {
            let dial = if dialling { Dial::Hang } else { OPEN };
            let mut stage =
                Stage::new(exact(), &[Script::always(dial), Script::always(Dial::Hang)]);
            stage.connect();
            stage.run_until(100);
            let socket = stage.live();
            stage.tell(Event::SocketErred(socket));
            assert_eq!(stage.dialled(), "A");
            if let Some(code) = close {
                stage.tell(Event::SocketFailed { socket, cause: closed_with(code) });
            }
            stage.run_until(100);
            assert_eq!(stage.dialled(), "AB");
            assert_eq!(stage.failures(), [('A', cause)], "dialling: {dialling}");
        }
    }
}

#[test]
fn a_gateway_with_the_verdict_stop_is_not_dialled_again_before_the_next_connect() {
    for stop in [
        Dial::FailAfter(1002, 0),
        Dial::FailAfter(1010, 0),
        Dial::FailAfter(4400, 0),
        Dial::FailAfter(1003, 0),
        Dial::FailAfter(1007, 0),
        Dial::Throw(Cause::Unusable),
    ] {
        let mut stage = Stage::new(exact(), &[Script::always(stop), Script::always(REFUSE)]);
        stage.connect();
        stage.run_until(800);
        assert_eq!(stage.dialled(), "ABBB", "{stop:?}");
        assert_eq!(stage.dial_times(), [0, 0, 250, 750], "{stop:?}");
        stage.close();
        stage.connect();
        stage.run_for(0);
        assert_eq!(stage.dialled(), "ABBBAB", "{stop:?}");
    }
}

#[test]
fn a_constructor_that_throws_anything_else_is_a_failed_dial() {
    let dial = Dial::Throw(Cause::ConstructorThrew);
    let mut stage = Stage::new(exact(), &[Script::always(dial), Script::always(REFUSE)]);
    stage.connect();
    stage.run_until(300);
    assert_eq!(stage.dialled(), "ABAB");
}

/// B014, B044, B117: the verdict of each code, as the application is told.
#[test]
fn every_close_code_has_its_verdict() {
    use Verdict::{Next, Refresh, Stop};
    for (code, verdict) in [
        (0, Next),
        (1000, Next),
        (1001, Next),
        (1002, Stop),
        (1005, Next),
        (1006, Next),
        (1008, Refresh),
        (1009, Next),
        (1010, Stop),
        (1011, Next),
        (1012, Next),
        (1013, Next),
        (3999, Next),
        (4000, Next),
        (4401, Refresh),
        (4403, Refresh),
        (4404, Stop),
        (4408, Next),
        (4429, Next),
        (4499, Stop),
        (4500, Next),
        (4999, Next),
    ] {
        let mut stage = Stage::of(exact(), 2, Dial::FailAfter(code, 0));
        stage.connect();
        stage.run_until(0);
        let told = stage.notices.iter().find_map(|(_, notice)| match notice {
            Notice::DialFailed { verdict, .. } => Some((*verdict, notice.close_code())),
            _ => None,
        });
        let seen = CloseCode::from_event(if code == 0 { 1006 } else { code });
        assert_eq!(told, Some((verdict, Some(seen))), "{code}");
        assert_eq!(stage.dialled(), "AB", "{code}: all verdicts but `same` go on with the round");
    }
}

/// B076: each client has an order of its own, unless it is told otherwise.
#[test]
fn clients_start_at_different_gateways() {
    let mut settings = exact();
    settings.connection.shuffle_addresses = true;
    let mut first = [0_u32; 3];
    for seed in 1..=300 {
        let mut stage = Stage::seeded(settings, &vec![Script::always(REFUSE); 3], seed);
        stage.connect();
        stage.run_until(300);
        let dialled = stage.dialled();
        assert_eq!(dialled[..3], dialled[3..], "the order is drawn once");
        first["ABC".find(&dialled[..1]).unwrap()] += 1;
    }
    assert!(first.iter().all(|count| (70..=130).contains(count)), "{first:?}");
    for seed in 1..=20 {
        let mut stage = Stage::seeded(exact(), &vec![Script::always(REFUSE); 3], seed);
        stage.connect();
        stage.run_until(0);
        assert_eq!(stage.dialled(), "ABC");
    }
}

/// B074: only the driver's clock counts, and asking too early or too often changes nothing.
#[test]
fn a_clock_that_asks_every_millisecond_dials_at_the_same_times() {
    let mut stage = Stage::of(exact(), 1, REFUSE);
    stage.connect();
    for at in 0..5_000 {
        for _ in 0..3 {
            stage.run_until(at);
            stage.ask();
        }
    }
    assert_eq!(stage.dial_times(), ONE_DEAD_GATEWAY[..5]);
}

/// B075's part without a new list: any number of failovers.
#[test]
fn twenty_losses_in_a_row_reconnect_each_time_at_once() {
    let mut stage = Stage::connected_for(exact(), 3, 5_000);
    for _ in 0..20 {
        stage.lose(1006);
        stage.run_for(0);
        assert_eq!(stage.engine.state(), ClientState::Connected);
        stage.run_for(5_000);
    }
    assert_eq!(stage.dialled(), "ABC".repeat(7));
}

/// What an application needs to draw "trying b.example, 3rd round, again in 4 s".
#[test]
fn dials_and_waits_say_which_round_they_belong_to() {
    let rounds = |stage: &Stage| -> Vec<String> {
        let told = |notice: &(u64, Notice)| match notice.1 {
            Notice::Dialled { gateway, round } => Some(format!("{}{round}", letter(gateway))),
            Notice::WaitBegan { milliseconds, round } => Some(format!("{milliseconds}>{round}")),
            _ => None,
        };
        stage.notices.iter().filter_map(told).collect()
    };
    let gateways = [Script::always(REFUSE), Script::first([REFUSE, REFUSE], OPEN)];
    let mut stage = Stage::new(exact(), &gateways);
    stage.connect();
    stage.run_until(10_000);
    assert_eq!(rounds(&stage), ["A1", "B1", "250>2", "A2", "B2", "500>3", "A3", "B3"]);
    stage.notices.clear();
    stage.gateways[1] = Script::first([REFUSE, Dial::OpenThenClose(1006, 10)], REFUSE);
    stage.lose(1006);
    stage.run_until(11_000);
    assert_eq!(rounds(&stage), ["A1", "B1", "250>2", "A2", "B2", "500>3", "A3", "B3", "1000>4"]);
}

#[test]
fn a_connection_that_the_application_drops_is_no_failure_of_its_gateway() {
    let mut stage = Stage::connected_for(exact(), 1, 100);
    for _ in 0..5 {
        stage.reconnect();
        stage.run_for(10);
    }
    assert_eq!(stage.dial_times(), [0, 100, 110, 120, 130, 140]);
    assert_eq!(stage.failures(), []);
    assert_eq!(stage.waits(), []);
}
