//! The tables of the engine, for a page to make its forms and texts of.

use regate::policy::{
    Settings,
    options::{OPTIONS, OptionKind},
};

use crate::{
    explain::{LIMITS, ROWS, Row},
    json::{Json, write_fields},
    options::to_json,
    scenario::FAULTS,
};

#[derive(Debug)]
pub(crate) struct Table {
    options: Vec<Entry>,
    retry_table: Vec<Row>,
    limits: Vec<Limit>,
    faults: Vec<Fault>,
}

#[derive(Debug)]
struct Entry {
    path: &'static str,
    existing_name: Option<&'static str>,
    kind: &'static str,
    default: Json,
    words: Option<Vec<&'static str>>,
    least: Option<u64>,
    most: Option<u64>,
    rule: String,
}

#[derive(Debug)]
struct Limit {
    row: &'static str,
    text: &'static str,
}

#[derive(Debug)]
struct Fault {
    kind: &'static str,
    fields: Vec<&'static str>,
}

pub(crate) fn table() -> Table {
    let settings = Settings::default();
    let options = OPTIONS.iter().map(|spec| {
        let (kind, words, least, most) = match spec.kind {
            OptionKind::Boolean => ("boolean", None, None, None),
            OptionKind::Choice(words) => ("choice", Some(words.to_vec()), None, None),
            OptionKind::Integer { least, most } => ("integer", None, Some(least), Some(most)),
            OptionKind::Ratio => ("ratio", None, None, None),
            OptionKind::Schedule => ("schedule", None, None, None),
        };
        Entry {
            path: spec.path,
            existing_name: Some(spec.existing_name).filter(|name| !name.is_empty()),
            kind,
            default: to_json(spec.kind, settings.value_of(spec.key)),
            words,
            least,
            most,
            rule: format!("must be {}", spec.kind),
        }
    });
    Table {
        options: options.collect(),
        retry_table: ROWS.into(),
        limits: LIMITS.map(|(row, text)| Limit { row, text }).into(),
        faults: FAULTS.map(|(kind, fields)| Fault { kind, fields: fields.into() }).into(),
    }
}

write_fields! {
    Table { options, retry_table, limits, faults }
    Entry { path, existing_name, kind, default, words, least, most, rule }
    Limit { row, text }
    Fault { kind, fields }
}
