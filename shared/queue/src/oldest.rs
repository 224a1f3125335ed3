//! Age of the oldest open job of a queue.

use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use redis::Script;

use crate::{Connection, Result, envelope::time};

static FIND_OLDEST: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lua/oldest.lua")));

/// Highest number of ready and running jobs, and of delayed jobs, whose times are read.
const MAX_JOBS: usize = 2_000;

/// Time at which the oldest job that has neither succeeded nor become a dead letter was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oldest {
    /// There is no job.
    None,
    /// Time of addition, by the clock of its producer.
    AddedAt(DateTime<Utc>),
    /// There are more jobs than are checked: 2,000 ready and running, or as many delayed ones.
    Unknown,
}

impl Connection {
    /// Oldest open job of the queue of this name: ready, running and delayed ones, at one moment.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] for an invalid name, [`crate::Error::Redis`].
    pub async fn oldest(&self, queue: &str) -> Result<Oldest> {
        let keys = self.keys(queue)?;
        let added_at: i64 = self.run(&FIND_OLDEST, &[&keys.stream, &keys.delayed], &[MAX_JOBS]).await?;
        Ok(match u64::try_from(added_at) {
            Ok(0) => Oldest::None,
            Ok(added_at) => Oldest::AddedAt(time(added_at)),
            Err(_) => Oldest::Unknown,
        })
    }
}
