//! The options object: walked by its own keys against the table of the core, which knows what is legal.

use regate::policy::{
    Settings,
    options::{MAX_SAFE_INTEGER, OPTIONS, OptionKind, OptionSpec, OptionValue, SetOptionError},
};
use serde_json::{Map, Value};

use crate::input::{Problems, whole_number};

/// How deep an existing configuration may nest.
const MAX_DEPTH: u32 = 8;

/// Names of existing configurations. Those of the table count; others mean nothing.
const FOREIGN: [&str; 2] = ["hazelcast.", "com.sun.corba.ee."];

/// What JSON cannot hold, or what the virtual gateways have no use for.
const NO_PLACE: [&str; 8] = [
    "closePolicy",
    "codec",
    "headers",
    "logger",
    "messaging.isRetryable",
    "session",
    "transport",
    "WebSocket",
];

/// What changes nothing here.
const NO_MATTER: [&str; 2] = ["heartbeat.method", "protocols"];

const MOST_GATEWAYS: usize = 100;

/// What the options say.
#[derive(Debug, Default)]
pub(crate) struct Options {
    pub(crate) settings: Settings,
    /// As they were written.
    pub(crate) urls: Vec<String>,
    /// Origin and position: all that logs show.
    pub(crate) labels: Vec<String>,
    pub(crate) seed: Option<u64>,
    /// Which options were given, each with the name it was given under.
    pub(crate) given: Vec<(&'static OptionSpec, String)>,
    /// Names of existing configurations that mean nothing here.
    pub(crate) foreign: Vec<String>,
}

/// Reads options as `new ClusterClient(options)` takes them; `path` is where they stand.
pub(crate) fn read(path: &str, value: &Value, problems: &Problems) -> Options {
    let mut walk = Walk { options: Options::default(), path, problems };
    match value.as_object() {
        Some(object) => walk.object("", object, 0),
        None => problems.add(path, Some(value), "must be an object".into()),
    }
    walk.options
}

/// Sets one option from a text, as lines of properties have it.
pub(crate) fn read_text(options: Options, name: &str, text: &str, problems: &Problems) -> Options {
    let mut walk = Walk { options, path: "", problems };
    walk.entry(name.into(), &Value::from(text), MAX_DEPTH);
    walk.options
}

struct Walk<'a> {
    options: Options,
    path: &'a str,
    problems: &'a Problems,
}

impl Walk<'_> {
    fn object(&mut self, prefix: &str, object: &Map<String, Value>, depth: u32) {
        for (name, value) in object {
            self.entry(format!("{prefix}{name}"), value, depth);
        }
    }

    fn entry(&mut self, name: String, value: &Value, depth: u32) {
        if self.take_other(&name, value) {
            return;
        }
        if let Some(spec) = find(|spec| spec.path == name) {
            return match javascript_text(spec.kind, value) {
                Some(text) => self.set(spec, name, &text, value),
                None => self.say(&name, Some(value), format!("must be {}", spec.kind)),
            };
        }
        if let Some(spec) = find(|spec| spec.existing_name == name && !name.is_empty()) {
            return match existing_text(value) {
                Some(text) => self.set(spec, name, &text, value),
                None => self.say(&name, Some(value), format!("must be {}", spec.kind)),
            };
        }
        let prefix = format!("{name}.");
        let foreign = FOREIGN.iter().any(|group| prefix.starts_with(group));
        let group = foreign
            || FOREIGN.iter().any(|group| group.starts_with(&prefix))
            || OPTIONS.iter().any(|spec| spec.path.starts_with(&prefix));
        match value.as_object().filter(|_| group && depth < MAX_DEPTH) {
            Some(inner) => self.object(&prefix, inner, depth.saturating_add(1)),
            None if foreign => self.options.foreign.push(name),
            None => self.say(&name, None, "is no option of regate".into()),
        }
    }

    /// What is in no row of the table.
    fn take_other(&mut self, name: &str, value: &Value) -> bool {
        match name {
            "gateways" => self.gateways(value),
            "seed" => match whole_number(value).filter(|&seed| seed <= MAX_SAFE_INTEGER) {
                Some(seed) => self.options.seed = Some(seed),
                None => {
                    let rule = format!("must be a whole number within 0..={MAX_SAFE_INTEGER}");
                    self.say(name, Some(value), rule);
                }
            },
            _ if NO_PLACE.contains(&name) => {
                let rule = "must be left out: virtual gateways have no use for it".into();
                self.say(name, None, rule);
            }
            _ => return NO_MATTER.contains(&name),
        }
        true
    }

    fn set(&mut self, spec: &'static OptionSpec, name: String, text: &str, value: &Value) {
        let before = self.options.settings.value_of(spec.key);
        if let Err(rule) = set(&mut self.options.settings, spec, text) {
            return self.say(&name, Some(value), rule);
        }
        let other = self.options.given.iter().find(|(other, _)| other.key == spec.key);
        if let Some((_, other)) = other
            && before != self.options.settings.value_of(spec.key)
        {
            let rule = format!("is another name of what {other} sets to another value");
            return self.say(&name, None, rule);
        }
        self.options.given.push((spec, name));
    }

    fn gateways(&mut self, value: &Value) {
        let list = value.as_array().filter(|list| (1..=MOST_GATEWAYS).contains(&list.len()));
        let Some(list) = list else {
            let rule = format!("must be a list of 1..={MOST_GATEWAYS} gateways");
            return self.say("gateways", None, rule);
        };
        for (position, entry) in list.iter().enumerate() {
            let name = format!("gateways[{position}]");
            let url = entry.as_str().or_else(|| entry.as_object()?.get("url")?.as_str());
            let Some(url) = url else {
                self.say(&name, None, "must be the text of a URL, or an object with such a url".into());
                continue;
            };
            match origin(url) {
                None => {
                    self.say(&name, None, "must be an absolute URL with the scheme ws: or wss:".into());
                }
                Some(_) if self.options.urls.iter().any(|other| other == url) => {
                    self.say(&name, None, "is listed already: exact duplicates count once".into());
                }
                Some(origin) => {
                    self.options.labels.push(format!("{origin} [{position}]"));
                    self.options.urls.push(url.into());
                }
            }
        }
    }

    /// A URL in the place of a name may hold a secret.
    fn say(&self, name: &str, value: Option<&Value>, rule: String) {
        let name = if name.contains("://") { "(a URL)" } else { name };
        let path = [self.path, name].into_iter().filter(|part| !part.is_empty());
        self.problems.add(&path.collect::<Vec<_>>().join("."), value, rule);
    }
}

