//! Lines that are dead and look alive.

use regate::policy::{
    Answer, Cause, ClientState, Completion, ErrorCode, Event, Limits, SendFailure, Settings,
};

use crate::driver::{Dial, Frame, OPEN, RESULT, Script, Stage, closed_with, exact};

use ClientState::{Connected, Reconnecting};

/// A ping after this silence; an answer is waited for as this schedule says.
fn watched(period: u64, read_timeouts: &str) -> Settings {
    let mut settings = exact();
    settings.heartbeat.period_milliseconds = period;
    settings.connection.read_timeouts = read_timeouts.parse().unwrap();
    settings
}

/// Connected at 0 to the first of two gateways; what becomes of pings is said.
fn stage(settings: Settings, pongs: Script<Frame>) -> Stage {
    let mut stage = Stage::connected_for(settings, 2, 0);
    stage.pongs = pongs;
    stage
}

/// B049, B091: a silent line is lost in time, and its `close` is not waited for.
#[test]
fn a_silent_line_is_lost_when_the_read_schedule_is_spent() {
    let mut stage = stage(watched(1_000, "500:500:1"), Script::always(Frame::Silence));
    stage.gateways[1] = Script::always(Dial::Hang);
    let (socket, read, write) = (stage.live(), stage.read(), stage.write());
    stage.run_until(1_499);
    assert_eq!((stage.engine.state(), stage.ping_times()), (Connected, vec![1_000]));
    stage.run_until(1_500);
    assert_eq!((stage.engine.state(), stage.closed.clone()), (Reconnecting, vec![socket]));
    assert_eq!(stage.dials, [(0, 'A'), (1_500, 'B')]);
    assert_eq!(stage.failures(), [('A', Cause::HeartbeatLost)]);
    assert_eq!(stage.failure(write), (ErrorCode::ConnectionLost, Completion::Maybe));
    assert_eq!(stage.outcome(read), None, "what may be redone is");
}

/// B014: what the old socket says at last, be it 1000, is nobody's.
#[test]
fn the_close_of_an_abandoned_socket_changes_nothing() {
    let mut stage = stage(watched(1_000, "500:500:1"), Script::first([Frame::Silence], RESULT));
    let socket = stage.live();
    stage.run_until(1_600);
    assert_eq!((stage.engine.state(), stage.dialled()), (Connected, "AB".into()));
    stage.tell(Event::SocketFailed { socket, cause: closed_with(1000) });
    stage.tell(Event::Received(socket));
    stage.tell(Event::BufferMeasured { socket, bytes: 0 });
    assert_eq!((stage.engine.state(), stage.dialled()), (Connected, "AB".into()));
}

#[test]
fn by_default_a_line_that_falls_silent_is_lost_after_22_seconds() {
    let mut stage = stage(watched(15_000, "2000:6000:20"), Script::always(Frame::Silence));
    stage.run_until(22_279);
    assert_eq!(stage.ping_times(), [15_000, 17_000, 19_400]);
    assert_eq!(stage.dialled(), "A");
    stage.run_until(22_280);
    assert_eq!(stage.dialled(), "AB");
    let defaults = Settings::default();
    assert_eq!(defaults.heartbeat.period_milliseconds, 15_000);
    assert_eq!(defaults.connection.read_timeouts.to_string(), "2000:6000:20");
}

/// B089: the period is the one that was asked for, and whatever comes is life.
#[test]
fn pings_come_after_each_period_of_silence_and_any_frame_is_life() {
    let mut answered = stage(watched(700, "500:500:1"), Script::always(RESULT));
    answered.run_until(2_200);
    assert_eq!(answered.ping_times(), [700, 1_400, 2_100]);

    let mut data = stage(watched(700, "500:500:1"), Script::always(Frame::Silence));
    for at in (300..30_000).step_by(300) {
        data.run_until(at);
        data.hear();
    }
    assert_eq!((data.ping_times(), data.dialled()), (vec![], "A".into()));

    // Pings are never answered, but something else always comes before it is too late.
    let mut late = stage(watched(700, "500:500:1"), Script::always(Frame::Silence));
    for at in (1_100..60_000).step_by(1_100) {
        late.run_until(at);
        late.hear();
    }
    assert_eq!(late.dialled(), "A");
    assert!(late.pings.len() > 40);
}

#[test]
fn an_answer_that_says_the_method_is_not_known_is_an_answer() {
    let unknown = Frame::Answered(Answer::Error { code: -32_601 });
    let mut stage = stage(watched(1_000, "500:500:1"), Script::always(unknown));
    stage.run_until(60_000);
    assert_eq!((stage.pings.len(), stage.dialled()), (60, "A".into()));
}

