//! Writing: each value onto the end of a text.

use super::Json;

/// What can be written as JSON.
pub(crate) trait ToJson {
    fn write(&self, out: &mut String);

    /// Whether it is left out where it is a field.
    fn is_left_out(&self) -> bool {
        false
    }
}

pub(crate) fn to_text(value: &impl ToJson) -> String {
    let mut text = String::new();
    value.write(&mut text);
    text
}

impl ToJson for str {
    fn write(&self, out: &mut String) {
        out.push('"');
        for c in self.chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                c if c < ' ' => {
                    out.push_str("\\u00");
                    let (high, low) = (u32::from(c) / 16, u32::from(c) % 16);
                    out.extend([high, low].iter().filter_map(|&digit| char::from_digit(digit, 16)));
                }
                c => out.push(c),
            }
        }
        out.push('"');
    }
}

impl ToJson for String {
    fn write(&self, out: &mut String) {
        self.as_str().write(out);
    }
}

impl ToJson for bool {
    fn write(&self, out: &mut String) {
        out.push_str(if *self { "true" } else { "false" });
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {
        $(impl ToJson for $number {
            fn write(&self, out: &mut String) {
                out.push_str(&self.to_string());
            }
        })*
    };
}

numbers!(i64, u16, u32, u64, usize);

impl<T: ToJson + ?Sized> ToJson for &T {
    fn write(&self, out: &mut String) {
        (**self).write(out);
    }

    fn is_left_out(&self) -> bool {
        (**self).is_left_out()
    }
}

impl<T: ToJson> ToJson for Option<T> {
    fn write(&self, out: &mut String) {
        match self {
            Some(value) => value.write(out),
            None => out.push_str("null"),
        }
    }

    fn is_left_out(&self) -> bool {
        self.is_none()
    }
}

impl<T: ToJson> ToJson for [T] {
    fn write(&self, out: &mut String) {
        out.push('[');
        for (place, entry) in self.iter().enumerate() {
            if place > 0 {
                out.push(',');
            }
            entry.write(out);
        }
        out.push(']');
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn write(&self, out: &mut String) {
        self.as_slice().write(out);
    }
}

impl ToJson for Json {
    fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Boolean(flag) => flag.write(out),
            Self::Number(text) => out.push_str(text),
            Self::Text(text) => text.write(out),
            Self::List(list) => list.write(out),
            Self::Object(fields) => {
                let mut object = Fields::of(out);
                for (name, value) in fields {
                    object.named(name, value);
                }
                object.end();
            }
        }
    }
}

/// An object that is being written.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    out: &'a mut String,
    first: bool,
}

impl<'a> Fields<'a> {
    pub(crate) fn of(out: &'a mut String) -> Self {
        out.push('{');
        Self { out, first: true }
    }

    fn named(&mut self, name: &str, value: &dyn ToJson) {
        if !std::mem::take(&mut self.first) {
            self.out.push(',');
        }
        name.write(self.out);
        self.out.push(':');
        value.write(self.out);
    }

    /// A field under its name in JavaScript: `close_code` is `closeCode`.
    pub(crate) fn field(&mut self, name: &str, value: &dyn ToJson) {
        if value.is_left_out() {
            return;
        }
        let mut words = name.split('_');
        let mut camel = String::from(words.next().unwrap_or_default());
        for word in words {
            let (first, rest) = word.split_at_checked(1).unwrap_or_default();
            camel.push_str(&first.to_ascii_uppercase());
            camel.push_str(rest);
        }
        self.named(&camel, value);
    }

    pub(crate) fn end(self) {
        self.out.push('}');
    }
}

/// Writes a struct as an object of these fields, which must be all that it has.
macro_rules! write_fields {
    ($($type:ident { $($field:ident),* $(,)? })*) => {
        $(impl $crate::json::ToJson for $type {
            fn write(&self, out: &mut String) {
                let Self { $($field),* } = self;
                let mut object = $crate::json::Fields::of(out);
                $(object.field(stringify!($field), $field);)*
                object.end();
            }
        })*
    };
}
pub(crate) use write_fields;
