//! How often, how fast and for how long an operation is tried.

use regate::policy::{
    Answer, Call, Completion, ErrorCode, LastFailure, MessagingSettings, OperationId, Ratio,
    SendFailure, Settings,
};

use crate::driver::{BUSY, Dial, Frame, OPEN, REFUSE, RESULT, Script, Stage, closed_with, exact};

fn busy_for(after_milliseconds: u64) -> Frame {
    Frame::Answered(Answer::Retryable { after_milliseconds })
}

/// Connected at 0, every frame ends like this.
fn connected(settings: Settings, frames: Script<Frame>) -> Stage {
    let mut stage = Stage::connected_for(settings, 1, 0);
    stage.frames = frames;
    stage
}

fn with(change: impl FnOnce(&mut MessagingSettings)) -> Settings {
    let mut settings = exact();
    change(&mut settings.messaging);
    settings
}

/// Runs one redoable operation that always fails; says when its frames went out.
fn attempts(settings: Settings, frames: Script<Frame>) -> (Stage, OperationId, Vec<u64>) {
    let mut stage = connected(settings, frames);
    let operation = stage.read();
    stage.run_until(10_000_000);
    let sent = stage.sent_at(operation);
    (stage, operation, sent)
}

/// B032: the original stays at 1 s to attempt 15; its documentation says doubling.
#[test]
fn five_fast_attempts_then_delays_that_double_then_what_is_left() {
    let (stage, operation, sent) = attempts(exact(), Script::always(BUSY));
    let delayed = [1_000, 3_000, 7_000, 15_000, 31_000, 63_000, 120_000];
    assert_eq!(sent[..5], [0; 5]);
    assert_eq!(sent[5..], delayed);
    let error = stage.error(operation);
    assert_eq!((error.code, error.attempts), (ErrorCode::RetryTimeout, 12));
    assert_eq!(error.elapsed_milliseconds, 120_000);
    assert_eq!(error.last_failure, LastFailure::Answered);
    assert_eq!(error.completion, Completion::No, "every attempt said that it was not performed");
}

#[test]
fn delays_begin_after_as_many_attempts_as_the_settings_say() {
    for (fast, expected) in [
        (0, &[0, 1_000, 3_000][..]),
        (1, &[0, 1_000, 3_000]),
        (2, &[0, 0, 1_000, 3_000]),
        (4, &[0, 0, 0, 0, 1_000, 3_000]),
    ] {
        let (.., sent) =
            attempts(with(|m| m.max_fast_invocation_count = fast), Script::always(BUSY));
        assert_eq!(sent[..expected.len()], *expected, "{fast}");
    }
    let settings = with(|m| {
        m.max_fast_invocation_count = 1;
        m.min_retry_delay_milliseconds = 7;
        m.retry_timeout_seconds = 1;
    });
    let (.., sent) = attempts(settings, Script::always(BUSY));
    assert_eq!(sent, [0, 7, 21, 49, 105, 217, 441, 889, 1_000]);
}

/// B032: neither many attempts nor a long time overflow anything.
#[test]
fn a_hundred_thousand_attempts_and_a_million_hours_overflow_nothing() {
    let settings = with(|m| {
        m.retry_timeout_seconds = 4_000_000;
        m.max_fast_invocation_count = 100_000;
    });
    let mut stage = connected(settings, Script::always(BUSY));
    let operation = stage.read();
    stage.run_until(4_100_000_000);
    let sent = stage.sent_at(operation);
    assert!(sent.is_sorted());
    assert_eq!(sent[99_999], 0);
    assert_eq!(sent.len(), 100_000 + 22);
    assert_eq!(sent.last(), Some(&4_000_000_000));
    assert_eq!(stage.failure(operation), (ErrorCode::RetryTimeout, Completion::No));

    let settings = with(|m| {
        m.retry_timeout_seconds = u64::MAX;
        m.max_fast_invocation_count = 1;
        m.min_retry_delay_milliseconds = u64::MAX / 3;
    });
    let mut stage = connected(settings, Script::always(BUSY));
    let operation = stage.read();
    stage.run_until(86_400_000);
    assert_eq!(stage.sent_at(operation), [0]);
}

#[test]
fn jitter_lengthens_the_drawn_delay_and_not_the_next_one() {
    let mut draws = Vec::new();
    for seed in 0..200 {
        let settings = with(|m| {
            m.max_fast_invocation_count = 1;
            m.jitter = Ratio::from_millionths(500_000);
        });
        let mut stage = Stage::seeded(settings, &[Script::always(OPEN)], seed);
        stage.connect();
        stage.frames = Script::always(BUSY);
        let operation = stage.read();
        stage.run_until(1_000_000);
        let sent = stage.sent_at(operation);
        for (pair, delay) in sent.windows(2).zip([1_000, 2_000, 4_000, 8_000, 16_000]) {
            let gap = pair[1] - pair[0];
            assert!((delay..=delay + delay / 2).contains(&gap), "{gap} for {delay}");
        }
        assert!(sent.iter().all(|&at| at <= 120_000), "cutting to what is left comes last");
        draws.push(sent[1]);
    }
    draws.sort_unstable();
    assert!(draws[0] < 1_050 && draws[199] > 1_450, "{draws:?}");
}

