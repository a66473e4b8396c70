//! The options: one table, which the parser, the documents and the error texts are made from.

use alloc::string::String;
use core::fmt;

use super::{
    FirstConnect, MessagingSettings, ParseTcpTimeoutsError, Ratio, Reconnect, Settings,
    TcpTimeouts, tcp_timeouts::MAX_FIELD_MILLISECONDS,
};

/// The largest whole number that a JavaScript number holds exactly, 2^53-1.
pub const MAX_SAFE_INTEGER: u64 = 9_007_199_254_740_991;

/// What an option may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a parser must know every kind")]
pub enum OptionKind {
    /// `true` or `false`.
    Boolean,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number in these bounds.
    Integer {
        /// The least.
        least: u64,
        /// The most.
        most: u64,
    },
    /// A number from 0 to 1.
    Ratio,
    /// A text that [`TcpTimeouts`] can be parsed from.
    Schedule,
}

/// Which option. `Messaging` ones can be given per call too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is described by its row of the table")]
#[non_exhaustive]
pub enum OptionKey {
    ConnectTimeouts,
    ReadTimeouts,
    ConnectionTimeoutMilliseconds,
    ShuffleAddresses,
    RedoOperations,
    Reconnect,
    FirstConnect,
    ConnectionJitter,
    SteadyMilliseconds,
    FailoverSpreadMilliseconds,
    SessionTimeoutMilliseconds,
    RetryTimeoutSeconds,
    MaxFastInvocationCount,
    MinRetryDelayMilliseconds,
    RetryOnConnectionLost,
    RetryOnClientReconnecting,
    RetryUnsentOperations,
    WaitForResponseMilliseconds,
    MessagingJitter,
    MaxPendingOperations,
    MaxInFlightOperations,
    MaxBufferedBytes,
    MaxMessageBytes,
    HeartbeatPeriodMilliseconds,
}