#[test]
fn pings_are_no_operations() {
    let mut settings = watched(1_000, "500:500:1");
    settings.limits =
        Limits { max_pending_operations: 0, max_in_flight_operations: 1, ..Limits::DEFAULT };
    let mut stage = stage(settings, Script::always(RESULT));
    let operation = stage.read();
    stage.run_until(10_000);
    assert_eq!(stage.pings.len(), 10);
    assert_eq!(stage.engine.in_flight_operations(), 1);
    let counts = *stage.engine.operation_counts();
    assert_eq!((counts.attempts, counts.succeeded, counts.unmatched_answers), (1, 0, 0));
    let ids: Vec<u64> = stage.pings.iter().map(|&(.., attempt)| attempt.as_u64()).collect();
    assert!(ids.is_sorted_by(|a, b| a < b) && !ids.contains(&operation.as_u64()));
    // An answer to a ping that is over is none to anything else.
    let attempt = stage.pings[0].2;
    stage.tell(Event::Answered { attempt, answer: Answer::Result });
    assert_eq!(stage.outcome(operation), None);
}

#[test]
fn a_buffer_that_empties_is_life_and_one_that_does_not_is_none() {
    let mut stage = stage(watched(1_000, "500:500:1"), Script::always(Frame::Silence));
    stage.buffered = Some(100_000);
    for at in (0..30_000).step_by(100) {
        stage.run_until(at);
        stage.buffered = stage.buffered.map(|bytes| bytes - 100);
    }
    assert_eq!(stage.dialled(), "A", "a long upload is not cut");
    stage.run_until(33_000);
    assert_eq!(stage.dialled(), "AB", "one that stands still is");

    // The last look at it counts too: it empties after the last ping.
    let mut stage = self::stage(watched(1_000, "500:500:1"), Script::always(Frame::Silence));
    stage.buffered = Some(100_000);
    stage.run_until(1_400);
    stage.buffered = Some(99_999);
    stage.run_until(2_000);
    assert_eq!(stage.dialled(), "A");

    // Where the platform does not tell, there is nothing to see.
    let mut stage = self::stage(watched(1_000, "500:500:1"), Script::always(Frame::Silence));
    stage.buffered = None;
    stage.run_until(1_500);
    assert_eq!(stage.dialled(), "AB");
}

#[test]
fn what_the_buffer_of_an_old_socket_had_says_nothing_of_the_new_one() {
    let mut stage = stage(watched(1_000, "500:500:1"), Script::always(Frame::Silence));
    stage.buffered = Some(50_000);
    let old = stage.live();
    stage.run_until(1_500);
    assert_eq!(stage.dialled(), "AB");
    stage.buffered = Some(100);
    stage.run_until(2_600);
    stage.tell(Event::BufferMeasured { socket: old, bytes: 90_000 });
    stage.run_until(2_999);
    assert_eq!(stage.engine.state(), Connected);
    stage.run_until(3_000);
    assert_eq!(stage.engine.state(), Reconnecting);
}

#[test]
fn nothing_of_one_socket_carries_over_to_the_next() {
    let mut stage = stage(watched(1_000, "500:500:1"), Script::first([Frame::Silence], RESULT));
    stage.run_until(1_400); // an answer is owed
    let (_, old, attempt) = stage.pings[0];
    stage.lose(1006);
    stage.run_until(2_399);
    assert_eq!(stage.ping_times(), [1_000]);
    stage.tell(Event::Received(old));
    stage.tell(Event::Answered { attempt, answer: Answer::Result });
    stage.run_until(2_400);
    assert_eq!(stage.ping_times(), [1_000, 2_400], "a period after it opened");
    stage.run_until(10_000);
    assert_eq!(stage.dialled(), "AB");
}

#[test]
fn a_machine_that_slept_pings_once_and_waits_before_it_calls_the_line_dead() {
    let watched = || watched(15_000, "2000:6000:20");
    // Asleep while all was well.
    let mut slept = stage(watched(), Script::first([Frame::Silence], RESULT));
    slept.now = 3_600_000;
    slept.ask();
    assert_eq!((slept.ping_times(), slept.dialled()), (vec![3_600_000], "A".into()));
    slept.run_until(3_700_000);
    assert_eq!(slept.dialled(), "A");
    // Asleep while an answer was owed: at each place of the schedule.
    for (asleep_at, pinged, dead_at) in
        [(16_000, 1, 102_000 + 2_400 + 2_880), (18_000, 2, 102_400 + 2_880), (20_000, 3, 102_880)]
    {
        for answers in [true, false] {
            let mut slept = stage(watched(), Script::always(Frame::Silence));
            slept.run_until(asleep_at);
            assert_eq!(slept.pings.len(), pinged);
            slept.now = 100_000;
            slept.ask();
            assert_eq!(slept.pings.len(), pinged + 1, "one ping");
            assert_eq!(slept.dialled(), "A", "and no verdict of death");
            if answers {
                slept.run_until(101_000);
                slept.hear();
                slept.run_until(115_000);
                assert_eq!(slept.dialled(), "A");
            } else {
                slept.run_until(dead_at - 1);
                assert_eq!(slept.dialled(), "A", "{asleep_at}");
                slept.run_until(dead_at);
                assert_eq!(slept.dialled(), "AB", "{asleep_at}");
            }
        }
    }
    // A timer that is a little late is no sleep.
    let mut late = stage(watched(), Script::always(Frame::Silence));
    late.run_until(20_000);
    late.now = 23_280;
    late.ask();
    late.run_until(23_280);
    assert_eq!(late.dialled(), "AB");
}

