//! Options set by their names, as a configuration file or the environment has them.

use alloc::string::String;
use core::fmt;

use super::{OPTIONS, OptionKind, OptionSpec, OptionValue};
use crate::policy::{ParseTcpTimeoutsError, Ratio, Settings, TcpTimeouts};

/// The longest text of a wrong value that is kept.
const MOST_CHARACTERS: usize = 60;

/// Why an option could not be set by its name. A URL in the place of a name or a value may hold a
/// secret: none is kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetOptionError {
    /// No option has this name. Names are those of [`OPTIONS`].
    #[error("{0} is no option of regate")]
    Unknown(String),
    /// The text is no value of the option.
    #[error("{path} is {text:?}: it must be {kind}")]
    Value {
        /// The option.
        path: &'static str,
        /// What it was to be set to.
        text: String,
        /// What it may be.
        kind: OptionKind,
    },
    /// The text is no schedule.
    #[error("{path}: {error}")]
    Schedule {
        /// The option.
        path: &'static str,
        /// What is wrong with it.
        error: ParseTcpTimeoutsError,
    },
}

impl fmt::Display for OptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean => f.write_str("true or false"),
            Self::Choice(words) => write!(f, "one of {}", words.join(", ")),
            Self::Integer { least, most } => write!(f, "a whole number within {least}..={most}"),
            Self::Ratio => f.write_str("a number within 0..=1, of at most 6 decimals"),
            Self::Schedule => f.write_str("a text initial:max:backoff[:maxsingle]"),
        }
    }
}

impl OptionKind {
    /// Reads a value as a configuration writes it; `None` where the text is none.
    fn read(self, text: &str) -> Option<OptionValue> {
        let boolean = text.parse().ok();
        match self {
            Self::Boolean => boolean.map(OptionValue::Boolean),
            Self::Choice(words) => {
                let word = match boolean {
                    Some(true) => "always",
                    Some(false) => "never",
                    None => text,
                };
                let place = words.iter().position(|&known| known == word)?;
                u32::try_from(place).ok().map(OptionValue::Choice)
            }
            Self::Integer { least, most } => {
                let number = digits(text)?;
                (least..=most).contains(&number).then_some(OptionValue::Integer(number))
            }
            Self::Ratio => ratio(text).map(OptionValue::Ratio),
            Self::Schedule => text.parse().ok().map(OptionValue::Schedule),
        }
    }
}

fn has_url(text: &str) -> bool {
    text.contains("://")
}

/// A text as it may be shown.
fn shown(text: &str) -> String {
    if has_url(text) {
        return "(a URL)".into();
    }
    let rest = text.chars().nth(MOST_CHARACTERS).map(|_| '…');
    text.chars().take(MOST_CHARACTERS).chain(rest).collect()
}

fn digits(text: &str) -> Option<u64> {
    let all_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    if all_digits { text.parse().ok() } else { None }
}

/// A number from 0 to 1, such as `0.2`.
fn ratio(text: &str) -> Option<Ratio> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let places = u32::try_from(decimals.len()).ok().filter(|places| (1..=6).contains(places))?;
    let scale = 10_u64.pow(6_u32.saturating_sub(places));
    let decimals = digits(decimals)?.saturating_mul(scale);
    let millionths = digits(whole)?.saturating_mul(1_000_000).saturating_add(decimals);
    let millionths = u32::try_from(millionths).ok()?;
    (millionths <= Ratio::ONE.millionths()).then(|| Ratio::from_millionths(millionths))
}

