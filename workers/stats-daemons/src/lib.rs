//! Daemons of the public statistics: roll-ups and the crawler (reference/public-stats.md).

pub mod crawler;
mod metrics;
pub mod rollups;
