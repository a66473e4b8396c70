//! The session hook: what runs on a new socket before it counts as connected.

use regate::policy::{
    Call, Cause, ClientState, Completion, ErrorCode, Event, Notice, OperationId, SendFailure,
    Settings, Verdict,
};

use crate::driver::{
    BUSY, Dial, Frame, OPEN, REFUSE, RESULT, Script, Session, Stage, closed_with, exact, letter,
};

use ClientState::{Closed, Connected, Connecting};

fn with_session() -> Settings {
    let mut settings = exact();
    settings.connection.hooks.session = true;
    settings
}

/// A client of gateways that open at once, whose session hook does this.
fn stage(gateways: usize, sessions: Script<Session>) -> Stage {
    let mut stage = Stage::of(with_session(), gateways, OPEN);
    stage.sessions = sessions;
    stage.connect();
    stage.run_for(0);
    stage
}

fn dial_failures(stage: &Stage) -> Vec<(u64, char, Verdict, Cause)> {
    let failed = |notice: &(u64, Notice)| match notice.1 {
        Notice::DialFailed { gateway, verdict, cause } => {
            Some((notice.0, letter(gateway), verdict, cause))
        }
        _ => None,
    };
    stage.notices.iter().filter_map(failed).collect()
}

#[test]
fn a_client_is_connected_when_its_session_hook_is_done() {
    let mut stage = stage(2, Script::always(Session::DoneAfter(300)));
    stage.run_until(299);
    assert_eq!((stage.engine.state(), stage.engine.sendable_socket()), (Connecting, None));
    stage.run_until(300);
    assert_eq!((stage.engine.state(), stage.dialled()), (Connected, "A".into()));
    assert_eq!(stage.greeted, [stage.live()]);
}

#[test]
fn on_a_new_socket_comes_the_session_then_subscriptions_then_what_was_parked() {
    let mut stage = Stage::of(with_session(), 2, Dial::OpenAfter(50));
    stage.sessions = Script::always(Session::LogIn);
    stage.frames = Script::always(RESULT);
    stage.connect();
    let made: Vec<OperationId> =
        vec![stage.read(), stage.subscribe(), stage.write(), stage.subscribe()];
    stage.run_until(6_000);
    let order = |stage: &Stage, from: usize| -> Vec<_> {
        stage.sent[from..].iter().map(|sent| sent.operation).collect()
    };
    let sent = order(&stage, 0);
    assert!(!made.contains(&sent[0]), "first of all it logs in");
    assert_eq!(sent[1..], [made[1], made[3], made[0], made[2]]);

    stage.frames = Script::first([Frame::Silence], RESULT);
    let in_flight = stage.read();
    let before = stage.sent.len();
    stage.lose(1006);
    let parked = stage.read();
    stage.run_until(7_000);
    let again = order(&stage, before);
    assert_eq!(again[1..], [made[1], made[3], in_flight, parked]);
    assert_eq!(stage.greeted.len(), 2, "the hook runs on every new socket");
}

#[test]
fn a_session_hook_that_fails_is_a_failed_dial() {
    let mut stage = stage(2, Script::first([Session::FailAfter(10, None)], Session::DoneAfter(0)));
    let socket = stage.live();
    stage.run_until(100);
    assert_eq!(dial_failures(&stage), [(10, 'A', Verdict::Next, Cause::SessionFailed)]);
    assert_eq!((stage.closed.clone(), stage.dialled()), (vec![socket], "AB".into()));
    assert_eq!(stage.engine.state(), Connected);
}

/// As B002: neither opening nor logging in half way forgives.
#[test]
fn waits_grow_while_session_hooks_fail() {
    let mut stage = stage(1, Script::always(Session::FailAfter(0, None)));
    stage.run_until(12_700);
    assert_eq!(stage.waits(), [250, 500, 1_000, 2_000, 4_000, 5_000]);
}

#[test]
fn what_a_session_hook_throws_may_carry_a_verdict() {
    for (verdict, dialled, last) in [
        (Verdict::Next, "ABABAB", Verdict::Next),
        (Verdict::Stop, "AB", Verdict::Stop),
        (Verdict::Refresh, "ABAB", Verdict::Stop), // the second time from one gateway
        (Verdict::Same, "AAA", Verdict::Same),
    ] {
        let mut stage = stage(2, Script::always(Session::FailAfter(0, Some(verdict))));
        stage.run_until(800);
        assert_eq!(stage.dialled(), dialled, "{verdict:?}");
        assert_eq!(dial_failures(&stage).last().unwrap().2, last, "{verdict:?}");
    }
}

