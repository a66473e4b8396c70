//! What the machines want of each other, and of the driver.

use super::{Action, Engine};
use crate::policy::{
    AttemptId, Cause, CloseRequest, ErrorCode, GatewayIndex, GaveUp, Instant, Notice, StateReason,
    connection::{ConnectionEvent, ConnectionOutput},
    operations::OperationOutput,
};

impl Engine {
    /// Does what the machines want of each other, and queues what they want of the driver.
    ///
    /// `except` are the attempts that are about to be taken back: the loss of their socket is not
    /// what ended them.
    pub(super) fn carry_out(&mut self, now: Instant, except: &[AttemptId]) {
        loop {
            while let Some(output) = self.connection.poll_output() {
                self.carry_out_one(now, output, except);
            }
            self.pass_on(now);
            if !self.operations.is_drained() {
                return;
            }
            let close = ConnectionEvent::CloseRequested(CloseRequest::Application);
            self.connection.handle_event(now, close);
        }
    }

    fn carry_out_one(&mut self, now: Instant, output: ConnectionOutput, except: &[AttemptId]) {
        match output {
            ConnectionOutput::Open { socket, gateway } => {
                self.failure_log.dialled();
                self.actions.push_back(Action::Open { socket, gateway });
            }
            ConnectionOutput::Close { socket } => {
                self.actions.push_back(Action::Close { socket });
            }
            ConnectionOutput::AskForList => self.actions.push_back(Action::AskForGateways),
            ConnectionOutput::Judge { gateway, cause, verdict } => {
                self.actions.push_back(Action::Judge { gateway, cause, verdict });
            }
            ConnectionOutput::Greet { socket, gateway } => {
                self.operations.greet(socket, gateway);
                self.actions.push_back(Action::Greet { socket, gateway });
            }
            ConnectionOutput::GreetingEnded { cause } => {
                self.operations.end_greeting(now, cause, except);
                self.pass_on(now);
            }
            ConnectionOutput::Ready { socket, gateway } => {
                self.buffered_bytes = 0;
                self.pings.clear();
                self.operations.open(now, socket, gateway);
                self.failure_log.opened();
                self.liveness.opened(now);
                self.pass_on(now);
            }
            ConnectionOutput::Halted => {
                self.operations.halt(now);
                self.pass_on(now);
            }
            ConnectionOutput::Lost { gateway, cause } => {
                self.liveness.ended();
                if !matches!(cause, Cause::Dropped | Cause::Hidden) {
                    self.log_failure(now, Some(gateway), cause);
                }
                self.operations.lose(now, cause, except);
                self.pass_on(now);
            }
            ConnectionOutput::ListFailed => self.log_failure(now, None, Cause::ListFailed),
            ConnectionOutput::RoundBegan => self.failure_log.round_began(),
            ConnectionOutput::Steadied { gateway, since } => {
                if let Some(line) = self.failure_log.steadied(gateway, since) {
                    self.actions.push_back(Action::Tell(Notice::Logged(line)));
                }
            }
            ConnectionOutput::Ended { reason, lost } => {
                self.liveness.ended();
                if let Some((gateway, cause)) = lost {
                    self.log_failure(now, Some(gateway), cause);
                }
                self.end(now, reason, lost.map(|(_, cause)| cause), except);
            }
            ConnectionOutput::Notice(notice) => {
                if let Notice::DialFailed { gateway, cause, .. } = notice {
                    self.log_failure(now, Some(gateway), cause);
                }
                self.actions.push_back(Action::Tell(notice));
            }
        }
    }

    fn end(
        &mut self,
        now: Instant,
        reason: StateReason,
        cause: Option<Cause>,
        except: &[AttemptId],
    ) {
        let gave_up = if let StateReason::GaveUp(why) = reason { Some(why) } else { None };
        let ended =
            (!self.connection.is_resting()).then(|| self.failure_log.ended(now, gave_up)).flatten();
        if let Some(line) = ended {
            self.actions.push_back(Action::Tell(Notice::Logged(line)));
        }
        let code = gave_up.map_or(ErrorCode::ClientClosed, GaveUp::code);
        self.operations.close(now, code, cause, except);
        self.pass_on(now);
    }

    fn log_failure(&mut self, now: Instant, gateway: Option<GatewayIndex>, cause: Cause) {
        if let Some(line) = self.failure_log.failed(now, gateway, cause) {
            self.actions.push_back(Action::Tell(Notice::Logged(line)));
        }
    }

    fn pass_on(&mut self, now: Instant) {
        while let Some(output) = self.operations.poll_output() {
            match output {
                OperationOutput::Send { socket, operation, attempt } => {
                    self.actions.push_back(Action::Send { socket, operation, attempt });
                }
                OperationOutput::Settled { operation, outcome } => {
                    self.actions.push_back(Action::Tell(Notice::Settled { operation, outcome }));
                }
                OperationOutput::Subscribed { operation, resumed } => {
                    self.actions.push_back(Action::Tell(Notice::Subscribed { operation, resumed }));
                }
                OperationOutput::Measure { socket } => {
                    self.actions.push_back(Action::MeasureBuffer { socket });
                }
                OperationOutput::Doubted => self.doubt(now),
            }
        }
    }
}
