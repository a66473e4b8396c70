//! The states of a connection, and what each call does in each of them.

use regate::policy::{
    Action, Call, ClientState, CloseRequest, Completion, ErrorCode, Event, Instant, Notice,
    SendFailure, StateReason,
};

use crate::driver::{Dial, OPEN, REFUSE, Script, Stage, closed_with, exact};

use ClientState::{Closed, Connected, Connecting, Idle, Reconnecting};

/// A client in this state at 100 s, with 3 s of a wait of 4 s behind it where it waits.
fn in_state(state: ClientState) -> Stage {
    let mut stage = Stage::of(exact(), 1, OPEN);
    match state {
        Idle => {}
        Connecting => {
            stage.now = 93_250;
            stage.gateways[0] = Script::always(REFUSE);
            stage.connect();
        }
        Reconnecting => {
            stage.connect();
            stage.run_until(93_250);
            stage.gateways[0] = Script::always(REFUSE);
            stage.lose(1006);
        }
        Connected => stage.connect(),
        Closed => {
            stage.connect();
            stage.run_until(50_000);
            stage.close();
        }
    }
    stage.run_until(100_000);
    assert_eq!(stage.engine.state(), state);
    stage.gateways[0] = Script::always(OPEN);
    stage
}

const STATES: [ClientState; 5] = [Idle, Connecting, Reconnecting, Connected, Closed];

fn dials_after(stage: &Stage) -> Vec<u64> {
    stage.dial_times().into_iter().filter(|&at| at >= 100_000).collect()
}

#[test]
fn connect_starts_what_is_idle_or_closed_and_nothing_else() {
    for state in STATES {
        let mut stage = in_state(state);
        stage.connect();
        stage.run_until(100_999);
        let dials = if matches!(state, Idle | Closed) { vec![100_000] } else { vec![] };
        assert_eq!(dials_after(&stage), dials, "{state:?}");
        stage.run_until(110_000);
        assert_eq!(stage.engine.state(), Connected, "{state:?}");
    }
}

/// B071: what `reconnect()` dials replaces the running wait.
#[test]
fn reconnect_dials_now_in_every_state() {
    for state in STATES {
        let mut stage = in_state(state);
        stage.gateways[0] = Script::always(Dial::Hang);
        let sockets = stage.sockets.len();
        stage.reconnect();
        stage.run_until(109_000);
        assert_eq!(dials_after(&stage), [100_000], "{state:?}: and nothing when the wait was over");
        assert_eq!(stage.sockets.len(), sockets + 1, "{state:?}");
        let dropped = if state == Connected { 1 } else { 0 };
        assert_eq!(stage.closed.len(), dropped + usize::from(state == Closed), "{state:?}");
    }
}

#[test]
fn reconnect_starts_the_schedule_afresh_after_a_loss_but_not_before_a_first_connection() {
    for (state, next) in [(Reconnecting, 250), (Connecting, 5_000)] {
        let mut stage = in_state(state);
        stage.gateways[0] = Script::always(REFUSE);
        stage.reconnect();
        stage.run_until(110_000);
        assert_eq!(dials_after(&stage)[..2], [100_000, 100_000 + next], "{state:?}");
    }
}

#[test]
fn reconnecting_a_connection_lets_its_socket_go_and_begins_with_the_gateway_after_it() {
    let mut stage = Stage::connected_for(exact(), 3, 100);
    let (socket, operation) = (stage.live(), stage.read());
    stage.reconnect();
    stage.run_for(0);
    assert_eq!(stage.closed, [socket]);
    assert_eq!(stage.dialled(), "AB");
    assert_eq!(stage.states(), [Connecting, Connected, Reconnecting, Connected]);
    assert_eq!(stage.sent_at(operation), [100, 100], "what was in flight may be redone");
    stage.tell(Event::SocketFailed { socket, cause: closed_with(1000) });
    assert_eq!(stage.engine.state(), Connected, "the old socket's close is nobody's");
}

#[test]
fn invoke_parks_or_sends_or_fails_as_the_state_says() {
    let refused = Some((ErrorCode::ClientReconnecting, Completion::No));
    let closed = Some((ErrorCode::ClientClosed, Completion::No));
    for (state, redoable, once) in [
        (Idle, None, None),
        (Connecting, None, None),
        (Reconnecting, None, refused),
        (Connected, None, None),
        (Closed, closed, closed),
    ] {
        for (call, expected) in [(Call::redoable(), redoable), (Call::once(), once)] {
            let mut stage = in_state(state);
            let operation = stage.invoke(call);
            let failure = stage.outcome(operation).map(|_| stage.failure(operation));
            assert_eq!(failure, expected, "{state:?}");
            let sent = if state == Connected { vec![100_000] } else { vec![] };
            assert_eq!(stage.sent_at(operation), sent, "{state:?}");
            stage.run_until(100_500);
            assert_eq!(dials_after(&stage), [], "{state:?}: an operation dials nothing");
        }
    }
}

#[test]
fn what_was_made_while_idle_goes_out_when_the_application_connects() {
    let mut stage = in_state(Idle);
    let operation = stage.write();
    stage.run_until(110_000);
    stage.connect();
    stage.run_for(0);
    assert_eq!(stage.sent_at(operation), [110_000]);
}

