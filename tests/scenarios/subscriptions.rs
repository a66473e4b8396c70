//! Subscriptions: issued anew on every connection, until they are given up.

use regate::policy::{
    Answer, Binding, Call, ClientState, Completion, ErrorCode, Event, Limits, Notice, OperationId,
    Purpose, SendFailure, SocketId,
};

use crate::driver::{BUSY, Dial, Frame, OPEN, REFUSE, RESULT, Script, Stage, closed_with, exact};

use ClientState::{Closed, Connected, Connecting, Idle, Reconnecting};

/// Connected and steady, every subscription and operation is answered with a result.
fn steady() -> Stage {
    let mut stage = Stage::connected_for(exact(), 2, 5_000);
    stage.frames = Script::always(RESULT);
    stage
}

fn sent_on(stage: &Stage, socket: SocketId) -> Vec<OperationId> {
    let on_it = stage.sent.iter().filter(|sent| sent.socket == socket);
    on_it.map(|sent| sent.operation).collect()
}

fn subscribed(stage: &Stage) -> Vec<(OperationId, bool)> {
    let told = |notice: &(u64, Notice)| match notice.1 {
        Notice::Subscribed { operation, resumed } => Some((operation, resumed)),
        _ => None,
    };
    stage.notices.iter().filter_map(told).collect()
}

/// B035, and the core's part of B083.
#[test]
fn every_new_socket_gets_each_live_subscription_once_and_in_order() {
    let mut stage = steady();
    let all: Vec<_> = (0..5).map(|_| stage.subscribe()).collect();
    stage.run_for(5_000);
    assert_eq!(sent_on(&stage, stage.live()), all);
    assert_eq!(subscribed(&stage), all.iter().map(|&id| (id, false)).collect::<Vec<_>>());
    stage.gateways = vec![Script::always(Dial::OpenAfter(100)); 2];
    stage.lose(1006);
    stage.tell(Event::OperationAborted(all[2]));
    let left = [all[0], all[1], all[3], all[4]];
    for _ in 0..3 {
        stage.run_for(6_000);
        assert_eq!(sent_on(&stage, stage.live()), left);
        stage.lose(1006);
    }
    stage.run_for(6_000);
    let resumed: Vec<_> = left.iter().map(|&id| (id, true)).collect();
    assert_eq!(subscribed(&stage)[5..], resumed.repeat(4));
    assert_eq!(stage.engine.subscriptions(), 4);
    assert_eq!(stage.failure(all[2]), (ErrorCode::Aborted, Completion::Yes));
}

#[test]
fn a_new_socket_gets_the_subscriptions_before_anything_that_waits() {
    let mut stage = steady();
    let first = stage.subscribe();
    stage.run_for(5_000);
    stage.gateways[1] = Script::always(Dial::OpenAfter(100));
    stage.frames = Script::first([Frame::Silence], RESULT);
    let in_flight = stage.read();
    stage.lose(1006);
    let parked = stage.read();
    let second = stage.subscribe();
    stage.run_for(1_000);
    assert_eq!(sent_on(&stage, stage.live()), [first, second, in_flight, parked]);
}

#[test]
fn subscribe_parks_or_sends_or_fails_as_the_state_says() {
    for state in [Idle, Connecting, Reconnecting, Connected, Closed] {
        let mut stage = Stage::of(exact(), 1, OPEN);
        if state != Idle {
            stage.gateways[0] = Script::always(if state == Connecting { REFUSE } else { OPEN });
            stage.connect();
            stage.run_until(6_000);
        }
        match state {
            Reconnecting => {
                stage.gateways[0] = Script::always(REFUSE);
                stage.lose(1006);
            }
            Closed => stage.close(),
            Idle | Connecting | Connected => {}
        }
        assert_eq!(stage.engine.state(), state);
        let subscription = stage.subscribe();
        let failure = stage.outcome(subscription).map(|_| stage.failure(subscription));
        let closed = Some((ErrorCode::ClientClosed, Completion::No));
        assert_eq!(failure, if state == Closed { closed } else { None }, "{state:?}");
        assert_eq!(stage.sent.len(), usize::from(state == Connected), "{state:?}");
        assert_eq!(stage.engine.state(), state, "a subscription dials nothing");
    }
}

