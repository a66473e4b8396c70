//! Which endpoint is tried when: by a `Schedule` and a `Round`, and by a whole `Engine`.

use regate::policy::{
    Action, Cause, ClientState, CloseCode, CloseRequest, ConnectionSettings, Engine, Event,
    GatewayIndex, GaveUp, Instant, NextDial, Notice, Ratio, Round, Schedule, Settings, SocketId,
    StateReason, TcpTimeouts,
};
use serde_json::Value;

use crate::run::{Replayed, compare, flag, list, number, text};

/// One recorded attempt.
struct Attempt<'a> {
    row: Row<'a>,
    cost: i64,
}

/// What is compared of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row<'a> {
    t_ms: i64,
    ep: i64,
    waited_ms: i64,
    outcome: &'a str,
    decision: &'a str,
    time_waiting: i64,
    next_wait_ms: i64,
    expired: bool,
}

/// What an outcome means here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Next,
    Same,
    Connected,
    /// The call ends with an error that is not the connection's.
    Ends,
}

fn meaning(outcome: &str) -> Meaning {
    match outcome {
        "connect_fail" | "comm_no_reply" => Meaning::Next,
        "success" => Meaning::Connected,
        other if other.starts_with("transient") || other.starts_with("rebind") => Meaning::Same,
        _ => Meaning::Ends,
    }
}

/// What the original calls the end of a call whose last attempt had this outcome: the error, its
/// completion and its causes. `None` for an end that the runner was told and did not find.
fn result_of(outcome: &str) -> Option<Value> {
    let (error, causes) = match outcome {
        "success" => return Some(serde_json::json!({ "ok": true })),
        "connect_fail" => ("COMM_FAILURE.connectFailure", vec![]),
        "comm_no_reply" => ("COMM_FAILURE.writeErrorSend", vec![]),
        "transient" | "transient_maybe" => {
            ("COMM_FAILURE.communicationsRetryTimeout", vec!["TRANSIENT"])
        }
        "rebind" | "rebind_maybe" => {
            ("COMM_FAILURE.communicationsRetryTimeout", vec!["COMM_FAILURE.connectionRebind"])
        }
        _ => return None,
    };
    Some(serde_json::json!({ "ok": false, "error": error, "completed": "NO", "causes": causes }))
}

pub(crate) fn replay(case: &Value) -> Replayed {
    let timeouts: TcpTimeouts = text(&case["config"])?.parse().map_err(|e| format!("{e}"))?;
    let endpoints = u32::try_from(list(&case["endpoints"])?.len()).map_err(|e| format!("{e}"))?;
    let sticky = flag(&case["sticky"])?;
    for (index, call) in list(&case["calls"])?.iter().enumerate() {
        let attempts: Vec<Attempt<'_>> =
            list(&call["attempts"])?.iter().map(read_attempt).collect::<Result<_, _>>()?;
        let start = match attempts.first() {
            Some(first) if sticky => first.row.ep,
            Some(_) => 0,
            None => return Err(format!("call {index}: has no attempt")),
        };
        let start = u32::try_from(start).map_err(|e| format!("call {index}: {e}"))?;
        let call = Call { timeouts, endpoints, start, attempts, recorded: call };
        call.compare(&call.by_round()?).map_err(|e| format!("call {index} by Round: {e}"))?;
        if call.attempts.iter().all(|attempt| meaning(attempt.row.outcome) != Meaning::Same) {
            call.compare(&call.by_engine()?).map_err(|e| format!("call {index} by Engine: {e}"))?;
        }
    }
    Ok(())
}

fn read_attempt(value: &Value) -> Result<Attempt<'_>, String> {
    let row = Row {
        t_ms: number(&value[0])?,
        ep: number(&value[1])?,
        waited_ms: number(&value[2])?,
        outcome: text(&value[3])?,
        decision: text(&value[5])?,
        time_waiting: number(&value[6])?,
        next_wait_ms: number(&value[7])?,
        expired: flag(&value[8])?,
    };
    Ok(Attempt { row, cost: number(&value[4])? })
}

struct Call<'a> {
    timeouts: TcpTimeouts,
    endpoints: u32,
    start: u32,
    attempts: Vec<Attempt<'a>>,
    recorded: &'a Value,
}

