//! What happens when, and the settings that are compared.

use std::ops::RangeInclusive;

use regate::policy::{ConnectionSettings, Heartbeat, Ratio, Settings, TcpTimeouts};

use crate::gateway::WhenDown;

/// How many gateways there are.
pub const GATEWAYS: u32 = 5;
/// The gateway that dies first. Without shuffling it is the one that all clients are connected to.
pub const FIRST_TO_DIE: u32 = 0;

/// Dials are counted, and gateways accept, by this time.
pub const TICK_MILLISECONDS: u64 = 100;
/// The clients start one by one until then.
pub const STARTED_AT: u64 = 100_000;
/// One gateway dies.
pub const ONE_DIES_AT: u64 = 120_000;
/// All the others die.
pub const ALL_DIE_AT: u64 = 180_000;
/// All gateways are up.
pub const RETURN_AT: u64 = 300_000;
/// Nothing is watched any more.
pub const END_AT: u64 = 420_000;

/// A gateway accepts in a tick one dial for so many clients: 0.2 %.
pub const CLIENTS_PER_ACCEPT: u32 = 500;

/// Settings with a name.
#[derive(Clone, Debug)]
pub struct Variant {
    /// What it is called in the table, and its picture.
    pub name: &'static str,
    /// What is set.
    pub meaning: &'static str,
    /// Why it does what it does.
    pub reason: &'static str,
    /// How the clients dial.
    pub connection: ConnectionSettings,
    /// How long a message of a client takes one way: each draws it once from here.
    pub way_milliseconds: RangeInclusive<u64>,
    /// What gateways that are down do.
    pub when_down: WhenDown,
}

/// Clients in the gateways' part of the world: round trips of 10 to 60 ms.
const NEAR: RangeInclusive<u64> = 5..=30;
/// Clients anywhere: round trips of 20 to 200 ms.
const FAR: RangeInclusive<u64> = 10..=100;

impl Variant {
    /// The settings of an engine.
    #[must_use]
    pub fn settings(&self) -> Settings {
        Settings {
            connection: self.connection,
            heartbeat: Heartbeat { period_milliseconds: 0 },
            ..Settings::default()
        }
    }
}

/// For a large fleet: long waits, wholly random, and the first dial after a loss put off by up to
/// 10 s. The bars are for this one.
#[must_use]
pub fn large_fleet() -> Variant {
    Variant {
        name: "large-fleet",
        meaning: "`1000:600000:100:30000`, jitter 1, spread 10000: the one with the bars",
        reason: "A lost client waits a random part of 10 s, so that the clients of a dead gateway come \
         evenly, to whichever gateway is next in their own order. While all are down each client \
         dials every gateway once a round. The first rounds follow each other within the spread, \
         and their dials add up: that is the peak. Later the waits are 15 s on average and the \
         rounds far apart. After the return a client needs one dial; in the first moment there \
         are also those whose round had begun before.",
        connection: ConnectionSettings {
            connect_timeouts: schedule("1000:600000:100:30000"),
            jitter: Ratio::ONE,
            failover_spread_milliseconds: 10_000,
            ..ConnectionSettings::DEFAULT
        },
        way_milliseconds: NEAR,
        when_down: WhenDown::Refuses,
    }
}

/// How many of [`variants`] are played with the whole fleet. The others are played with a tenth of
/// it, which says the same, as all counts are shares of the fleet.
pub const WITH_WHOLE_FLEET: usize = 4;

