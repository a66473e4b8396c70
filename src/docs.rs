//! The documents that stand behind the code.

#[doc = include_str!("docs/design.md")]
pub mod design {}

#[doc = include_str!("docs/numbers.md")]
pub mod numbers {}
