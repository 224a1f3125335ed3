//! Kills processes abruptly and starts them again; kills a master of a Redis Cluster, or the primary of PostgreSQL.

use std::{
    collections::BTreeMap,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use anyhow::Result;
use rand::{RngExt, rngs::StdRng, seq::SliceRandom};
use stack::{RedisCluster, Stack};

use crate::{Arguments, DAEMONS, pair::Pair};

/// Shortest and longest time that a process is away, in milliseconds.
const AWAY: std::ops::Range<u64> = 100..2_000;

/// Name of the API's process.
pub const API: &str = "lumio-api";
/// Names of the stores in the record of kills.
pub const REDIS: &str = "redis";
pub const POSTGRES: &str = "postgres";

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

/// Store whose master is killed once, and replaced by a replica.
pub enum Store {
    /// The replica is elected by the other nodes.
    Redis(RedisCluster),
    /// The replica is promoted.
    Postgres(Box<Pair>),
}

impl Store {
    /// Name in the record of kills.
    const fn name(&self) -> &'static str {
        match self {
            Self::Redis(_) => REDIS,
            Self::Postgres(_) => POSTGRES,
        }
    }

    /// Kills the master; returns the time of the kill and that from which the replica may take its place.
    async fn fail_over(&mut self) -> (f64, f64) {
        match self {
            Self::Redis(cluster) => {
                eprintln!("keys of the masters before the kill: {:?}", cluster.keys().await);
                let master = cluster.master_of(BUSIEST_KEY).await;
                cluster.kill_master(master);
                let killed_at = unix_seconds();
                (killed_at, killed_at)
            }
            Self::Postgres(pair) => pair.fail_over().await,
        }
    }
}

/// A replacement of a master.
#[derive(Debug, Clone, Copy)]
pub struct Takeover {
    pub store: &'static str,
    /// Unix seconds.
    pub killed_at: f64,
    /// Time from which the replica may take the place, in Unix seconds: its promotion, or the kill when it is elected.
    pub from: f64,
}

/// Store whose master is killed when it is due.
pub struct Failover {
    store: Store,
    due: Duration,
    takeover: Option<Takeover>,
}

impl Failover {
    pub const fn new(store: Store, arguments: &Arguments) -> Self {
        Self { store, due: Duration::from_secs(arguments.seconds / 3), takeover: None }
    }

    /// The replacement, after it began.
    pub const fn takeover(&self) -> Option<Takeover> {
        self.takeover
    }

    /// Kills the master when it is due.
    pub async fn disturb(&mut self, since_start: Duration) {
        if since_start < self.due || self.takeover.is_some() {
            return;
        }
        let (killed_at, from) = self.store.fail_over().await;
        self.takeover = Some(Takeover { store: self.store.name(), killed_at, from });
        eprintln!("the master of {} was killed", self.store.name());
    }
}

/// The present time.
pub fn unix_seconds() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}
