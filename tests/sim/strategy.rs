//! Which plans are drawn: times so short that every deadline fires in a run.

use proptest::prelude::*;
use regate::policy::{
    Binding, Cause, ConnectionSettings, FirstConnect, Heartbeat, Hooks, HttpStatus, Judgement,
    Limits, MessagingSettings, Purpose, Ratio, Reconnect, Redo, SendFailure, Settings, Verdict,
};

use super::plan::{
    Act, Answering, Application, Callback, Fault, Greeting, Hostile, Listing, Mode, Plan, Request,
    Step, Timers, Trigger,
};

pub(crate) fn plans() -> impl Strategy<Value = Plan> {
    (
        (any::<u64>(), settings(), prop::collection::vec(0_u64..20, 1..4), timers()),
        application(),
        prop::collection::vec(callback(), 0..4),
        prop_oneof![
            prop::collection::vec(step(act().boxed()), 1..40),
            prop::collection::vec(step(prop_oneof![5 => act(), 1 => event()].boxed()), 1..40),
        ],
    )
        .prop_map(|((seed, settings, latencies, timers), application, callbacks, steps)| {
            Plan { seed, settings, latencies, timers, application, callbacks, steps }
        })
}

fn settings() -> impl Strategy<Value = Settings> {
    let bytes =
        prop_oneof![1 => Just(0), 2 => Just(60), 9 => Just(Limits::DEFAULT.max_buffered_bytes)];
    let period = prop_oneof![2 => Just(0), 2 => Just(50), 1 => Just(300), 1 => Just(15_000)];
    let few = prop_oneof![1 => Just(0), 1 => Just(2), 1 => Just(3), 8 => Just(10_000)];
    let apart = (few.clone(), few, bytes, period);
    (connection(), messaging(), apart).prop_map(|(connection, messaging, (a, b, bytes, period))| {
        let limits = Limits {
            max_pending_operations: a,
            max_in_flight_operations: b,
            max_buffered_bytes: bytes,
            ..Limits::DEFAULT
        };
        let heartbeat = Heartbeat { period_milliseconds: period };
        Settings { connection, messaging, limits, heartbeat, ..Settings::default() }
    })
}

fn ratio() -> impl Strategy<Value = Ratio> {
    prop_oneof![Just(0), Just(200_000), Just(1_000_000)].prop_map(Ratio::from_millionths)
}

fn connection() -> impl Strategy<Value = ConnectionSettings> {
    let schedules = prop::sample::select(vec![
        "40:400:100:150",
        "10:60:50",
        "25:100:100:25",
        "100:1500:100:400",
        "50:200:100:30",
        "70:1:1",
    ]);
    let reconnect = prop_oneof![
        4 => Just(Reconnect::Always), 2 => Just(Reconnect::Schedule), 1 => Just(Reconnect::Never),
    ];
    let first = prop_oneof![Just(FirstConnect::Always), Just(FirstConnect::Schedule)];
    let steady = prop_oneof![Just(0_u64), Just(60), Just(200)];
    let spread = prop_oneof![3 => Just(0_u64), 1 => Just(30)];
    let rarely = || prop::bool::weighted(0.25);
    let hooks = (rarely(), rarely(), rarely()).prop_map(|(close_policy, list, session)| Hooks {
        close_policy,
        list,
        session,
    });
    let stagger = prop_oneof![2 => Just(0_u32), 1 => Just(20), 1 => Just(90)];
    let apart = (steady, spread, hooks, 50_u64..120, stagger);
    (schedules, 60_u32..150, any::<bool>(), reconnect, first, ratio(), apart).prop_map(
        |(schedule, limit, shuffle_addresses, reconnect, first_connect, jitter, apart)| {
            let (steady, spread, hooks, session_limit, stagger) = apart;
            ConnectionSettings {
                connect_timeouts: schedule
                    .parse()
                    .unwrap_or(ConnectionSettings::DEFAULT.connect_timeouts),
                read_timeouts: "20:60:20"
                    .parse()
                    .unwrap_or(ConnectionSettings::DEFAULT.read_timeouts),
                connection_timeout_milliseconds: limit,
                dial_stagger_milliseconds: stagger,
                shuffle_addresses,
                reconnect,
                first_connect,
                jitter,
                steady_milliseconds: steady,
                failover_spread_milliseconds: spread,
                session_timeout_milliseconds: session_limit,
                hooks,
            }
        },
    )
}

