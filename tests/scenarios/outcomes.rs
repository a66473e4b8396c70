//! What becomes of an operation, and what is truly known of it.

use regate::policy::{
    Answer, Call, ClientState, CloseCode, Completion, ErrorCode, Event, Instant, LastFailure,
    OperationId, SendFailure,
};

use crate::driver::{BUSY, Dial, Frame, OPEN, REFUSE, RESULT, Script, Stage, closed_with, exact};

use Completion::{Maybe, No, Yes};

pub(crate) fn steady(gateways: usize) -> Stage {
    Stage::connected_for(exact(), gateways, 5_000)
}

#[test]
fn an_answer_settles_as_it_says() {
    for (answer, failure) in [
        (Answer::Result, None),
        (Answer::Error { code: -32_700 }, Some((ErrorCode::RemoteError, No))),
        (Answer::Error { code: -32_600 }, Some((ErrorCode::RemoteError, No))),
        (Answer::Error { code: -32_601 }, Some((ErrorCode::RemoteError, No))),
        (Answer::Error { code: -32_602 }, Some((ErrorCode::RemoteError, No))),
        (Answer::Error { code: -32_603 }, Some((ErrorCode::RemoteError, Yes))),
        (Answer::Error { code: -32_000 }, Some((ErrorCode::RemoteError, Yes))),
        (Answer::Error { code: 1 }, Some((ErrorCode::RemoteError, Yes))),
        (Answer::Neither, Some((ErrorCode::ProtocolError, Maybe))),
    ] {
        for call in [Call::redoable(), Call::once()] {
            let mut stage = steady(2);
            stage.frames = Script::always(Frame::Answered(answer));
            let operation = stage.invoke(call);
            stage.run_for(60_000);
            match failure {
                None => assert_eq!(stage.outcome(operation), Some(Ok(()))),
                Some(failure) => assert_eq!(stage.failure(operation), failure, "{answer:?}"),
            }
            assert_eq!(stage.sent_at(operation).len(), 1, "{answer:?}");
            // B101: an application's error is no reason to leave the gateway.
            assert_eq!(stage.dialled(), "A", "{answer:?}");
        }
    }
}

/// B034: a write that may have run says so, one that was never sent says that.
#[test]
fn a_lost_write_may_have_been_performed_and_a_parked_one_was_not() {
    let mut stage = steady(1);
    stage.gateways[0] = Script::always(REFUSE);
    let (write, read) = (stage.write(), stage.read());
    stage.lose(1006);
    let unsent = stage.write();
    assert_eq!(stage.failure(write), (ErrorCode::ConnectionLost, Maybe));
    assert_eq!(stage.error(write).attempts, 1);
    assert_eq!(stage.failure(unsent), (ErrorCode::ClientReconnecting, No));
    assert_eq!(stage.error(unsent).attempts, 0);
    // Sent once, and its second attempt never was.
    stage.run_for(120_000);
    assert_eq!(stage.failure(read), (ErrorCode::RetryTimeout, Maybe));
    assert_eq!(stage.sent_at(read).len(), 1);
}

#[test]
fn what_is_redone_after_a_loss_is_as_the_settings_say() {
    for (lost, reconnecting, redone) in
        [(true, true, true), (false, true, false), (true, false, false)]
    {
        let mut settings = exact();
        settings.messaging.retry_on_connection_lost = lost;
        settings.messaging.retry_on_client_reconnecting = reconnecting;
        let mut stage = Stage::connected_for(settings, 2, 5_000);
        let operation = stage.read();
        stage.lose(1006);
        stage.frames = Script::always(RESULT);
        stage.run_for(1_000);
        assert_eq!(stage.sent_at(operation).len(), 1 + usize::from(redone));
        if !redone {
            assert_eq!(stage.failure(operation), (ErrorCode::ConnectionLost, Maybe));
        }
    }
}

#[test]
fn operations_that_were_never_sent_wait_when_they_are_allowed_to() {
    let mut settings = exact();
    settings.messaging.retry_unsent_operations = true;
    let mut stage = Stage::connected_for(settings, 1, 5_000);
    let sent = stage.write();
    stage.gateways[0] = Script::always(Dial::OpenAfter(300));
    stage.lose(1006);
    let unsent = stage.write();
    stage.frames = Script::always(RESULT);
    stage.run_for(1_000);
    assert_eq!(stage.failure(sent), (ErrorCode::ConnectionLost, Maybe));
    assert_eq!(stage.sent_at(unsent), [5_300]);
    assert_eq!(stage.outcome(unsent), Some(Ok(())));
}

