//! The options object: walked by its own keys against the table of the core, which knows what is legal.

use regate::policy::{
    ParseTcpTimeoutsError, Ratio, Settings,
    options::{MAX_SAFE_INTEGER, OPTIONS, OptionKind, OptionSpec, OptionValue, SetOptionError},
};

use crate::{
    input::{Problems, has_url},
    json::Json,
};

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
pub(crate) fn read(path: &str, value: &Json, problems: &Problems) -> Options {
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
    walk.entry(name.into(), &Json::Text(text.into()), MAX_DEPTH);
    walk.options
}

struct Walk<'a> {
    options: Options,
    path: &'a str,
    problems: &'a Problems,
}

impl Walk<'_> {
    fn object(&mut self, prefix: &str, object: &[(String, Json)], depth: u32) {
        for (name, value) in object {
            self.entry(format!("{prefix}{name}"), value, depth);
        }
    }

    fn entry(&mut self, name: String, value: &Json, depth: u32) {
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
    fn take_other(&mut self, name: &str, value: &Json) -> bool {
        match name {
            "gateways" => self.gateways(value),
            "seed" => match value.as_whole().filter(|&seed| seed <= MAX_SAFE_INTEGER) {
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

    fn set(&mut self, spec: &'static OptionSpec, name: String, text: &str, value: &Json) {
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

    fn gateways(&mut self, value: &Json) {
        let list = value.as_list().filter(|list| (1..=MOST_GATEWAYS).contains(&list.len()));
        let Some(list) = list else {
            let rule = format!("must be a list of 1..={MOST_GATEWAYS} gateways");
            return self.say("gateways", None, rule);
        };
        for (position, entry) in list.iter().enumerate() {
            let name = format!("gateways[{position}]");
            let url = entry.as_text().or_else(|| entry.get("url")?.as_text());
            let Some(url) = url else {
                self.say(
                    &name,
                    None,
                    "must be the text of a URL, or an object with such a url".into(),
                );
                continue;
            };
            match origin(url) {
                None => {
                    self.say(
                        &name,
                        None,
                        "must be an absolute URL with the scheme ws: or wss:".into(),
                    );
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
    fn say(&self, name: &str, value: Option<&Json>, rule: String) {
        let name = if has_url(name) { "(a URL)" } else { name };
        let path = [self.path, name].into_iter().filter(|part| !part.is_empty());
        self.problems.add(&path.collect::<Vec<_>>().join("."), value, rule);
    }
}

/// Sets one option as JavaScript spells it; what is wrong with it is said of `field`.
pub(crate) fn set_at(
    settings: &mut Settings,
    path: &str,
    value: &Json,
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
        // In the words of the package.
        SetOptionError::Schedule {
            error: ParseTcpTimeoutsError::NotDigits { field, .. }, ..
        } => {
            format!("must have a whole number in ASCII digits as {}", field.as_str())
        }
        SetOptionError::Schedule {
            error: ParseTcpTimeoutsError::OutOfRange { field, .. }, ..
        } => {
            format!("must have {} within 1..=2147483647", field.as_str())
        }
        _ => format!("must be {}", spec.kind),
    })
}

fn find(is: impl Fn(&OptionSpec) -> bool) -> Option<&'static OptionSpec> {
    OPTIONS.iter().find(|spec| is(spec))
}

/// A value of JavaScript as the core reads texts; `None` where it is not of the kind.
fn javascript_text(kind: OptionKind, value: &Json) -> Option<String> {
    match (kind, value) {
        (OptionKind::Boolean, Json::Boolean(flag)) => Some(flag.to_string()),
        (OptionKind::Choice(words), Json::Text(word)) => {
            words.contains(&word.as_str()).then(|| word.clone())
        }
        (OptionKind::Integer { .. } | OptionKind::Ratio, Json::Number(digits)) => {
            Some(digits.clone())
        }
        (OptionKind::Schedule, Json::Text(text)) => Some(text.clone()),
        _ => None,
    }
}

/// An existing configuration has texts for numbers and booleans.
fn existing_text(value: &Json) -> Option<String> {
    match value {
        Json::Boolean(flag) => Some(flag.to_string()),
        Json::Number(text) | Json::Text(text) => Some(text.clone()),
        Json::Null | Json::List(_) | Json::Object(_) => None,
    }
}

/// The value of an option as JavaScript has it.
pub(crate) fn to_json(kind: OptionKind, value: OptionValue) -> Json {
    match (value, kind) {
        (OptionValue::Boolean(flag), _) => Json::Boolean(flag),
        (OptionValue::Choice(place), OptionKind::Choice(words)) => {
            let word = usize::try_from(place).ok().and_then(|place| words.get(place));
            Json::Text(word.copied().unwrap_or_default().into())
        }
        (OptionValue::Choice(place), _) => Json::Number(place.to_string()),
        (OptionValue::Integer(number), _) => Json::Number(number.to_string()),
        (OptionValue::Ratio(ratio), _) => Json::Number(decimal(ratio)),
        (OptionValue::Schedule(schedule), _) => Json::Text(schedule.to_string()),
    }
}

fn decimal(ratio: Ratio) -> String {
    let millionths = ratio.millionths();
    let all = format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000);
    all.trim_end_matches('0').trim_end_matches('.').into()
}

/// Scheme, host and port of a URL of a WebSocket; without user info, which may be a secret.
fn origin(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once(':')?;
    let rest = rest.strip_prefix("//")?;
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
