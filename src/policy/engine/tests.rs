use alloc::vec::Vec;

use super::{Engine, MOST_PINGS, ROOM_KEPT};
use crate::policy::{Action, Call, CloseRequest, Event, Instant, Settings};

fn engine() -> Engine {
    Engine::new(Settings::default(), 1, 1)
}

fn tell(engine: &mut Engine, event: Event) {
    engine.handle_event(Instant::default(), event);
    while engine.poll_action().is_some() {}
}

fn invoke(engine: &mut Engine, call: Call) {
    let operation = engine.reserve_operation();
    tell(engine, Event::Invoked { operation, call });
}

#[test]
fn nothing_is_kept_of_a_burst_of_actions() {
    let mut engine = engine();
    for _ in 0..4 * ROOM_KEPT {
        let operation = engine.reserve_operation();
        engine.handle_event(Instant::default(), Event::Invoked { operation, call: Call::once() });
    }
    engine.handle_event(Instant::default(), Event::CloseRequested(CloseRequest::Application));
    assert!(engine.actions.capacity() > ROOM_KEPT);
    let mut room = Vec::new();
    while let Some(action) = engine.poll_action() {
        assert!(matches!(action, Action::Tell(_)));
        room.push(engine.actions.capacity());
    }
    assert!(room.iter().all(|&room| room > ROOM_KEPT), "but what is used stays");
    assert!(engine.actions.capacity() <= ROOM_KEPT);
}

#[test]
fn a_client_is_quiet_when_it_neither_dials_nor_holds_anything() {
    let mut waits = engine();
    assert!(waits.is_quiet());
    invoke(&mut waits, Call::once());
    assert!(!waits.is_quiet(), "an operation waits, and its time runs");
    tell(&mut waits, Event::CloseRequested(CloseRequest::Application));
    assert!(waits.is_quiet());

    let mut subscribes = engine();
    invoke(&mut subscribes, Call::subscription());
    assert!(!subscribes.is_quiet(), "a subscription is to be issued");

    let mut dials = engine();
    tell(&mut dials, Event::ConnectRequested);
    assert!(!dials.is_quiet());
}

#[test]
fn of_pings_that_nobody_answers_only_so_many_are_remembered() {
    let mut engine = engine();
    let at = Instant::from_milliseconds;
    tell(&mut engine, Event::ConnectRequested);
    engine.handle_timeout(at(0));
    let mut socket = None;
    while let Some(action) = engine.poll_action() {
        if let Action::Open { socket: opened, .. } = action {
            socket = Some(opened);
        }
    }
    let socket = socket.unwrap();
    tell(&mut engine, Event::SocketOpened(socket));
    for period in 1..=200_u64 {
        let now = at(period.saturating_mul(15_000));
        engine.handle_timeout(now);
        engine.handle_event(now, Event::Received(socket)); // the line is alive, by something else
        while engine.poll_action().is_some() {}
    }
    assert_eq!(engine.pings.len(), MOST_PINGS);
}