/// B028: however often its end is told, an attempt ends once.
#[test]
fn one_loss_told_three_times_is_one_retry() {
    let mut stage = steady(2);
    let (operation, socket) = (stage.read(), stage.live());
    stage.tell(Event::SocketErred(socket));
    stage.tell(Event::SocketFailed { socket, cause: closed_with(1006) });
    stage.tell(Event::SocketFailed { socket, cause: closed_with(1006) });
    stage.tell(Event::SocketErred(socket));
    stage.run_for(10_000);
    assert_eq!(stage.sent_at(operation), [5_000, 5_000]);
    assert_eq!(stage.dialled(), "AB");
}

/// B029: nothing is forgotten that is made while the connection goes down.
#[test]
fn an_operation_made_around_a_loss_is_settled() {
    let mut stage = steady(2);
    stage.frames = Script::first([Frame::Silence], RESULT);
    let before = stage.read();
    let socket = stage.live();
    stage.tell(Event::SocketErred(socket));
    let between = stage.read();
    stage.tell(Event::SocketFailed { socket, cause: closed_with(1006) });
    let after = stage.read();
    stage.run_for(120_000);
    for operation in [before, between, after] {
        assert_eq!(stage.outcome(operation), Some(Ok(())), "{operation:?}");
    }
    assert_eq!(stage.sent_at(between).len(), 1, "it was not written to the dying socket");
}

/// B039: what its caller was told of never reaches the cluster afterwards.
#[test]
fn no_frame_of_a_settled_operation_is_ever_sent() {
    let mut stage = Stage::of(exact(), 1, Dial::OpenAfter(300));
    stage.connect();
    let aborted = stage.write();
    let timed_out = stage.invoke(Call { timeout_milliseconds: Some(200), ..Call::once() });
    stage.run_until(100);
    stage.tell(Event::OperationAborted(aborted));
    stage.run_until(10_000);
    assert_eq!(stage.engine.state(), ClientState::Connected);
    assert_eq!(stage.sent, []);
    assert_eq!(stage.failure(aborted), (ErrorCode::Aborted, No));
    assert_eq!(stage.failure(timed_out), (ErrorCode::Timeout, No));
    assert_eq!(stage.settled_at(timed_out), 200);
}

#[test]
fn a_frame_that_was_queued_when_its_operation_was_aborted_is_not_sent() {
    let mut stage = steady(1);
    let now = Instant::from_milliseconds(stage.now);
    let operation = stage.engine.reserve_operation();
    stage.engine.handle_event(now, Event::Invoked { operation, call: Call::once() });
    stage.tell(Event::OperationAborted(operation));
    assert_eq!(stage.sent, []);
    assert_eq!(stage.failure(operation), (ErrorCode::Aborted, No));
}

/// B041: an abort is obeyed wherever the operation is.
#[test]
fn an_abort_is_immediate_wherever_the_operation_is() {
    // Parked.
    let mut stage = Stage::of(exact(), 1, OPEN);
    let parked = stage.write();
    stage.tell(Event::OperationAborted(parked));
    assert_eq!(stage.failure(parked), (ErrorCode::Aborted, No));
    // Delayed.
    let mut settings = exact();
    settings.messaging.max_fast_invocation_count = 1;
    let mut stage = Stage::connected_for(settings, 1, 0);
    stage.frames = Script::first([BUSY], Frame::Silence);
    let delayed = stage.write();
    stage.run_until(10);
    stage.tell(Event::OperationAborted(delayed));
    assert_eq!(stage.failure(delayed), (ErrorCode::Aborted, No));
    assert_eq!(stage.settled_at(delayed), 10);
    // In flight: it may be performed, and its answer is for nobody.
    let in_flight = stage.write();
    let attempt = stage.sent.last().unwrap().attempt;
    stage.tell(Event::OperationAborted(in_flight));
    assert_eq!(stage.failure(in_flight), (ErrorCode::Aborted, Maybe));
    stage.tell(Event::Answered { attempt, answer: Answer::Result });
    assert_eq!(stage.engine.operation_counts().unmatched_answers, 1);
    // Settled already: nothing happens.
    stage.tell(Event::OperationAborted(in_flight));
    stage.run_until(10_000);
    assert_eq!(stage.sent_at(delayed).len(), 1);
    assert_eq!((stage.engine.pending_operations(), stage.engine.in_flight_operations()), (0, 0));
}