#[test]
fn a_session_hook_has_a_limit_of_its_own() {
    for (limit, fails_at) in [(None, 10_000), (Some(70), 70)] {
        let mut settings = with_session();
        settings.connection.connection_timeout_milliseconds = 50;
        if let Some(limit) = limit {
            settings.connection.session_timeout_milliseconds = limit;
        }
        let mut stage = Stage::of(settings, 2, Dial::OpenAfter(20));
        stage.sessions = Script::first([Session::Hang], Session::DoneAfter(0));
        stage.connect();
        stage.run_until(0);
        let socket = stage.live();
        stage.run_until(19_000);
        let expected = (20 + fails_at, 'A', Verdict::Next, Cause::SessionLimit);
        assert_eq!(dial_failures(&stage), [expected]);
        assert_eq!((stage.closed.clone(), stage.dialled()), (vec![socket], "AB".into()));
    }
}

#[test]
fn a_socket_in_its_session_hook_is_never_steady() {
    for steady in [0, 5_000] {
        let mut settings = with_session();
        settings.connection.steady_milliseconds = steady;
        let mut stage = Stage::of(settings, 1, Dial::OpenThenClose(1006, 8_000));
        stage.sessions = Script::always(Session::Hang);
        stage.connect();
        stage.run_until(17_000);
        assert_eq!(stage.dial_times(), [0, 8_250, 16_750], "{steady}");
        assert_eq!(stage.states(), [Connecting], "{steady}");
    }
    // The time to be steady counts from `connected` on.
    for (lasts, dialled_at) in [(7_999, 8_249), (8_000, 8_000)] {
        let first = Dial::OpenThenClose(1006, lasts);
        let mut stage = Stage::new(with_session(), &[Script::first([first], OPEN)]);
        stage.sessions = Script::always(Session::DoneAfter(3_000));
        stage.connect();
        stage.run_until(9_000);
        assert_eq!(stage.dial_times(), [0, dialled_at]);
    }
}

#[test]
fn what_a_session_hook_sends_is_tried_once() {
    use Completion::{Maybe, No};
    use ErrorCode::{ConnectionLost, RemoteError};
    for (frame, failure) in [
        (BUSY, (RemoteError, No)),
        (Frame::Closed(1006), (ConnectionLost, Maybe)),
        (Frame::Refused(SendFailure::Threw), (ConnectionLost, No)),
        (Frame::Refused(SendFailure::NotOpen), (ConnectionLost, No)),
    ] {
        let mut stage = Stage::of(with_session(), 2, OPEN);
        stage.sessions = Script::first([Session::LogIn], Session::DoneAfter(0));
        stage.frames = Script::first([frame], RESULT);
        stage.connect();
        stage.run_until(100);
        let log_in = stage.notices.iter().find_map(|(_, notice)| match notice {
            Notice::Settled { operation, .. } => Some(*operation),
            _ => None,
        });
        assert_eq!(stage.failure(log_in.unwrap()), failure, "{frame:?}");
        assert_eq!((stage.dialled(), stage.engine.state()), ("AB".into(), Connected), "{frame:?}");
        assert!(stage.sent_at(log_in.unwrap()).len() <= 1, "{frame:?}");
        let closed = usize::from(!matches!(frame, Frame::Closed(_)));
        assert_eq!(stage.closed.len(), closed, "{frame:?}");
    }
}

#[test]
fn a_session_hook_that_says_done_on_a_dead_socket_is_not_believed() {
    // The socket was found not to be open, and no close follows within the read schedule.
    let mut stage = stage(2, Script::first([Session::Hang], Session::DoneAfter(0)));
    let socket = stage.live();
    stage.frames = Script::always(Frame::Refused(SendFailure::NotOpen));
    let operation = stage.invoke_in_session(socket);
    assert_eq!(stage.failure(operation), (ErrorCode::ConnectionLost, Completion::No));
    stage.tell(Event::SessionDone(socket));
    assert_eq!(stage.engine.state(), Connecting);
    stage.run_until(7_279);
    assert_eq!(stage.dialled(), "A");
    stage.run_until(7_280);
    assert_eq!(stage.dialled(), "AB");
    assert_eq!(stage.failures(), [('A', Cause::NotOpen)]);

    // An error came, and no close with it.
    let mut stage = self::stage(2, Script::first([Session::Hang], Session::DoneAfter(0)));
    let socket = stage.live();
    stage.tell(Event::SocketErred(socket));
    stage.tell(Event::SessionDone(socket));
    assert_eq!(stage.engine.state(), Connecting);
    stage.run_for(0);
    assert_eq!((stage.dialled(), stage.failures()), ("AB".into(), vec![('A', closed_with(1006))]));
}

