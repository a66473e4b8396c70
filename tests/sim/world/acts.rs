//! What the application does, and what is done to it.

use regate::policy::{
    Answer, AttemptId, Binding, Call, ClientState, CloseRequest, Event, GatewayIndex, Judgement,
    OperationId, SocketId,
};

use super::World;
use crate::sim::{
    dialling::{From, closed},
    network::Happening,
    operations::Limit,
    plan::{Act, Greeting, Hostile, Listing},
};

pub(super) fn gateways(list: &[u32]) -> Vec<GatewayIndex> {
    list.iter().map(|&position| GatewayIndex::from_position(position)).collect()
}

fn nth<T: Clone>(items: &[T], turn: usize) -> Option<T> {
    items.get(turn % items.len().max(1)).cloned()
}

impl World<'_> {
    /// The application is asked for its list.
    pub(super) fn give_list(&mut self) {
        let all: Vec<u32> = (0..).take(self.plan.latencies.len()).collect();
        let listing = nth(&self.plan.application.lists, self.listings)
            .filter(|_| !self.sound)
            .unwrap_or(Listing::After(0, Some(all)));
        self.listings += 1;
        if let Listing::After(after, list) = listing {
            let list = list.map(|list| self.of_the_plan(&list));
            self.network.later(self.now + after, Happening::Listed(list));
        }
    }

    /// Such gateways as there are, each once.
    fn of_the_plan(&self, list: &[u32]) -> Vec<u32> {
        let count = u32::try_from(self.plan.latencies.len()).unwrap_or(1);
        let mut distinct = Vec::new();
        for gateway in list.iter().map(|gateway| gateway % count) {
            if !distinct.contains(&gateway) {
                distinct.push(gateway);
            }
        }
        distinct
    }

    /// The application is asked what a failure means.
    pub(super) fn judge(&mut self) -> Judgement {
        let judgement = nth(&self.plan.application.judgements, self.judgements);
        self.judgements += 1;
        judgement.filter(|_| !self.sound).unwrap_or_default()
    }

    /// The session hook runs.
    pub(super) fn greet(&mut self, socket: SocketId) {
        let greeting = nth(&self.plan.application.greetings, self.greetings)
            .filter(|_| !self.sound)
            .unwrap_or(Greeting::DoneAfter(0));
        self.greetings += 1;
        let (after, outcome) = match greeting {
            Greeting::DoneAfter(after) => (after, Ok(())),
            Greeting::FailAfter(after, verdict) => (after, Err(verdict)),
            Greeting::Hang => return,
            Greeting::LogIn => {
                let operation = self.engine.reserve_operation();
                let call = Call { binding: Binding::Session(socket), ..Call::once() };
                let v = &mut self.verdicts;
                self.operations.on_invoke(self.now, operation, &call, None, Some(socket), v);
                self.log_ins.insert(operation, socket);
                return self.feed(Event::Invoked { operation, call });
            }
        };
        self.network.later(self.now + after, Happening::Greeted { socket, outcome });
    }

    /// Acts while there are actions that were not obeyed yet.
    pub(super) fn act_amid_actions(&mut self, act: &Act) {
        self.called_back = true;
        let outer = core::mem::replace(&mut self.calls_from, From::Handler);
        self.act(act);
        self.calls_from = outer;
    }

    pub(super) fn act(&mut self, act: &Act) {
        match act {
            Act::Abort { back } => {
                if let Some(operation) = self.operations.newest(*back) {
                    self.feed(Event::OperationAborted(operation));
                }
            }
            Act::AbortConnect => {
                self.feed(Event::CloseRequested(CloseRequest::ConnectAborted));
            }
            Act::Drain => {
                self.draining |= self.engine.state() != ClientState::Closed;
                self.drained &= !self.draining;
                self.feed(Event::DrainRequested);
            }
            Act::Hide => self.feed(Event::PageHidden),
            Act::Show => self.feed(Event::PageShown),
            Act::Wake => self.feed(Event::Woken),
            Act::SetGateways(list) => {
                let list = self.of_the_plan(list);
                self.feed(Event::GatewaysSet(gateways(&list)));
            }
            Act::Close => self.feed(Event::CloseRequested(CloseRequest::Application)),
            Act::Connect => self.feed(Event::ConnectRequested),
            Act::Fault { gateway, fault } => {
                let gateway = gateway % self.plan.latencies.len();
                self.note(|| format!("gateway {gateway}: {fault:?}"));
                self.network.strike(self.now, gateway, *fault);
            }
            Act::Hostile(hostile) => self.hostile(*hostile),
            Act::Invoke(request) => {
                let (operation, call) = (self.engine.reserve_operation(), request.call());
                let limit = match (self.calls_from, self.dialling.is_ready()) {
                    (From::Handler, _) => None,
                    (From::Outside, true) => Some(Limit::InFlight),
                    (From::Outside, false) => Some(Limit::Pending),
                };
                let v = &mut self.verdicts;
                let ready = self.dialling.socket().filter(|_| self.dialling.is_ready());
                let bound_to = ready.filter(|_| self.calls_from == From::Outside);
                self.operations.on_invoke(self.now, operation, &call, limit, bound_to, v);
                self.feed(Event::Invoked { operation, call });
            }
            Act::Reconnect => self.feed(Event::ReconnectRequested),
            Act::Sleep(milliseconds) => {
                self.note(|| format!("sleep {milliseconds} ms"));
                self.now += milliseconds;
            }
            Act::Turn(acts) => acts.iter().for_each(|act| self.act_amid_actions(act)),
        }
    }

    pub(super) fn hostile(&mut self, hostile: Hostile) {
        let stale = |back: usize| {
            let stale = self.sockets.iter().rev().filter(|&&socket| !self.dialling.has(socket));
            stale.copied().nth(back)
        };
        let answered = |attempt| Event::Answered { attempt, answer: Answer::Result };
        let event = match hostile {
            Hostile::LateAnswer(back) => self.operations.finished_attempt(back).map(answered),
            Hostile::MadeUpAnswer(0) => Some(answered(AttemptId::from_u64(0))),
            Hostile::MadeUpAnswer(beyond) => {
                let unused = self.operations.newest_id().saturating_add(beyond);
                Some(answered(AttemptId::from_u64(unused)))
            }
            Hostile::InvokedAgain(back) => self
                .unsettled(back)
                .map(|operation| Event::Invoked { operation, call: Call::redoable() }),
            Hostile::Timeout => {
                self.note(|| "timer for nothing".to_owned());
                self.engine.handle_timeout(self.instant());
                None
            }
            Hostile::StaleClosed(back, code) => {
                stale(back).map(|socket| Event::SocketFailed { socket, cause: closed(code) })
            }
            Hostile::StaleErred(back) => stale(back).map(Event::SocketErred),
            Hostile::StaleOpened(back) => stale(back).map(Event::SocketOpened),
            Hostile::StaleSend(back, failure) => stale(back).map(|socket| {
                let attempt = self.operations.finished_attempt(back);
                Event::SendFailed { socket, attempt, failure }
            }),
        };
        if let Some(event) = event {
            self.feed(event);
        }
    }

    fn unsettled(&self, back: usize) -> Option<OperationId> {
        let unsettled: Vec<_> = self.operations.unsettled().map(|(id, _)| id).collect();
        unsettled.into_iter().rev().nth(back)
    }
}
