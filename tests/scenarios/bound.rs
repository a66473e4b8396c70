//! Operations bound to one connection, and clients that finish what they have begun.

use regate::policy::{
    Answer, Binding, Call, ClientState, Completion, ErrorCode, Event, SendFailure,
};

use crate::driver::{
    BUSY, Dial, Frame, OPEN, REFUSE, RESULT, Script, Session, Stage, closed_with, exact,
};

use ClientState::{Closed, Connected, Connecting, Idle, Reconnecting};
use Completion::{Maybe, No};

fn bound() -> Call {
    Call { binding: Binding::Connection, ..Call::redoable() }
}

fn steady() -> Stage {
    Stage::connected_for(exact(), 2, 5_000)
}

/// B031.
#[test]
fn a_bound_operation_is_lost_with_its_connection() {
    let mut stage = steady();
    let operation = stage.invoke(bound());
    stage.lose(1006);
    assert_eq!(stage.failure(operation), (ErrorCode::ConnectionLost, Maybe));
    stage.run_for(1_000);
    assert_eq!(stage.engine.state(), Connected);
    assert_eq!(stage.sent_at(operation).len(), 1);
}

#[test]
fn a_bound_operation_needs_a_connection_when_it_is_made() {
    for state in [Idle, Connecting, Reconnecting, Closed] {
        let mut stage = Stage::of(exact(), 1, if state == Connecting { Dial::Hang } else { OPEN });
        if state != Idle {
            stage.connect();
            stage.run_until(6_000);
        }
        match state {
            Reconnecting => {
                stage.gateways[0] = Script::always(Dial::Hang);
                stage.lose(1006);
            }
            Closed => stage.close(),
            Idle | Connecting | Connected => {}
        }
        assert_eq!(stage.engine.state(), state);
        let operation = stage.invoke(bound());
        let code =
            if state == Closed { ErrorCode::ClientClosed } else { ErrorCode::ConnectionLost };
        assert_eq!(stage.failure(operation), (code, No), "{state:?}");
    }
}

#[test]
fn a_bound_operation_follows_the_other_rules_on_its_connection() {
    let mut stage = steady();
    stage.frames = Script::first([BUSY, BUSY], RESULT);
    let operation = stage.invoke(bound());
    stage.run_for(0);
    assert_eq!(stage.outcome(operation), Some(Ok(())));
    assert_eq!(stage.sent_at(operation).len(), 3);

    stage.frames = Script::always(Frame::Answered(Answer::Error { code: 7 }));
    let operation = stage.invoke(bound());
    stage.run_for(0);
    assert_eq!(stage.failure(operation), (ErrorCode::RemoteError, Completion::Yes));
}

#[test]
fn a_bound_operation_that_is_delayed_is_lost_with_its_connection() {
    let mut settings = exact();
    settings.messaging.max_fast_invocation_count = 1;
    let mut stage = Stage::connected_for(settings, 2, 5_000);
    stage.frames = Script::first([BUSY], RESULT);
    let operation = stage.invoke(bound());
    stage.run_for(100);
    assert_eq!(stage.outcome(operation), None);
    stage.lose(1006);
    assert_eq!(stage.failure(operation), (ErrorCode::ConnectionLost, No));
    assert_eq!(stage.settled_at(operation), 5_100);
    stage.run_for(5_000);
    assert_eq!(stage.sent_at(operation), [5_000]);
}

#[test]
fn a_bound_operation_that_never_left_was_not_performed() {
    for (failure, attempts) in [(SendFailure::NotOpen, 0), (SendFailure::Threw, 1)] {
        let mut settings = exact();
        settings.messaging.retry_unsent_operations = true;
        let mut stage = Stage::connected_for(settings, 2, 5_000);
        stage.frames = Script::first([Frame::Refused(failure)], RESULT);
        let operation = stage.invoke(bound());
        assert_eq!(stage.failure(operation), (ErrorCode::ConnectionLost, No), "{failure:?}");
        assert_eq!(stage.error(operation).attempts, attempts, "{failure:?}");
    }
    // Queued when its socket is lost.
    let mut stage = steady();
    let operation = stage.engine.reserve_operation();
    stage.feed(Event::Invoked { operation, call: bound() });
    let socket = stage.live();
    stage.tell(Event::SocketFailed { socket, cause: closed_with(1006) });
    stage.run_for(1_000);
    assert_eq!(stage.failure(operation), (ErrorCode::ConnectionLost, No));
    assert_eq!(stage.sent, []);
}

