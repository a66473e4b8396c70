//! The paths, each made ready outside of what is counted.

use std::{collections::VecDeque, hint::black_box};

use regate::policy::{
    AttemptEnd, Call, Completion, MessagingSettings, Redo, Schedule, Standing, decide,
};

use crate::client::Client;

/// A path, and how much is pending meanwhile, one size after the other; 0 where nothing is.
pub(crate) struct Path {
    pub(crate) name: &'static str,
    pub(crate) pending: &'static [usize],
    pub(crate) ready: fn(usize) -> Ready,
}

/// All is ready to take the path so many times.
pub(crate) struct Ready {
    pub(crate) steps: usize,
    /// Says how many steps came about.
    pub(crate) run: Box<dyn FnMut() -> usize>,
}

pub(crate) const PATHS: [Path; 8] = [
    Path { name: "a wait of the connect schedule", pending: &[0], ready: waits },
    Path { name: "the retry decision", pending: &[0], ready: decisions },
    Path { name: "may a notification go out", pending: &[0], ready: notifications },
    Path { name: "an operation, sent and answered", pending: &PENDING, ready: at_once },
    Path { name: "an operation, the long way", pending: &PENDING, ready: answers },
    Path { name: "a deadline set and dropped", pending: &DEADLINES, ready: drops },
    Path { name: "a deadline passed", pending: &DEADLINES, ready: passes },
    Path { name: "an operation through a failover", pending: &[1_000], ready: failovers },
];

const PENDING: [usize; 3] = [1, 1_000, 100_000];

const DEADLINES: [usize; 3] = [1_000, 10_000, 100_000];

/// Times that a path without anything pending is taken.
const TIMES: usize = 10_000;

/// Deadlines that are dropped are cleared away when they outnumber the others by about so many: the
/// steps taken hold that once, as it is part of the cost of each.
const fn until_tidied(pending: usize) -> usize {
    pending + 65
}

/// The default schedule, whose 16 waits are taken from its beginning again and again.
fn waits(_: usize) -> Ready {
    let timeouts = "250:60000:100:5000".parse().expect("a valid schedule");
    let run = move || {
        (0..TIMES / 16).map(|_| black_box(Schedule::new(black_box(timeouts)))).map(taken).sum()
    };
    Ready { steps: TIMES / 16 * 16, run: Box::new(run) }
}

fn taken(mut schedule: Schedule) -> usize {
    let mut waits = 0;
    while black_box(schedule.next_wait()).is_some() {
        waits += 1;
    }
    waits
}

/// Every case of the table, several times.
fn decisions(_: usize) -> Ready {
    let settings = MessagingSettings::default();
    let mut cases = Vec::new();
    for end in AttemptEnd::ALL {
        for known in [Completion::No, Completion::Yes, Completion::Maybe] {
            for standing in [Standing::Connected, Standing::NotYet, Standing::Reconnecting] {
                for redo in [Redo::Redoable, Redo::Once] {
                    cases.push((end, known, standing, redo));
                }
            }
        }
    }
    let repeats = TIMES / cases.len();
    let steps = repeats * cases.len();
    let run = move || {
        let mut decided = 0;
        for _ in 0..repeats {
            for &(end, known, standing, redo) in black_box(&cases) {
                black_box(decide(end, known, standing, redo, black_box(&settings)));
                decided += 1;
            }
        }
        decided
    };
    Ready { steps, run: Box::new(run) }
}

fn notifications(_: usize) -> Ready {
    let mut client = Client::connected();
    let run = move || {
        let mut admitted = || {
            let engine = &mut black_box(&mut client).engine;
            engine.notification_socket(black_box(None)).is_some()
                && engine.admit_notification(black_box(64), black_box(0))
        };
        (0..TIMES).filter(|_| admitted()).count()
    };
    Ready { steps: TIMES, run: Box::new(run) }
}

const fn once() -> Call {
    let mut call = Call::once();
    call.bytes = 64;
    call
}

/// As one is made, the oldest is answered.
fn at_once(pending: usize) -> Ready {
    let mut client = Client::connected();
    let mut in_flight: VecDeque<_> = (0..pending).map(|_| client.send_at_once(once())).collect();
    let steps = until_tidied(pending);
    let run = move || {
        let mut answered = 0;
        for _ in 0..steps {
            let attempt = client.send_at_once(once());
            let oldest = in_flight.pop_front().expect("as many as are pending");
            in_flight.push_back(attempt);
            answered += usize::from(client.take_result(oldest));
        }
        answered
    };
    Ready { steps, run: Box::new(run) }
}

/// The same by events and actions.
fn answers(pending: usize) -> Ready {
    let mut client = Client::connected();
    let mut in_flight: VecDeque<_> = (0..pending).map(|_| client.send(once())).collect();
    let steps = until_tidied(pending);
    let run = move || {
        let mut answered = 0;
        for _ in 0..steps {
            let attempt = client.send(once());
            let oldest = in_flight.pop_front().expect("as many as are pending");
            in_flight.push_back(attempt);
            answered += client.answer(oldest).settled;
        }
        answered
    };
    Ready { steps, run: Box::new(run) }
}

/// Long before the deadlines of [`waiting`] in milliseconds, and long after now.
const EARLY: u64 = 1 << 30;

/// Waiting operations, their deadlines spread like those of many callers.
fn waiting(pending: usize) -> Client {
    let mut client = Client::idle();
    for number in 0..pending as u64 {
        let spread = number.wrapping_mul(40_503) % (1 << 17); // a different one for each
        client.invoke(due_in(2 * EARLY + spread * 8 - number));
    }
    client
}

const fn due_in(milliseconds: u64) -> Call {
    let mut call = once();
    call.timeout_milliseconds = Some(milliseconds);
    call
}

/// Each is the earliest of all when it is set, which is the worst case.
fn drops(pending: usize) -> Ready {
    let mut client = waiting(pending);
    let steps = until_tidied(pending);
    let mut earliest = EARLY;
    let run = move || {
        let mut dropped = 0;
        for _ in 0..steps {
            earliest -= 2; // as time goes on by one
            let (operation, _) = client.invoke(due_in(earliest));
            dropped += client.abort(operation).settled;
        }
        dropped
    };
    Ready { steps, run: Box::new(run) }
}

/// A tenth of all.
fn passes(pending: usize) -> Ready {
    let mut client = waiting(pending);
    let steps = pending / 10;
    let run = move || (0..steps).map(|_| client.pass_deadline().settled).sum();
    Ready { steps, run: Box::new(run) }
}

/// All are lost with their connection, and sent again on the next one.
fn failovers(pending: usize) -> Ready {
    let mut client = Client::connected();
    for _ in 0..pending {
        client.send(Call { bytes: 64, ..Call::redoable() });
    }
    Ready { steps: pending, run: Box::new(move || client.fail_over().sent) }
}