/// Whether `notify` can send.
#[test]
fn a_message_without_an_answer_is_sent_when_connected_and_dropped_otherwise() {
    for state in STATES {
        let stage = in_state(state);
        let sends = stage.engine.sendable_socket().is_some();
        assert_eq!(sends, state == Connected, "{state:?}");
    }
    let mut stage = in_state(Connected);
    let socket = stage.live();
    assert_eq!(stage.engine.sendable_socket(), Some(socket));
    let failure = SendFailure::NotOpen;
    stage.tell(Event::SendFailed { socket, attempt: None, failure });
    assert_eq!(stage.engine.sendable_socket(), None, "it was found not to be open");
}

/// B003, B099's part of the core: after `close()` nothing is left that could happen.
#[test]
fn close_is_immediate_and_final_in_every_state() {
    for state in STATES {
        let mut stage = in_state(state);
        let operation = stage.read();
        let socket = stage.sockets.last().copied();
        let changes = stage.states().len();
        stage.close();
        assert_eq!(stage.engine.state(), Closed, "{state:?}");
        assert_eq!(stage.failure(operation).0, ErrorCode::ClientClosed, "{state:?}");
        stage.close();
        assert_eq!(stage.states().len(), changes + usize::from(state != Closed), "{state:?}");
        assert!(state != Connected || stage.closed.contains(&socket.unwrap()));
        if let Some(socket) = socket {
            for event in [
                Event::SocketOpened(socket),
                Event::SocketErred(socket),
                Event::SocketFailed { socket, cause: closed_with(1000) },
            ] {
                stage.tell(event);
            }
        }
        stage.tell(Event::CloseRequested(CloseRequest::ConnectAborted));
        stage.assert_silent();
        assert_eq!(dials_after(&stage), [], "{state:?}");
    }
}

/// B003.
#[test]
fn closing_during_a_wait_opens_nothing_afterwards() {
    let mut stage = Stage::of(exact(), 1, REFUSE);
    stage.connect();
    stage.run_until(100);
    stage.close();
    stage.assert_silent();
    assert_eq!(stage.dials, [(0, 'A')]);
    assert_eq!(stage.states(), [Connecting, Closed]);
}

/// B004, B070.
#[test]
fn connecting_and_closing_in_one_turn_opens_nothing() {
    let mut stage = Stage::of(exact(), 1, OPEN);
    for _ in 0..4 {
        stage.connect();
        stage.close();
    }
    stage.run_for(0);
    assert_eq!(stage.dials, []);
    stage.connect();
    stage.run_until(10_000);
    assert_eq!((stage.dials.len(), stage.engine.state()), (1, Connected));
    assert_eq!(stage.closed, []);
}

#[test]
fn connecting_reconnecting_and_closing_in_one_turn_opens_nothing_either() {
    let mut stage = Stage::of(exact(), 1, OPEN);
    stage.connect();
    stage.reconnect();
    stage.close();
    stage.run_for(1_000);
    assert_eq!(stage.dials, []);
}

/// B009.
#[test]
fn fifty_callers_share_one_dial_and_are_served_in_order() {
    let mut stage = Stage::of(exact(), 3, Dial::OpenAfter(200));
    stage.connect();
    let operations: Vec<_> = (0..50).map(|_| stage.read()).collect();
    for _ in 0..10 {
        stage.connect();
    }
    stage.run_until(10_000);
    assert_eq!(stage.dials, [(0, 'A')]);
    let sent: Vec<_> = stage.sent.iter().map(|sent| (sent.at, sent.operation)).collect();
    assert_eq!(sent, operations.iter().map(|&id| (200, id)).collect::<Vec<_>>());
}

#[test]
fn parked_operations_go_out_before_the_application_hears_that_it_is_connected() {
    let mut stage = Stage::of(exact(), 1, Dial::Hang);
    stage.connect();
    stage.run_for(0);
    stage.read();
    stage.read();
    let now = Instant::from_milliseconds(stage.now);
    stage.engine.handle_event(now, Event::SocketOpened(stage.live()));
    let mut order = Vec::new();
    while let Some(action) = stage.engine.poll_action() {
        order.push(match action {
            Action::Send { .. } => "send",
            Action::Tell(Notice::StateChanged { to: Connected, .. }) => "connected",
            other => panic!("{other:?}"),
        });
    }
    assert_eq!(order, ["send", "send", "connected"]);
}

#[test]
fn the_signal_of_connect_ends_connecting_and_only_that() {
    for (state, closes) in
        [(Idle, false), (Connecting, true), (Reconnecting, false), (Connected, false)]
    {
        let mut stage = in_state(state);
        stage.tell(Event::CloseRequested(CloseRequest::ConnectAborted));
        let expected = if closes { Closed } else { state };
        assert_eq!(stage.engine.state(), expected, "{state:?}");
        if closes {
            let told = stage.notices.iter().any(|(_, notice)| {
                matches!(notice, Notice::StateChanged { reason: StateReason::Aborted, .. })
            });
            assert!(told);
            stage.assert_silent();
        }
    }
    let mut stage = Stage::of(exact(), 1, Dial::Hang);
    stage.connect();
    stage.run_until(500);
    stage.tell(Event::CloseRequested(CloseRequest::ConnectAborted));
    assert_eq!(stage.closed, [stage.sockets[0]], "the dial is let go");
}

/// B101: a new socket each time; the id of an old one means nothing to it.
#[test]
fn every_socket_has_a_number_of_its_own() {
    let mut stage = Stage::of(exact(), 2, Dial::OpenThenClose(1006, 10));
    stage.connect();
    stage.run_until(60_000);
    stage.close();
    stage.connect();
    stage.run_until(120_000);
    let mut sockets = stage.sockets.clone();
    sockets.sort_unstable();
    sockets.dedup();
    assert_eq!(sockets, stage.sockets);
}
