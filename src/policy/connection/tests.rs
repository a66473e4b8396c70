//! What no default verdict leads to: `same`, the ORB's TRANSIENT.

use alloc::{format, vec::Vec};

use super::{
    Connection, ConnectionEvent, ConnectionOutput, ConnectionSettings, Dial, FirstConnect,
    Judgement, Ratio, Reconnect, SocketId, State,
};
use crate::policy::{
    Cause, ClientState, CloseCode, GatewayIndex, InFlight, Instant, Rng, TcpTimeouts, Verdict,
};

const BUSY: Cause = Cause::Closed(CloseCode::from_event(4_000));

fn connection(schedule: &str, gateways: u32) -> Connection {
    let settings = ConnectionSettings {
        connect_timeouts: schedule.parse::<TcpTimeouts>().unwrap(),
        shuffle_addresses: false,
        jitter: Ratio::ZERO,
        reconnect: Reconnect::Schedule,
        ..ConnectionSettings::DEFAULT
    };
    let mut connection = Connection::new(settings, gateways, Rng::from_seed(1));
    connection.handle_event(at(0), ConnectionEvent::ConnectRequested);
    connection
}

fn at(milliseconds: u64) -> Instant {
    Instant::from_milliseconds(milliseconds)
}

/// Goes from dial to dial, each failing with the next verdict; says when which gateway was dialled.
fn play(connection: &mut Connection, verdicts: &[Verdict]) -> Vec<(u64, u32)> {
    let (mut now, mut dials, mut verdicts) = (at(0), Vec::new(), verdicts.iter());
    loop {
        while let Some(output) = connection.poll_output() {
            if let ConnectionOutput::Open { gateway, .. } = output {
                dials.push((now.as_milliseconds(), gateway.position()));
            }
        }
        if let State::Dialling(Dial { gateway, .. }) = connection.state {
            let Some(verdict) = verdicts.next() else { return dials };
            connection.go_on(now, gateway, *verdict);
        } else {
            let Some(next) = connection.poll_timeout() else { return dials };
            now = now.max(next);
            connection.handle_timeout(now);
        }
    }
}

#[test]
fn the_same_gateway_is_dialled_again_after_a_wait_and_the_round_goes_on_after_it() {
    use Verdict::{Next, Same};
    let mut connection = connection("250:60000:100:5000", 3);
    let dials = play(&mut connection, &[Same, Same, Next, Next, Next, Next]);
    assert_eq!(
        dials,
        [(0, 0), (250, 0), (750, 0), (750, 1), (750, 2), (1_750, 0), (1_750, 1)],
        "two waits for the first gateway, then the others at once"
    );
}

#[test]
fn same_neither_ends_the_round_nor_empties_the_failed_set() {
    use Verdict::{Next, Same};
    let mut connection = connection("250:60000:100:5000", 2);
    let dials = play(&mut connection, &[Next, Same, Next]);
    assert_eq!(dials, [(0, 0), (0, 1), (250, 1), (750, 0)]);
}

#[test]
fn same_with_a_spent_schedule_gives_up_at_once_where_the_client_gives_up_at_all() {
    use Verdict::Same;
    let mut gives_up = connection("100:100:100", 3);
    assert_eq!(play(&mut gives_up, &[Same, Same, Same]), [(0, 0), (100, 0)]);
    assert_eq!(gives_up.client_state(), ClientState::Closed);

    let mut goes_on = connection("100:100:100", 3);
    goes_on.settings.first_connect = FirstConnect::Always;
    let dials = play(&mut goes_on, &[Same, Same, Same]);
    assert_eq!(dials, [(0, 0), (100, 0), (200, 0), (300, 0)], "else the last wait repeats");
}