#[test]
fn closing_in_a_session_hook_is_immediate() {
    let mut stage = stage(2, Script::always(Session::Hang));
    let socket = stage.live();
    let (log_in, parked) = (stage.invoke_in_session(socket), stage.write());
    stage.close();
    assert_eq!(stage.failure(log_in), (ErrorCode::ClientClosed, Completion::Maybe));
    assert_eq!(stage.failure(parked), (ErrorCode::ClientClosed, Completion::No));
    assert_eq!((stage.closed.clone(), stage.states()), (vec![socket], vec![Connecting, Closed]));
    stage.tell(Event::SessionDone(socket));
    stage.tell(Event::SessionFailed { socket, verdict: Some(Verdict::Stop) });
    let late = stage.invoke_in_session(socket);
    assert_eq!(stage.failure(late), (ErrorCode::ClientClosed, Completion::No));
    stage.assert_silent();
}

#[test]
fn what_a_session_hook_says_late_changes_nothing() {
    let mut stage = stage(2, Script::always(Session::DoneAfter(0)));
    let socket = stage.live();
    stage.tell(Event::SessionFailed { socket, verdict: Some(Verdict::Stop) });
    stage.tell(Event::SessionDone(socket));
    assert_eq!((stage.engine.state(), stage.closed.len()), (Connected, 0));
    let late = stage.invoke_in_session(socket);
    assert_eq!(stage.failure(late), (ErrorCode::ConnectionLost, Completion::No));
    assert_eq!(stage.sent, []);
    // Before its socket has opened there is no hook either.
    let mut stage = Stage::of(with_session(), 2, Dial::Hang);
    stage.connect();
    stage.run_for(0);
    let socket = stage.live();
    stage.tell(Event::SessionFailed { socket, verdict: None });
    stage.tell(Event::SessionDone(socket));
    assert_eq!((stage.engine.state(), stage.dialled()), (Connecting, "A".into()));
}

#[test]
fn what_a_hook_sent_and_did_not_wait_for_is_answered_afterwards() {
    let mut stage = stage(2, Script::always(Session::DoneAfter(10)));
    let operation = stage.invoke_in_session(stage.live());
    stage.run_until(100);
    assert_eq!((stage.engine.state(), stage.outcome(operation)), (Connected, None));
    let attempt = stage.sent[0].attempt;
    stage.tell(Event::Answered { attempt, answer: regate::policy::Answer::Result });
    assert_eq!(stage.outcome(operation), Some(Ok(())));

    let other = stage.invoke(Call::once());
    stage.lose(1006);
    assert_eq!(stage.failure(other), (ErrorCode::ConnectionLost, Completion::Maybe));
}

/// A gateway that closes with 1003 or 1007 objects to what it was sent, if anything was.
#[test]
fn a_gateway_that_objects_to_the_session_is_not_out_but_one_that_objects_to_nothing_is() {
    for (sends, dialled) in [(true, "ABAB"), (false, "AB")] {
        let mut stage = Stage::of(with_session(), 2, OPEN);
        let session = if sends { Session::LogIn } else { Session::Hang };
        stage.sessions = Script::always(session);
        stage.frames = Script::always(Frame::Closed(1007));
        stage.connect();
        for at in [0, 1] {
            stage.run_until(at);
            if !sends {
                stage.lose(1007);
            }
        }
        stage.run_until(300);
        assert_eq!(stage.dialled(), dialled);
        assert_eq!(stage.engine.state() == Closed, !sends);
    }
}

#[test]
fn reconnect_while_a_session_hook_runs_neither_ends_nor_doubles_it() {
    let mut stage = stage(2, Script::always(Session::DoneAfter(100)));
    stage.run_until(50);
    stage.reconnect();
    stage.run_until(1_000);
    assert_eq!((stage.dialled(), stage.engine.state()), ("A".into(), Connected));
    stage.gateways = vec![Script::always(REFUSE); 2];
    stage.lose(1006);
    stage.run_until(1_100);
    assert_eq!(stage.dialled(), "AB", "it was not steady");
}