#[test]
fn no_answer_in_time_has_the_line_probed() {
    for (pong, dialled) in [(RESULT, "A"), (Frame::Silence, "AB")] {
        let mut settings = watched(15_000, "500:500:1");
        settings.messaging.wait_for_response_milliseconds = 100;
        let mut stage = stage(settings, Script::always(pong));
        let operations = [stage.read(), stage.read()];
        stage.run_until(100);
        for operation in operations {
            let failure = (ErrorCode::ResponseTimeout, Completion::Maybe);
            assert_eq!(stage.failure(operation), failure);
        }
        assert_eq!(stage.ping_times(), [100], "one probe is enough");
        stage.run_until(600);
        assert_eq!(stage.dialled(), dialled);
    }
}

#[test]
fn a_wake_signal_has_the_line_probed_once() {
    let mut stage = stage(watched(15_000, "500:500:1"), Script::always(Frame::Silence));
    stage.run_until(3_000);
    for _ in 0..5 {
        stage.tell(Event::Woken);
    }
    assert_eq!(stage.ping_times(), [3_000]);
    stage.run_until(3_500);
    assert_eq!(stage.dialled(), "AB");
}

/// B056: 0 is off.
#[test]
fn without_a_heartbeat_nothing_is_ever_pinged() {
    let mut settings = watched(0, "500:500:1");
    settings.messaging.wait_for_response_milliseconds = 100;
    let mut stage = stage(settings, Script::always(Frame::Silence));
    let operation = stage.read();
    stage.run_until(10_000);
    stage.tell(Event::Woken);
    stage.run_until(86_400_000);
    assert_eq!(stage.failure(operation).0, ErrorCode::ResponseTimeout);
    assert_eq!((stage.ping_times(), stage.dialled()), (vec![], "A".into()));
}

/// B055: no period is too long for a timer.
#[test]
fn a_huge_period_pings_nothing_in_the_first_day() {
    for huge in [2_147_483_647, 2_147_483_648, 4_294_967_301, 9_007_199_254_740_991, u64::MAX] {
        let mut stage = stage(watched(huge, "500:500:1"), Script::always(Frame::Silence));
        stage.run_until(86_400_000);
        assert_eq!((stage.ping_times(), stage.dialled()), (vec![], "A".into()), "{huge}");
    }
}

#[test]
fn a_ping_that_does_not_go_out_says_what_any_frame_says() {
    let throws = Script::first([Frame::Refused(SendFailure::Threw)], RESULT);
    let mut stage = stage(watched(1_000, "500:500:1"), throws);
    stage.run_until(1_000);
    assert_eq!(stage.failures(), [('A', Cause::SendThrew)]);
    assert_eq!(stage.dials, [(0, 'A'), (1_000, 'B')]);

    let not_open = Script::first([Frame::Refused(SendFailure::NotOpen)], RESULT);
    let mut stage = self::stage(watched(1_000, "500:500:1"), not_open);
    stage.run_until(1_000);
    assert_eq!(stage.engine.sendable_socket(), None);
    stage.run_until(1_500);
    assert_eq!(stage.failures(), [('A', Cause::NotOpen)]);
    assert_eq!((stage.engine.state(), stage.dialled()), (Connected, "AB".into()));
}

/// B053: the line looks open, and each operation still has its own time.
#[test]
fn on_a_half_open_line_timeouts_and_aborts_are_punctual() {
    let mut stage = stage(exact(), Script::always(Frame::Silence));
    let timed = regate::policy::Call {
        timeout_milliseconds: Some(2_000),
        ..regate::policy::Call::redoable()
    };
    let (timed, aborted) = (stage.invoke(timed), stage.write());
    stage.run_until(500);
    stage.tell(Event::OperationAborted(aborted));
    assert_eq!(stage.failure(aborted), (ErrorCode::Aborted, Completion::Maybe));
    stage.run_until(2_000);
    assert_eq!(stage.failure(timed), (ErrorCode::Timeout, Completion::Maybe));
    assert_eq!(stage.settled_at(timed), 2_000);
    stage.frames = Script::always(RESULT);
    let next = stage.read();
    stage.run_until(2_001);
    assert_eq!(stage.outcome(next), Some(Ok(())));
}

#[test]
fn nobody_is_pinged_while_there_is_no_connection() {
    let mut stage = Stage::of(watched(100, "50:50:1"), 1, Dial::OpenThenClose(1006, 10));
    stage.connect();
    stage.run_until(20_000);
    assert_eq!(stage.ping_times(), []);
    stage.gateways[0] = Script::always(OPEN);
    stage.run_until(30_000);
    stage.close();
    stage.assert_silent();
}
