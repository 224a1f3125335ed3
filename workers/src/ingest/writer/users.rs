//! When it is time to count who wrote what was stored.

use std::time::{Duration, Instant};

use shared::{Result, db::Database, ingest::count_chatters};

/// How long what was stored waits.
const LINGER: Duration = Duration::from_secs(1);
/// What a writer that died has left waits for as long.
const LEFT_BEHIND: Duration = Duration::from_secs(10);

/// One writer's part in the counting.
#[derive(Debug, Default)]
pub(super) struct Counting {
    /// When something was stored that is not counted yet.
    since: Option<Instant>,
    counted_at: Option<Instant>,
}

impl Counting {
    /// Something was stored.
    pub fn is_wanted(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }

    pub fn is_due(&self) -> bool {
        self.since.is_some_and(|since| since.elapsed() >= LINGER)
            || self.counted_at.is_none_or(|at| at.elapsed() >= LEFT_BEHIND)
    }

    /// Counts everything that waits. What cannot be counted is tried again when something is stored next, or after a
    /// while.
    pub async fn count(&mut self, database: &Database) {
        (self.since, self.counted_at) = (None, Some(Instant::now()));
        if let Err(error) = count(database).await {
            tracing::warn!(%error, "chatters are not counted yet");
        }
    }
}

async fn count(database: &Database) -> Result<()> {
    count_chatters(&mut *database.get().await?).await?;
    Ok(())
}
