//! Since when a queue has open jobs.

use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use redis::Script;

use crate::{Connection, Result, envelope::time};

static MAX_AGE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lua/oldest.lua")));

/// Most ready and running, and most delayed jobs whose time is looked at.
const MAX_JOBS: usize = 2_000;

/// Since when the oldest job that has neither succeeded nor gone to the dead letters is in a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oldest {
    /// There is no job.
    None,
    /// When it was added, by the clock of its producer.
    AddedAt(DateTime<Utc>),
    /// There are more jobs than are looked at: 2,000 ready and running, or as many delayed ones.
    Unknown,
}

impl Connection {
    /// Since when the queue of this name has open jobs: ready, running and delayed ones, at one moment.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] for a name that no queue can have, [`crate::Error::Redis`].
    pub async fn oldest(&self, queue: &str) -> Result<Oldest> {
        let keys = self.keys(queue)?;
        let added_at: i64 = self.run(&MAX_AGE, &[&keys.stream, &keys.delayed], &[MAX_JOBS]).await?;
        Ok(match u64::try_from(added_at) {
            Ok(0) => Oldest::None,
            Ok(added_at) => Oldest::AddedAt(time(added_at)),
            Err(_) => Oldest::Unknown,
        })
    }
}
