//! Reading JSON field by field, so that every wrong one is named, with its value and the rule it breaks.

use std::{cell::RefCell, ops::RangeInclusive};

use crate::json::{Json, to_text, write_fields};

/// The longest text of a wrong value that is shown.
const MOST_CHARACTERS: usize = 60;

/// More wrong fields than that help nobody.
const MOST_PROBLEMS: usize = 100;

/// A wrong field.
#[derive(Debug)]
pub(crate) struct Problem {
    path: String,
    /// As JSON; left out where it may hold a secret, or there is none.
    value: Option<String>,
    rule: String,
}

/// All wrong fields of an input.
#[derive(Debug, Default)]
pub(crate) struct Problems(RefCell<Vec<Problem>>);

impl Problems {
    pub(crate) fn add(&self, path: &str, value: Option<&Json>, rule: String) {
        let value = value.map(to_text).filter(|text| !has_url(text)).map(|text| {
            let rest = text.chars().nth(MOST_CHARACTERS).map(|_| '…');
            text.chars().take(MOST_CHARACTERS).chain(rest).collect()
        });
        let mut list = self.0.borrow_mut();
        if list.len() < MOST_PROBLEMS {
            list.push(Problem { path: path.into(), value, rule });
        }
    }

    pub(crate) fn none_found(&self) -> bool {
        self.0.borrow().is_empty()
    }

    pub(crate) fn into_list(self) -> Vec<Problem> {
        self.0.into_inner()
    }
}

/// One object of the input.
#[derive(Debug)]
pub(crate) struct Object<'a> {
    path: String,
    fields: Option<&'a [(String, Json)]>,
    known: Vec<&'static str>,
    problems: &'a Problems,
}

impl<'a> Object<'a> {
    /// Where it is none, that is a problem, and all its fields are missing.
    pub(crate) fn new(path: String, value: &'a Json, problems: &'a Problems) -> Self {
        let fields = value.as_object();
        if fields.is_none() {
            problems.add(&path, Some(value), "must be an object".into());
        }
        Self { path, fields, known: Vec::new(), problems }
    }

    pub(crate) fn problems(&self) -> &'a Problems {
        self.problems
    }

    pub(crate) fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.into() } else { format!("{}.{name}", self.path) }
    }

    pub(crate) fn take(&mut self, name: &'static str) -> Option<&'a Json> {
        self.known.push(name);
        self.fields?.iter().find(|(other, _)| other == name).map(|(_, value)| value)
    }

    pub(crate) fn object(&mut self, name: &'static str) -> Option<Self> {
        let value = self.take(name)?;
        Some(Self::new(self.path_of(name), value, self.problems))
    }

    /// The objects of a list.
    pub(crate) fn objects(&mut self, name: &'static str, most: usize) -> Vec<Self> {
        let Some(value) = self.take(name) else { return Vec::new() };
        let path = self.path_of(name);
        match value.as_list() {
            Some(list) if list.len() <= most => list
                .iter()
                .enumerate()
                .map(|(place, value)| Self::new(format!("{path}[{place}]"), value, self.problems))
                .collect(),
            Some(list) => {
                let rule = format!("must have at most {most} entries, and has {}", list.len());
                self.problems.add(&path, None, rule);
                Vec::new()
            }
            None => {
                self.problems.add(&path, Some(value), "must be a list".into());
                Vec::new()
            }
        }
    }

    pub(crate) fn whole(&mut self, name: &'static str, within: RangeInclusive<u64>) -> Option<u64> {
        let value = self.take(name)?;
        let number = value.as_whole().filter(|number| within.contains(number));
        if number.is_none() {
            let (least, most) = within.into_inner();
            let rule = format!("must be a whole number within {least}..={most}");
            self.problems.add(&self.path_of(name), Some(value), rule);
        }
        number
    }

    /// As [`whole`](Self::whole), but it must be there.
    pub(crate) fn needed(&mut self, name: &'static str, within: RangeInclusive<u64>) -> u64 {
        let least = *within.start();
        if self.fields.is_some_and(|fields| !fields.iter().any(|(other, _)| other == name)) {
            let rule = format!("is missing: a whole number within {least}..={}", within.end());
            self.problems.add(&self.path_of(name), None, rule);
        }
        self.whole(name, within).unwrap_or(least)
    }

    pub(crate) fn signed(&mut self, name: &'static str) -> Option<i32> {
        let value = self.take(name)?;
        let number = match value {
            Json::Number(digits) => digits.parse().ok(),
            _ => None,
        };
        if number.is_none() {
            let rule = format!("must be a whole number within {}..={}", i32::MIN, i32::MAX);
            self.problems.add(&self.path_of(name), Some(value), rule);
        }
        number
    }

    pub(crate) fn flag(&mut self, name: &'static str) -> Option<bool> {
        let value = self.take(name)?;
        if value.as_boolean().is_none() {
            let rule = "must be true or false".into();
            self.problems.add(&self.path_of(name), Some(value), rule);
        }
        value.as_boolean()
    }

    pub(crate) fn text(&mut self, name: &'static str) -> Option<String> {
        let value = self.take(name)?;
        let text = value.as_text().filter(|text| text.len() <= 200);
        if text.is_none() {
            let rule = "must be a text of at most 200 bytes".into();
            self.problems.add(&self.path_of(name), Some(value), rule);
        }
        text.map(Into::into)
    }

    /// One of these words, which must be there.
    pub(crate) fn word(
        &mut self,
        name: &'static str,
        words: &[&'static str],
    ) -> Option<&'static str> {
        let value = self.take(name);
        let word = value.and_then(Json::as_text);
        let found = words.iter().find(|&&known| Some(known) == word).copied();
        if found.is_none() && self.fields.is_some() {
            let rule = format!("must be one of {}", words.join(", "));
            self.problems.add(&self.path_of(name), value, rule);
        }
        found
    }

    /// Two points in time, the second after the first.
    pub(crate) fn span(
        &mut self,
        from: &'static str,
        until: &'static str,
        most: u64,
    ) -> (u64, u64) {
        let begin = self.needed(from, 0..=most);
        let end = self.needed(until, 0..=most);
        let given = self.take(until);
        if end <= begin && given.and_then(Json::as_whole).is_some() {
            let rule = format!("must be after {from}, which is {begin}");
            self.problems.add(&self.path_of(until), given, rule);
        }
        (begin, end)
    }

    /// Says which fields nobody knows.
    pub(crate) fn finish(self) {
        for (name, _) in self.fields.into_iter().flatten() {
            if !self.known.iter().any(|known| known == name) {
                let shown = if has_url(name) { "(a URL)" } else { name };
                let rule = format!("is no field here; there are {}", self.known.join(", "));
                self.problems.add(&self.path_of(shown), None, rule);
            }
        }
    }
}

/// Whether a text holds a URL, which may hold a secret.
pub(crate) fn has_url(text: &str) -> bool {
    text.as_bytes().windows(3).any(|part| part == b"://")
}

write_fields! {
    Problem { path, value, rule }
}
