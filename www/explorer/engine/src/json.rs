//! JSON, as far as it is needed here. A library's would be half of the wasm, most of it for floats and
//! for error texts that nobody sees.

mod writing;

use std::{iter::Peekable, str::CharIndices};

pub(crate) use writing::{Fields, ToJson, to_text, write_fields};

/// How deep objects and lists may nest.
const MAX_DEPTH: u32 = 64;

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Json {
    Null,
    Boolean(bool),
    /// As it was written.
    Number(String),
    Text(String),
    List(Vec<Self>),
    /// In the order of the text; of equal names the last counts.
    Object(Vec<(String, Self)>),
}

impl Json {
    /// Reads a text; `None` where it is not JSON, or nests too deep.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parser = Parser { text, chars: text.char_indices().peekable() };
        let value = parser.value(0)?;
        parser.skip_space();
        parser.chars.next().is_none().then_some(value)
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub(crate) const fn as_boolean(&self) -> Option<bool> {
        if let Self::Boolean(flag) = self { Some(*flag) } else { None }
    }

    pub(crate) fn as_list(&self) -> Option<&[Self]> {
        if let Self::List(list) = self { Some(list) } else { None }
    }

    pub(crate) fn as_object(&self) -> Option<&[(String, Self)]> {
        if let Self::Object(fields) = self { Some(fields) } else { None }
    }

    /// A whole number in digits, as JavaScript writes those that it holds exactly.
    pub(crate) fn as_whole(&self) -> Option<u64> {
        let Self::Number(digits) = self else { return None };
        digits.parse().ok()
    }

