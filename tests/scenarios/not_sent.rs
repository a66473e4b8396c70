//! What was to be sent and was not: a socket that is not open, a frame that cannot be written.

use regate::policy::{Cause, ClientState, Completion, ErrorCode, Event, Instant, SendFailure};

use crate::{
    driver::{Frame, RESULT, Script, Stage, exact},
    outcomes::steady,
};

use Completion::{Maybe, No};

#[test]
fn a_socket_that_is_not_open_and_never_closes_is_lost_after_the_read_schedule() {
    let mut stage = steady(2);
    let socket = stage.live();
    stage.frames = Script::first([Frame::Refused(SendFailure::NotOpen)], RESULT);
    let operation = stage.read();
    stage.run_until(12_279);
    assert_eq!(stage.dialled(), "A");
    stage.run_until(12_280);
    assert_eq!((stage.dialled(), stage.closed.clone()), ("AB".into(), vec![socket]));
    assert_eq!(stage.failures(), [('A', Cause::NotOpen)]);
    assert_eq!(stage.sent_at(operation), [12_280]);
}

#[test]
fn a_socket_that_is_not_open_is_not_lost_at_the_next_deadline_of_something_else() {
    let mut stage = Stage::connected_for(exact(), 1, 4_000);
    stage.frames = Script::always(Frame::Refused(SendFailure::NotOpen));
    stage.read();
    stage.run_until(5_500); // it was steady at 5,000
    assert_eq!(stage.engine.state(), ClientState::Connected);
    stage.run_until(4_000 + exact().connection.read_timeouts.total_milliseconds());
    assert_eq!(stage.failures(), [('A', Cause::NotOpen)]);
}

#[test]
fn what_could_not_be_written_was_not_sent_and_is_no_attempt() {
    let not_encoded = Frame::Refused(SendFailure::NotEncoded);
    // The first time: nothing was ever sent.
    let mut stage = steady(1);
    stage.frames = Script::always(not_encoded);
    let operation = stage.write();
    assert_eq!(stage.failure(operation), (ErrorCode::Aborted, No));
    let counts = stage.engine.operation_counts();
    assert_eq!((counts.attempts, counts.retries), (0, 0));

    // The second time: the first attempt was sent, and may have been performed.
    let mut stage = steady(2);
    stage.frames = Script::first([Frame::Closed(1006), not_encoded], not_encoded);
    let operation = stage.read();
    stage.run_for(0);
    assert_eq!(stage.failure(operation), (ErrorCode::Aborted, Maybe));
    let counts = stage.engine.operation_counts();
    assert_eq!((counts.attempts, counts.retries), (1, 0));
}

#[test]
fn an_error_that_comes_after_a_late_timer_does_not_put_the_loss_off() {
    let mut stage = Stage::connected_for(exact(), 1, 6_000);
    stage.frames = Script::always(Frame::Refused(SendFailure::NotOpen));
    stage.read();
    let lost_at = 6_000 + exact().connection.read_timeouts.total_milliseconds();
    stage.now = lost_at + 1;
    stage.tell(Event::SocketErred(stage.live()));
    assert_eq!(stage.engine.poll_timeout(), Some(Instant::from_milliseconds(lost_at)));
}
