//! What a client does, told as scenarios: a scripted network, a virtual clock, one sentence each.
//!
//! A number like B020 is that of the report from the field which a scenario answers.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::std_instead_of_alloc,
    clippy::wildcard_enum_match_arm,
    reason = "these run on the host, and a scenario looks for one notice among all that there are"
)]

#[cfg(test)]
#[path = "scenarios/bound.rs"]
mod bound;
#[cfg(test)]
#[path = "scenarios/close_policy.rs"]
mod close_policy;
#[cfg(test)]
#[path = "scenarios/done.rs"]
mod done;
#[cfg(test)]
#[path = "scenarios/driver.rs"]
mod driver;
#[cfg(test)]
#[path = "scenarios/giving_up.rs"]
mod giving_up;
#[cfg(test)]
#[path = "scenarios/limits.rs"]
mod limits;
#[cfg(test)]
#[path = "scenarios/lists.rs"]
mod lists;
#[cfg(test)]
#[path = "scenarios/liveness.rs"]
mod liveness;
#[cfg(test)]
#[path = "scenarios/logging.rs"]
mod logging;
#[cfg(test)]
#[path = "scenarios/not_sent.rs"]
mod not_sent;
#[cfg(test)]
#[path = "scenarios/outcomes.rs"]
mod outcomes;
#[cfg(test)]
#[path = "scenarios/refusals.rs"]
mod refusals;
#[cfg(test)]
#[path = "scenarios/resting.rs"]
mod resting;
#[cfg(test)]
#[path = "scenarios/retries.rs"]
mod retries;
#[cfg(test)]
#[path = "scenarios/rounds.rs"]
mod rounds;
#[cfg(test)]
#[path = "scenarios/script.rs"]
mod script;
#[cfg(test)]
#[path = "scenarios/sessions.rs"]
mod sessions;
#[cfg(test)]
#[path = "scenarios/spread.rs"]
mod spread;
#[cfg(test)]
#[path = "scenarios/stagger.rs"]
mod stagger;
#[cfg(test)]
#[path = "scenarios/states.rs"]
mod states;
#[cfg(test)]
#[path = "scenarios/subscriptions.rs"]
mod subscriptions;
#[cfg(test)]
#[path = "scenarios/wakes.rs"]
mod wakes;
