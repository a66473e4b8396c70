//! The tables of the engine, for a page to make its forms and texts of.

use regate::policy::{
    Settings,
    options::{OPTIONS, OptionKind},
};
use serde::Serialize;
use serde_json::Value;

use crate::{
    explain::{LIMITS, ROWS, Row},
    options::to_json,
    scenario::FAULTS,
};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Table {
    options: Vec<Entry>,
    retry_table: [Row; 11],
    limits: Vec<Limit>,
    faults: Vec<Fault>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    path: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    existing_name: &'static str,
    kind: &'static str,
    default: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<&'static [&'static str]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    least: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    most: Option<u64>,
    rule: String,
}

#[derive(Debug, Serialize)]
struct Limit {
    row: &'static str,
    text: &'static str,
}

#[derive(Debug, Serialize)]
struct Fault {
    kind: &'static str,
    fields: &'static [&'static str],
}

pub(crate) fn table() -> Table {
    let settings = Settings::default();
    let options = OPTIONS.iter().map(|spec| {
        let (kind, words, least, most) = match spec.kind {
            OptionKind::Boolean => ("boolean", None, None, None),
            OptionKind::Choice(words) => ("choice", Some(words), None, None),
            OptionKind::Integer { least, most } => ("integer", None, Some(least), Some(most)),
            OptionKind::Ratio => ("ratio", None, None, None),
            OptionKind::Schedule => ("schedule", None, None, None),
        };
        Entry {
            path: spec.path,
            existing_name: spec.existing_name,
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
        retry_table: ROWS,
        limits: LIMITS.map(|(row, text)| Limit { row, text }).into(),
        faults: FAULTS.map(|(kind, fields)| Fault { kind, fields }).into(),
    }
}