#[test]
fn the_time_of_an_operation_runs_in_every_state_of_it() {
    let timed = || Call { timeout_milliseconds: Some(700), ..Call::redoable() };
    for (frame, completion) in [(BUSY, No), (Frame::Silence, Maybe), (Frame::Closed(1006), Maybe)] {
        let mut stage = steady(1);
        stage.gateways[0] = Script::always(REFUSE);
        stage.frames = Script::always(frame);
        let operation = stage.invoke(timed());
        stage.run_for(60_000);
        assert_eq!(stage.failure(operation), (ErrorCode::Timeout, completion), "{frame:?}");
        assert_eq!(stage.settled_at(operation), 5_700, "{frame:?}");
    }
}

/// B042: a socket that is closing takes nothing; what was meant for it goes to the next one.
#[test]
fn a_frame_that_found_its_socket_closing_goes_out_on_the_next_one() {
    let mut stage = steady(2);
    let socket = stage.live();
    stage.frames = Script::first([Frame::Refused(SendFailure::NotOpen)], RESULT);
    let (read, write) = (stage.read(), stage.write());
    assert_eq!(stage.failure(write), (ErrorCode::ClientReconnecting, No));
    stage.run_for(1_000);
    assert_eq!(stage.sent, [], "nothing is tried on it again");
    stage.tell(Event::SocketFailed { socket, cause: closed_with(1001) });
    stage.run_for(1_000);
    assert_eq!(stage.outcome(read), Some(Ok(())));
    assert_eq!((stage.sent.len(), stage.sent[0].socket), (1, stage.live()));
    assert_eq!(stage.engine.operation_counts().attempts, 1, "only what was handed over counts");
}

#[test]
fn a_send_that_throws_loses_the_socket_and_was_not_performed() {
    let mut settings = exact();
    settings.messaging.retry_unsent_operations = true;
    for (settings, call, redone) in [
        (exact(), Call::redoable(), true),
        (exact(), Call::once(), false),
        (settings, Call::once(), true),
    ] {
        let mut stage = Stage::connected_for(settings, 2, 5_000);
        let socket = stage.live();
        stage.frames = Script::first([Frame::Refused(SendFailure::Threw)], RESULT);
        let operation = stage.invoke(call);
        stage.run_for(1_000);
        assert_eq!((stage.dialled(), stage.closed.clone()), ("AB".into(), vec![socket]));
        if redone {
            assert_eq!(stage.outcome(operation), Some(Ok(())));
            assert_eq!(stage.sent_at(operation).len(), 2, "one that threw is an attempt");
        } else {
            assert_eq!(stage.failure(operation), (ErrorCode::ConnectionLost, No));
            assert_eq!(stage.error(operation).attempts, 1);
        }
    }
}

/// B065: the socket of another request is of no use, now or later.
#[test]
fn a_socket_of_another_request_is_lost_and_the_operation_was_not_performed() {
    let mut stage = steady(2);
    stage.frames = Script::first([Frame::Refused(SendFailure::WrongContext)], RESULT);
    let (operation, next) = (stage.read(), stage.read());
    stage.run_for(1_000);
    assert_eq!(stage.failure(operation), (ErrorCode::WrongContext, No));
    assert_eq!(stage.outcome(next), Some(Ok(())));
    assert_eq!(stage.dialled(), "AB");
}

#[test]
fn a_throwing_send_takes_down_what_was_in_flight_on_its_socket() {
    let mut stage = steady(2);
    let (write, read) = (stage.write(), stage.read());
    stage.frames = Script::first([Frame::Refused(SendFailure::Threw)], RESULT);
    let thrown = stage.write();
    stage.run_for(1_000);
    assert_eq!(stage.failure(write), (ErrorCode::ConnectionLost, Maybe));
    assert_eq!(stage.outcome(read), Some(Ok(())));
    assert_eq!(stage.failure(thrown), (ErrorCode::ConnectionLost, No));
}

