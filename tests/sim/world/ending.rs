//! What must hold at the end of a play.

use regate::policy::ClientState;

use super::World;

impl World<'_> {
    /// A client that is connected to a sound gateway has answered all that can be answered.
    pub(super) fn check_that_all_was_answered(&mut self) {
        match self.dialling.state() {
            ClientState::Idle | ClientState::Closed => return,
            ClientState::Connected => {}
            state @ (ClientState::Connecting | ClientState::Reconnecting) => {
                let what = || format!("is {} beside sound gateways", state.as_str());
                return self.verdicts.require(false, what);
            }
        }
        let ready = self.dialling.socket().filter(|_| self.dialling.is_ready());
        self.operations.check_subscriptions(ready, &mut self.verdicts);
        let waiting = self.operations.unsettled().find(|&(_, in_flight)| !in_flight);
        self.verdicts.require(waiting.is_none(), || format!("{waiting:?} waits for nothing"));
    }

    pub(super) fn check_silence(&mut self) {
        let v = &mut self.verdicts;
        v.require(self.engine.poll_timeout().is_none(), || "wakes after close()".to_owned());
        v.require(self.engine.poll_action().is_none(), || "acts after close()".to_owned());
        v.require(self.engine.is_quiet(), || "is not quiet after close()".to_owned());
        let unsettled = self.operations.unsettled().next();
        v.require(unsettled.is_none(), || format!("{unsettled:?} is never settled"));
        // The engine shows no other sign of what it keeps.
        let debug = format!("{:?}", self.engine);
        let index = debug.split("index: Index").nth(1).and_then(|text| text.split('}').next());
        v.require(index.is_some_and(|text| text.ends_with("len: 0 ")), || {
            format!("keeps something of what is settled: {index:?}")
        });
        let attempts = self.operations.attempts();
        v.require(self.engine.operation_counts().attempts == attempts, || {
            format!("{} attempts, not {attempts}", self.engine.operation_counts().attempts)
        });
    }
}
