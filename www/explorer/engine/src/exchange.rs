//! Configurations as others have them: in and out.

use regate::policy::{
    Settings,
    options::{OPTIONS, OptionSpec, OptionValue},
};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    input::{Problem, Problems},
    options::{self, Options, to_json},
};

#[derive(Debug, Serialize)]
pub(crate) struct Import {
    /// By JavaScript path, nested.
    options: Value,
    /// Names of existing configurations that mean nothing here.
    foreign: Vec<String>,
    errors: Vec<Problem>,
}

/// Reads options as JSON, or as properties: a line each of `name=value`.
pub(crate) fn import(text: &str) -> Import {
    let problems = Problems::default();
    let options = match serde_json::from_str::<Value>(text) {
        Ok(value) => options::read("", &value, &problems),
        Err(_) if text.trim_start().starts_with('{') => {
            problems.add("", None, "must be JSON, or lines of name=value".into());
            Options::default()
        }
        Err(_) => properties(text, &problems),
    };
    let mut nested = Map::new();
    if !options.urls.is_empty() {
        nested.insert("gateways".into(), options.urls.clone().into());
    }
    for (spec, _) in &options.given {
        let value = to_json(spec.kind, options.settings.value_of(spec.key));
        insert(&mut nested, spec.path, value);
    }
    if let Some(seed) = options.seed {
        nested.insert("seed".into(), seed.into());
    }
    Import { options: nested.into(), foreign: options.foreign, errors: problems.into_list() }
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
            None => problems.add("", Some(&line.into()), "must be JSON, or lines of name=value".into()),
        }
    }
    options
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Export {
    java_script: String,
    hazelcast: String,
    properties: String,
    lost: Lost,
}

/// The options that have no name there.
#[derive(Debug, Default, Serialize)]
struct Lost {
    hazelcast: Vec<&'static str>,
    properties: Vec<&'static str>,
}

/// Writes options in each form, without what is at its default.
pub(crate) fn export(value: &Value, problems: &Problems) -> Option<Export> {
    let options = options::read("", value, problems);
    if !problems.none_found() {
        return None;
    }
    let defaults = Settings::default();
    let mut script = Map::new();
    let (mut hazelcast, mut properties, mut lost) = (Map::new(), String::new(), Lost::default());
    for spec in OPTIONS {
        let set = options.settings.value_of(spec.key);
        if set == defaults.value_of(spec.key) {
            continue;
        }
        insert(&mut script, spec.path, to_json(spec.kind, set));
        let existing = existing_value(spec, set);
        match existing.as_ref().filter(|_| spec.existing_name.starts_with("hazelcast.")) {
            Some(value) => insert(&mut hazelcast, spec.existing_name, value.clone()),
            None => lost.hazelcast.push(spec.path),
        }
        match existing.filter(|_| spec.existing_name.starts_with("com.sun.")) {
            Some(value) => {
                let text = value.as_str().map_or_else(|| value.to_string(), Into::into);
                properties.push_str(&format!("{}={text}\n", spec.existing_name));
            }
            None => lost.properties.push(spec.path),
        }
    }
    let mut java_script = String::from("new ClusterClient({\n");
    if !options.urls.is_empty() {
        let list = Value::from(options.urls);
        java_script.push_str(&format!("  gateways: {},\n", spaced(&list)));
    }
    for (name, value) in &script {
        java_script.push_str(&format!("  {name}: {},\n", spaced(value)));
    }
    if let Some(seed) = options.seed {
        java_script.push_str(&format!("  seed: {seed},\n"));
    }
    java_script.push_str("})");
    let hazelcast = serde_json::to_string_pretty(&hazelcast).unwrap_or_default();
    Some(Export { java_script, hazelcast, properties, lost })
}

/// The value as an existing configuration has it; `None` where it has no word for it.
fn existing_value(spec: &OptionSpec, value: OptionValue) -> Option<Value> {
    let value = to_json(spec.kind, value);
    match value.as_str() {
        Some("always") => Some(true.into()),
        Some("never") => Some(false.into()),
        Some("schedule") => None,
        Some(_) | None => Some(value),
    }
}

/// A value as JavaScript writes it in one line.
fn spaced(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields: Vec<_> =
                fields.iter().map(|(name, value)| format!("{name}: {}", spaced(value))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        Value::Array(list) => {
            format!("[{}]", list.iter().map(spaced).collect::<Vec<_>>().join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

/// Puts a value where a dotted path leads to.
fn insert(object: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => drop(object.insert(path.into(), value)),
        Some((name, rest)) => {
            let inner = object.entry(name).or_insert_with(|| Map::new().into());
            if let Some(inner) = inner.as_object_mut() {
                insert(inner, rest, value);
            }
        }
    }
}
