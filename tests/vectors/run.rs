//! Finds the files, knows what each case is, and counts.

use std::{collections::BTreeMap, env, fs, path::PathBuf, process::ExitCode};

use serde_json::Value;

use crate::{
    cycling,
    exceptions::{self, Reason},
    timeouts,
};

/// What became of a case that was not left out: `Err` says what was expected and what was found.
pub(crate) type Replayed = Result<(), String>;

pub(crate) fn main() -> ExitCode {
    let folder = env::var_os("REGATE_VECTORS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors"),
        Into::into,
    );
    let mut passed = 0_u32;
    let mut failed = 0_u32;
    let mut left_out: BTreeMap<Reason, u32> = BTreeMap::new();
    let mut fail = |what: String| {
        println!("FAILED {what}");
        failed += 1;
    };
    match cases(&folder) {
        Err(problem) => fail(problem),
        Ok(cases) if cases.is_empty() => fail(format!("no case at all in {}", folder.display())),
        Ok(cases) => {
            for case in cases {
                let id = case["id"].as_str().unwrap_or("a case without id");
                match replay(&case) {
                    Ok(None) => passed += 1,
                    Ok(Some(reason)) => *left_out.entry(reason).or_default() += 1,
                    Err(problem) => fail(format!("{id}: {problem}")),
                }
            }
        }
    }
    for (reason, count) in &left_out {
        println!("left out, {count}: {}", reason.as_str());
    }
    println!("{passed} passed, {failed} failed, {} skipped", left_out.values().sum::<u32>());
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Every case of every `*.json` in `folder`, in the order of the files' names.
fn cases(folder: &PathBuf) -> Result<Vec<Value>, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .map_err(|e| format!("{}: {e}", folder.display()))?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let mut cases = Vec::new();
    for path in paths {
        let read = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let file: Value =
            serde_json::from_str(&read).map_err(|e| format!("{}: {e}", path.display()))?;
        let Some(of_file) = file["cases"].as_array() else {
            return Err(format!("{}: has no list of cases", path.display()));
        };
        cases.extend(of_file.iter().cloned());
    }
    Ok(cases)
}

/// Replays a case of whatever kind, or says why it is left out.
fn replay(case: &Value) -> Result<Option<Reason>, String> {
    let kind = match case.as_object() {
        Some(fields) if fields.contains_key("input") => timeouts::replay_parse,
        Some(fields) if fields.contains_key("calls") => cycling::replay,
        Some(fields) if fields.contains_key("ops") => timeouts::replay_ops,
        Some(fields) if fields.contains_key("first") => timeouts::replay_schedule,
        Some(_) | None => return Err("is of no known kind".into()),
    };
    match exceptions::of(case)? {
        Some(reason) => Ok(Some(reason)),
        None => kind(case).map(|()| None),
    }
}

/// Says what differs, where something does.
pub(crate) fn compare<T: PartialEq + core::fmt::Debug>(
    what: impl core::fmt::Display,
    expected: &T,
    found: &T,
) -> Replayed {
    if expected == found {
        Ok(())
    } else {
        Err(format!("{what}: expected {expected:?}, found {found:?}"))
    }
}

pub(crate) fn number(value: &Value) -> Result<i64, String> {
    value.as_i64().ok_or_else(|| format!("{value} where a number should be"))
}

pub(crate) fn text(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or_else(|| format!("{value} where a text should be"))
}

pub(crate) fn flag(value: &Value) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| format!("{value} where true or false should be"))
}

pub(crate) fn list(value: &Value) -> Result<&[Value], String> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| format!("{value} where a list should be"))
}
