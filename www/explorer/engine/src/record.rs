//! Takes down what clients do: each step of one client, or the counts of many.

use regate::policy::{Cause, ClientState, GatewayIndex, Notice, StateReason, Verdict};

use crate::{
    output::{Connection, Dial, DialEnd, Gateway, Play, Round, State, Totals, Wait},
    scenario::Scenario,
    told::{in_words, place, tell},
};

const MINUTE_MILLISECONDS: u64 = 60_000;

/// How much is taken down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    Counts,
    Everything,
}

/// How far the last dial of a gateway is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    Abandoned { at: u64 },
    Over,
    Pending,
}

#[derive(Debug)]
pub(crate) struct Recorder<'a> {
    scenario: &'a Scenario,
    detail: Detail,
    play: Play,
    /// By how many more clients are connected at the end of each bucket than at its beginning.
    connected: Vec<i64>,
    /// Of the client that plays now, by gateway.
    progress: Vec<Progress>,
    connected_to: Option<usize>,
    round: Option<u32>,
    waiting: bool,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(scenario: &'a Scenario) -> Self {
        let buckets = scenario.horizon.div_ceil(scenario.bucket_milliseconds);
        let buckets = usize::try_from(buckets).unwrap_or(0);
        let gateway = |label: &String| Gateway {
            label: label.clone(),
            buckets: vec![0; buckets],
            ..Gateway::default()
        };
        let play = Play {
            until: scenario.horizon,
            totals: Totals { clients: scenario.clients, ..Totals::default() },
            gateways: scenario.labels.iter().map(gateway).collect(),
            ..Play::default()
        };
        let detail = if scenario.clients == 1 { Detail::Everything } else { Detail::Counts };
        Self {
            scenario,
            detail,
            play,
            connected: vec![0; buckets],
            progress: Vec::new(),
            connected_to: None,
            round: None,
            waiting: false,
        }
    }

    /// The next client plays, from the beginning.
    pub(crate) fn begin(&mut self) {
        self.progress = vec![Progress::Over; self.scenario.labels.len()];
        self.connected_to = None;
        self.round = None;
        self.waiting = false;
        self.state(0, ClientState::Idle, None, None);
    }

    /// A client's time is over, at the horizon or where it was cut.
    pub(crate) fn end(&mut self, state: &'static str, until: u64) {
        self.play.state = state;
        self.play.until = self.play.until.min(until);
        if self.connected_to.is_some() {
            self.play.totals.connected_at_end += 1;
        }
    }

    pub(crate) fn cut(&mut self) {
        self.play.cut = Some("events");
    }

    pub(crate) fn play(&mut self) -> &mut Play {
        &mut self.play
    }

    pub(crate) fn finish(self) -> Play {
        let mut play = self.play;
        let mut now = 0;
        let sums = self.connected.into_iter().map(|change| {
            now += change;
            now
        });
        play.connected = sums.collect();
        for gateway in &play.gateways {
            let (totals, counts) = (&mut play.totals, &gateway.counts);
            totals.dials += counts.dials;
            totals.opened += counts.opened;
            totals.failed += counts.failed;
            totals.abandoned += counts.abandoned;
            let most = gateway.buckets.iter().copied().max().unwrap_or(0);
            totals.most_dials_in_a_bucket = totals.most_dials_in_a_bucket.max(most);
        }
        let lists = [
            ("states", play.states.cut),
            ("waits", play.waits.cut),
            ("rounds", play.rounds.cut),
            ("log", play.log.cut),
            ("notices", play.notices.cut),
        ];
        let cut = lists.into_iter().filter(|(_, cut)| *cut).map(|(name, _)| name.to_owned());
        let mut cut: Vec<_> = cut.collect();
        for (place, gateway) in play.gateways.iter().enumerate() {
            for (name, is_cut) in
                [("dials", gateway.dials.cut), ("connections", gateway.connections.cut)]
            {
                if is_cut {
                    cut.push(format!("gateways[{place}].{name}"));
                }
            }
        }
        for (place, operation) in play.operations.iter().enumerate() {
            if operation.attempts.cut {
                cut.push(format!("operations[{place}].attempts"));
            }
        }
        play.cut_lists = Some(cut).filter(|cut| !cut.is_empty());
        play
    }

    fn gateway(&mut self, place: usize) -> Option<&mut Gateway> {
        self.play.gateways.get_mut(place)
    }

    fn set_progress(&mut self, place: usize, progress: Progress) -> Progress {
        match self.progress.get_mut(place) {
            Some(entry) => std::mem::replace(entry, progress),
            None => Progress::Over,
        }
    }

    fn bucket(&self, at: u64) -> usize {
        usize::try_from(at / self.scenario.bucket_milliseconds).unwrap_or(usize::MAX)
    }

    /// A dial begins.
    pub(crate) fn dialled(&mut self, now: u64, place: usize) {
        self.end_wait(now);
        let (bucket, detail) = (self.bucket(now), self.detail);
        if now < MINUTE_MILLISECONDS {
            self.play.totals.dials_in_first_minute += 1;
        }
        self.set_progress(place, Progress::Pending);
        let Some(gateway) = self.gateway(place) else { return };
        gateway.counts.dials += 1;
        if let Some(count) = gateway.buckets.get_mut(bucket) {
            *count += 1;
        }
        if detail == Detail::Everything {
            let (to, cause, verdict, round) = (None, None, None, None);
            gateway.dials.push(Dial {
                from: now,
                to,
                end: DialEnd::Pending,
                cause,
                verdict,
                round,
            });
        }
    }

    pub(crate) fn dial_opened(&mut self, now: u64, place: usize) {
        if self.set_progress(place, Progress::Over) == Progress::Pending
            && let Some(gateway) = self.gateway(place)
        {
            gateway.counts.opened += 1;
            end_dial(gateway, now, DialEnd::Opened, None, None);
        }
    }

    /// The client lets a socket go. If that was a dial's limit, the failure follows.
    pub(crate) fn let_go(&mut self, now: u64, place: usize) {
        if self.progress.get(place) == Some(&Progress::Pending) {
            self.set_progress(place, Progress::Abandoned { at: now });
            if let Some(gateway) = self.gateway(place) {
                gateway.counts.abandoned += 1;
                end_dial(gateway, now, DialEnd::Abandoned, None, None);
            }
        }
    }

    pub(crate) fn dial_failed(
        &mut self,
        now: u64,
        place: usize,
        cause: Cause,
        verdict: Option<Verdict>,
    ) {
        let before = self.set_progress(place, Progress::Over);
        let Some(gateway) = self.gateway(place) else { return };
        match before {
            Progress::Abandoned { at } if at == now => gateway.counts.abandoned -= 1,
            Progress::Pending => {}
            Progress::Abandoned { .. } | Progress::Over => return,
        }
        gateway.counts.failed += 1;
        end_dial(gateway, now, DialEnd::Failed, Some(cause), verdict);
    }

    pub(crate) fn connected(&mut self, now: u64, place: usize) {
        self.connected_to = Some(place);
        self.count_connected(now, 1);
        let detail = self.detail;
        let Some(gateway) = self.gateway(place) else { return };
        gateway.counts.connections += 1;
        if detail == Detail::Everything {
            gateway.connections.push(Connection { from: now, to: None, cause: None });
        }
    }

    pub(crate) fn disconnected(&mut self, now: u64, cause: Option<Cause>) {
        let Some(place) = self.connected_to.take() else { return };
        self.count_connected(now, -1);
        if let Some(connection) =
            self.gateway(place).and_then(|gateway| gateway.connections.last_mut())
        {
            connection.to = Some(now);
            connection.cause = cause.map(in_words);
        }
    }

    fn count_connected(&mut self, now: u64, change: i64) {
        let bucket = self.bucket(now);
        if let Some(entry) = self.connected.get_mut(bucket) {
            *entry += change;
        }
    }

    pub(crate) fn state(
        &mut self,
        now: u64,
        state: ClientState,
        reason: Option<String>,
        gateway: Option<usize>,
    ) {
        if self.detail == Detail::Everything {
            if let Some(before) = self.play.states.last_mut() {
                before.to = Some(now);
            }
            let state = state.as_str();
            self.play.states.push(State { state, from: now, to: None, reason, gateway });
        }
    }

    pub(crate) fn wait_began(&mut self, now: u64, milliseconds: u64, round: u32) {
        self.end_wait(now);
        self.waiting = true;
        self.play.totals.waits += 1;
        if self.detail == Detail::Everything {
            self.play.waits.push(Wait { from: now, to: None, milliseconds, round });
        }
    }

    fn end_wait(&mut self, now: u64) {
        if std::mem::take(&mut self.waiting)
            && let Some(wait) = self.play.waits.last_mut()
        {
            wait.to = Some(now);
        }
    }

    fn in_round(&mut self, now: u64, place: usize, round: u32) {
        let new = self.round.replace(round) != Some(round);
        self.play.totals.rounds += u64::from(new);
        if self.detail != Detail::Everything {
            return;
        }
        if let Some(dial) = self.gateway(place).and_then(|gateway| gateway.dials.last_mut()) {
            dial.round = Some(round);
        }
        if new {
            self.play.rounds.push(Round { round, from: now, dials: 1 });
        } else if let Some(entry) = self.play.rounds.last_mut() {
            entry.dials += 1;
        }
    }

    /// What the engine tells its application.
    pub(crate) fn notice(&mut self, now: u64, notice: &Notice) {
        match *notice {
            Notice::Dialled { gateway, round } => {
                self.in_round(now, place(gateway).unwrap_or(usize::MAX), round);
            }
            Notice::DialFailed { gateway, verdict, cause } => {
                let place = place(gateway).unwrap_or(usize::MAX);
                self.dial_failed(now, place, cause, Some(verdict));
            }
            Notice::StateChanged { from, to, reason, gateway } => {
                self.state_changed(now, (from, to), reason, gateway);
            }
            Notice::WaitBegan { milliseconds, round } => self.wait_began(now, milliseconds, round),
            _ => {}
        }
        if self.detail == Detail::Everything
            && let Some(told) = tell(now, notice, &self.scenario.labels)
        {
            let is_line = matches!(notice, Notice::Logged(_));
            if is_line { &mut self.play.log } else { &mut self.play.notices }.push(told);
        }
    }

    fn state_changed(
        &mut self,
        now: u64,
        (from, to): (ClientState, ClientState),
        reason: StateReason,
        gateway: Option<GatewayIndex>,
    ) {
        let place = gateway.and_then(place);
        let cause = if let StateReason::Lost(cause) = reason { Some(cause) } else { None };
        if from == ClientState::Connected {
            self.disconnected(now, cause);
        }
        match to {
            ClientState::Connected => {
                if let Some(place) = place {
                    self.connected(now, place);
                }
            }
            ClientState::Closed => self.end_wait(now),
            ClientState::Connecting | ClientState::Idle | ClientState::Reconnecting => {}
        }
        self.round = None; // they are counted anew
        let reason = cause.map_or_else(|| reason.as_str().into(), in_words);
        self.state(now, to, Some(reason), place);
    }
}

fn end_dial(
    gateway: &mut Gateway,
    now: u64,
    end: DialEnd,
    cause: Option<Cause>,
    verdict: Option<Verdict>,
) {
    if let Some(dial) = gateway.dials.last_mut() {
        dial.to = Some(now);
        dial.end = end;
        dial.cause = cause.map(in_words);
        dial.verdict = verdict.map(Verdict::as_str);
    }
}
