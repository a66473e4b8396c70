//! The cdylib of regate; everything is in the root crate.
pub use regate::*;

/// A third of the size of the standard one, with a bound on the time of each call.
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();
