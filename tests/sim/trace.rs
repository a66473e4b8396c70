//! What happened, a line an event: `12034 ms  socket 3 closed 1006  ->  wait 812 ms`.

use core::fmt::Write as _;

use regate::policy::{
    Action, Answer, Cause, Event, GatewayIndex, LogLine, Notice, OperationError, Redo, StateReason,
};

#[derive(Debug, Default)]
pub(crate) struct Trace {
    lines: Vec<String>,
    results: usize,
}

impl Trace {
    /// Something came in.
    pub(crate) fn begin(&mut self, now: u64, what: &str) {
        self.lines.push(format!("{now:>6} ms  {what}"));
        self.results = 0;
    }

    /// What the engine answered.
    pub(crate) fn add(&mut self, what: &str) {
        if let Some(line) = self.lines.last_mut() {
            line.push_str(if self.results == 0 { "  ->  " } else { ", " });
            line.push_str(what);
            self.results += 1;
        }
    }

    /// Takes back a line that says nothing: a timer that was early.
    pub(crate) fn drop_if_empty(&mut self) {
        if self.results == 0 {
            self.lines.pop();
        }
    }

    pub(crate) fn text(&self) -> String {
        let mut text = self.lines.join("\n");
        text.push('\n');
        text
    }
}

pub(crate) fn event(event: &Event) -> String {
    match event {
        Event::ConnectRequested => "connect()".into(),
        Event::ReconnectRequested => "reconnect()".into(),
        Event::CloseRequested(how) => format!("close by {how:?}"),
        Event::Invoked { operation, call } => {
            let redo = if call.redo == Redo::Once { "once" } else { "redoable" };
            let mut text = format!("invoke {} {redo}", operation.as_u64());
            if let Some(timeout) = call.timeout_milliseconds {
                let _ = write!(text, " within {timeout} ms");
            }
            if call.messaging.is_some() {
                text.push_str(" its own way");
            }
            text
        }
        Event::OperationAborted(operation) => format!("abort {}", operation.as_u64()),
        Event::DrainRequested => "drain()".into(),
        Event::GatewaysSet(list) => format!("gateways set: {}", numbers(list)),
        Event::GatewaysListed(Some(list)) => format!("gateways listed: {}", numbers(list)),
        Event::GatewaysListed(None) => "no gateways to be had".into(),
        Event::FailureJudged(judgement) => {
            let verdict = judgement.verdict.map_or("as by default", |verdict| verdict.as_str());
            format!("judged {verdict}, wait {} ms", judgement.wait_milliseconds)
        }
        Event::SessionDone(socket) => format!("session on socket {} done", socket.as_u64()),
        Event::SessionFailed { socket, verdict } => {
            let verdict = verdict.map_or("", |verdict| verdict.as_str());
            format!("session on socket {} failed {verdict}", socket.as_u64())
        }
        Event::Woken => "woken".into(),
        Event::PageHidden => "page hidden".into(),
        Event::PageShown => "page shown".into(),
        Event::Received(socket) => format!("something on socket {}", socket.as_u64()),
        Event::BufferMeasured { socket, bytes } => {
            format!("{bytes} bytes left on socket {}", socket.as_u64())
        }
        Event::SocketOpened(socket) => format!("socket {} opened", socket.as_u64()),
        Event::SocketErred(socket) => format!("socket {} erred", socket.as_u64()),
        Event::SocketFailed { socket, cause: why } => {
            format!("socket {} {}", socket.as_u64(), cause(*why))
        }
        Event::SendFailed { socket, attempt, failure } => {
            let attempt = attempt.map_or(0, |attempt| attempt.as_u64());
            format!("send {attempt} on socket {} failed: {failure:?}", socket.as_u64())
        }
        Event::Answered { attempt, answer } => match answer {
            Answer::Retryable { after_milliseconds: 0 } => format!("{} busy", attempt.as_u64()),
            Answer::Retryable { after_milliseconds } => {
                format!("{} busy for {after_milliseconds} ms", attempt.as_u64())
            }
            Answer::Error { code } => format!("{} answered error {code}", attempt.as_u64()),
            Answer::Neither => format!("{} answered with neither", attempt.as_u64()),
            Answer::Result => format!("{} answered", attempt.as_u64()),
        },
    }
}