#[test]
fn a_subscription_outlasts_any_outage_and_any_silence() {
    let mut settings = exact();
    settings.messaging.wait_for_response_milliseconds = 100;
    settings.messaging.retry_timeout_seconds = 1;
    let mut stage = Stage::connected_for(settings, 1, 5_000);
    let subscription = stage.subscribe();
    stage.run_for(10_000);
    assert_eq!(stage.outcome(subscription), None, "no answer is no failure");
    stage.gateways[0] = Script::always(REFUSE);
    stage.lose(1006);
    stage.run_for(3_600_000);
    stage.gateways[0] = Script::always(OPEN);
    stage.frames = Script::always(RESULT);
    stage.run_for(10_000);
    assert_eq!(stage.sent_at(subscription).len(), 2);
    assert_eq!(subscribed(&stage), [(subscription, false)], "it was never live before");
    stage.run_for(3_600_000);
    assert_eq!(stage.sent_at(subscription).len(), 2, "it is issued once on a socket");
}

#[test]
fn a_refusal_ends_a_subscription() {
    for (answer, code, completion) in [
        (Answer::Error { code: 7 }, ErrorCode::RemoteError, Completion::Yes),
        (Answer::Error { code: -32_601 }, ErrorCode::RemoteError, Completion::No),
        (Answer::Neither, ErrorCode::ProtocolError, Completion::Maybe),
    ] {
        for again in [false, true] {
            let mut stage = steady();
            if !again {
                stage.frames = Script::always(Frame::Answered(answer));
            }
            let subscription = stage.subscribe();
            stage.run_for(5_000);
            if again {
                assert_eq!(stage.outcome(subscription), None);
                stage.frames = Script::always(Frame::Answered(answer));
                stage.lose(1006);
                stage.run_for(1_000);
            }
            assert_eq!(stage.failure(subscription).0, code, "{answer:?} {again}");
            if !again {
                assert_eq!(stage.failure(subscription).1, completion, "{answer:?}");
            }
            let before = stage.sent.len();
            stage.run_for(5_000);
            stage.reconnect();
            stage.run_for(5_000);
            assert_eq!((stage.sent.len(), stage.engine.subscriptions()), (before, 0));
        }
    }
}