impl<'a> Call<'a> {
    /// Compares what was found with what was recorded; up to the earlier of two give-ups where
    /// the call began in the middle of the list.
    fn compare(&self, found: &[Row<'a>]) -> Replayed {
        let mut recorded: Vec<Row<'_>> = self.attempts.iter().map(|attempt| attempt.row).collect();
        let earlier = recorded.len().min(found.len());
        let gives_up = |rows: &[Row<'_>]| {
            rows.get(earlier.saturating_sub(1))
                .is_some_and(|row| row.decision == "fail" && meaning(row.outcome) != Meaning::Ends)
        };
        let one_gives_up_earlier =
            self.start != 0 && gives_up(&recorded) != gives_up(found) && earlier > 0;
        if one_gives_up_earlier {
            recorded.truncate(earlier);
            recorded[earlier - 1].decision = found[earlier - 1].decision;
        }
        for (at, (expected, found)) in recorded.iter().zip(found).enumerate() {
            compare(format!("attempt {at}"), expected, found)?;
        }
        compare("count", &recorded.len(), &found.len())?;
        let Some(last) = found.last() else { return Err("nothing was tried".into()) };
        if one_gives_up_earlier {
            return Ok(());
        }
        compare("count as recorded", &number(&self.recorded["count"])?, &as_i64(found.len()))?;
        compare("is over", &true, &matches!(last.decision, "fail" | "done"))?;
        let result = &self.recorded["result"];
        match result_of(last.outcome) {
            Some(found) => compare("result", result, &found),
            None => compare("ok", &false, &flag(&result["ok"])?),
        }
    }

    /// A schedule and a round, nothing else.
    fn by_round(&self) -> Result<Vec<Row<'a>>, String> {
        let mut schedule = Schedule::new(self.timeouts);
        let mut round = Round::new(self.endpoints);
        round.begin_at(GatewayIndex::from_position(self.start));
        let mut rows: Vec<Row<'a>> = Vec::new();
        let (mut now, mut waited) = (0, 0);
        let mut redial = None;
        for attempt in &self.attempts {
            let outcome = attempt.row.outcome;
            let gateway = match (redial.take(), round.next_dial()) {
                (Some(gateway), _) | (None, NextDial::Gateway(gateway)) => gateway,
                (None, other) => return Err(format!("nothing to dial: {other:?}")),
            };
            let mut row = Row {
                t_ms: now,
                ep: gateway.position().into(),
                waited_ms: waited,
                outcome,
                decision: "fail",
                time_waiting: signed(schedule.waited_milliseconds())?,
                next_wait_ms: signed(schedule.current_milliseconds())?,
                expired: schedule.is_spent(),
            };
            now += attempt.cost;
            waited = 0;
            let mut wait = |schedule: &mut Schedule| match schedule.next_wait() {
                Some(wait) => {
                    waited = signed(wait)?;
                    Ok::<bool, String>(true)
                }
                None => Ok(false),
            };
            let goes_on = match meaning(outcome) {
                Meaning::Connected => {
                    row.decision = "done";
                    false
                }
                Meaning::Ends => false,
                Meaning::Same => {
                    round.fail_and_stay(gateway);
                    redial = Some(gateway);
                    row.decision = "same";
                    wait(&mut schedule)?
                }
                Meaning::Next => {
                    round.fail(gateway);
                    let goes_on = round.next_dial() != NextDial::RoundOver || {
                        round.begin_next();
                        wait(&mut schedule)?
                    };
                    let NextDial::Gateway(next) = round.next_dial() else {
                        return Err("a round without a gateway".into());
                    };
                    row.decision = if next > gateway { "next" } else { "wrap" };
                    goes_on
                }
            };
            if !goes_on && row.decision != "done" {
                row.decision = "fail";
            }
            rows.push(row);
            now += waited;
            if !goes_on {
                break;
            }
        }
        Ok(rows)
    }