#[test]
fn frames_that_were_queued_when_the_socket_died_were_not_performed() {
    let mut stage = steady(1);
    let now = Instant::from_milliseconds(stage.now);
    let handed_over = stage.write();
    let queued: Vec<OperationId> = (0..2).map(|_| stage.engine.reserve_operation()).collect();
    for (&operation, call) in queued.iter().zip([Call::once(), Call::redoable()]) {
        stage.engine.handle_event(now, Event::Invoked { operation, call });
    }
    let (socket, sent) = (stage.live(), stage.sent.len());
    stage.gateways[0] = Script::always(REFUSE);
    stage.tell(Event::SocketFailed { socket, cause: closed_with(1006) });
    assert_eq!(stage.sent.len(), sent);
    assert_eq!(stage.failure(handed_over), (ErrorCode::ConnectionLost, Maybe));
    assert_eq!(stage.failure(queued[0]), (ErrorCode::ClientReconnecting, No));
    stage.run_for(120_000);
    assert_eq!(stage.failure(queued[1]), (ErrorCode::RetryTimeout, No));
    assert_eq!(stage.error(queued[1]).attempts, 0);
}

#[test]
fn a_message_that_made_the_gateway_close_is_not_sent_to_the_next_one() {
    for code in [1003, 1007, 1009] {
        for alone in [true, false] {
            let mut stage = steady(2);
            let operations: Vec<_> = (0..if alone { 1 } else { 3 }).map(|_| stage.read()).collect();
            stage.lose(code);
            stage.run_for(1_000);
            let expected = if alone && code == 1009 {
                ErrorCode::MessageTooBig
            } else {
                ErrorCode::ConnectionLost
            };
            for operation in operations {
                assert_eq!(stage.failure(operation), (expected, Maybe), "{code}");
                assert_eq!(stage.sent_at(operation).len(), 1, "{code}");
            }
            assert_eq!(stage.engine.state(), ClientState::Connected, "{code}");
            // The gateway itself is not to blame: it is dialled again.
            stage.gateways[1] = Script::always(REFUSE);
            stage.run_for(10_000);
            stage.lose(1006);
            stage.run_for(300);
            assert!(stage.dialled().ends_with('A'), "{code}: {}", stage.dialled());
        }
    }
}

#[test]
fn a_gateway_that_objects_to_an_idle_connection_is_out() {
    for code in [1003, 1007] {
        let mut stage = steady(2);
        stage.gateways = vec![Script::always(REFUSE); 2];
        stage.lose(code);
        stage.run_for(800);
        assert_eq!(stage.dialled(), "ABBB", "{code}");
    }
}

#[test]
fn a_frame_that_never_left_is_not_what_the_gateway_objected_to() {
    let mut stage = steady(2);
    stage.gateways = vec![Script::always(REFUSE); 2];
    let (now, socket) = (Instant::from_milliseconds(stage.now), stage.live());
    let operation = stage.engine.reserve_operation();
    stage.engine.handle_event(now, Event::Invoked { operation, call: Call::redoable() });
    stage.tell(Event::SocketFailed { socket, cause: closed_with(1003) });
    stage.run_for(800);
    assert_eq!(stage.dialled(), "ABBB");
}

/// B047: an answer finds its own attempt or nothing.
#[test]
fn a_late_answer_is_never_taken_for_that_of_another_operation() {
    let mut settings = exact();
    settings.messaging.wait_for_response_milliseconds = 100;
    let mut stage = Stage::connected_for(settings, 1, 0);
    let first = stage.read();
    let late = stage.sent[0].attempt;
    stage.run_until(110);
    assert_eq!(stage.failure(first), (ErrorCode::ResponseTimeout, Maybe));
    assert_eq!(stage.settled_at(first), 100);
    let second = stage.read();
    let own = stage.sent[1].attempt;
    stage.run_until(120);
    stage.tell(Event::Answered { attempt: late, answer: Answer::Error { code: 7 } });
    assert_eq!(stage.outcome(second), None);
    stage.run_until(130);
    stage.tell(Event::Answered { attempt: own, answer: Answer::Result });
    stage.tell(Event::Answered { attempt: own, answer: Answer::Error { code: 7 } });
    assert_eq!(stage.outcome(second), Some(Ok(())));
    assert_eq!(stage.engine.operation_counts().unmatched_answers, 2);
    assert_eq!(stage.engine.state(), ClientState::Connected);
}

