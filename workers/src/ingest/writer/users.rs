//! When it is time to count who wrote what was stored.

use std::time::{Duration, Instant};

use shared::{Result, db::Database, ingest::count_chatters};
use tokio::task::JoinHandle;

/// How long what was stored waits.
const BATCH_DELAY: Duration = Duration::from_secs(1);
/// What a writer that died has left waits for as long.
const LEFT_BEHIND: Duration = Duration::from_secs(10);

/// One writer's part in the counting.
#[derive(Debug, Default)]
pub(super) struct Counting {
    /// When something was stored that is not counted yet.
    since: Option<Instant>,
    counted_at: Option<Instant>,
    /// Counts beside the writer, which a slow count must not keep from writing.
    running: Option<JoinHandle<()>>,
}

impl Counting {
    /// Something was stored.
    pub fn is_wanted(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }

    pub fn is_due(&self) -> bool {
        let is_wanted = self.since.is_some_and(|since| since.elapsed() >= BATCH_DELAY)
            || self.counted_at.is_none_or(|at| at.elapsed() >= LEFT_BEHIND);
        is_wanted && self.running.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Begins to count everything that waits. What cannot be counted is tried again when something is stored next, or
    /// after a while.
    pub fn begin(&mut self, database: &Database) {
        (self.since, self.counted_at) = (None, Some(Instant::now()));
        let database = database.clone();
        self.running = Some(tokio::spawn(async move { count(&database).await }));
    }

    /// Counts what is left. Others count beside a count that is still running: each takes other notes.
    pub async fn finish(self, database: &Database) {
        count(database).await;
        if let Some(running) = self.running
            && let Err(error) = running.await
        {
            tracing::warn!(%error, "chatters were not counted to the end");
        }
    }
}

async fn count(database: &Database) {
    if let Err(error) = try_to_count(database).await {
        tracing::warn!(%error, "chatters are not counted yet");
    }
}

async fn try_to_count(database: &Database) -> Result<()> {
    count_chatters(&mut *database.get().await?).await?;
    Ok(())
}