fn messaging() -> impl Strategy<Value = MessagingSettings> {
    let seconds = prop_oneof![1 => Just(0), 3 => Just(1_u64), 1 => Just(2), 1 => Just(20)];
    let fast = prop_oneof![Just(0), Just(1), Just(2_u64), Just(5)];
    let delay = prop_oneof![Just(10_u64), Just(100), Just(400)];
    let respond = prop_oneof![Just(0), Just(60_u64), Just(500)];
    let mostly = || prop::bool::weighted(0.75);
    (seconds, fast, delay, mostly(), mostly(), any::<bool>(), respond, ratio()).prop_map(
        |(seconds, fast, delay, lost, reconnecting, unsent, respond, jitter)| MessagingSettings {
            retry_timeout_seconds: seconds,
            max_fast_invocation_count: fast,
            min_retry_delay_milliseconds: delay,
            retry_on_connection_lost: lost,
            retry_on_client_reconnecting: reconnecting,
            retry_unsent_operations: unsent,
            wait_for_response_milliseconds: respond,
            jitter,
        },
    )
}

fn timers() -> impl Strategy<Value = Timers> {
    prop_oneof![Just(Timers::Punctual), (0_u64..40).prop_map(Timers::Sloppy)]
}

fn application() -> impl Strategy<Value = Application> {
    let verdict = || {
        prop::option::of(prop_oneof![
            Just(Verdict::Next),
            Just(Verdict::Same),
            Just(Verdict::Refresh),
            Just(Verdict::Stop),
        ])
    };
    let greeting = prop_oneof![
        4 => (0_u64..60).prop_map(Greeting::DoneAfter),
        2 => (0_u64..60, verdict()).prop_map(|(after, verdict)| Greeting::FailAfter(after, verdict)),
        1 => Just(Greeting::Hang),
        4 => Just(Greeting::LogIn),
    ];
    let wait = prop_oneof![3 => Just(0_u64), 1 => 0_u64..300];
    let judgement = (verdict(), wait)
        .prop_map(|(verdict, wait_milliseconds)| Judgement { verdict, wait_milliseconds });
    let list = prop::collection::btree_set(0_u32..3, 0..4)
        .prop_map(|list| list.into_iter().collect::<Vec<_>>());
    let list = prop::option::weighted(0.8, list.prop_shuffle());
    let listing = prop_oneof![
        6 => (0_u64..40, list).prop_map(|(after, list)| Listing::After(after, list)),
        1 => Just(Listing::Hang),
    ];
    (
        prop::collection::vec(greeting, 0..4),
        prop::collection::vec(judgement, 0..4),
        prop::collection::vec(listing, 0..5),
    )
        .prop_map(|(greetings, judgements, lists)| Application {
            greetings,
            judgements,
            lists,
        })
}

/// What makes waits and rounds hard to judge from outside.
fn event() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => Just(Act::Wake),
        1 => Just(Act::Hide),
        2 => Just(Act::Show),
        2 => prop::collection::vec(0_u32..3, 1..4).prop_map(Act::SetGateways),
    ]
}

fn step(act: BoxedStrategy<Act>) -> impl Strategy<Value = Step> {
    let after = prop_oneof![
        4 => Just(0_u64), 12 => 0_u64..40, 6 => 0_u64..400, 2 => 0_u64..3_000,
    ];
    let rarely_long = (any::<u16>(), 30_000_u64..70_000, after)
        .prop_map(|(chance, long, after)| if chance > 65_400 { long } else { after });
    (rarely_long, act).prop_map(|(after, act)| Step { after, act })
}

fn callback() -> impl Strategy<Value = Callback> {
    let trigger = prop_oneof![
        Just(Trigger::Settled),
        Just(Trigger::Connected),
        Just(Trigger::Reconnecting),
        Just(Trigger::Waiting),
        Just(Trigger::DialFailed),
        Just(Trigger::Closed),
    ];
    (trigger, 0_u32..4, turn()).prop_map(|(trigger, skip, act)| Callback { trigger, skip, act })
}

fn call() -> impl Strategy<Value = Act> {
    prop_oneof![
        8 => Just(Act::Connect),
        1 => Just(Act::Reconnect),
        1 => Just(Act::Close),
        1 => Just(Act::AbortConnect),
        1 => prop::bool::weighted(0.3).prop_map(|drain| if drain { Act::Drain } else { Act::Reconnect }),
        20 => request().prop_map(Act::Invoke),
        2 => (0_usize..3).prop_map(|back| Act::Abort { back }),
    ]
}

