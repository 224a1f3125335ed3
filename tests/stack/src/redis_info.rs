//! Report of a Redis server about itself.

use std::time::Duration;

use anyhow::{Context, Result};

/// Sums since the start of a server.
#[derive(Debug, Clone, Copy)]
pub struct RedisInfo {
    /// User and system time of its threads.
    pub processor_time: Duration,
    /// Commands as the server counts them.
    pub commands: f64,
}

impl RedisInfo {
    /// Asks one server, which is no cluster.
    ///
    /// # Errors
    /// An error when the server cannot be reached, or the URL is that of a cluster.
    pub async fn of(url: &str) -> Result<Self> {
        let client = redis::Client::open(url).context("the URL is not that of one Redis server")?;
        let mut connection = client.get_multiplexed_async_connection().await?;
        let text: String = redis::cmd("INFO").query_async(&mut connection).await?;
        let figure = |field: &'static str| -> Result<f64> {
            let value = text.lines().find_map(|line| line.strip_prefix(field)).context(field)?;
            Ok(value.trim().parse()?)
        };
        let seconds = figure("used_cpu_user:")? + figure("used_cpu_sys:")?;
        Ok(Self {
            processor_time: Duration::from_secs_f64(seconds),
            commands: figure("total_commands_processed:")?,
        })
    }
}