/// Sets one option as JavaScript spells it; what is wrong with it is said of `field`.
pub(crate) fn set_at(
    settings: &mut Settings,
    path: &str,
    value: &Value,
    field: &str,
    problems: &Problems,
) {
    let Some(spec) = find(|spec| spec.path == path) else { return };
    let text = javascript_text(spec.kind, value).ok_or_else(|| format!("must be {}", spec.kind));
    if let Err(rule) = text.and_then(|text| set(settings, spec, &text)) {
        problems.add(field, Some(value), rule);
    }
}

/// The rule that is broken, where one is.
fn set(settings: &mut Settings, spec: &OptionSpec, text: &str) -> Result<(), String> {
    settings.set_by_name(spec.path, text).map_err(|error| match error {
        SetOptionError::Schedule { error, .. } => format!("must be {}: {error}", spec.kind),
        _ => format!("must be {}", spec.kind),
    })
}

fn find(is: impl Fn(&OptionSpec) -> bool) -> Option<&'static OptionSpec> {
    OPTIONS.iter().find(|spec| is(spec))
}

/// A value of JavaScript as the core reads texts; `None` where it is not of the kind.
fn javascript_text(kind: OptionKind, value: &Value) -> Option<String> {
    match (kind, value) {
        (OptionKind::Boolean, Value::Bool(flag)) => Some(flag.to_string()),
        (OptionKind::Choice(words), Value::String(word)) => {
            words.contains(&word.as_str()).then(|| word.clone())
        }
        (OptionKind::Integer { .. }, Value::Number(_)) => {
            whole_number(value).map(|number| number.to_string())
        }
        (OptionKind::Ratio, Value::Number(number)) => {
            let ratio = number.as_f64().filter(|ratio| (0.0..=1.0).contains(ratio))?;
            Some(format!("{ratio:.6}"))
        }
        (OptionKind::Schedule, Value::String(text)) => Some(text.clone()),
        _ => None,
    }
}

/// An existing configuration has texts for numbers and booleans.
fn existing_text(value: &Value) -> Option<String> {
    match value {
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Number(_) => whole_number(value).map(|number| number.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The value of an option as JavaScript has it.
pub(crate) fn to_json(kind: OptionKind, value: OptionValue) -> Value {
    match (value, kind) {
        (OptionValue::Boolean(flag), _) => flag.into(),
        (OptionValue::Choice(place), OptionKind::Choice(words)) => {
            usize::try_from(place).ok().and_then(|place| words.get(place)).copied().into()
        }
        (OptionValue::Choice(place), _) => place.into(),
        (OptionValue::Integer(number), _) => number.into(),
        (OptionValue::Ratio(ratio), _) => match ratio.millionths() {
            0 => 0.into(),
            1_000_000 => 1.into(),
            millionths => (f64::from(millionths) / 1e6).into(),
        },
        (OptionValue::Schedule(schedule), _) => schedule.to_string().into(),
    }
}

/// Scheme, host and port of a URL of a WebSocket; without user info, which may be a secret.
fn origin(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let host = authority.rsplit('@').next()?.to_ascii_lowercase();
    let default_port = match scheme.as_str() {
        "ws" => ":80",
        "wss" => ":443",
        _ => return None,
    };
    let host = host.strip_suffix(default_port).unwrap_or(&host);
    let legal = |c: char| c.is_alphanumeric() || ".-_:[]".contains(c);
    (!host.is_empty() && !host.starts_with(':') && host.chars().all(legal))
        .then(|| format!("{scheme}://{host}"))
}
