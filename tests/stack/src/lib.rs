//! Shared parts of tests, benchmarks and drills: a stack of real processes, stores that can be killed, a browser,
//! figures of rounds, deliveries in Twitch's format, sums by plain SQL.

use std::time::Duration;

pub mod browser;
mod drawn;
pub mod hostile;
pub mod measure;
mod postgres;
mod process_tree;
mod processes;
mod redis_cluster;
mod redis_info;
pub mod sums;
pub mod twitch;

pub use drawn::{Drawn, drawn, unix_millis, watch};
pub use postgres::{PostgresServer, own, send, unprivileged};
pub use process_tree::{parent, tree_time};
pub use processes::{Stack, free_port, text};
pub use redis_cluster::RedisCluster;
pub use redis_info::RedisInfo;

/// Reached only by a hang. Shorter than the lifetime of cached rights (five minutes), so that a change that is never
/// announced fails the test.
pub const DEADLINE: Duration = Duration::from_secs(120);
