//! Configurations as others have them: in and out.

use regate::policy::{
    Settings,
    options::{OPTIONS, OptionSpec, OptionValue},
};

use crate::{
    input::{Problem, Problems},
    json::{Json, to_text, write_fields},
    options::{self, Options, to_json},
};

#[derive(Debug)]
pub(crate) struct Import {
    /// By JavaScript path, nested.
    options: Json,
    /// Names of existing configurations that mean nothing here.
    foreign: Vec<String>,
    errors: Vec<Problem>,
}

/// Reads options as JSON, or as properties: a line each of `name=value`.
pub(crate) fn import(text: &str) -> Import {
    let problems = Problems::default();
    let options = match Json::parse(text) {
        Some(value) => options::read("", &value, &problems),
        None if text.trim_start().starts_with('{') => {
            problems.add("", None, "must be JSON, or lines of name=value".into());
            Options::default()
        }
        None => properties(text, &problems),
    };
    let mut nested = Vec::new();
    if !options.urls.is_empty() {
        nested.push(("gateways".into(), texts(&options.urls)));
    }
    for (spec, _) in &options.given {
        let value = to_json(spec.kind, options.settings.value_of(spec.key));
        Json::insert(&mut nested, spec.path, value);
    }
    if let Some(seed) = options.seed {
        nested.push(("seed".into(), Json::Number(seed.to_string())));
    }
    Import { options: Json::Object(nested), foreign: options.foreign, errors: problems.into_list() }
}

/// As Java's properties, and with the `-D` of a command line.
fn properties(text: &str, problems: &Problems) -> Options {
    let mut options = Options::default();
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with(['#', '!']) {
            continue;
        }
        let line = line.strip_prefix("-D").unwrap_or(line);
        match line.split_once('=') {
            Some((name, value)) => {
                options = options::read_text(options, name.trim(), value.trim(), problems);
            }
            None => problems.add(
                "",
                Some(&Json::Text(line.into())),
                "must be JSON, or lines of name=value".into(),
            ),
        }
    }
    options
}

#[derive(Debug)]
pub(crate) struct Export {
    java_script: String,
    hazelcast: String,
    properties: String,
    lost: Lost,
}

/// The options that have no name there.
#[derive(Debug, Default)]
struct Lost {
    hazelcast: Vec<&'static str>,
    properties: Vec<&'static str>,
}

/// Writes options in each form, without what is at its default.
pub(crate) fn export(value: &Json, problems: &Problems) -> Option<Export> {
    let options = options::read("", value, problems);
    if !problems.none_found() {
        return None;
    }
    let defaults = Settings::default();
    let mut script = Vec::new();
    let (mut hazelcast, mut properties, mut lost) = (Vec::new(), String::new(), Lost::default());
    for spec in OPTIONS {
        let set = options.settings.value_of(spec.key);
        if set == defaults.value_of(spec.key) {
            continue;
        }
        Json::insert(&mut script, spec.path, to_json(spec.kind, set));
        let existing = existing_value(spec, set);
        match existing.as_ref().filter(|_| spec.existing_name.starts_with("hazelcast.")) {
            Some(value) => Json::insert(&mut hazelcast, spec.existing_name, value.clone()),
            None => lost.hazelcast.push(spec.path),
        }
        match existing.filter(|_| spec.existing_name.starts_with("com.sun.")) {
            Some(value) => {
                let text = value.as_text().map_or_else(|| to_text(&value), Into::into);
                properties.push_str(&format!("{}={text}\n", spec.existing_name));
            }
            None => lost.properties.push(spec.path),
        }
    }
    let mut java_script = String::from("new ClusterClient({\n");
    if !options.urls.is_empty() {
        java_script.push_str(&format!("  gateways: {},\n", spaced(&texts(&options.urls))));
    }
    for (name, value) in &script {
        java_script.push_str(&format!("  {name}: {},\n", spaced(value)));
    }
    if let Some(seed) = options.seed {
        java_script.push_str(&format!("  seed: {seed},\n"));
    }
    java_script.push_str("})");
    let hazelcast = indented(&Json::Object(hazelcast), 0);
    Some(Export { java_script, hazelcast, properties, lost })
}

/// The value as an existing configuration has it; `None` where it has no word for it.
fn existing_value(spec: &OptionSpec, value: OptionValue) -> Option<Json> {
    let value = to_json(spec.kind, value);
    match value.as_text() {
        Some("always") => Some(Json::Boolean(true)),
        Some("never") => Some(Json::Boolean(false)),
        Some("schedule") => None,
        Some(_) | None => Some(value),
    }
}

/// A value as JavaScript writes it in one line.
fn spaced(value: &Json) -> String {
    match value {
        Json::Object(fields) => {
            let fields: Vec<_> =
                fields.iter().map(|(name, value)| format!("{name}: {}", spaced(value))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        Json::List(list) => {
            format!("[{}]", list.iter().map(spaced).collect::<Vec<_>>().join(", "))
        }
        Json::Null | Json::Boolean(_) | Json::Number(_) | Json::Text(_) => to_text(value),
    }
}

/// A value as a file has it.
fn indented(value: &Json, depth: usize) -> String {
    let Some(fields) = value.as_object().filter(|fields| !fields.is_empty()) else {
        return to_text(value);
    };
    let inner = depth + 1;
    let fields: Vec<_> = fields
        .iter()
        .map(|(name, value)| {
            format!("{}{}: {}", "  ".repeat(inner), to_text(name), indented(value, inner))
        })
        .collect();
    format!("{{\n{}\n{}}}", fields.join(",\n"), "  ".repeat(depth))
}

fn texts(list: &[String]) -> Json {
    Json::List(list.iter().cloned().map(Json::Text).collect())
}

write_fields! {
    Import { options, foreign, errors }
    Export { java_script, hazelcast, properties, lost }
    Lost { hazelcast, properties }
}