#[test]
fn a_busy_gateway_is_asked_for_a_subscription_ever_more_rarely() {
    let mut stage = steady();
    stage.frames = Script::always(BUSY);
    let subscription = stage.subscribe();
    stage.run_until(300_000);
    let gaps: Vec<u64> =
        stage.sent_at(subscription).windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(gaps[..8], [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    assert_eq!(stage.outcome(subscription), None);

    let mut stage = steady();
    let patient = Frame::Answered(Answer::Retryable { after_milliseconds: 90_000 });
    stage.frames = Script::first([patient], RESULT);
    let subscription = stage.subscribe();
    stage.run_until(200_000);
    assert_eq!(stage.sent_at(subscription), [5_000, 95_000]);

    // What one gateway asks for holds for its socket: a new one is asked at once.
    let mut stage = steady();
    stage.frames = Script::first([patient, patient], RESULT);
    let subscription = stage.subscribe();
    stage.run_until(6_000);
    stage.lose(1006);
    stage.run_until(200_000);
    assert_eq!(stage.sent_at(subscription), [5_000, 6_000, 96_000]);
}

/// B100: closing asks nothing of a socket that is about to go.
#[test]
fn closing_ends_subscriptions_in_every_state_and_sends_nothing() {
    for state in [Idle, Connecting, Connected, Reconnecting] {
        let mut stage = Stage::of(exact(), 1, if state == Connecting { Dial::Hang } else { OPEN });
        stage.frames = Script::always(RESULT);
        if state != Idle {
            stage.connect();
            stage.run_until(6_000);
        }
        let all = [stage.subscribe(), stage.subscribe(), stage.subscribe()];
        stage.run_for(1);
        if state == Reconnecting {
            stage.gateways[0] = Script::always(REFUSE);
            stage.lose(1006);
        }
        assert_eq!(stage.engine.state(), state);
        let sent = stage.sent.len();
        stage.close();
        for subscription in all {
            assert_eq!(stage.failure(subscription).0, ErrorCode::ClientClosed, "{state:?}");
        }
        stage.assert_silent();
        assert_eq!((stage.sent.len(), stage.engine.subscriptions()), (sent, 0), "{state:?}");
    }
}

#[test]
fn a_frame_of_a_subscription_that_does_not_go_out_goes_out_on_the_next_socket() {
    for failure in [SendFailure::NotOpen, SendFailure::Threw, SendFailure::WrongContext] {
        let mut stage = steady();
        stage.frames = Script::first([Frame::Refused(failure)], RESULT);
        let socket = stage.live();
        let subscription = stage.subscribe();
        if failure == SendFailure::NotOpen {
            stage.tell(Event::SocketFailed { socket, cause: closed_with(1006) });
        }
        stage.run_for(1_000);
        assert_eq!(sent_on(&stage, stage.live()), [subscription], "{failure:?}");
        assert_eq!(subscribed(&stage), [(subscription, false)], "{failure:?}");
    }
}

#[test]
fn a_subscription_whose_frame_ended_the_client_is_settled_too() {
    let mut settings = exact();
    settings.connection.reconnect = regate::policy::Reconnect::Never;
    for (failure, code) in [
        (SendFailure::Threw, ErrorCode::ConnectionLost),
        (SendFailure::WrongContext, ErrorCode::WrongContext),
    ] {
        let mut stage = Stage::connected_for(settings, 2, 5_000);
        stage.frames = Script::always(Frame::Refused(failure));
        let subscription = stage.subscribe();
        assert_eq!(stage.failure(subscription), (code, Completion::No));
        assert_eq!(stage.engine.state(), Closed);
        stage.assert_silent();
    }
}

/// What the gateway may have objected to is not sent to the next one.
#[test]
fn a_subscription_that_was_in_flight_when_a_gateway_objected_is_not_issued_again() {
    for (code, others, expected) in [
        (1009, 0, ErrorCode::MessageTooBig),
        (1009, 1, ErrorCode::ConnectionLost),
        (1003, 0, ErrorCode::ConnectionLost),
        (1007, 1, ErrorCode::ConnectionLost),
    ] {
        let mut stage = steady();
        let live = stage.subscribe();
        stage.run_for(1);
        stage.frames = Script::always(Frame::Silence);
        let in_flight = stage.subscribe();
        let others: Vec<_> = (0..others).map(|_| stage.read()).collect();
        stage.frames = Script::always(RESULT);
        stage.lose(code);
        stage.run_for(1_000);
        assert_eq!(stage.failure(in_flight), (expected, Completion::Maybe), "{code}");
        assert!(others.iter().all(|&id| stage.failure(id).0 == ErrorCode::ConnectionLost));
        assert_eq!(sent_on(&stage, stage.live()), [live], "one that is live is not to blame");
    }
}

#[test]
fn subscriptions_are_bounded_and_counted_apart() {
    let mut settings = exact();
    settings.limits =
        Limits { max_pending_operations: 1, max_in_flight_operations: 2, ..Limits::DEFAULT };
    let mut stage = Stage::of(settings, 1, OPEN);
    stage.frames = Script::always(RESULT);
    stage.connect();
    let kept = [stage.subscribe(), stage.subscribe()];
    let refused = stage.subscribe();
    assert_eq!(stage.failure(refused), (ErrorCode::Overloaded, Completion::No));
    stage.run_until(6_000);
    assert!(kept.iter().all(|&id| stage.outcome(id).is_none()));
    let engine = &stage.engine;
    assert_eq!((engine.subscriptions(), engine.in_flight_operations()), (2, 0));
    assert_eq!(engine.pending_operations(), 0);
    assert_eq!(engine.operation_counts().succeeded, 0);
    stage.frames = Script::always(Frame::Silence);
    let calls = [stage.invoke(Call::once()), stage.invoke(Call::once())];
    assert!(calls.iter().all(|&id| stage.outcome(id).is_none()), "they take no room from calls");
}

#[test]
fn only_requests_are_counted_and_nothing_keeps_a_farewell_back() {
    let mut settings = exact();
    settings.limits.max_in_flight_operations = 1;
    settings.limits.max_message_bytes = 5;
    let mut stage = Stage::connected_for(settings, 1, 0);
    let request = stage.read();
    stage.tell(Event::DrainRequested);
    let purpose = Purpose::Farewell;
    let farewell = Call { purpose, binding: Binding::Connection, bytes: 9, ..Call::once() };
    let farewell = stage.invoke(farewell);
    assert_eq!(stage.sent_at(farewell).len(), 1);
    let refused = stage.read();
    assert_eq!(stage.failure(refused).0, ErrorCode::ClientClosed);
    stage.lose(1006);
    stage.run_for(0);
    assert_eq!(stage.failure(farewell), (ErrorCode::ConnectionLost, Completion::Maybe));
    assert_eq!(stage.outcome(request), None, "it goes on with the drain");
    let counts = stage.engine.operation_counts();
    assert_eq!((counts.failed_no, counts.failed_maybe, counts.overloaded), (1, 0, 0));
}
