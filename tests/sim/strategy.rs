//! Which plans are drawn: times so short that every deadline fires in a run.

use proptest::prelude::*;
use regate::policy::{
    Cause, ConnectionSettings, FirstConnect, Limits, MessagingSettings, Ratio, Reconnect, Redo,
    SendFailure, Settings,
};

use super::plan::{
    Act, Answering, Callback, Fault, Hostile, Mode, Plan, Request, Step, Timers, Trigger,
};

pub(crate) fn plans() -> impl Strategy<Value = Plan> {
    (
        (any::<u64>(), settings(), prop::collection::vec(0_u64..20, 1..4), timers()),
        prop::collection::vec(callback(), 0..4),
        prop::collection::vec(step(), 1..40),
    )
        .prop_map(|((seed, settings, latencies, timers), callbacks, steps)| Plan {
            seed,
            settings,
            latencies,
            timers,
            callbacks,
            steps,
        })
}

fn settings() -> impl Strategy<Value = Settings> {
    let few = prop_oneof![1 => Just(0), 1 => Just(2), 1 => Just(3), 8 => Just(10_000)];
    (connection(), messaging(), few.clone(), few).prop_map(|(connection, messaging, a, b)| {
        let limits = Limits { max_pending_operations: a, max_in_flight_operations: b };
        Settings { connection, messaging, limits, ..Settings::default() }
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
    (schedules, 60_u32..150, any::<bool>(), reconnect, first, ratio(), steady).prop_map(
        |(schedule, limit, shuffle_addresses, reconnect, first_connect, jitter, steady)| {
            ConnectionSettings {
                connect_timeouts: schedule
                    .parse()
                    .unwrap_or(ConnectionSettings::DEFAULT.connect_timeouts),
                read_timeouts: "20:60:20"
                    .parse()
                    .unwrap_or(ConnectionSettings::DEFAULT.read_timeouts),
                connection_timeout_milliseconds: limit,
                shuffle_addresses,
                reconnect,
                first_connect,
                jitter,
                steady_milliseconds: steady,
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

fn step() -> impl Strategy<Value = Step> {
    let after = prop_oneof![
        4 => Just(0_u64), 12 => 0_u64..40, 6 => 0_u64..400, 2 => 0_u64..3_000,
    ];
    let rarely_long = (any::<u16>(), 30_000_u64..70_000, after)
        .prop_map(|(chance, long, after)| if chance > 65_400 { long } else { after });
    (rarely_long, act()).prop_map(|(after, act)| Step { after, act })
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
    (redo, timeout, prop::option::weighted(0.2, messaging()))
        .prop_map(|(redo, timeout, messaging)| Request { redo, timeout, messaging })
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
