//! The options: one table, which the parser, the documents and the error texts are made from.

mod by_name;

pub use by_name::SetOptionError;

use super::{
    FirstConnect, MessagingSettings, Ratio, Reconnect, Settings, TcpTimeouts,
    tcp_timeouts::MAX_FIELD_MILLISECONDS,
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
            (K::DialStaggerMilliseconds, Integer(value)) => {
                connection.dial_stagger_milliseconds =
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
            K::DialStaggerMilliseconds => Integer(connection.dial_stagger_milliseconds as u64),
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