/// The value of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the kinds of options decide what values there are")]
pub enum OptionValue {
    /// Of a [`OptionKind::Boolean`].
    Boolean(bool),
    /// Of a [`OptionKind::Choice`], by its place among the words.
    Choice(u32),
    /// Of a [`OptionKind::Integer`].
    Integer(u64),
    /// Of a [`OptionKind::Ratio`].
    Ratio(Ratio),
    /// Of a [`OptionKind::Schedule`].
    Schedule(TcpTimeouts),
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct OptionSpec {
    /// Which option.
    pub key: OptionKey,
    /// Where it stands in the JavaScript options.
    pub path: &'static str,
    /// Its name in an existing configuration; empty where it had none.
    pub existing_name: &'static str,
    /// What it may be.
    pub kind: OptionKind,
}

const BOOLEAN: OptionKind = OptionKind::Boolean;
const SAFE: OptionKind = OptionKind::Integer { least: 0, most: MAX_SAFE_INTEGER };
/// `true` and `false` stand for `always` and `never`, as an existing configuration has it.
const RECONNECT: OptionKind = OptionKind::Choice(&["always", "schedule", "never"]);
const FIRST_CONNECT: OptionKind = OptionKind::Choice(&["schedule", "always"]);

const fn row(
    key: OptionKey,
    path: &'static str,
    existing_name: &'static str,
    kind: OptionKind,
) -> OptionSpec {
    OptionSpec { key, path, existing_name, kind }
}

/// Every option whose value the core takes. The others hold JavaScript values: `gateways`,
/// `protocols`, `transport`, `headers`, `logger`, `WebSocket` and `seed`.
pub const OPTIONS: &[OptionSpec] = &[
    row(
        OptionKey::ConnectTimeouts,
        "networking.connectTimeouts",
        "com.sun.corba.ee.transport.ORBTCPConnectTimeouts",
        OptionKind::Schedule,
    ),
    row(
        OptionKey::ReadTimeouts,
        "networking.readTimeouts",
        "com.sun.corba.ee.transport.ORBTCPTimeouts",
        OptionKind::Schedule,
    ),
    row(
        OptionKey::ConnectionTimeoutMilliseconds,
        "networking.connectionTimeoutMilliseconds",
        "hazelcast.networking.connectionTimeoutMilliseconds",
        OptionKind::Integer { least: 1, most: MAX_FIELD_MILLISECONDS as u64 },
    ),
    row(
        OptionKey::ShuffleAddresses,
        "networking.shuffleAddresses",
        "hazelcast.networking.shuffleAddresses",
        BOOLEAN,
    ),
    row(
        OptionKey::RedoOperations,
        "networking.redoOperations",
        "hazelcast.networking.redoOperations",
        BOOLEAN,
    ),
    row(OptionKey::Reconnect, "networking.reconnect", "hazelcast.networking.reconnect", RECONNECT),
    row(OptionKey::FirstConnect, "networking.firstConnect", "", FIRST_CONNECT),
    row(OptionKey::ConnectionJitter, "networking.jitter", "", OptionKind::Ratio),
    row(OptionKey::SteadyMilliseconds, "networking.steadyMilliseconds", "", SAFE),
    row(OptionKey::FailoverSpreadMilliseconds, "networking.failoverSpreadMilliseconds", "", SAFE),
    row(
        OptionKey::SessionTimeoutMilliseconds,
        "networking.sessionTimeoutMilliseconds",
        "",
        OptionKind::Integer { least: 1, most: MAX_SAFE_INTEGER },
    ),
    row(
        OptionKey::RetryTimeoutSeconds,
        "messaging.retryTimeoutSeconds",
        "hazelcast.messaging.retryTimeoutSeconds",
        SAFE,
    ),
    row(
        OptionKey::MaxFastInvocationCount,
        "messaging.maxFastInvocationCount",
        "hazelcast.messaging.maxFastInvocationCount",
        SAFE,
    ),
    row(
        OptionKey::MinRetryDelayMilliseconds,
        "messaging.minRetryDelayMilliseconds",
        "hazelcast.messaging.minRetryDelayMilliseconds",
        OptionKind::Integer { least: 1, most: MAX_SAFE_INTEGER },
    ),
    row(
        OptionKey::RetryOnConnectionLost,
        "messaging.retryOnConnectionLost",
        "hazelcast.messaging.retryOnConnectionLost",
        BOOLEAN,
    ),
    row(
        OptionKey::RetryOnClientReconnecting,
        "messaging.retryOnClientReconnecting",
        "hazelcast.messaging.retryOnClientReconnecting",
        BOOLEAN,
    ),
    row(OptionKey::RetryUnsentOperations, "messaging.retryUnsentOperations", "", BOOLEAN),
    row(
        OptionKey::WaitForResponseMilliseconds,
        "messaging.waitForResponseMilliseconds",
        "com.sun.corba.ee.transport.ORBWaitForResponseTimeout",
        SAFE,
    ),
    row(OptionKey::MessagingJitter, "messaging.jitter", "", OptionKind::Ratio),
    row(OptionKey::MaxPendingOperations, "limits.maxPendingOperations", "", SAFE),
    row(OptionKey::MaxInFlightOperations, "limits.maxInFlightOperations", "", SAFE),
    row(OptionKey::MaxBufferedBytes, "limits.maxBufferedBytes", "", SAFE),
    row(OptionKey::MaxMessageBytes, "limits.maxMessageBytes", "", SAFE),
    row(OptionKey::HeartbeatPeriodMilliseconds, "heartbeat.periodMilliseconds", "", SAFE),
];

impl Settings {
    /// Sets one option; `false` where the value is not of the option's kind.
    pub fn set(&mut self, key: OptionKey, value: OptionValue) -> bool {
        use OptionKey as K;
        use OptionValue::{Boolean, Choice, Integer, Ratio, Schedule};
        let connection = &mut self.connection;
        match (key, value) {
            (K::ConnectTimeouts, Schedule(value)) => connection.connect_timeouts = value,
            (K::ReadTimeouts, Schedule(value)) => connection.read_timeouts = value,
            (K::ConnectionTimeoutMilliseconds, Integer(value)) => {
                connection.connection_timeout_milliseconds =
                    u32::try_from(value).unwrap_or(MAX_FIELD_MILLISECONDS);
            }
            (K::ShuffleAddresses, Boolean(value)) => connection.shuffle_addresses = value,
            (K::RedoOperations, Boolean(value)) => self.redo_operations = value,
            (K::Reconnect, Choice(0)) => connection.reconnect = Reconnect::Always,
            (K::Reconnect, Choice(1)) => connection.reconnect = Reconnect::Schedule,
            (K::Reconnect, Choice(2)) => connection.reconnect = Reconnect::Never,
            (K::FirstConnect, Choice(0)) => connection.first_connect = FirstConnect::Schedule,
            (K::FirstConnect, Choice(1)) => connection.first_connect = FirstConnect::Always,
            (K::ConnectionJitter, Ratio(value)) => connection.jitter = value,
            (K::SteadyMilliseconds, Integer(value)) => connection.steady_milliseconds = value,
            (K::FailoverSpreadMilliseconds, Integer(value)) => {
                connection.failover_spread_milliseconds = value;
            }
            (K::SessionTimeoutMilliseconds, Integer(value)) => {
                connection.session_timeout_milliseconds = value;
            }
            (K::MaxBufferedBytes, Integer(value)) => self.limits.max_buffered_bytes = value,
            (K::MaxMessageBytes, Integer(value)) => self.limits.max_message_bytes = value,
            (K::HeartbeatPeriodMilliseconds, Integer(value)) => {
                self.heartbeat.period_milliseconds = value;
            }
            (K::MaxPendingOperations, Integer(value)) => {
                self.limits.max_pending_operations = value;
            }
            (K::MaxInFlightOperations, Integer(value)) => {
                self.limits.max_in_flight_operations = value;
            }
            _ => return self.messaging.set(key, value),
        }
        true
    }

