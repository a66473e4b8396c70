//! What the world around a client does, as data.

use std::collections::VecDeque;

use regate::policy::{Answer, Cause, SendFailure, Verdict};

/// What a gateway does with a dial.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Dial {
    /// Neither opens nor fails.
    Hang,
    /// Opens after so many milliseconds.
    OpenAfter(u64),
    /// Opens at once, and closes with this code after so many milliseconds.
    OpenThenClose(u16, u64),
    /// Fails with this close code after so many milliseconds.
    FailAfter(u16, u64),
    /// The constructor throws.
    Throw(Cause),
}

pub(crate) const OPEN: Dial = Dial::OpenAfter(0);
pub(crate) const REFUSE: Dial = Dial::FailAfter(1006, 0);

/// What becomes of a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Frame {
    /// Goes out, and is answered so at once.
    Answered(Answer),
    /// Goes out, and nothing comes back.
    Silence,
    /// Goes out, and the gateway closes with this code at once.
    Closed(u16),
    /// Does not go out.
    Refused(SendFailure),
}

pub(crate) const RESULT: Frame = Frame::Answered(Answer::Result);
pub(crate) const BUSY: Frame = Frame::Answered(Answer::Retryable { after_milliseconds: 0 });

/// What the session hook does on a socket.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Session {
    /// Is done after so many milliseconds.
    DoneAfter(u64),
    /// Throws after so many milliseconds, with a verdict or without.
    FailAfter(u64, Option<Verdict>),
    /// Sends one message, and is done when that is answered and fails when it is not.
    LogIn,
    /// Is never done.
    Hang,
}

/// What the list function does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum List {
    /// Gives these gateways.
    Of(&'static [u32]),
    /// Throws, rejects, or gives an empty list or rubbish.
    Fail,
    /// Is never done.
    Hang,
}

/// What comes next, and what comes for ever when that is used up.
#[derive(Clone, Debug)]
pub(crate) struct Script<T> {
    next: VecDeque<T>,
    then: T,
}

impl<T: Copy> Script<T> {
    pub(crate) fn always(then: T) -> Self {
        Self { next: VecDeque::new(), then }
    }

    pub(crate) fn first<const N: usize>(next: [T; N], then: T) -> Self {
        Self { next: next.into(), then }
    }

    pub(crate) fn take(&mut self) -> T {
        self.next.pop_front().unwrap_or(self.then)
    }
}
