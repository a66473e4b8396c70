//! What is reported to the engine, and to those who judge it.

use regate::policy::{ClientState, Event, SendFailure};

use super::World;
use crate::sim::{
    plan::{Act, Timers},
    trace,
};

impl World<'_> {
    pub(super) fn feed(&mut self, event: Event) {
        if !matches!(event, Event::Received(_)) {
            self.note(|| trace::event(&event)); // nothing ever follows at once from that
        }
        let restarts = matches!(event, Event::ConnectRequested | Event::ReconnectRequested);
        if restarts && self.engine.state() == ClientState::Closed {
            self.drained = true;
        }
        match &event {
            Event::ReconnectRequested => {
                self.hidden = false;
                self.dialling.on_reconnect(self.calls_from);
            }
            Event::GatewaysSet(list) => {
                self.dialling.lose_track_for_good();
                if !list.is_empty() {
                    self.log.on_list();
                }
                self.listed = list.iter().map(|gateway| gateway.position()).collect();
            }
            Event::GatewaysListed(list) => {
                if list.as_ref().is_some_and(|list| !list.is_empty()) {
                    self.log.on_list();
                }
                self.listed.extend(list.iter().flatten().map(|gateway| gateway.position()));
            }
            Event::PageHidden => {
                self.dialling.lose_track();
                self.log.on_list(); // nobody waits for it any more
                let live = !matches!(self.engine.state(), ClientState::Idle | ClientState::Closed);
                self.hidden = self.hidden || live;
            }
            Event::PageShown => {
                self.dialling.lose_track();
                self.hidden = false;
            }
            Event::Woken => self.dialling.lose_track(),
            Event::SessionDone(socket) => {
                if self.dialling.on_greeted(self.now, *socket) {
                    self.operations.on_connected(self.now);
                    self.heard_at = self.now;
                }
            }
            Event::SessionFailed { socket, verdict } => {
                if self.dialling.is_greeting(*socket) {
                    self.dialling.on_session_failed(*verdict);
                }
            }
            Event::Received(socket) => {
                if self.dialling.socket() == Some(*socket) {
                    self.heard_at = self.now;
                }
            }
            Event::FailureJudged(_) | Event::BufferMeasured { .. } | Event::DrainRequested => {}
            Event::OperationAborted(operation) => self.operations.on_abort(*operation),
            Event::SocketOpened(socket) => {
                if self.dialling.on_opened(self.now, *socket) {
                    self.operations.on_connected(self.now);
                    self.heard_at = self.now;
                }
            }
            Event::SocketErred(socket) => self.dialling.on_doomed(self.now, *socket, 0),
            Event::SocketFailed { socket, cause } => {
                if self.dialling.on_gone(*socket) {
                    self.dialling.before_loss(u64::from(self.operations.any_live()));
                    let code = cause.close_code().map(|code| code.as_u16());
                    self.operations.on_socket_gone(self.now, *socket, code);
                }
            }
            Event::SendFailed { socket, attempt, failure } => {
                if let Some(attempt) = attempt {
                    self.operations.on_send_failed(self.now, *attempt, *failure);
                }
                if *failure == SendFailure::NotOpen {
                    let patience = self.plan.settings.connection.read_timeouts.total_milliseconds();
                    self.dialling.on_doomed(self.now, *socket, patience);
                }
            }
            Event::Answered { attempt, answer } => {
                self.operations.on_answer(self.now, *attempt, *answer);
            }
            Event::CloseRequested(_) | Event::ConnectRequested | Event::Invoked { .. } => {}
        }
        self.engine.handle_event(self.instant(), event);
        if matches!(self.engine.state(), ClientState::Idle | ClientState::Closed) {
            self.hidden = false;
        }
    }

    /// Whether timers are punctual, so that a silent line has to be noticed in time.
    pub(super) fn is_watched(&self) -> bool {
        let sleeps = |act: &Act| matches!(act, Act::Sleep(time) if *time > 0);
        self.plan.timers == Timers::Punctual
            && !self.plan.steps.iter().any(|step| sleeps(&step.act))
    }
}
