//! Timing of the count of chatters (reference/ingest.md#chatters).

use std::time::{Duration, Instant};

use foundation::db::Database;
use live_model::count_chatters;
use shared::Result;
use tokio::task::JoinHandle;

/// Delay between storing messages and counting them.
const BATCH_DELAY: Duration = Duration::from_secs(1);
/// Delay after which the records of a writer that died are counted.
const ORPHAN_DELAY: Duration = Duration::from_secs(10);

/// Share of one writer in the counting.
#[derive(Debug, Default)]
pub(super) struct Counting {
    /// Time since which stored messages are not counted yet.
    since: Option<Instant>,
    counted_at: Option<Instant>,
    /// Count in progress; concurrent with the writer, which a slow count must not delay.
    running: Option<JoinHandle<()>>,
}

impl Counting {
    /// Records that messages were stored.
    pub fn is_wanted(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }

    /// True when a count is due.
    pub fn is_due(&self) -> bool {
        let is_wanted = self.since.is_some_and(|since| since.elapsed() >= BATCH_DELAY)
            || self.counted_at.is_none_or(|at| at.elapsed() >= ORPHAN_DELAY);
        is_wanted && self.running.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Begins to count everything that waits. A failed count is repeated when messages are stored next, or
    /// after a while.
    pub fn begin(&mut self, database: &Database) {
        (self.since, self.counted_at) = (None, Some(Instant::now()));
        let database = database.clone();
        self.running = Some(tokio::spawn(async move { count(&database).await }));
    }

    /// Counts the rest, concurrently with a count in progress: each takes other records.
    pub async fn finish(self, database: &Database) {
        count(database).await;
        if let Some(running) = self.running
            && let Err(error) = running.await
        {
            tracing::warn!(%error, "the count of chatters did not finish");
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