    /// What an option is set to.
    #[must_use]
    pub const fn value_of(&self, key: OptionKey) -> OptionValue {
        use OptionKey as K;
        use OptionValue::{Boolean, Choice, Integer, Ratio, Schedule};
        let Self { connection, messaging, limits, redo_operations, heartbeat } = self;
        match key {
            K::ConnectTimeouts => Schedule(connection.connect_timeouts),
            K::ReadTimeouts => Schedule(connection.read_timeouts),
            K::ConnectionTimeoutMilliseconds => {
                Integer(connection.connection_timeout_milliseconds as u64)
            }
            K::ShuffleAddresses => Boolean(connection.shuffle_addresses),
            K::RedoOperations => Boolean(*redo_operations),
            K::Reconnect => Choice(match connection.reconnect {
                Reconnect::Always => 0,
                Reconnect::Schedule => 1,
                Reconnect::Never | Reconnect::OnRequest => 2, // which has no word of its own
            }),
            K::FirstConnect => Choice(match connection.first_connect {
                FirstConnect::Schedule => 0,
                FirstConnect::Always => 1,
            }),
            K::ConnectionJitter => Ratio(connection.jitter),
            K::SteadyMilliseconds => Integer(connection.steady_milliseconds),
            K::FailoverSpreadMilliseconds => Integer(connection.failover_spread_milliseconds),
            K::SessionTimeoutMilliseconds => Integer(connection.session_timeout_milliseconds),
            K::RetryTimeoutSeconds => Integer(messaging.retry_timeout_seconds),
            K::MaxFastInvocationCount => Integer(messaging.max_fast_invocation_count),
            K::MinRetryDelayMilliseconds => Integer(messaging.min_retry_delay_milliseconds),
            K::RetryOnConnectionLost => Boolean(messaging.retry_on_connection_lost),
            K::RetryOnClientReconnecting => Boolean(messaging.retry_on_client_reconnecting),
            K::RetryUnsentOperations => Boolean(messaging.retry_unsent_operations),
            K::WaitForResponseMilliseconds => Integer(messaging.wait_for_response_milliseconds),
            K::MessagingJitter => Ratio(messaging.jitter),
            K::MaxPendingOperations => Integer(limits.max_pending_operations),
            K::MaxInFlightOperations => Integer(limits.max_in_flight_operations),
            K::MaxBufferedBytes => Integer(limits.max_buffered_bytes),
            K::MaxMessageBytes => Integer(limits.max_message_bytes),
            K::HeartbeatPeriodMilliseconds => Integer(heartbeat.period_milliseconds),
        }
    }
}

/// Why an option could not be set by its name.
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
        let unknown = || SetOptionError::Unknown(name.into());
        let spec = OPTIONS.iter().find(named).filter(|_| !name.is_empty()).ok_or_else(unknown)?;
        let Some(value) = spec.kind.read(text) else {
            let path = spec.path;
            return Err(match (spec.kind, text.parse::<TcpTimeouts>()) {
                (OptionKind::Schedule, Err(error)) => SetOptionError::Schedule { path, error },
                (kind, _) => SetOptionError::Value { path, text: text.into(), kind },
            });
        };
        self.set(spec.key, value);
        Ok(())
    }
}