fn turn() -> impl Strategy<Value = Act> {
    prop_oneof![3 => call(), 1 => prop::collection::vec(call(), 2..4).prop_map(Act::Turn)]
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        9 => call(),
        1 => prop::collection::vec(call(), 2..4).prop_map(Act::Turn),
        8 => (0_usize..3, fault()).prop_map(|(gateway, fault)| Act::Fault { gateway, fault }),
        3 => hostile().prop_map(Act::Hostile),
        1 => (0_u64..300).prop_map(Act::Sleep),
    ]
}

fn request() -> impl Strategy<Value = Request> {
    let redo = prop_oneof![Just(Redo::Once), Just(Redo::Redoable)];
    let timeout = prop::option::weighted(0.3, prop_oneof![Just(0), 1_u64..60, 1_u64..1_500]);
    let purpose = prop_oneof![6 => Just(Purpose::Request), 1 => Just(Purpose::Subscription)];
    let binding = prop_oneof![6 => Just(Binding::Anywhere), 1 => Just(Binding::Connection)];
    (redo, timeout, prop::option::weighted(0.2, messaging()), purpose, binding, 0_u64..30).prop_map(
        |(redo, timeout, messaging, purpose, binding, bytes)| {
            if purpose == Purpose::Subscription {
                return Request { purpose, bytes, ..Request::of(Redo::Redoable) };
            }
            Request { redo, timeout, messaging, purpose, binding, bytes }
        },
    )
}

fn code() -> impl Strategy<Value = u16> {
    let other = vec![
        0_u16, 1000, 1001, 1002, 1003, 1005, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 3000, 4000,
        4400, 4401, 4403, 4408, 4429, 4499, 4500,
    ];
    prop_oneof![2 => Just(1006), 2 => Just(1001), 3 => prop::sample::select(other)]
}

fn failure() -> impl Strategy<Value = SendFailure> {
    prop_oneof![
        4 => Just(SendFailure::NotOpen), 4 => Just(SendFailure::Threw),
        1 => Just(SendFailure::WrongContext),
    ]
}

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        6 => mode().prop_map(Fault::Mode),
        5 => answering().prop_map(Fault::Answering),
        3 => Just(Fault::Kill),
        4 => code().prop_map(Fault::CloseAll),
        1 => Just(Fault::GoDead),
        2 => (failure(), 1_u32..3).prop_map(|(failure, count)| Fault::Sends(failure, count)),
    ]
}

fn mode() -> impl Strategy<Value = Mode> {
    prop_oneof![
        6 => Just(Mode::Up),
        2 => Just(Mode::Refuse),
        2 => Just(Mode::Hang),
        2 => code().prop_map(Mode::AcceptThenClose),
        1 => Just(Mode::Stall),
        1 => Just(Mode::Throw(Cause::ConstructorThrew)),
        1 => Just(Mode::Throw(Cause::Unusable)),
        1 => prop_oneof![Just(401), Just(503)]
            .prop_map(|status| Mode::Throw(Cause::Refused(HttpStatus::from_response(status)))),
    ]
}

fn answering() -> impl Strategy<Value = Answering> {
    prop_oneof![
        4 => Just(Answering::Prompt),
        2 => (1_u64..800).prop_map(Answering::Late),
        1 => Just(Answering::Twice),
        2 => Just(Answering::Never),
        1 => Just(Answering::Neither),
        1 => Just(Answering::UnknownId),
        2 => prop_oneof![Just(0_u64), 1_u64..300, 900_u64..3_000].prop_map(Answering::Busy),
        2 => prop::sample::select(vec![-32_700, -32_600, -32_601, -32_602, -32_603, -32_000, 7])
            .prop_map(Answering::Error),
    ]
}

fn hostile() -> impl Strategy<Value = Hostile> {
    prop_oneof![
        3 => (0_usize..4).prop_map(Hostile::LateAnswer),
        1 => prop_oneof![Just(0), 1_u64..50, Just(u64::MAX)].prop_map(Hostile::MadeUpAnswer),
        1 => (0_usize..4).prop_map(Hostile::InvokedAgain),
        1 => Just(Hostile::Timeout),
        1 => (0_usize..4, code()).prop_map(|(back, code)| Hostile::StaleClosed(back, code)),
        1 => (0_usize..4).prop_map(Hostile::StaleErred),
        1 => (0_usize..4).prop_map(Hostile::StaleOpened),
        1 => (0_usize..4, failure()).prop_map(|(back, failure)| Hostile::StaleSend(back, failure)),
    ]
}
