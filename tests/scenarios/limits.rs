//! How much may wait, be in flight, and be left for the platform to send.

use regate::policy::{
    Answer, Call, ClientState, Completion, ErrorCode, Event, Limits, OperationId, Settings,
};

use crate::driver::{BUSY, Dial, Frame, OPEN, REFUSE, RESULT, Script, Stage, exact};

use Completion::No;

/// B056: zero has a meaning of its own.
#[test]
fn zero_is_not_the_default() {
    let mut settings = exact();
    settings.messaging.wait_for_response_milliseconds = 0;
    let mut stage = Stage::connected_for(settings, 1, 0);
    let operation = stage.read();
    stage.run_until(10_000_000);
    assert_eq!(stage.outcome(operation), None, "no limit to the answer");

    let settings = limited(0, 100_000);
    let mut stage = Stage::of(settings, 1, OPEN);
    let parked = stage.read();
    assert_eq!(stage.failure(parked), (ErrorCode::Overloaded, No), "nothing may wait");
    stage.connect();
    stage.run_for(0);
    let sent = stage.read();
    assert_eq!(stage.sent_at(sent).len(), 1, "but what can go out does");

    let mut stage = Stage::connected_for(limited(10, 0), 1, 0);
    for _ in 0..1_000 {
        stage.read();
    }
    assert_eq!(stage.sent.len(), 1_000, "no limit to what is in flight");
}

fn limited(pending: u64, in_flight: u64) -> Settings {
    let limits = Limits {
        max_pending_operations: pending,
        max_in_flight_operations: in_flight,
        ..Limits::DEFAULT
    };
    Settings { limits, ..exact() }
}

/// B040's part of the core.
#[test]
fn what_is_too_much_is_refused_at_once_and_what_was_accepted_never() {
    let mut stage = Stage::of(limited(3, 2), 1, Dial::OpenAfter(100));
    stage.connect();
    let accepted: Vec<_> = (0..3).map(|_| stage.read()).collect();
    let refused = stage.read();
    assert_eq!(stage.failure(refused), (ErrorCode::Overloaded, No));
    assert_eq!(stage.engine.operation_counts().overloaded, 1);
    stage.run_until(200);
    assert!(accepted.iter().all(|&id| stage.sent_at(id).len() == 1));
    let refused = stage.read();
    assert_eq!(stage.failure(refused), (ErrorCode::Overloaded, No), "two may be in flight");
    stage.lose(1006);
    let refused = stage.read();
    assert_eq!(stage.failure(refused), (ErrorCode::Overloaded, No), "three wait again");
    stage.run_until(60_000);
    assert!(accepted.iter().all(|&id| stage.sent_at(id).len() == 2));
}

fn bytes(most: u64) -> Settings {
    let limits = Limits { max_buffered_bytes: most, ..Limits::DEFAULT };
    Settings { limits, ..exact() }
}

fn of(bytes: u64) -> Call {
    Call { bytes, ..Call::redoable() }
}

/// B040: the bytes that wait are counted too.
#[test]
fn what_waits_is_bounded_in_bytes() {
    let mut stage = Stage::of(bytes(20), 1, Dial::OpenAfter(100));
    stage.connect();
    let (first, second) = (stage.invoke(of(10)), stage.invoke(of(10)));
    let refused = stage.invoke(of(1));
    assert_eq!(stage.failure(refused), (ErrorCode::Overloaded, No));
    let empty = stage.invoke(of(0));
    assert_eq!(stage.outcome(empty), None);
    stage.tell(Event::OperationAborted(first));
    let third = stage.invoke(of(10));
    let refused = stage.invoke(of(1));
    assert_eq!(stage.failure(refused), (ErrorCode::Overloaded, No), "room for one is for one");
    stage.run_until(200);
    let sent: Vec<_> = stage.sent.iter().map(|sent| sent.operation).collect();
    assert_eq!(sent, [second, empty, third]);
    let again = stage.invoke(of(10_000));
    assert_eq!(stage.sent_at(again), [200], "nothing waits any more");
}