/// B082: each has a delay of its own, so that they do not come back together.
#[test]
fn twenty_operations_that_fail_together_do_not_return_together() {
    let mut stage =
        connected(with(|m| m.jitter = Ratio::from_millionths(500_000)), Script::always(BUSY));
    let operations: Vec<_> = (0..20).map(|_| stage.read()).collect();
    stage.run_until(4_600);
    let mut returns = Vec::new();
    for operation in operations {
        let sent = stage.sent_at(operation);
        assert_eq!(sent[..5], [0; 5]);
        assert!((1_000..=1_500).contains(&sent[5]), "{sent:?}");
        assert!((2_000..=3_000).contains(&(sent[6] - sent[5])), "{sent:?}");
        returns.push(sent[5]);
    }
    returns.sort_unstable();
    returns.dedup();
    assert!(returns.len() > 15, "{returns:?}");
    assert_eq!(stage.dials.len(), 1);
}

#[test]
fn a_gateway_can_ask_for_more_patience_but_not_for_less() {
    for (frames, expected) in [
        (Script::first([busy_for(300), busy_for(0)], BUSY), &[0, 300, 300, 300, 300, 1_300][..]),
        (
            Script::first([BUSY, BUSY, BUSY, BUSY, busy_for(5_000)], BUSY),
            &[0, 0, 0, 0, 0, 5_000, 7_000],
        ),
        (
            Script::first([BUSY, BUSY, BUSY, BUSY, busy_for(999)], BUSY),
            &[0, 0, 0, 0, 0, 1_000, 3_000],
        ),
        (
            Script::always(busy_for(2_500)),
            &[0, 2_500, 5_000, 7_500, 10_000, 12_500, 15_000, 19_000],
        ),
    ] {
        let (.., sent) = attempts(exact(), frames.clone());
        assert_eq!(sent[..expected.len()], *expected, "{frames:?}");
    }
}

#[test]
fn patience_beyond_what_is_left_is_a_retry_timeout_at_once() {
    for (asked, sent, settled_at) in [(120_001, vec![0], 0), (120_000, vec![0, 120_000], 120_000)] {
        let (stage, operation, found) = attempts(exact(), Script::always(busy_for(asked)));
        assert_eq!(found, sent);
        assert_eq!(stage.failure(operation), (ErrorCode::RetryTimeout, Completion::No));
        assert_eq!(stage.settled_at(operation), settled_at, "{asked}");
    }
}

#[test]
fn one_attempt_starts_exactly_at_the_limit_and_no_second_one() {
    let settings = with(|m| m.retry_timeout_seconds = 1);
    let (stage, operation, sent) = attempts(settings, Script::always(BUSY));
    assert_eq!(sent, [0, 0, 0, 0, 0, 1_000]);
    assert_eq!(stage.settled_at(operation), 1_000);
    let settings = with(|m| m.retry_timeout_seconds = 3);
    let (.., sent) = attempts(settings, Script::always(BUSY));
    assert_eq!(sent, [0, 0, 0, 0, 0, 1_000, 3_000], "a delay that ends there is not cut");
}

#[test]
fn an_attempt_in_flight_is_not_cut_by_the_retry_timeout() {
    let settings = with(|m| m.retry_timeout_seconds = 1);
    let mut stage = connected(settings, Script::always(Frame::Silence));
    let operation = stage.write();
    let attempt = stage.sent[0].attempt;
    stage.run_until(500_000);
    assert_eq!(stage.outcome(operation), None);
    stage.tell(regate::policy::Event::Answered { attempt, answer: Answer::Result });
    assert_eq!(stage.outcome(operation), Some(Ok(())));
}

/// B056: no retry, and no limit to parking before the first attempt.
#[test]
fn without_a_retry_timeout_nothing_is_retried_and_parking_is_not_limited() {
    let settings = with(|m| m.retry_timeout_seconds = 0);
    for (frame, failure) in [
        (BUSY, (ErrorCode::RemoteError, Completion::No)),
        (Frame::Closed(1006), (ErrorCode::ConnectionLost, Completion::Maybe)),
        (Frame::Refused(SendFailure::Threw), (ErrorCode::ConnectionLost, Completion::No)),
    ] {
        let (stage, operation, sent) = attempts(settings, Script::first([frame], RESULT));
        assert_eq!((sent.len(), stage.failure(operation)), (1, failure), "{frame:?}");
    }
    let mut stage = Stage::of(settings, 1, Dial::OpenAfter(5_000));
    let operation = stage.write();
    stage.run_until(400_000);
    stage.connect();
    stage.run_until(500_000);
    assert_eq!(stage.sent_at(operation), [405_000]);
}

