//! Kills processes without a warning and starts them again.

use std::{collections::BTreeMap, time::Duration};

use anyhow::Result;
use rand::{RngExt, rngs::StdRng};
use stack::Stack;

use crate::{Arguments, DAEMONS};

/// Shortest and longest time that a process is away, in milliseconds.
const AWAY: std::ops::Range<u64> = 100..2_000;

/// Who kills what, and when.
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

    /// How many processes were killed.
    pub fn kills(&self) -> u32 {
        self.kills.values().sum()
    }

    /// The kills of each process, for people.
    pub fn summary(&self) -> String {
        let each: Vec<String> = self.kills.iter().map(|(name, times)| format!("{name} {times}")).collect();
        each.join(", ")
    }

    /// Kills one process when it is time to.
    ///
    /// # Errors
    /// When a process cannot be started again.
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
