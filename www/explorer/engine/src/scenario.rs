//! What is played: the options of the client, the network, and what befalls both.

use regate::policy::{Answer, Settings};

use crate::{
    input::{Object, Problems},
    json::Json,
    options,
};

const DAY_MILLISECONDS: u64 = 86_400_000;
const HOUR_MILLISECONDS: u64 = 3_600_000;
const MOST_BUCKETS: u64 = 10_000;
const MOST_CLIENTS: u64 = 10_000;
/// Of faults, and of events.
const MOST_ENTRIES: usize = 200;
const MOST_OPERATIONS: usize = 500;

/// Kinds of faults, and the fields that each has beside gateway, from and until.
pub(crate) const FAULTS: [(&str, &[&str]); 7] = [
    ("down", &[]),
    ("close", &["code"]),
    ("hang", &[]),
    ("busy", &["retryAfterMilliseconds"]),
    ("error", &["code"]),
    ("mute", &[]),
    ("slow", &["dialMilliseconds", "answerMilliseconds"]),
];

#[derive(Debug)]
pub(crate) struct Scenario {
    pub(crate) settings: Settings,
    pub(crate) labels: Vec<String>,
    pub(crate) seed: u64,
    pub(crate) horizon: u64,
    pub(crate) world: World,
    pub(crate) faults: Vec<Fault>,
    pub(crate) events: Vec<Event>,
    pub(crate) operations: Vec<Operation>,
    pub(crate) clients: u64,
    pub(crate) bucket_milliseconds: u64,
    pub(crate) plain: Option<PlainClient>,
}

/// Gateways that are well.
#[derive(Clone, Copy, Debug)]
pub(crate) struct World {
    pub(crate) dial_milliseconds: u64,
    pub(crate) refuse_milliseconds: u64,
    pub(crate) answer_milliseconds: u64,
    /// How long a function takes to give the list; `None` for a list.
    pub(crate) list_milliseconds: Option<u64>,
    /// How long a token is good; `None` for ever.
    pub(crate) token_milliseconds: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    /// `None` for all of them.
    pub(crate) gateway: Option<usize>,
    pub(crate) from: u64,
    pub(crate) until: u64,
    pub(crate) kind: FaultKind,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum FaultKind {
    /// Answers what it is asked so.
    Answers(Answer),
    /// Takes a dial, and closes it with this code.
    Closes(u16),
    Down,
    Hangs,
    /// Does what it is asked, and never answers.
    Mute,
    Slow {
        dial_milliseconds: u64,
        answer_milliseconds: u64,
    },
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) at: u64,
    pub(crate) kind: EventKind,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum EventKind {
    Close,
    Connect,
    /// The live connection is closed with this code.
    Cut(u16),
    /// The line of the live connection is dead.
    Drop,
    Reconnect,
    Sleep {
        until: u64,
        line: Line,
        signal: WakeSignal,
    },
    Wake,
}

/// What becomes of a line while the machine sleeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Closed,
    Dead,
}

/// Whether anything says that the machine has woken up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WakeSignal {
    Given,
    NotGiven,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperationKind {
    Read,
    Redo,
    Write,
}

impl OperationKind {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Redo => "redo",
            Self::Write => "write",
        }
    }
}

/// Whether gateways know an operation again by its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    None,
    OfOperation,
}

#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) at: u64,
    pub(crate) name: Option<String>,
    pub(crate) kind: OperationKind,
    pub(crate) answer_milliseconds: Option<u64>,
    pub(crate) timeout_milliseconds: Option<u64>,
    pub(crate) key: Key,
}

/// A client without the rules of regate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainClient {
    pub(crate) wait_milliseconds: u64,
    /// As fast as its machine is.
    pub(crate) most_dials_per_minute: u64,
}

