//! What is played: data, so that it can be drawn, shrunk and printed.

use regate::policy::{
    Binding, Call, Cause, Judgement, MessagingSettings, Purpose, Redo, SendFailure, Settings,
    Verdict,
};

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Of the client and of the network.
    pub(crate) seed: u64,
    pub(crate) settings: Settings,
    /// One way, in milliseconds, for each gateway.
    pub(crate) latencies: Vec<u64>,
    pub(crate) timers: Timers,
    pub(crate) application: Application,
    pub(crate) callbacks: Vec<Callback>,
    pub(crate) steps: Vec<Step>,
}

impl Plan {
    /// A plan without steps: punctual timers, and an application that only listens.
    pub(crate) fn new(settings: Settings, latencies: &[u64]) -> Self {
        Self {
            seed: 1,
            settings,
            latencies: latencies.to_vec(),
            timers: Timers::Punctual,
            application: Application::default(),
            callbacks: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// `act`, so many milliseconds after the step before.
    #[must_use]
    pub(crate) fn then(mut self, after: u64, act: Act) -> Self {
        self.steps.push(Step { after, act });
        self
    }

    /// As [`then`](Self::then), for something that happens to a gateway.
    #[must_use]
    pub(crate) fn strike(self, after: u64, gateway: usize, fault: Fault) -> Self {
        self.then(after, Act::Fault { gateway, fault })
    }
}

/// What the application answers when it is asked: one after the other, over and over.
#[derive(Clone, Debug, Default)]
pub(crate) struct Application {
    pub(crate) greetings: Vec<Greeting>,
    pub(crate) judgements: Vec<Judgement>,
    pub(crate) lists: Vec<Listing>,
}

/// What the session hook does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Greeting {
    DoneAfter(u64),
    FailAfter(u64, Option<Verdict>),
    Hang,
    /// Sends something, and is done or fails as that does.
    LogIn,
}

/// What the list function does.
#[derive(Clone, Debug)]
pub(crate) enum Listing {
    After(u64, Option<Vec<u32>>),
    Hang,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timers {
    Punctual,
    /// A little early at times, or late by up to this many milliseconds.
    Sloppy(u64),
}

#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// Milliseconds after the step before.
    pub(crate) after: u64,
    pub(crate) act: Act,
}

/// Something a handler of the application does while the driver is still busy.
#[derive(Clone, Debug)]
pub(crate) struct Callback {
    pub(crate) trigger: Trigger,
    /// How often the trigger is passed over first.
    pub(crate) skip: u32,
    pub(crate) act: Act,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trigger {
    Closed,
    Connected,
    DialFailed,
    Reconnecting,
    Settled,
    Waiting,
}

#[derive(Clone, Debug)]
pub(crate) enum Act {
    Abort {
        /// Counted back from the newest operation.
        back: usize,
    },
    AbortConnect,
    Close,
    Connect,
    Drain,
    Fault {
        gateway: usize,
        fault: Fault,
    },
    /// The page goes into the back/forward cache.
    Hide,
    Hostile(Hostile),
    Invoke(Request),
    Reconnect,
    SetGateways(Vec<u32>),
    Show,
    /// Nothing runs for so long; then all that came due happens at once.
    Sleep(u64),
    /// Calls in one turn: nothing is obeyed between them.
    Turn(Vec<Act>),
    Wake,
}

#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) redo: Redo,
    pub(crate) timeout: Option<u64>,
    pub(crate) messaging: Option<MessagingSettings>,
    pub(crate) purpose: Purpose,
    pub(crate) binding: Binding,
    pub(crate) bytes: u64,
}

impl Request {
    pub(crate) const fn of(redo: Redo) -> Self {
        Self {
            redo,
            timeout: None,
            messaging: None,
            purpose: Purpose::Request,
            binding: Binding::Anywhere,
            bytes: 0,
        }
    }

    pub(crate) fn call(&self) -> Call {
        let (bytes, binding) = (self.bytes, self.binding);
        if self.purpose == Purpose::Subscription {
            return Call { bytes, ..Call::subscription() };
        }
        Call {
            purpose: self.purpose,
            binding,
            redo: self.redo,
            timeout_milliseconds: self.timeout,
            bytes,
            buffered_bytes: 0,
            messaging: self.messaging.map(Box::new),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Answering(Answering),
    /// Every connection is closed with this code.
    CloseAll(u16),
    /// Sockets stop being open, and no close is ever seen.
    GoDead,
    /// The process is gone: what was on its way may or may not have arrived.
    Kill,
    Mode(Mode),
    /// So many of the next sends fail.
    Sends(SendFailure, u32),
}

/// What a gateway does to those who dial it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    AcceptThenClose(u16),
    Hang,
    Refuse,
    /// Accepts, and reads nothing.
    Stall,
    /// The constructor of the socket throws.
    Throw(Cause),
    Up,
}

/// How a gateway answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answering {
    /// Does nothing and says so, with a time to wait.
    Busy(u64),
    /// Does it, and answers with an error; or does nothing, if the code says so.
    Error(i32),
    Late(u64),
    /// Does it and answers with neither a result nor an error.
    Neither,
    /// Does it and says nothing.
    Never,
    Prompt,
    Twice,
    /// Does it and answers under an id that nobody has.
    UnknownId,
}

/// Events that no honest driver reports, or that come long after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hostile {
    /// An answer to an attempt that is over, counted back from the newest.
    LateAnswer(usize),
    /// An answer under a number that no attempt has had yet, or 0.
    MadeUpAnswer(u64),
    /// The same operation is made once more.
    InvokedAgain(usize),
    /// The timer goes off although nothing is due.
    Timeout,
    StaleClosed(usize, u16),
    StaleErred(usize),
    StaleOpened(usize),
    StaleSend(usize, SendFailure),
}