impl Settings {
    /// Sets one option by its path, or by its name in an existing configuration, to what a
    /// configuration file or the environment says.
    ///
    /// # Errors
    ///
    /// [`SetOptionError`] where no option has this name, or the text is no value of it; nothing
    /// is changed then.
    ///
    /// # Example
    ///
    /// ```
    /// use regate::policy::{Reconnect, Settings};
    ///
    /// # fn main() -> Result<(), regate::policy::options::SetOptionError> {
    /// let mut settings = Settings::default();
    /// settings.set_by_name("networking.jitter", "0.5")?;
    /// settings.set_by_name("hazelcast.networking.reconnect", "false")?;
    /// assert_eq!(settings.connection.jitter.millionths(), 500_000);
    /// assert_eq!(settings.connection.reconnect, Reconnect::Never);
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_by_name(&mut self, name: &str, text: &str) -> Result<(), SetOptionError> {
        let named = |spec: &&OptionSpec| spec.path == name || spec.existing_name == name;
        let unknown = || SetOptionError::Unknown(shown(name));
        let spec = OPTIONS.iter().find(named).filter(|_| !name.is_empty()).ok_or_else(unknown)?;
        let Some(value) = spec.kind.read(text) else {
            let path = spec.path;
            return Err(match (spec.kind, text.parse::<TcpTimeouts>()) {
                (OptionKind::Schedule, Err(error)) if !has_url(text) => {
                    SetOptionError::Schedule { path, error }
                }
                (kind, _) => SetOptionError::Value { path, text: shown(text), kind },
            });
        };
        self.set(spec.key, value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{OPTIONS, OptionKind, OptionValue};
    use crate::policy::{Settings, options::MAX_SAFE_INTEGER};
    use alloc::{format, string::ToString};

    #[test]
    fn every_option_is_set_by_each_of_its_names_to_what_a_configuration_says() {
        for spec in OPTIONS {
            for name in [spec.path, spec.existing_name].into_iter().filter(|name| !name.is_empty())
            {
                let texts = match spec.kind {
                    OptionKind::Boolean => ["true", "false"].map(Into::into).to_vec(),
                    OptionKind::Choice(words) => words.iter().map(ToString::to_string).collect(),
                    OptionKind::Integer { least, most } => {
                        [least, most].map(|n| n.to_string()).to_vec()
                    }
                    OptionKind::Ratio => ["0", "1", "0.25", "1.0"].map(Into::into).to_vec(),
                    OptionKind::Schedule => ["1:2:3", "4:5:6:7"].map(Into::into).to_vec(),
                };
                for text in texts {
                    let mut settings = Settings::default();
                    settings.set_by_name(name, &text).unwrap();
                    let shown = match (settings.value_of(spec.key), spec.kind) {
                        (OptionValue::Boolean(value), _) => value.to_string(),
                        (OptionValue::Choice(place), OptionKind::Choice(words)) => {
                            words[usize::try_from(place).unwrap()].into()
                        }
                        (OptionValue::Integer(value), _) => value.to_string(),
                        (OptionValue::Ratio(value), _) => {
                            let expected = [("0", 0), ("1", 1_000_000), ("0.25", 250_000)];
                            let (_, millionths) = expected
                                .into_iter()
                                .find(|&(t, _)| t == text)
                                .unwrap_or(("", 1_000_000));
                            assert_eq!(value.millionths(), millionths, "{name} {text}");
                            text.clone()
                        }
                        (OptionValue::Schedule(value), _) => {
                            assert_eq!(value, text.parse().unwrap(), "{name} {text}");
                            text.clone()
                        }
                        (value, kind) => panic!("{name}: {value:?} of {kind:?}"),
                    };
                    assert_eq!(shown, text, "{name}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_value_changes_nothing_and_says_why() {
        let past_the_end = (MAX_SAFE_INTEGER + 1).to_string();
        for (name, text, said) in [
            ("", "1", " is no option of regate"),
            ("networking.jiter", "1", "networking.jiter is no option of regate"),
            (
                "networking.jitter",
                "1.000001",
                "networking.jitter is \"1.000001\": it must be a number within 0..=1",
            ),
            ("networking.jitter", "0.", "networking.jitter is \"0.\""),
            ("networking.jitter", ".5", "networking.jitter is \".5\""),
            ("networking.jitter", "+0.5", "networking.jitter is \"+0.5\""),
            ("networking.jitter", "0.1234567", "networking.jitter is \"0.1234567\""),
            ("networking.shuffleAddresses", "yes", "it must be true or false"),
            ("networking.reconnect", "sometimes", "it must be one of always, schedule, never"),
            ("networking.firstConnect", "false", "it must be one of schedule, always"),
            ("networking.connectionTimeoutMilliseconds", "0", "within 1..=2147483647"),
            ("messaging.retryTimeoutSeconds", "+5", "it must be a whole number"),
            ("messaging.retryTimeoutSeconds", "", "it must be a whole number"),
            ("messaging.retryTimeoutSeconds", &past_the_end, "within 0..=9007199254740991"),
            ("networking.connectTimeouts", "1:2", "networking.connectTimeouts: "),
        ] {
            let mut settings = Settings::default();
            let error = settings.set_by_name(name, text).unwrap_err();
            assert!(error.to_string().contains(said), "{name} {text}: {error}");
            assert_eq!(settings, Settings::default(), "{name} {text}");
        }
    }

    #[test]
    fn a_url_in_the_place_of_a_name_or_a_value_is_not_shown_and_a_long_text_is_cut() {
        let urls =
            ["ws://s3cret?x", "1:2://s3cret", "wss://u:s3cret@a.example:1/", "a://s3cret:2:3"];
        for text in urls {
            let unknown = Settings::default().set_by_name(text, "1").unwrap_err();
            assert_eq!(unknown.to_string(), "(a URL) is no option of regate");
            for spec in OPTIONS {
                let error = Settings::default().set_by_name(spec.path, text).unwrap_err();
                let said = format!("{error} {error:?}");
                assert!(!said.contains("s3cret"), "{said}");
                assert!(error.to_string().starts_with(spec.path), "{said}");
            }
        }
        let long = Settings::default().set_by_name(&"\u{6f22}".repeat(61), "1").unwrap_err();
        assert_eq!(long.to_string().chars().filter(|&c| c == '\u{6f22}').count(), 60);
    }
}
