//! The cdylib of regate; everything is in the root crate.
pub use regate::*;
