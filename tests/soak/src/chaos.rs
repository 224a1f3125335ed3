//! Kills processes abruptly and starts them again; kills a master of a cluster.

use std::{
    collections::BTreeMap,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use anyhow::Result;
use rand::{RngExt, rngs::StdRng, seq::SliceRandom};
use stack::{RedisCluster, Stack};

use crate::{Arguments, DAEMONS};

/// Shortest and longest time that a process is away, in milliseconds.
const AWAY: std::ops::Range<u64> = 100..2_000;

/// Name of the API's process.
pub const API: &str = "lumio-api";
/// Name of the store in the record of kills.
pub const REDIS: &str = "redis";

/// Kill of a process.
#[derive(Debug, Clone)]
pub struct Kill {
    pub name: &'static str,
    /// Unix seconds.
    pub at: f64,
}

/// Processes that are killed, and the times of the kills.
pub struct Killer {
    random: StdRng,
    every: Duration,
    calm_after: Duration,
    next: Duration,
    /// Processes that are killed before one is killed again.
    round: Vec<&'static str>,
    kills: Vec<Kill>,
}

impl Killer {
    pub fn new(random: StdRng, arguments: &Arguments) -> Self {
        let calm_after = arguments.calm_after();
        let every = interval(Duration::from_secs(arguments.kill_every.max(1)), calm_after);
        Self { random, every, calm_after, next: every, round: Vec::new(), kills: Vec::new() }
    }

    /// Kills in their order.
    pub fn kills(&self) -> &[Kill] {
        &self.kills
    }

    /// Kills of each process, for the report.
    pub fn summary(&self) -> String {
        let mut times: BTreeMap<&str, u32> = BTreeMap::new();
        for kill in &self.kills {
            *times.entry(kill.name).or_default() += 1;
        }
        let each: Vec<String> = times.iter().map(|(name, times)| format!("{name} {times}")).collect();
        each.join(", ")
    }

    /// Kills one process when it is due.
    ///
    /// # Errors
    /// An error when a process cannot be started again.
    pub async fn disturb(&mut self, stack: &mut Stack, since_start: Duration) -> Result<()> {
        if since_start < self.next || since_start >= self.calm_after {
            return Ok(());
        }
        self.next = since_start + self.every;
        let name = self.next_name();
        stack.kill(name)?;
        self.kills.push(Kill { name, at: unix_seconds() });
        tokio::time::sleep(Duration::from_millis(self.random.random_range(AWAY))).await;
        stack.restart(name)?;
        Ok(())
    }

    /// Next process of the round: also a short time has kills of each.
    fn next_name(&mut self) -> &'static str {
        if self.round.is_empty() {
            self.round = [API].into_iter().chain(DAEMONS).collect();
            self.round.shuffle(&mut self.random);
        }
        self.round.pop().unwrap_or(API)
    }
}

/// Interval of the kills. A short time has a kill of each process, unless nothing is killed at all.
fn interval(every: Duration, calm_after: Duration) -> Duration {
    // A kill comes up to half a second late.
    let kills = u32::try_from(DAEMONS.len()).unwrap_or(u32::MAX).saturating_add(3);
    if every > calm_after { every } else { every.min(calm_after / kills) }
}

/// Key of the queue that every line passes through. Its master is killed.
const BUSIEST_KEY: &str = "{lumio:webhook_inbox}:s";

/// Cluster whose master is killed once.
pub struct Failover {
    cluster: RedisCluster,
    due: Duration,
    killed_at: Option<f64>,
}

impl Failover {
    pub const fn new(cluster: RedisCluster, arguments: &Arguments) -> Self {
        Self { cluster, due: Duration::from_secs(arguments.seconds / 3), killed_at: None }
    }

    /// Time of the kill, in Unix seconds.
    pub const fn killed_at(&self) -> Option<f64> {
        self.killed_at
    }

    /// Kills the master when it is due.
    pub async fn disturb(&mut self, since_start: Duration) {
        if since_start < self.due || self.killed_at.is_some() {
            return;
        }
        eprintln!("keys of the masters before the kill: {:?}", self.cluster.keys().await);
        let master = self.cluster.master_of(BUSIEST_KEY).await;
        self.cluster.kill_master(master);
        self.killed_at = Some(unix_seconds());
        eprintln!("a master was killed");
    }
}

fn unix_seconds() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}