    /// A field of an object.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        self.as_object()?.iter().find(|(other, _)| other == name).map(|(_, value)| value)
    }

    /// Puts a value where a dotted path leads to.
    pub(crate) fn insert(fields: &mut Vec<(String, Self)>, path: &str, value: Self) {
        let (name, rest) =
            path.split_once('.').map_or((path, None), |(name, rest)| (name, Some(rest)));
        let place = fields.iter().position(|(other, _)| other == name).unwrap_or_else(|| {
            fields.push((name.into(), Self::Object(Vec::new())));
            fields.len() - 1
        });
        match (fields.get_mut(place), rest) {
            (Some((_, Self::Object(inner))), Some(rest)) => Self::insert(inner, rest, value),
            (Some((_, field)), None) => *field = value,
            _ => {}
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    chars: Peekable<CharIndices<'a>>,
}

impl Parser<'_> {
    fn skip_space(&mut self) {
        while self.chars.next_if(|(_, c)| matches!(c, ' ' | '\t' | '\n' | '\r')).is_some() {}
    }

    fn take(&mut self, wanted: char) -> bool {
        self.chars.next_if(|&(_, c)| c == wanted).is_some()
    }

    /// Whether another entry follows, or the end.
    fn goes_on(&mut self, end: char) -> Option<bool> {
        self.skip_space();
        match self.chars.next()?.1 {
            ',' => Some(true),
            c => (c == end).then_some(false),
        }
    }

    fn value(&mut self, depth: u32) -> Option<Json> {
        self.skip_space();
        match self.chars.peek()?.1 {
            '"' => self.string().map(Json::Text),
            '[' | '{' if depth >= MAX_DEPTH => None,
            '[' => self.list(depth + 1),
            '{' => self.object(depth + 1),
            _ => self.word(),
        }
    }

    fn list(&mut self, depth: u32) -> Option<Json> {
        let mut list = Vec::new();
        self.chars.next();
        self.skip_space();
        if self.take(']') {
            return Some(Json::List(list));
        }
        loop {
            list.push(self.value(depth)?);
            if !self.goes_on(']')? {
                return Some(Json::List(list));
            }
        }
    }

    fn object(&mut self, depth: u32) -> Option<Json> {
        let mut fields: Vec<(String, Json)> = Vec::new();
        self.chars.next();
        self.skip_space();
        if self.take('}') {
            return Some(Json::Object(fields));
        }
        loop {
            self.skip_space();
            let name = self.string()?;
            self.skip_space();
            if !self.take(':') {
                return None;
            }
            let value = self.value(depth)?;
            match fields.iter_mut().find(|(other, _)| *other == name) {
                Some((_, field)) => *field = value,
                None => fields.push((name, value)),
            }
            if !self.goes_on('}')? {
                return Some(Json::Object(fields));
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        if !self.take('"') {
            return None;
        }
        let mut text = String::new();
        loop {
            match self.chars.next()?.1 {
                '"' => return Some(text),
                '\\' => text.push(self.escape()?),
                c if c < ' ' => return None,
                c => text.push(c),
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        Some(match self.chars.next()?.1 {
            c @ ('"' | '\\' | '/') => c,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let unit = self.unit()?;
                if !(0xD800..0xDC00).contains(&unit) {
                    return char::from_u32(unit);
                }
                if !(self.take('\\') && self.take('u')) {
                    return None;
                }
                let low = self.unit()?.checked_sub(0xDC00).filter(|&low| low < 0x400)?;
                return char::from_u32(0x1_0000 + ((unit - 0xD800) << 10) + low);
            }
            _ => return None,
        })
    }

    fn unit(&mut self) -> Option<u32> {
        (0..4).try_fold(0, |unit, _| Some(unit * 16 + self.chars.next()?.1.to_digit(16)?))
    }

    /// A number, or one of the three words.
    fn word(&mut self) -> Option<Json> {
        let begin = self.chars.peek()?.0;
        let mut end = begin;
        while let Some((at, c)) =
            self.chars.next_if(|(_, c)| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.'))
        {
            end = at + c.len_utf8();
        }
        match self.text.get(begin..end)? {
            "null" => Some(Json::Null),
            "true" => Some(Json::Boolean(true)),
            "false" => Some(Json::Boolean(false)),
            text => is_number(text).then(|| Json::Number(text.into())),
        }
    }
}

/// `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
fn is_number(text: &str) -> bool {
    let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    let (text, exponent) =
        text.split_once(['e', 'E']).map_or((text, None), |(text, exponent)| (text, Some(exponent)));
    let (whole, part) =
        text.split_once('.').map_or((text, None), |(whole, part)| (whole, Some(part)));
    let signless = |text: &str| all_digits(text.strip_prefix(['+', '-']).unwrap_or(text));
    all_digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && part.is_none_or(all_digits)
        && exponent.is_none_or(signless)
}

#[cfg(test)]
mod tests {
    use super::{Json, to_text};
    use proptest::prelude::*;

    /// What a library makes of the same text.
    fn agrees(text: &str) {
        let theirs: Option<serde_json::Value> = serde_json::from_str(text).ok();
        let ours = Json::parse(text);
        assert_eq!(ours.is_some(), theirs.is_some(), "{text}");
        if let Some(ours) = ours {
            let again: serde_json::Value = serde_json::from_str(&to_text(&ours)).unwrap();
            assert_eq!(Some(again), theirs, "{text}");
        }
    }

    #[test]
    fn texts_are_read_as_a_library_reads_them() {
        for text in [
            "",
            " ",
            "null",
            "nul",
            "true ",
            "[]",
            "[1,]",
            "[,1]",
            "[1 2]",
            "{}",
            "{\"a\":1,}",
            "{a:1}",
            "{\"a\" : [ 1 , {\"b\":null} ] }",
            "{\"a\":1,\"a\":2}",
            "01",
            "-",
            "-0",
            "1.",
            ".5",
            "1e5",
            "1E+5",
            "1e",
            "1.5e-3",
            "0x1",
            "\"\\u00e9\\n\\/\\\"\"",
            "\"\\ud83d\\ude00\"",
            "\"\\ud83d\"",
            "\"\\ud83dx\"",
            "\"\\udc00\"",
            "\"\\x\"",
            "\"a",
            "\"\n\"",
            "\"\u{7f}é漢\"",
            "1 1",
            "\u{feff}1",
            "{\"a\":1]",
            "[1}",
            "\"\\u12\"",
            "+1",
            "Infinity",
            "tru",
            "[[[[[]]]]]",
        ] {
            agrees(text);
        }
    }

    #[test]
    fn what_nests_too_deep_is_no_json() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(Json::parse(&nested(64)).is_some());
        assert!(Json::parse(&nested(65)).is_none());
        assert!(Json::parse(&"[".repeat(1_000_000)).is_none());
    }

    proptest! {
        #[test]
        fn any_text_is_read_as_a_library_reads_it(text in "[\\[\\]{}:,\"0-9.eE+\\- a\\\\untrlf]{0,12}") {
            // But for numbers that a float does not hold, which stay as they were written.
            prop_assume!(!text.contains(['e', 'E']));
            agrees(&text);
        }

        #[test]
        fn any_string_comes_back(text in any::<String>()) {
            prop_assert_eq!(Json::parse(&to_text(&text)), Some(Json::Text(text)));
        }
    }
}