/// All that are compared. The first is [`large_fleet`].
#[must_use]
pub fn variants() -> Vec<Variant> {
    let base = large_fleet();
    let connection = base.connection;
    let variant = |name, meaning, reason, connection| Variant {
        name,
        meaning,
        reason,
        connection,
        way_milliseconds: NEAR,
        when_down: WhenDown::Refuses,
    };
    let defaults = variant(
        "defaults",
        "nothing set: `250:60000:100:5000`, jitter 0.2, no spread",
        "Without a spread all clients of a dead gateway dial in the same instant. While all are \
             down the first round is dialled by everybody at once, and waits of 5 s keep a client \
             dialling. A gateway that has returned cannot take them as fast as they come, and each \
             one that it turns away dials the next gateway at once.",
        ConnectionSettings::DEFAULT,
    );
    vec![
        base.clone(),
        defaults.clone(),
        variant(
            "shuffle-off",
            "as large-fleet, but no shuffling",
            "All clients are connected to the first gateway of the list, and when it dies all of them \
             go to the second. A spread that is long enough for a fifth of the fleet is too short for \
             all of it: the second gateway is overrun, turns clients away, and they go on to the \
             third. While all are down and afterwards the order makes no difference, as where a round \
             begins depends on the gateway that was lost, and by then that is not the same for all.",
            ConnectionSettings { shuffle_addresses: false, ..connection },
        ),
        variant(
            "jitter-0",
            "as large-fleet, but jitter 0",
            "The spread alone parts the clients, and waits that are not random keep them as far apart \
             as they are, no further: 10 s of dials, then a pause, then 10 s of dials again for as \
             long as the outage lasts. The first rounds are further apart than with jitter, so that \
             fewer of them add up.",
            ConnectionSettings { jitter: Ratio::ZERO, ..connection },
        ),
        variant(
            "defaults-jitter-1",
            "the defaults, but jitter 1",
            "Waits that are wholly random are half as long on average, so that there are more dials, \
             and more when the gateways are back. Once the fleet has lost its step, and waits of 5 s \
             that are shortened by up to a fifth do that within a minute, more chance spreads nothing \
             any more.",
            ConnectionSettings { jitter: Ratio::ONE, ..ConnectionSettings::DEFAULT },
        ),
        variant(
            "spread-0",
            "as large-fleet, but no spread",
            "The first round of an outage, and the clients of a dead gateway, come at once. Jitter \
             spreads all that comes later.",
            ConnectionSettings { failover_spread_milliseconds: 0, ..connection },
        ),
        variant(
            "spread-30000",
            "as large-fleet, but spread 30000",
            "The same dials over three times the time: the rounds that add up are more, but each is \
             thinner. The peak comes later, after the first 20 s. The price is that a client is \
             without a connection for 15 s on average instead of 5 when one gateway dies.",
            ConnectionSettings { failover_spread_milliseconds: 30_000, ..connection },
        ),
        variant(
            "initial-8000",
            "as large-fleet, but `8000:600000:100:30000`",
            "Fewer rounds follow each other within the spread: that is what the peak is made of. When \
             one gateway dies nothing changes, as no wait is taken then. The price: a client for \
             which the first round after a loss fails waits 4 s on average for the second instead of \
             half a second.",
            ConnectionSettings {
                connect_timeouts: schedule("8000:600000:100:30000"),
                ..connection
            },
        ),
        variant(
            "both",
            "`8000:600000:100:30000`, jitter 1, spread 30000",
            "The two add up: fewer rounds fall together, and each is thinner. The price of both.",
            ConnectionSettings {
                connect_timeouts: schedule("8000:600000:100:30000"),
                failover_spread_milliseconds: 30_000,
                ..connection
            },
        ),
        Variant {
            name: "far-clients",
            meaning: "as large-fleet, but round trips of 20 to 200 ms instead of 10 to 60",
            reason: "A round of five refused dials takes longer, so that at the return more \
                     clients are in the midst of one: for one round trip after the return each of \
                     their dials still comes as if all were down, and then the first to arrive is \
                     accepted. That first moment is the peak after the return, and the longer the \
                     ways, the higher it is.",
            way_milliseconds: FAR,
            ..base.clone()
        },
        Variant {
            name: "silent",
            meaning: "as large-fleet, but gateways that are down are silent",
            reason: "A dial ends after 10 s instead of one round trip, and the next one begins beside it after \
                     2 s, so that a client dials less often. Nothing that ends such a dial is drawn, but the \
                     spread has parted the clients before.",
            when_down: WhenDown::Silent,
            ..base
        },
        Variant {
            name: "defaults-silent",
            meaning: "nothing set, and gateways that are down are silent",
            reason: "The worst for gateways that return: the fleet dials in step, and stays in \
                     step. A round over five silent gateways takes half a minute, all of it by \
                     limits that are the same for every client, and the waits between are short: \
                     a fifth of them parts the clients by less than a second within two minutes. \
                     So the gateways that return are dialled by a large part of the fleet at \
                     once.",
            when_down: WhenDown::Silent,
            ..defaults.clone()
        },
        Variant {
            name: "defaults-jitter-1-silent",
            meaning: "the defaults, but jitter 1, and gateways that are down are silent",
            reason: "Waits that are wholly random part the clients sooner, though not at once: until then the \
                     waits are short.",
            connection: ConnectionSettings { jitter: Ratio::ONE, ..ConnectionSettings::DEFAULT },
            when_down: WhenDown::Silent,
            ..defaults
        },
    ]
}

fn schedule(text: &str) -> TcpTimeouts {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}
