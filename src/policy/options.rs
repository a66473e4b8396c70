//! The options: one table, which the parser, the documents and the error texts are made from.

mod by_name;

pub use by_name::SetOptionError;

use super::{
    FirstConnect, Ratio, Reconnect, Settings, TcpTimeouts, tcp_timeouts::MAX_FIELD_MILLISECONDS,
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
    DialStaggerMilliseconds,
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
        OptionKey::DialStaggerMilliseconds,
        "networking.dialStaggerMilliseconds",
        "",
        OptionKind::Integer { least: 0, most: MAX_FIELD_MILLISECONDS as u64 },
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

/// Every option, in the order of the table.
#[cfg(feature = "npm")]
#[expect(clippy::indexing_slicing, reason = "both have the same length")]
pub(crate) const KEYS: [OptionKey; OPTIONS.len()] = {
    let mut keys = [OptionKey::ConnectTimeouts; OPTIONS.len()];
    let mut place = 0;
    while place < keys.len() {
        keys[place] = OPTIONS[place].key;
        place += 1;
    }
    keys
};

/// Where the value of an option stands among the settings.
#[derive(Debug)]
pub(crate) enum Place<'a> {
    Boolean(&'a mut bool),
    FirstConnect(&'a mut FirstConnect),
    Integer(&'a mut u64),
    Milliseconds(&'a mut u32),
    Ratio(&'a mut Ratio),
    Reconnect(&'a mut Reconnect),
    Schedule(&'a mut TcpTimeouts),
}

impl Settings {
    pub(crate) const fn place(&mut self, key: OptionKey) -> Place<'_> {
        use OptionKey as K;
        use Place::{Boolean, Integer, Milliseconds, Schedule};
        let Self { connection, messaging, limits, redo_operations, heartbeat } = self;
        match key {
            K::ConnectTimeouts => Schedule(&mut connection.connect_timeouts),
            K::ReadTimeouts => Schedule(&mut connection.read_timeouts),
            K::ConnectionTimeoutMilliseconds => {
                Milliseconds(&mut connection.connection_timeout_milliseconds)
            }
            K::DialStaggerMilliseconds => Milliseconds(&mut connection.dial_stagger_milliseconds),
            K::ShuffleAddresses => Boolean(&mut connection.shuffle_addresses),
            K::RedoOperations => Boolean(redo_operations),
            K::Reconnect => Place::Reconnect(&mut connection.reconnect),
            K::FirstConnect => Place::FirstConnect(&mut connection.first_connect),
            K::ConnectionJitter => Place::Ratio(&mut connection.jitter),
            K::SteadyMilliseconds => Integer(&mut connection.steady_milliseconds),
            K::FailoverSpreadMilliseconds => Integer(&mut connection.failover_spread_milliseconds),
            K::SessionTimeoutMilliseconds => Integer(&mut connection.session_timeout_milliseconds),
            K::RetryTimeoutSeconds => Integer(&mut messaging.retry_timeout_seconds),
            K::MaxFastInvocationCount => Integer(&mut messaging.max_fast_invocation_count),
            K::MinRetryDelayMilliseconds => Integer(&mut messaging.min_retry_delay_milliseconds),
            K::RetryOnConnectionLost => Boolean(&mut messaging.retry_on_connection_lost),
            K::RetryOnClientReconnecting => Boolean(&mut messaging.retry_on_client_reconnecting),
            K::RetryUnsentOperations => Boolean(&mut messaging.retry_unsent_operations),
            K::WaitForResponseMilliseconds => {
                Integer(&mut messaging.wait_for_response_milliseconds)
            }
            K::MessagingJitter => Place::Ratio(&mut messaging.jitter),
            K::MaxPendingOperations => Integer(&mut limits.max_pending_operations),
            K::MaxInFlightOperations => Integer(&mut limits.max_in_flight_operations),
            K::MaxBufferedBytes => Integer(&mut limits.max_buffered_bytes),
            K::MaxMessageBytes => Integer(&mut limits.max_message_bytes),
            K::HeartbeatPeriodMilliseconds => Integer(&mut heartbeat.period_milliseconds),
        }
    }

    /// Sets one option; `false` where the value is not of the option's kind.
    pub fn set(&mut self, key: OptionKey, value: OptionValue) -> bool {
        match (self.place(key), value) {
            (Place::Boolean(place), OptionValue::Boolean(value)) => *place = value,
            (Place::Integer(place), OptionValue::Integer(value)) => *place = value,
            (Place::Milliseconds(place), OptionValue::Integer(value)) => {
                *place = u32::try_from(value).unwrap_or(MAX_FIELD_MILLISECONDS);
            }
            (Place::Ratio(place), OptionValue::Ratio(value)) => *place = value,
            (Place::Schedule(place), OptionValue::Schedule(value)) => *place = value,
            (Place::FirstConnect(place), OptionValue::Choice(value)) => {
                return FirstConnect::from_choice(value).map(|value| *place = value).is_some();
            }
            (Place::Reconnect(place), OptionValue::Choice(value)) => {
                return Reconnect::from_choice(value).map(|value| *place = value).is_some();
            }
            _ => return false,
        }
        true
    }

    /// What an option is set to.
    #[must_use]
    pub fn value_of(&self, key: OptionKey) -> OptionValue {
        let mut settings = *self;
        match settings.place(key) {
            Place::Boolean(value) => OptionValue::Boolean(*value),
            Place::FirstConnect(value) => OptionValue::Choice(match value {
                FirstConnect::Schedule => 0,
                FirstConnect::Always => 1,
            }),
            Place::Integer(value) => OptionValue::Integer(*value),
            Place::Milliseconds(value) => OptionValue::Integer(u64::from(*value)),
            Place::Ratio(value) => OptionValue::Ratio(*value),
            Place::Reconnect(value) => OptionValue::Choice(match value {
                Reconnect::Always => 0,
                Reconnect::Schedule => 1,
                Reconnect::Never | Reconnect::OnRequest => 2, // which has no word of its own
            }),
            Place::Schedule(value) => OptionValue::Schedule(*value),
        }
    }
}

impl FirstConnect {
    /// By its place among the words of the option.
    pub(crate) const fn from_choice(place: u32) -> Option<Self> {
        match place {
            0 => Some(Self::Schedule),
            1 => Some(Self::Always),
            _ => None,
        }
    }
}

impl Reconnect {
    /// By its place among the words of the option.
    pub(crate) const fn from_choice(place: u32) -> Option<Self> {
        match place {
            0 => Some(Self::Always),
            1 => Some(Self::Schedule),
            2 => Some(Self::Never),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{OPTIONS, OptionKind, OptionValue};
    use crate::policy::{Ratio, Settings};

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
}