#[test]
fn draining_finishes_what_is_in_flight_and_refuses_the_rest() {
    let mut stage = steady();
    let (first, second) = (stage.write(), stage.read());
    let socket = stage.live();
    stage.tell(Event::DrainRequested);
    let late = stage.read();
    assert_eq!(stage.failure(late), (ErrorCode::ClientClosed, No));
    let attempts: Vec<_> = stage.sent.iter().map(|sent| sent.attempt).collect();
    stage.tell(Event::Answered { attempt: attempts[0], answer: Answer::Result });
    stage.run_for(1_000);
    assert_eq!((stage.engine.state(), stage.closed.len()), (Connected, 0));
    stage.tell(Event::Answered { attempt: attempts[1], answer: Answer::Result });
    assert_eq!((stage.outcome(first), stage.outcome(second)), (Some(Ok(())), Some(Ok(()))));
    assert_eq!((stage.engine.state(), stage.closed.clone()), (Closed, vec![socket]));
    stage.assert_silent();
}

#[test]
fn draining_what_has_nothing_to_finish_closes_at_once() {
    for state in [Idle, Connecting, Connected, Reconnecting] {
        let mut stage = Stage::of(exact(), 1, if state == Connecting { Dial::Hang } else { OPEN });
        stage.frames = Script::always(RESULT);
        if state != Idle {
            stage.connect();
            stage.run_until(6_000);
        }
        let subscription = stage.subscribe();
        stage.run_for(1);
        if state == Reconnecting {
            stage.gateways[0] = Script::always(REFUSE);
            stage.lose(1006);
        }
        assert_eq!(stage.engine.state(), state);
        stage.tell(Event::DrainRequested);
        assert_eq!(stage.engine.state(), Closed, "{state:?}: a subscription holds nothing up");
        assert_eq!(stage.failure(subscription).0, ErrorCode::ClientClosed);
        stage.assert_silent();
    }
}

#[test]
fn draining_a_closed_client_changes_nothing() {
    let mut stage = steady();
    stage.close();
    stage.tell(Event::DrainRequested);
    stage.connect();
    stage.run_for(0);
    stage.frames = Script::always(RESULT);
    let operation = stage.write();
    stage.run_for(1_000);
    assert_eq!((stage.outcome(operation), stage.engine.state()), (Some(Ok(())), Connected));
}

#[test]
fn what_drains_survives_a_loss_and_logs_in_again() {
    let mut settings = exact();
    settings.connection.hooks.session = true;
    let mut stage = Stage::of(settings, 2, Dial::OpenAfter(50));
    stage.sessions = Script::always(Session::LogIn);
    stage.frames = Script::first([RESULT, Frame::Silence], RESULT);
    stage.connect();
    stage.run_until(6_000);
    let operation = stage.read();
    stage.tell(Event::DrainRequested);
    stage.lose(1006);
    stage.run_until(6_049);
    assert_eq!(stage.engine.state(), Reconnecting);
    stage.run_until(6_050);
    assert_eq!(stage.outcome(operation), Some(Ok(())));
    assert_eq!(stage.engine.state(), Closed);
    assert_eq!(stage.greeted.len(), 2);
}

#[test]
fn what_cannot_be_finished_ends_a_drain_by_its_own_time() {
    let mut stage = steady();
    stage.gateways = vec![Script::always(REFUSE); 2];
    stage.lose(1006);
    let parked = stage.read();
    stage.tell(Event::DrainRequested);
    stage.run_for(119_999);
    assert_eq!(stage.engine.state(), Reconnecting);
    stage.run_for(1);
    assert_eq!(stage.failure(parked), (ErrorCode::RetryTimeout, No));
    assert_eq!(stage.engine.state(), Closed);
    stage.assert_silent();
}

#[test]
fn a_client_that_was_drained_can_connect_again() {
    let mut stage = steady();
    stage.tell(Event::DrainRequested);
    assert_eq!(stage.engine.state(), Closed);
    stage.frames = Script::always(RESULT);
    stage.connect();
    let operation = stage.write();
    stage.run_for(1_000);
    assert_eq!((stage.outcome(operation), stage.engine.state()), (Some(Ok(())), Connected));
}