/// An answer that comes after the retry is one to an attempt that is over.
#[test]
fn the_answer_to_an_earlier_attempt_does_not_settle_a_later_one() {
    let mut stage = steady(2);
    let operation = stage.read();
    let first = stage.sent[0].attempt;
    stage.lose(1006);
    stage.run_for(0);
    assert_eq!(stage.sent_at(operation).len(), 2);
    stage.tell(Event::Answered { attempt: first, answer: Answer::Error { code: 1 } });
    assert_eq!(stage.outcome(operation), None);
}

#[test]
fn one_unknown_attempt_makes_the_operation_unknown_for_good() {
    for (last, failure) in [
        (Frame::Answered(Answer::Error { code: 1 }), (ErrorCode::RemoteError, Maybe)),
        (Frame::Answered(Answer::Error { code: -32_601 }), (ErrorCode::RemoteError, Maybe)),
    ] {
        let mut stage = steady(2);
        stage.frames = Script::first([Frame::Closed(1006)], last);
        let operation = stage.read();
        stage.run_for(1_000);
        assert_eq!(stage.failure(operation), failure);
        assert_eq!(stage.error(operation).attempts, 2);
        assert_eq!(stage.error(operation).last_failure, LastFailure::Answered);
    }
}

/// B055: beyond what a timer can wait is a long time, not no time.
#[test]
fn huge_times_do_not_fire_in_the_first_day() {
    for huge in [2_147_483_647, 2_147_483_648, 4_294_967_301, 9_007_199_254_740_991, u64::MAX] {
        let mut settings = exact();
        settings.messaging.wait_for_response_milliseconds = huge;
        settings.messaging.retry_timeout_seconds = huge;
        settings.connection.steady_milliseconds = huge;
        let mut stage = Stage::connected_for(settings, 1, 1_000);
        let calls = [Some(huge), None].map(|timeout_milliseconds| {
            stage.invoke(Call { timeout_milliseconds, ..Call::once() })
        });
        stage.run_until(86_400_000);
        assert!(calls.iter().all(|&call| stage.outcome(call).is_none()), "{huge}");
        assert_eq!(stage.dials.len(), 1, "{huge}");
    }
}

/// B078: nothing survives the client.
#[test]
fn closing_settles_what_is_in_flight_delayed_and_parked() {
    let mut settings = exact();
    settings.messaging.max_fast_invocation_count = 1;
    let mut stage = Stage::connected_for(settings, 1, 5_000);
    stage.frames = Script::first([BUSY], Frame::Silence);
    let delayed = stage.write();
    stage.run_for(0);
    let in_flight = stage.write();
    stage.close();
    assert_eq!(stage.failure(delayed), (ErrorCode::ClientClosed, No));
    assert_eq!(stage.failure(in_flight), (ErrorCode::ClientClosed, Maybe));
    stage.assert_silent();

    let mut stage = steady(1);
    stage.gateways[0] = Script::always(REFUSE);
    let sent = stage.read();
    stage.lose(1006);
    let parked = stage.read();
    stage.close();
    assert_eq!(stage.failure(sent), (ErrorCode::ClientClosed, Maybe));
    assert_eq!(stage.failure(parked), (ErrorCode::ClientClosed, No));
    stage.assert_silent();
}

/// B116.
#[test]
fn an_operation_made_after_close_fails_at_once() {
    let mut stage = steady(1);
    stage.close();
    let operation = stage.read();
    assert_eq!(stage.failure(operation), (ErrorCode::ClientClosed, No));
    stage.assert_silent();
}

#[test]
fn an_error_names_the_gateway_of_the_last_attempt() {
    let mut stage = steady(2);
    stage.frames = Script::first([Frame::Closed(1006)], Frame::Answered(Answer::Neither));
    let operation = stage.read();
    stage.run_for(1_000);
    let error = stage.error(operation);
    assert_eq!(error.gateway.map(crate::driver::letter), Some('B'));
    assert_eq!(error.attempts, 2);
    assert_eq!(CloseCode::ABNORMAL.as_u16(), 1006);
}

#[test]
fn what_waits_may_go_out_at_its_very_limit() {
    let mut settings = exact();
    settings.messaging.retry_timeout_seconds = 1;
    let mut stage = Stage::of(settings, 1, Dial::OpenAfter(1_000));
    stage.connect();
    let operation = stage.read();
    stage.run_until(1_000);
    assert_eq!(stage.sent_at(operation), [1_000]);
}