fn numbers(list: &[GatewayIndex]) -> String {
    let numbers: Vec<_> = list.iter().map(|gateway| gateway.position().to_string()).collect();
    numbers.join(" ")
}

pub(crate) fn action(action: &Action) -> String {
    match action {
        Action::Open { socket, gateway } => {
            format!("open socket {} to gateway {}", socket.as_u64(), gateway.position())
        }
        Action::AskForGateways => "ask for gateways".into(),
        Action::Judge { gateway, cause: why, verdict } => {
            let (gateway, verdict) = (gateway.position(), verdict.as_str());
            format!("judge gateway {gateway} {}: {verdict}", cause(*why))
        }
        Action::Greet { socket, .. } => format!("greet socket {}", socket.as_u64()),
        Action::MeasureBuffer { socket } => format!("measure socket {}", socket.as_u64()),
        Action::Ping { attempt, .. } => format!("ping {}", attempt.as_u64()),
        Action::Close { socket } => format!("close socket {}", socket.as_u64()),
        Action::Send { operation, attempt, .. } if operation.as_u64() == attempt.as_u64() => {
            format!("send {}", attempt.as_u64())
        }
        Action::Send { operation, attempt, .. } => {
            format!("send {} as {}", operation.as_u64(), attempt.as_u64())
        }
        Action::Tell(told) => notice(told),
    }
}

fn notice(notice: &Notice) -> String {
    match notice {
        Notice::Dialled { round, .. } => format!("round {round}"),
        Notice::DialFailed { gateway, verdict, cause: why } => {
            format!("gateway {} {}: {}", gateway.position(), cause(*why), verdict.as_str())
        }
        Notice::Logged(line) => format!("log \"{}\"", log(line)),
        Notice::Settled { operation, outcome: Ok(()) } => format!("{} done", operation.as_u64()),
        Notice::Settled {
            operation,
            outcome: Err(OperationError { code, completion, attempts, .. }),
        } => {
            let (id, code, completion) = (operation.as_u64(), code.as_str(), completion.as_str());
            format!("{id} {code} ({completion}, {attempts} attempts)")
        }
        Notice::Subscribed { operation, resumed } => {
            let how = if *resumed { "resumed" } else { "live" };
            format!("{} {how}", operation.as_u64())
        }
        Notice::StateChanged { to, reason, .. } => {
            let reason = match reason {
                StateReason::Lost(why) => cause(*why),
                _ => reason.as_str().to_owned(),
            };
            format!("{} ({reason})", to.as_str())
        }
        Notice::WaitBegan { milliseconds, .. } => format!("wait {milliseconds} ms"),
        _ => format!("{notice:?}"),
    }
}

fn place(gateway: Option<GatewayIndex>) -> String {
    gateway.map_or("list".into(), |gateway| gateway.position().to_string())
}

fn log(line: &LogLine) -> String {
    match line {
        LogLine::OutageBegan { gateway, cause: why } => {
            format!("gateway {} {}", place(*gateway), cause(*why))
        }
        LogLine::OutageGoesOn { milliseconds, failures } => {
            let counts: Vec<_> =
                failures.iter().map(|c| format!("{}: {}", place(c.gateway), c.failures)).collect();
            format!("out for {milliseconds} ms, failures {}", counts.join(", "))
        }
        LogLine::OutageEnded { gateway, milliseconds, rounds, dials } => {
            let gateway = gateway.position();
            format!("back on {gateway} after {milliseconds} ms, {rounds} rounds, {dials} dials")
        }
        LogLine::GaveUp { why, milliseconds, rounds, dials, .. } => {
            let code = why.code().as_str();
            format!("{code} after {milliseconds} ms, {rounds} rounds, {dials} dials")
        }
        _ => format!("{line:?}"),
    }
}

fn cause(cause: Cause) -> String {
    match cause.close_code() {
        Some(code) => format!("closed {}", code.as_u16()),
        None => cause.as_str().to_owned(),
    }
}