#[test]
fn a_steady_loss_with_same_waits_for_the_lost_gateway_on_a_fresh_schedule() {
    use Verdict::Next;
    let mut connection = connection("250:60000:100:5000", 2);
    assert_eq!(play(&mut connection, &[Next, Next]), [(0, 0), (0, 1), (250, 0)]);
    let State::Dialling(Dial { socket, gateway, .. }) = connection.state else {
        panic!("not dialling")
    };
    connection.handle_event(at(250), ConnectionEvent::Opened(socket));
    let verdict = Some(Verdict::Same);
    connection.lose(at(9_000), gateway, BUSY, verdict, InFlight::Nothing);
    assert_eq!(connection.poll_timeout(), Some(at(9_250)));
    connection.handle_timeout(at(9_250));
    assert!(
        matches!(connection.state, State::Dialling(Dial { gateway: again, .. }) if again == gateway)
    );
}

/// Two dials, of A since 0 and of B since 2,000, with a close policy that is to be asked.
fn two_dials_and_a_policy() -> (Connection, [SocketId; 2]) {
    let mut connection = connection("250:60000:100:5000", 2);
    connection.settings.hooks.close_policy = true;
    connection.handle_timeout(at(0));
    connection.handle_timeout(at(2_000));
    let mut sockets = Vec::new();
    while let Some(output) = connection.poll_output() {
        if let ConnectionOutput::Open { socket, .. } = output {
            sockets.push(socket);
        }
    }
    (connection, [sockets[0], sockets[1]])
}

fn closes(socket: SocketId) -> ConnectionEvent {
    ConnectionEvent::Failed { socket, cause: BUSY, in_flight: InFlight::Nothing, verdict: None }
}

fn says(verdict: Verdict) -> ConnectionEvent {
    ConnectionEvent::Judged(Judgement { verdict: Some(verdict), wait_milliseconds: 0 })
}

#[test]
fn what_happens_to_one_dial_while_a_policy_judges_the_other_is_not_lost() {
    for failing in [0, 1] {
        let (mut connection, sockets) = two_dials_and_a_policy();
        connection.handle_event(at(2_100), closes(sockets[failing]));
        let other = sockets[1 - failing];
        for _ in 0..1_000 {
            connection.handle_event(at(2_100), ConnectionEvent::Opened(other));
        }
        assert_eq!(connection.deferred.len(), 1, "and takes no memory");
        assert_eq!(connection.client_state(), ClientState::Connecting);
        connection.handle_event(at(2_200), says(Verdict::Stop));
        assert_eq!(connection.client_state(), ClientState::Connected);
        let out = GatewayIndex::from_position(u32::try_from(failing).unwrap());
        assert_ne!(connection.gateway(), Some(out));
        connection.handle_event(at(9_000), closes(other));
        connection.handle_event(at(9_000), says(Verdict::Stop));
        assert_eq!(connection.client_state(), ClientState::Closed, "both are out");
    }
}

#[test]
fn both_of_two_dials_may_fail_while_a_policy_judges() {
    let (mut connection, sockets) = two_dials_and_a_policy();
    connection.handle_event(at(2_100), closes(sockets[0]));
    connection.handle_event(at(2_100), closes(sockets[1]));
    connection.handle_event(at(2_100), says(Verdict::Next));
    connection.handle_event(at(2_100), says(Verdict::Next));
    assert_eq!(connection.poll_timeout(), Some(at(2_350)));
}

/// What a socket that is no longer ours may still do changes nothing, whatever the client does.
#[test]
fn no_event_of_another_socket_changes_anything() {
    let stale = SocketId(77);
    let happens = [
        ConnectionEvent::Opened(stale),
        ConnectionEvent::Greeted(stale),
        ConnectionEvent::Erred(stale),
        ConnectionEvent::FoundNotOpen(stale),
        closes(stale),
    ];
    for session in [false, true] {
        let (mut connection, sockets) = two_dials_and_a_policy();
        connection.settings.hooks.session = session;
        let steps = [
            closes(sockets[0]),
            says(Verdict::Next),
            ConnectionEvent::Opened(sockets[1]),
            ConnectionEvent::FoundNotOpen(sockets[1]),
            ConnectionEvent::Erred(sockets[1]),
        ];
        for step in steps {
            for event in &happens {
                let before = format!("{connection:?}");
                connection.handle_event(at(2_100), event.clone());
                assert_eq!(format!("{connection:?}"), before, "{event:?}");
            }
            connection.handle_event(at(2_100), step);
            while connection.poll_output().is_some() {}
        }
    }
}