/// Reads a scenario. It is whole, and to be played only where there were no problems.
pub(crate) fn read(value: &Json, problems: &Problems) -> Scenario {
    let mut root = Object::new(String::new(), value, problems);
    let given = root.take("options").unwrap_or(&Json::Null);
    let options = options::read("options", given, problems);
    if given.as_object().is_some() && given.get("gateways").is_none() {
        problems.add("options.gateways", None, "is missing: a list of URLs".into());
    }
    let gateways = options.urls.len();
    let horizon = root.whole("horizon", 1..=DAY_MILLISECONDS).unwrap_or(120_000);
    let world = world(root.object("world"));
    let faults = root.objects("faults", MOST_ENTRIES);
    let mut events: Vec<_> = root.objects("events", MOST_ENTRIES).into_iter().map(event).collect();
    if !events.iter().any(|event| matches!(event.kind, EventKind::Connect)) {
        events.insert(0, Event { at: 0, kind: EventKind::Connect });
    }
    let operations = operations(&mut root);
    let clients = root.whole("clients", 1..=MOST_CLIENTS).unwrap_or(1);
    let plain = root.object("plainClient").map(plain_client);
    let bucket_milliseconds =
        root.whole("bucketMilliseconds", 1..=HOUR_MILLISECONDS).unwrap_or(1_000);
    if horizon / bucket_milliseconds > MOST_BUCKETS {
        let rule = format!("must be such that there are at most {MOST_BUCKETS} before {horizon}");
        problems.add(
            "bucketMilliseconds",
            Some(&Json::Number(bucket_milliseconds.to_string())),
            rule,
        );
    }
    if !operations.is_empty() && (clients > 1 || plain.is_some()) {
        let rule = "must be empty where there is more than one client, or a plain one".into();
        problems.add("operations", None, rule);
    }
    root.finish();
    let mut settings = options.settings;
    settings.connection.hooks.list = world.list_milliseconds.is_some();
    Scenario {
        settings,
        labels: options.labels,
        seed: options.seed.unwrap_or(1),
        horizon,
        world,
        faults: faults.into_iter().map(|entry| fault(entry, gateways)).collect(),
        events,
        operations,
        clients,
        bucket_milliseconds,
        plain,
    }
}

fn world(object: Option<Object<'_>>) -> World {
    let mut world = World {
        dial_milliseconds: 40,
        refuse_milliseconds: 20,
        answer_milliseconds: 30,
        list_milliseconds: None,
        token_milliseconds: None,
    };
    let Some(mut object) = object else { return world };
    let mut set = |name, field: &mut u64| {
        if let Some(value) = object.whole(name, 0..=DAY_MILLISECONDS) {
            *field = value;
        }
    };
    set("dialMilliseconds", &mut world.dial_milliseconds);
    set("refuseMilliseconds", &mut world.refuse_milliseconds);
    set("answerMilliseconds", &mut world.answer_milliseconds);
    world.list_milliseconds = object.whole("listMilliseconds", 0..=DAY_MILLISECONDS);
    world.token_milliseconds = object.whole("tokenMilliseconds", 1..=DAY_MILLISECONDS);
    object.finish();
    world
}

fn fault(mut object: Object<'_>, gateways: usize) -> Fault {
    let last = u64::try_from(gateways.saturating_sub(1)).unwrap_or(0);
    let gateway = object.whole("gateway", 0..=last).and_then(|place| usize::try_from(place).ok());
    let (from, until) = object.span("from", "until", DAY_MILLISECONDS);
    let kind = match object.word("kind", &FAULTS.map(|(kind, _)| kind)) {
        Some("close") => FaultKind::Closes(close_code(&mut object, 1012)),
        Some("hang") => FaultKind::Hangs,
        Some("busy") => {
            let after = object.whole("retryAfterMilliseconds", 0..=DAY_MILLISECONDS).unwrap_or(0);
            FaultKind::Answers(Answer::Retryable { after_milliseconds: after })
        }
        Some("error") => {
            FaultKind::Answers(Answer::Error { code: object.signed("code").unwrap_or(-32_000) })
        }
        Some("mute") => FaultKind::Mute,
        Some("slow") => FaultKind::Slow {
            dial_milliseconds: object.needed("dialMilliseconds", 0..=DAY_MILLISECONDS),
            answer_milliseconds: object.needed("answerMilliseconds", 0..=DAY_MILLISECONDS),
        },
        Some(_) | None => FaultKind::Down,
    };
    object.finish();
    Fault { gateway, from, until, kind }
}

