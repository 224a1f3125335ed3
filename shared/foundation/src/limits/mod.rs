//! Algorithms of rate limits that all processes count together in Redis. Their callers decide whom they
//! limit, how many are allowed and what a refusal is.

mod fixed_window;
mod leased_permits;
mod sliding_log;

pub use fixed_window::{Addition, FixedWindow, add, counted};
pub use leased_permits::LeasedPermits;
pub use sliding_log::{Refusal, SlidingLog};