#[test]
fn no_byte_may_wait_where_the_limit_is_nothing() {
    let mut stage = Stage::of(bytes(0), 1, OPEN);
    for size in [0, 1] {
        let refused = stage.invoke(of(size));
        assert_eq!(stage.failure(refused), (ErrorCode::Overloaded, No));
    }
    stage.connect();
    stage.run_for(0);
    stage.frames = Script::first([BUSY, Frame::Closed(1006)], RESULT);
    let operation = stage.invoke(of(1_000));
    stage.run_for(1_000);
    assert_eq!(stage.outcome(operation), Some(Ok(())), "what was accepted is never refused later");
    assert_eq!(stage.sent_at(operation).len(), 3);
}

#[test]
fn what_the_platform_still_has_to_send_counts_when_an_operation_is_made() {
    let mut stage = Stage::connected_for(bytes(20), 1, 100);
    for (buffered_bytes, size, goes) in
        [(0, 1_000, true), (10, 10, true), (11, 10, false), (20, 1, false), (20, 0, true)]
    {
        let operation = stage.invoke(Call { buffered_bytes, ..of(size) });
        if goes {
            assert_eq!(stage.sent_at(operation), [100], "{buffered_bytes} {size}");
        } else {
            let failure = (ErrorCode::Overloaded, No);
            assert_eq!(stage.failure(operation), failure, "{buffered_bytes} {size}");
        }
    }
}

#[test]
fn a_message_that_is_too_big_is_refused_at_once() {
    let limits = Limits { max_message_bytes: 9, ..Limits::DEFAULT };
    let mut stage = Stage::of(Settings { limits, ..exact() }, 1, OPEN);
    for connected in [false, true] {
        if connected {
            stage.connect();
            stage.run_for(0);
        }
        let (fits, refused) = (stage.invoke(of(9)), stage.invoke(of(10)));
        assert_eq!(stage.outcome(fits), None);
        assert_eq!(stage.failure(refused), (ErrorCode::MessageTooBig, No));
        let refused = stage.invoke(Call { bytes: 10, ..Call::subscription() });
        assert_eq!(stage.failure(refused), (ErrorCode::MessageTooBig, No));
    }
    stage.close();
    let closed = stage.invoke(of(10));
    assert_eq!(stage.failure(closed).0, ErrorCode::ClientClosed);
}

/// Three operations of 10 bytes, lost in flight where only 20 bytes may be left to send; the next
/// connection is open at 5000 ms.
fn flushing(buffered: Option<u64>) -> (Stage, [OperationId; 3]) {
    let mut stage = Stage::connected_for(bytes(20), 2, 5_000);
    let made = [stage.invoke(of(10)), stage.invoke(of(10)), stage.invoke(of(10))];
    stage.sent.clear();
    stage.buffered = buffered;
    stage.lose(1006);
    stage.run_for(0);
    assert_eq!(stage.engine.state(), ClientState::Connected);
    (stage, made)
}

#[test]
fn a_flush_pauses_while_the_platform_has_enough_to_send() {
    let (mut stage, made) = flushing(Some(20));
    let sent = |stage: &Stage| stage.sent.iter().map(|sent| sent.operation).collect::<Vec<_>>();
    assert_eq!(sent(&stage), made[..2]);
    stage.run_until(5_100);
    assert_eq!(sent(&stage), made[..2]);
    assert!(stage.measured.len() >= 4, "{:?}", stage.measured);
    let later = stage.invoke(of(1));
    assert_eq!(stage.sent_at(later), [], "nothing overtakes what waits");
    stage.buffered = Some(5);
    stage.run_until(5_200);
    assert_eq!(sent(&stage), [made[0], made[1], made[2], later]);
    let measured = stage.measured.len();
    stage.run_until(10_000);
    assert_eq!(stage.measured.len(), measured, "and then nobody asks any more");
}