impl MessagingSettings {
    /// Sets one option of `messaging`; `false` where it is none, or not of the option's kind.
    pub const fn set(&mut self, key: OptionKey, value: OptionValue) -> bool {
        use OptionKey as K;
        use OptionValue::{Boolean, Integer, Ratio};
        match (key, value) {
            (K::RetryTimeoutSeconds, Integer(value)) => self.retry_timeout_seconds = value,
            (K::MaxFastInvocationCount, Integer(value)) => {
                self.max_fast_invocation_count = value;
            }
            (K::MinRetryDelayMilliseconds, Integer(value)) => {
                self.min_retry_delay_milliseconds = value;
            }
            (K::RetryOnConnectionLost, Boolean(value)) => self.retry_on_connection_lost = value,
            (K::RetryOnClientReconnecting, Boolean(value)) => {
                self.retry_on_client_reconnecting = value;
            }
            (K::RetryUnsentOperations, Boolean(value)) => self.retry_unsent_operations = value,
            (K::WaitForResponseMilliseconds, Integer(value)) => {
                self.wait_for_response_milliseconds = value;
            }
            (K::MessagingJitter, Ratio(value)) => self.jitter = value,
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_SAFE_INTEGER, OPTIONS, OptionKind, OptionValue};
    use crate::policy::{Ratio, Settings};
    use alloc::string::ToString;

    #[test]
    fn every_option_can_be_set_and_read_back() {
        for spec in OPTIONS {
            let mut settings = Settings::default();
            let values = match spec.kind {
                OptionKind::Boolean => [false, true].map(OptionValue::Boolean).to_vec(),
                OptionKind::Choice(words) => {
                    (0..).zip(words).map(|(place, _)| OptionValue::Choice(place)).collect()
                }
                OptionKind::Integer { least, most } => {
                    [least, most].map(OptionValue::Integer).to_vec()
                }
                OptionKind::Ratio => [Ratio::ZERO, Ratio::ONE].map(OptionValue::Ratio).to_vec(),
                OptionKind::Schedule => ["1:2:3", "4:5:6:7"]
                    .map(|text| OptionValue::Schedule(text.parse().unwrap()))
                    .to_vec(),
            };
            for value in values {
                assert!(settings.set(spec.key, value), "{}", spec.path);
                assert_eq!(settings.value_of(spec.key), value, "{}", spec.path);
            }
            assert!(!OPTIONS.iter().any(|other| other.key != spec.key
                && (other.path == spec.path
                    || other.existing_name == spec.existing_name
                        && !spec.existing_name.is_empty())));
        }
    }

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
}
