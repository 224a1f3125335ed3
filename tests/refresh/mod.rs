//! Refreshing the tokens of connections, and the keys that they are sealed under.

mod contention;
mod daemon;
mod failures;
mod on_demand;
mod rotation;
mod sealed;
pub mod world;
