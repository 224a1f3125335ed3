//! Kills processes abruptly and starts them again; kills a master of a cluster.

use std::{
    collections::BTreeMap,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use anyhow::Result;
use rand::{RngExt, rngs::StdRng};
use stack::{RedisCluster, Stack};

use crate::{Arguments, DAEMONS};

/// Shortest and longest time that a process is away, in milliseconds.
const AWAY: std::ops::Range<u64> = 100..2_000;

/// Processes that are killed, and the times of the kills.
pub struct Killer {
    random: StdRng,
    every: Duration,
    calm_after: Duration,
    next: Duration,
    kills: BTreeMap<&'static str, u32>,
}

impl Killer {
    pub fn new(random: StdRng, arguments: &Arguments) -> Self {
        let every = Duration::from_secs(arguments.kill_every.max(1));
        Self { random, every, calm_after: arguments.calm_after(), next: every, kills: BTreeMap::new() }
    }

    /// Number of processes that were killed.
    pub fn kills(&self) -> u32 {
        self.kills.values().sum()
    }

    /// Kills of each process, for the report.
    pub fn summary(&self) -> String {
        let each: Vec<String> = self.kills.iter().map(|(name, times)| format!("{name} {times}")).collect();
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
        let names: Vec<&'static str> = ["lumio-api"].into_iter().chain(DAEMONS).collect();
        let name = names[self.random.random_range(0..names.len())];
        stack.kill(name)?;
        tokio::time::sleep(Duration::from_millis(self.random.random_range(AWAY))).await;
        stack.restart(name)?;
        *self.kills.entry(name).or_default() += 1;
        Ok(())
    }
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
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.killed_at = Some(now.as_secs_f64());
        eprintln!("a master was killed");
    }
}
