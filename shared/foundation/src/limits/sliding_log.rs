//! Sliding logs: the time of every counted action, so that the limit holds for any period of the window's
//! length.

use std::{sync::LazyLock, time::Duration};

use crate::redis::{Redis, milliseconds};
use chrono::{DateTime, Utc};
use redis::Script;
use shared::Result;

static TAKE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("sliding_log.lua")));

/// Log of one holder.
pub struct SlidingLog {
    /// Full name of the key of the counted times.
    pub counted: String,
    /// Full name of the key of the last reported refusal.
    pub refused: String,
    /// Maximum number of actions in a window.
    pub limit: u32,
    /// Length of the window.
    pub window: Duration,
}

/// Refusal of an action: the window is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// Time until the window is not full, in whole milliseconds and one at least.
    pub wait: Duration,
    /// True for the first refusal in a window.
    pub is_first: bool,
}

impl SlidingLog {
    /// Counts an action; returns the refusal when the window is full.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn take(&self, redis: &Redis, now: DateTime<Utc>) -> Result<Option<Refusal>> {
        let (wait, is_first): (u64, bool) = TAKE
            .key(&self.counted)
            .key(&self.refused)
            .arg(now.timestamp_millis())
            .arg(milliseconds(self.window))
            .arg(self.limit)
            .arg(shared::id::new().to_string())
            .invoke_async(&mut *redis.get().await?)
            .await?;
        Ok((wait > 0).then(|| Refusal { wait: Duration::from_millis(wait), is_first }))
    }
}
