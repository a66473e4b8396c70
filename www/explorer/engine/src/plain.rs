//! A client without the rules of regate, for comparison: it dials its gateways in their order, and waits
//! the same after each dial that failed. It gives no dial up.

use regate::policy::{Cause, ClientState, CloseCode};

use crate::{
    happening::Heard,
    network::Network,
    record::Recorder,
    scenario::{EventKind, PlainClient, Scenario},
};

const MINUTE_MILLISECONDS: u64 = 60_000;

struct Plain<'a, 'r> {
    client: PlainClient,
    network: Network<'a>,
    recorder: &'r mut Recorder<'a>,
    gateways: usize,
    /// The one socket, and its gateway.
    socket: u64,
    gateway: usize,
    state: ClientState,
    dials_at: Option<u64>,
    /// When its machine can dial again, in parts of a millisecond: `most_dials_per_minute` of them.
    free_at: u64,
}

pub(crate) fn play<'a>(
    scenario: &'a Scenario,
    client: PlainClient,
    most_steps: u64,
    recorder: &mut Recorder<'a>,
) {
    let mut plain = Plain {
        client,
        network: Network::new(scenario),
        recorder,
        gateways: scenario.labels.len(),
        socket: 0,
        gateway: 0,
        state: ClientState::Idle,
        dials_at: None,
        free_at: 0,
    };
    let (mut now, mut steps) = (0, 0);
    while let Some(next) = plain.next_at(now).filter(|&next| next < scenario.horizon) {
        steps += 1;
        if steps > most_steps {
            plain.recorder.cut();
            break;
        }
        now = next;
        if plain.network.next_at().is_some_and(|at| at <= now) {
            if let Some(heard) = plain.network.pop(now) {
                plain.hear(now, heard);
            }
        } else {
            plain.dial(now);
        }
    }
    let until = if steps > most_steps { now } else { scenario.horizon };
    plain.recorder.end(plain.state.as_str(), until);
}

impl Plain<'_, '_> {
    fn next_at(&self, now: u64) -> Option<u64> {
        let awake_at = self.network.asleep_until().unwrap_or(now);
        let timer = self.dials_at.map(|at| at.max(awake_at));
        self.network.next_at().into_iter().chain(timer).min()
    }

    fn go(&mut self, now: u64, state: ClientState, reason: &str) {
        if self.state != state {
            self.state = state;
            self.recorder.state(now, state, Some(reason.into()), None);
        }
    }

    fn dial_after(&mut self, now: u64, wait: u64) {
        self.dials_at = Some((now + wait).max(self.free_at / self.client.most_dials_per_minute));
        if wait > 0 {
            self.recorder.wait_began(now, wait, 0);
        }
    }

    fn dial(&mut self, now: u64) {
        self.dials_at = None;
        self.socket += 1;
        let part = self.client.most_dials_per_minute;
        self.free_at = self.free_at.max(now * part) + MINUTE_MILLISECONDS;
        self.recorder.dialled(now, self.gateway);
        self.network.dial(now, self.socket, self.gateway);
    }

    fn hear(&mut self, now: u64, heard: Heard) {
        match heard {
            Heard::Asked(EventKind::Connect) if self.socket == 0 => {
                self.go(now, ClientState::Connecting, "requested");
                self.dial_after(now, 0);
            }
            Heard::Asked(EventKind::Close) => {
                self.recorder.let_go(now, self.gateway);
                self.recorder.disconnected(now, None);
                self.network.let_go(self.socket);
                self.dials_at = None;
                self.go(now, ClientState::Closed, "requested");
            }
            Heard::Opened { .. } => {
                self.recorder.dial_opened(now, self.gateway);
                self.recorder.connected(now, self.gateway);
                self.go(now, ClientState::Connected, "opened");
            }
            Heard::Closed { code, .. } => {
                let cause = Cause::Closed(CloseCode::from_event(code));
                let wait = if self.state == ClientState::Connected {
                    self.recorder.disconnected(now, Some(cause));
                    self.go(now, ClientState::Reconnecting, "closed");
                    0
                } else {
                    self.recorder.dial_failed(now, self.gateway, cause, None);
                    self.client.wait_milliseconds
                };
                self.gateway = (self.gateway + 1) % self.gateways.max(1);
                self.dial_after(now, wait);
            }
            Heard::Answered { .. }
            | Heard::Asked(_)
            | Heard::Invoked(_)
            | Heard::Listed
            | Heard::Woken => {}
        }
    }
}