/// B027: "not performed, try again" is retried whatever the operation is.
#[test]
fn a_write_that_was_not_performed_is_sent_again() {
    let mut stage = connected(exact(), Script::first([BUSY, BUSY], RESULT));
    let operation = stage.write();
    stage.run_for(0);
    assert_eq!(stage.outcome(operation), Some(Ok(())));
    assert_eq!(stage.sent_at(operation).len(), 3);
    let mut ids: Vec<_> = stage.sent.iter().map(|sent| sent.attempt).collect();
    ids.dedup();
    assert_eq!(ids.len(), 3, "each attempt has an id of its own");
    assert_eq!(stage.engine.operation_counts().retries, 2);
}

/// B030: attempts that fail at once come to an end as well.
#[test]
fn an_operation_whose_every_send_throws_ends_at_its_retry_timeout() {
    let settings = with(|m| m.retry_timeout_seconds = 1);
    let frames = Script::always(Frame::Refused(SendFailure::Threw));
    let (stage, operation, sent) = attempts(settings, frames);
    assert_eq!(sent, [0, 250, 750]);
    let error = stage.error(operation);
    assert_eq!((error.code, error.completion), (ErrorCode::RetryTimeout, Completion::No));
    assert_eq!((error.attempts, stage.settled_at(operation)), (3, 1_000));
}

/// B079: a retry timeout says what went wrong, how often and for how long.
#[test]
fn a_retry_timeout_names_the_last_cause() {
    let (stage, operation, sent) = attempts(exact(), Script::always(Frame::Closed(1006)));
    let error = stage.error(operation);
    assert_eq!((error.code, error.completion), (ErrorCode::RetryTimeout, Completion::Maybe));
    assert_eq!(error.last_failure, LastFailure::Lost(closed_with(1006)));
    assert_eq!(error.elapsed_milliseconds, 120_000);
    assert_eq!(usize::try_from(error.attempts).unwrap(), sent.len());
    assert!(error.attempts >= 6);
}

/// B081: however long it waits, it is one operation with one frame.
#[test]
fn a_parked_operation_has_one_frame_or_none() {
    for (down_for, frames) in [(800, 1), (1_500, 0)] {
        let mut stage = Stage::connected_for(with(|m| m.retry_timeout_seconds = 1), 1, 5_000);
        stage.gateways[0] = Script::always(Dial::OpenAfter(down_for));
        stage.lose(1006);
        stage.frames = Script::always(RESULT);
        let operation = stage.read();
        stage.run_until(60_000);
        assert_eq!(stage.sent_at(operation).len(), frames, "{down_for}");
        match frames {
            1 => assert_eq!(stage.outcome(operation), Some(Ok(()))),
            _ => {
                let failure = (ErrorCode::RetryTimeout, Completion::No);
                assert_eq!(stage.failure(operation), failure);
                assert_eq!(stage.settled_at(operation), 6_000);
            }
        }
    }
}

#[test]
fn a_delay_and_a_loss_run_together() {
    // Delayed for 1 s from 5 s on; lost at 5.1 s; back at 5.5 s: out at 6 s, not before, not later.
    let mut stage = Stage::connected_for(with(|m| m.max_fast_invocation_count = 1), 1, 5_000);
    stage.frames = Script::first([BUSY], RESULT);
    let (read, write) = (stage.read(), stage.write());
    stage.run_until(5_100);
    assert_eq!(stage.outcome(write), Some(Ok(())));
    stage.gateways[0] = Script::always(Dial::OpenAfter(400));
    stage.lose(1006);
    stage.run_until(7_000);
    assert_eq!(stage.sent_at(read), [5_000, 6_000]);

    // Back only at 6.5 s: out at 6.5 s, also an operation that could not be redone.
    let mut stage = Stage::connected_for(with(|m| m.max_fast_invocation_count = 1), 1, 5_000);
    stage.frames = Script::first([BUSY], RESULT);
    let write = stage.write();
    stage.run_until(5_100);
    stage.gateways[0] = Script::always(Dial::OpenAfter(1_400));
    stage.lose(1006);
    stage.run_until(7_000);
    assert_eq!(stage.sent_at(write), [5_000, 6_500], "what is delayed stays so");
}

#[test]
fn parked_operations_go_out_in_the_order_they_were_made() {
    let mut stage = Stage::connected_for(exact(), 1, 5_000);
    stage.gateways[0] = Script::first([REFUSE, REFUSE], OPEN);
    let in_flight: Vec<_> = (0..3).map(|_| stage.read()).collect();
    stage.lose(1006);
    let parked: Vec<_> = (0..3).map(|_| stage.read()).collect();
    let before = stage.sent.len();
    stage.run_until(6_000);
    let again = stage.read();
    let order: Vec<_> = stage.sent[before..].iter().map(|sent| sent.operation).collect();
    assert_eq!(order, [&in_flight[..], &parked, &[again]].concat());
}

#[test]
fn an_operation_can_have_settings_of_its_own() {
    let mut stage = connected(exact(), Script::always(BUSY));
    let messaging = MessagingSettings { retry_timeout_seconds: 2, ..MessagingSettings::default() };
    let operation = stage.invoke(Call { messaging: Some(messaging.into()), ..Call::once() });
    stage.run_until(60_000);
    assert_eq!(stage.sent_at(operation), [0, 0, 0, 0, 0, 1_000, 2_000]);
}
