//! Shared parts of benchmarks and the soak test: a stack of real processes, figures of rounds, deliveries in Twitch's
//! format.

pub mod hostile;
pub mod measure;
mod processes;
mod redis_cluster;
pub mod twitch;

pub use processes::{Stack, free_port, text};
pub use redis_cluster::RedisCluster;