#[test]
fn a_flush_goes_on_where_the_platform_does_not_tell() {
    let (mut stage, made) = flushing(None);
    stage.run_until(5_100);
    let sent: Vec<_> = stage.sent.iter().map(|sent| sent.operation).collect();
    assert_eq!(sent, made);
}

#[test]
fn what_else_is_due_does_not_hurry_a_flush() {
    let (mut stage, made) = flushing(None);
    for milliseconds in [5, 30] {
        stage.invoke(Call { timeout_milliseconds: Some(milliseconds), ..of(1) });
    }
    stage.run_until(5_019);
    assert_eq!(stage.measured, []);
    stage.run_until(5_020);
    assert_eq!(stage.measured, [5_020]);
    stage.run_until(5_039);
    assert_eq!(stage.sent_at(made[2]), []);
    stage.run_until(5_040);
    assert_eq!(stage.sent_at(made[2]), [5_040]);
}

#[test]
fn a_flush_that_pauses_ends_with_its_connection() {
    let (mut stage, made) = flushing(Some(20));
    let socket = stage.live();
    stage.lose(1006);
    stage.buffered = Some(0);
    stage.run_until(5_200);
    stage.tell(Event::BufferMeasured { socket, bytes: 0 });
    stage.run_until(6_000);
    for operation in made {
        let last = stage.sent.iter().rfind(|sent| sent.operation == operation);
        assert_eq!(last.map(|sent| sent.socket), Some(stage.live()));
    }
    stage.close();
    stage.assert_silent();
}

#[test]
fn times_and_aborts_count_while_a_flush_pauses() {
    let mut stage = Stage::connected_for(bytes(20), 2, 5_000);
    let timed = |milliseconds| Call { timeout_milliseconds: Some(milliseconds), ..of(20) };
    let made = [stage.invoke(of(20)), stage.invoke(timed(50)), stage.invoke(of(20))];
    stage.buffered = Some(20);
    stage.lose(1006);
    stage.run_until(5_010);
    stage.tell(Event::OperationAborted(made[2]));
    stage.run_until(5_050);
    assert_eq!(stage.failure(made[1]), (ErrorCode::Timeout, Completion::Maybe));
    assert_eq!(stage.failure(made[2]), (ErrorCode::Aborted, Completion::Maybe));
    stage.buffered = Some(0);
    stage.run_until(6_000);
    assert_eq!((stage.sent_at(made[1]).len(), stage.sent_at(made[2]).len()), (1, 1));
    let attempt = stage.sent.last().unwrap().attempt;
    stage.tell(Event::Answered { attempt, answer: Answer::Result });
    assert_eq!(stage.outcome(made[0]), Some(Ok(())));
}

/// The last attempt starts at the limit itself, for which no real timer is exact.
#[test]
fn a_timer_that_is_a_little_late_does_not_cost_the_last_attempt() {
    for (late, attempts) in [(0, 6), (1, 6), (1_000, 6), (1_001, 5)] {
        let mut settings = exact();
        settings.messaging.retry_timeout_seconds = 1;
        let mut stage = Stage::connected_for(settings, 1, 0);
        stage.frames = Script::always(BUSY);
        let operation = stage.read();
        stage.run_until(999);
        stage.now = 1_000 + late;
        stage.ask();
        stage.run_for(10_000);
        assert_eq!(stage.sent_at(operation).len(), attempts, "{late}");
        assert_eq!(stage.failure(operation), (ErrorCode::RetryTimeout, No), "{late}");
    }
    // What waits for a connection has no attempt at the limit: late is late.
    let mut settings = exact();
    settings.messaging.retry_timeout_seconds = 1;
    let mut stage = Stage::connected_for(settings, 1, 5_000);
    stage.gateways[0] = Script::first([REFUSE], OPEN);
    stage.lose(1006);
    let parked = stage.read();
    stage.run_until(5_100);
    stage.now = 6_001;
    stage.ask();
    stage.run_for(1_000);
    assert_eq!((stage.sent_at(parked), stage.failure(parked).0), (vec![], ErrorCode::RetryTimeout));
}
