//! What is kept of operations that are over: nothing that anybody would notice.

use alloc::vec::Vec;

use super::{Answer, AttemptId, Call};
use crate::policy::{Action, Engine, Event, Heartbeat, Instant, Settings};

fn at(milliseconds: u64) -> Instant {
    Instant::from_milliseconds(milliseconds)
}

/// Obeys; opens every socket at once and says what was sent.
fn obey(engine: &mut Engine, now: Instant) -> Vec<AttemptId> {
    let mut sent = Vec::new();
    while let Some(action) = engine.poll_action() {
        if let Action::Open { socket, .. } = action {
            engine.handle_event(now, Event::SocketOpened(socket));
        } else if let Action::Send { attempt, .. } = action {
            sent.push(attempt);
        }
    }
    sent
}

#[test]
fn deadlines_of_operations_that_are_over_do_not_wake_the_client() {
    const MADE: u64 = 50_000;
    let heartbeat = Heartbeat { period_milliseconds: 0 };
    let mut engine = Engine::new(Settings { heartbeat, ..Settings::default() }, 1, 7);
    engine.handle_event(at(0), Event::ConnectRequested);
    engine.handle_timeout(at(0));
    obey(&mut engine, at(0));
    engine.handle_timeout(at(10_000));
    let mut now = 10_000;
    let invoke = |engine: &mut Engine, now, timeout| {
        let operation = engine.reserve_operation();
        let call = Call { timeout_milliseconds: Some(timeout), ..Call::once() };
        engine.handle_event(at(now), Event::Invoked { operation, call });
        obey(engine, at(now))
    };
    let outlasts_them = invoke(&mut engine, now, 10_000_000);
    for number in 0..MADE {
        now = now.saturating_add(1);
        for attempt in invoke(&mut engine, now, 1_000_000_u64.saturating_sub(number * 7 % 1_000)) {
            engine.handle_event(at(now), Event::Answered { attempt, answer: Answer::Result });
        }
    }
    assert_eq!((outlasts_them.len(), engine.in_flight_operations()), (1, 1));
    let mut woken = 0;
    while let Some(next) = engine.poll_timeout() {
        engine.handle_timeout(next);
        obey(&mut engine, next);
        woken += 1;
    }
    assert!(woken < 100, "{woken} times for one operation");
    assert_eq!((engine.pending_operations(), engine.in_flight_operations()), (0, 0));
}

#[test]
fn a_frame_is_never_handed_to_a_socket_that_is_gone() {
    let mut engine = Engine::new(Settings::default(), 2, 7);
    engine.handle_event(at(0), Event::ConnectRequested);
    engine.handle_timeout(at(0));
    let opened = core::iter::from_fn(|| engine.poll_action()).find_map(|action| {
        if let Action::Open { socket, .. } = action { Some(socket) } else { None }
    });
    let socket = opened.unwrap();
    engine.handle_event(at(0), Event::SocketOpened(socket));
    obey(&mut engine, at(0));
    for _ in 0..3 {
        let operation = engine.reserve_operation();
        engine.handle_event(at(1), Event::Invoked { operation, call: Call::redoable() });
    }
    engine.handle_event(at(1), Event::ReconnectRequested);
    let mut sockets = Vec::new();
    while let Some(action) = engine.poll_action() {
        if let Action::Open { socket, .. } = action {
            engine.handle_event(at(1), Event::SocketOpened(socket));
        } else if let Action::Send { socket, .. } = action {
            sockets.push(socket);
        }
    }
    assert_eq!(sockets.len(), 3);
    assert!(sockets.iter().all(|&live| live != socket));
}

#[test]
fn a_number_that_was_not_reserved_or_is_taken_makes_no_operation() {
    let mut engine = Engine::new(Settings::default(), 1, 7);
    let operation = engine.reserve_operation();
    for _ in 0..2 {
        engine.handle_event(at(0), Event::Invoked { operation, call: Call::once() });
    }
    for number in [0, 2, u64::MAX] {
        let operation = super::OperationId::from_u64(number);
        engine.handle_event(at(0), Event::Invoked { operation, call: Call::once() });
        engine.handle_event(at(0), Event::OperationAborted(operation));
    }
    assert_eq!(engine.pending_operations(), 1);
}