fn close_code(object: &mut Object<'_>, default: u16) -> u16 {
    let code = object.whole("code", 1_000..=4_999).and_then(|code| u16::try_from(code).ok());
    code.unwrap_or(default)
}

fn event(mut object: Object<'_>) -> Event {
    let kinds = ["connect", "reconnect", "close", "wake", "cut", "drop", "sleep"];
    let (at, kind) = match object.word("kind", &kinds) {
        Some("sleep") => {
            let (at, until) = object.span("at", "until", DAY_MILLISECONDS);
            let line = object.take("line").map(|_| object.word("line", &["dead", "closed"]));
            let line = if line == Some(Some("closed")) { Line::Closed } else { Line::Dead };
            let signal = match object.flag("wakeSignal") {
                Some(false) => WakeSignal::NotGiven,
                Some(true) | None => WakeSignal::Given,
            };
            (at, EventKind::Sleep { until, line, signal })
        }
        kind => {
            let at = object.needed("at", 0..=DAY_MILLISECONDS);
            let kind = match kind {
                Some("reconnect") => EventKind::Reconnect,
                Some("close") => EventKind::Close,
                Some("wake") => EventKind::Wake,
                Some("cut") => EventKind::Cut(close_code(&mut object, 1006)),
                Some("drop") => EventKind::Drop,
                Some(_) | None => EventKind::Connect,
            };
            (at, kind)
        }
    };
    object.finish();
    Event { at, kind }
}

fn operations(root: &mut Object<'_>) -> Vec<Operation> {
    let mut all = Vec::new();
    for mut object in root.objects("operations", MOST_OPERATIONS) {
        let at = object.needed("at", 0..=DAY_MILLISECONDS);
        let kind = match object.word("kind", &["read", "write", "redo"]) {
            Some("read") => OperationKind::Read,
            Some("redo") => OperationKind::Redo,
            Some(_) | None => OperationKind::Write,
        };
        let operation = Operation {
            at,
            name: object.text("name"),
            kind,
            answer_milliseconds: object.whole("answerMilliseconds", 0..=DAY_MILLISECONDS),
            timeout_milliseconds: object.whole("timeoutMilliseconds", 0..=DAY_MILLISECONDS),
            key: match object.flag("operationKey") {
                Some(true) => Key::OfOperation,
                Some(false) | None => Key::None,
            },
        };
        let times = object.whole("times", 1..=1_000).unwrap_or(1);
        let every = object.whole("everyMilliseconds", 1..=DAY_MILLISECONDS).unwrap_or(1_000);
        object.finish();
        let room = (MOST_OPERATIONS + 1).saturating_sub(all.len());
        let each = (0..times).map(|n| Operation { at: at + n * every, ..operation.clone() });
        all.extend(each.take(room));
    }
    if all.len() > MOST_OPERATIONS {
        let rule = format!("must be at most {MOST_OPERATIONS} in all, `times` included");
        root.problems().add("operations", None, rule);
    }
    all
}

fn plain_client(mut object: Object<'_>) -> PlainClient {
    let plain = PlainClient {
        wait_milliseconds: object.whole("waitMilliseconds", 0..=DAY_MILLISECONDS).unwrap_or(0),
        most_dials_per_minute: object.whole("mostDialsPerMinute", 1..=60_000).unwrap_or(60_000),
    };
    object.finish();
    plain
}
