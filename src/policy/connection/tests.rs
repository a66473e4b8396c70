//! What no default verdict leads to: `same`, the ORB's TRANSIENT.

use alloc::vec::Vec;

use super::{
    Connection, ConnectionEvent, ConnectionOutput, ConnectionSettings, FirstConnect, Ratio,
    Reconnect, State,
};
use crate::policy::{Cause, ClientState, CloseCode, InFlight, Instant, Rng, TcpTimeouts, Verdict};

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
        if let State::Dialling { gateway, .. } = connection.state {
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
    let State::Dialling { socket, gateway, .. } = connection.state else { panic!("not dialling") };
    connection.handle_event(at(250), ConnectionEvent::Opened(socket));
    let verdict = Some(Verdict::Same);
    connection.lose(at(9_000), gateway, BUSY, verdict, InFlight::Nothing);
    assert_eq!(connection.poll_timeout(), Some(at(9_250)));
    connection.handle_timeout(at(9_250));
    assert!(matches!(connection.state, State::Dialling { gateway: again, .. } if again == gateway));
}
