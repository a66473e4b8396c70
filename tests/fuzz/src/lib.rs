//! What random bytes are made into, and the models that judge what the core makes of it.

pub mod engine;
pub mod options;
pub mod schedule;