    /// A whole client on a virtual clock, its list turned so that it begins where the call did.
    fn by_engine(&self) -> Result<Vec<Row<'a>>, String> {
        let connection = ConnectionSettings {
            connect_timeouts: self.timeouts,
            connection_timeout_milliseconds: 2_147_483_647,
            dial_stagger_milliseconds: 0,
            shuffle_addresses: false,
            jitter: Ratio::ZERO,
            ..Default::default()
        };
        let settings = Settings { connection, ..Default::default() };
        let mut world = World {
            engine: Engine::new(settings, self.endpoints, 1),
            now: Instant::default(),
            dials: Vec::new(),
            waited: 0,
            time_waiting: 0,
            ended: None,
        };
        world.tell(Event::ConnectRequested)?;
        let mut rows: Vec<Row<'a>> = Vec::new();
        for attempt in &self.attempts {
            while world.dials.is_empty() && world.ended.is_none() {
                world.step()?;
            }
            let Some(dial) = world.dials.pop() else { break };
            let ep = (dial.position + self.start) % self.endpoints;
            let mut row = Row {
                t_ms: signed(dial.at.as_milliseconds())?,
                ep: ep.into(),
                waited_ms: dial.waited,
                outcome: attempt.row.outcome,
                decision: "fail",
                time_waiting: dial.time_waiting,
                // What an engine keeps to itself: it shows in the waits that follow.
                next_wait_ms: attempt.row.next_wait_ms,
                expired: attempt.row.expired,
            };
            let cost = u64::try_from(attempt.cost).map_err(|e| format!("{e}"))?;
            world.now = dial.at.after(cost);
            let socket = dial.socket;
            match meaning(row.outcome) {
                Meaning::Connected => {
                    world.tell(Event::SocketOpened(socket))?;
                    compare("state", &ClientState::Connected, &world.engine.state())?;
                    row.decision = "done";
                }
                Meaning::Ends => {
                    world.tell(Event::CloseRequested(CloseRequest::Application))?;
                }
                Meaning::Same | Meaning::Next => {
                    let cause = Cause::Closed(CloseCode::ABNORMAL);
                    world.tell(Event::SocketFailed { socket, cause })?;
                    while world.dials.is_empty() && world.ended.is_none() {
                        world.step()?;
                    }
                    match (world.dials.last(), world.ended) {
                        (Some(next), _) => {
                            let next = (next.position + self.start) % self.endpoints;
                            row.decision = if next > ep { "next" } else { "wrap" };
                        }
                        (None, Some(StateReason::GaveUp(GaveUp::ScheduleSpent))) => {}
                        (None, other) => return Err(format!("the client ended so: {other:?}")),
                    }
                }
            }
            rows.push(row);
            if matches!(row.decision, "done" | "fail") {
                break;
            }
        }
        Ok(rows)
    }
}

struct Dial {
    at: Instant,
    position: u32,
    socket: SocketId,
    waited: i64,
    time_waiting: i64,
}

struct World {
    engine: Engine,
    now: Instant,
    dials: Vec<Dial>,
    waited: i64,
    time_waiting: i64,
    ended: Option<StateReason>,
}

impl World {
    fn tell(&mut self, event: Event) -> Replayed {
        self.engine.handle_event(self.now, event);
        self.drain()
    }

    /// Goes to the engine's next deadline.
    fn step(&mut self) -> Replayed {
        let Some(at) = self.engine.poll_timeout() else {
            return Err("the client waits for nothing".into());
        };
        self.now = self.now.max(at);
        self.engine.handle_timeout(self.now);
        self.drain()
    }

    fn drain(&mut self) -> Replayed {
        while let Some(action) = self.engine.poll_action() {
            match action {
                Action::Open { socket, gateway } => {
                    self.dials.push(Dial {
                        at: self.now,
                        position: gateway.position(),
                        socket,
                        waited: core::mem::take(&mut self.waited),
                        time_waiting: self.time_waiting,
                    });
                }
                Action::Tell(Notice::WaitBegan { milliseconds, .. }) => {
                    self.waited = signed(milliseconds)?;
                    self.time_waiting += self.waited;
                }
                Action::Tell(Notice::StateChanged { to: ClientState::Closed, reason, .. }) => {
                    self.ended = Some(reason);
                }
                Action::AskForGateways
                | Action::Close { .. }
                | Action::Greet { .. }
                | Action::Judge { .. }
                | Action::MeasureBuffer { .. }
                | Action::Ping { .. }
                | Action::Send { .. }
                | Action::Tell(_) => {}
            }
        }
        Ok(())
    }
}

fn signed(milliseconds: u64) -> Result<i64, String> {
    i64::try_from(milliseconds).map_err(|_| format!("{milliseconds} is beyond 64 bits"))
}

fn as_i64(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
