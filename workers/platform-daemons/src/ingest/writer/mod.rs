//! Writers of buffered rows, in batches of at most 100 ms or 1,000 rows, which are deleted from the buffer
//! after the write (reference/ingest.md#rows). A row is read again when its writer has died, and stored once
//! because its key is unique.

mod batches;
mod outcome;
mod tables;
mod tiers;
mod users;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use diesel_async::AsyncPgConnection;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::IngestMetrics;
use crate::PlatformContext;
use batches::{Batches, Entry};
pub(super) use outcome::is_away;
use outcome::{Outcome, write_all};
use users::Counting;
use uuid::Uuid;
use webhook_model::{index::EndpointIndex, queue};

pub use tables::Stored;

/// Maximum number of rows of one statement.
pub const BATCH_SIZE: usize = 1000;
/// Time for which the first row of a batch waits for others.
pub const BATCH_DELAY: Duration = Duration::from_millis(100);
/// Pause after the first failed write.
const INITIAL_BACKOFF: Duration = Duration::from_millis(250);
/// Maximum pause after a failed write.
const MAX_BACKOFF: Duration = Duration::from_secs(5);

/// Writer of one table.
pub struct Writer<R> {
    context: PlatformContext,
    metrics: IngestMetrics,
    batches: Batches<R>,
    /// Rows whose write has failed: they are tried again, together with the next ones.
    held: Vec<Entry<R>>,
    counting: Counting,
    gathering: Gathering,
    webhooks: Arc<EndpointIndex>,
}

/// Right to read among the writers of a table in one process: rows that two writers collect at the same time
/// make twice as many batches.
pub type Gathering = Arc<Mutex<()>>;

/// Writes rows with one statement; stored ones are left unchanged. Returns the ids of the others.
///
/// # Errors
/// Failures of the database, and refusals of a row: then none was written.
pub async fn insert<R: Stored>(
    connection: &mut AsyncPgConnection,
    rows: &[&R],
) -> diesel::QueryResult<Vec<Uuid>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    R::insert(connection, rows).await
}

impl<R: Stored> Writer<R> {
    /// Returns a writer with a consumer of its own.
    #[must_use]
    pub fn new(
        context: &PlatformContext,
        metrics: &IngestMetrics,
        gathering: Gathering,
        webhooks: Arc<EndpointIndex>,
    ) -> Self {
        Self {
            context: context.clone(),
            metrics: metrics.clone(),
            batches: Batches::new(context.redis.clone()),
            held: Vec::new(),
            counting: Counting::default(),
            gathering,
            webhooks,
        }
    }

    /// Runs until `shutdown` is cancelled, then ends with the current batch. Buffered rows stay for the next
    /// writer.
    pub async fn run(mut self, shutdown: CancellationToken) {
        let mut pause = INITIAL_BACKOFF;
        while !shutdown.is_cancelled() {
            match self.step(&shutdown).await {
                Ok(true) => pause = INITIAL_BACKOFF,
                Ok(false) => {
                    pause = (pause * 2).min(MAX_BACKOFF);
                    shutdown.run_until_cancelled(tokio::time::sleep(pause)).await;
                }
                Err(error) => {
                    tracing::warn!(table = R::TABLE, %error, "buffered rows cannot be read");
                    shutdown.run_until_cancelled(tokio::time::sleep(pause)).await;
                }
            }
            if R::RECORDS_CHATTERS && self.counting.is_due() {
                self.counting.begin(&self.context.databases.timescaledb);
            }
        }
        self.batches.leave(&self.held).await;
        if R::RECORDS_CHATTERS {
            self.counting.finish(&self.context.databases.timescaledb).await;
        }
    }

    /// Reads and writes one batch; `false` when rows are left that could not be written.
    async fn step(&mut self, shutdown: &CancellationToken) -> shared::Result<bool> {
        let room = BATCH_SIZE - self.held.len().min(BATCH_SIZE);
        if room > 0 {
            // Otherwise a stopping writer would wait for the other's read, and then read itself.
            let Some(reading) = shutdown.run_until_cancelled(self.gathering.lock()).await else {
                return Ok(true);
            };
            let batch = self.batches.next(room, self.held.is_empty()).await?;
            drop(reading);
            if !batch.unreadable.is_empty() {
                tracing::error!(
                    table = R::TABLE,
                    rows = batch.unreadable.len(),
                    "buffered rows are not readable"
                );
                self.metrics
                    .rows
                    .with_label_values(&[R::TABLE, "refused"])
                    .inc_by(batch.unreadable.len() as u64);
                self.batches.acknowledge(&batch.unreadable).await?;
            }
            self.held.extend(batch.entries);
        }
        if self.held.is_empty() {
            self.metrics.backlog.with_label_values(&[R::TABLE]).set(0);
            return Ok(true);
        }
        let began = Instant::now();
        let outcome = self.write().await;
        if !outcome.new.is_empty() {
            self.counting.is_wanted();
        }
        self.metrics.write_seconds.with_label_values(&[R::TABLE]).observe(began.elapsed().as_secs_f64());
        self.settle(outcome).await
    }

    async fn write(&self) -> Outcome {
        match self.context.databases.timescaledb.get().await {
            Ok(mut connection) => {
                let rows: Vec<&R> = self.held.iter().map(|entry| &entry.row).collect();
                let mut outcome = write_all(&mut connection, &rows).await;
                let written: Vec<&R> =
                    outcome.stored.iter().filter_map(|index| rows.get(*index).copied()).collect();
                let recorded = R::after_insert(&mut connection, &self.context.redis, &written).await;
                drop(connection);
                let enqueued = match recorded {
                    Ok(()) => self.enqueue_deliveries(&written).await,
                    Err(error) => Err(error),
                };
                if let Err(error) = enqueued {
                    outcome.unsettle(error.to_string());
                }
                outcome
            }
            Err(error) => Outcome::away(self.held.len(), error.to_string()),
        }
    }

    /// Adds the deliveries of webhooks. Rows whose deliveries are not added are written again, which is the only effect
    /// of a repetition (reference/webhooks.md#sources).
    async fn enqueue_deliveries(&self, rows: &[&R]) -> shared::Result<()> {
        let postgres = &self.context.databases.postgres;
        let occurrences = rows.iter().filter_map(|row| row.occurrence());
        let received = self.webhooks.received(postgres, occurrences).await?;
        if received.is_empty() {
            return Ok(());
        }
        let now = self.context.clock.now();
        let added = queue::add(&mut *postgres.get().await?, &received, now).await?;
        if added.skipped > 0 {
            tracing::warn!(
                table = R::TABLE,
                deliveries = added.skipped,
                "deliveries of webhooks are left out"
            );
        }
        Ok(())
    }

    /// Deletes rows that were written or never can be, and keeps the rest.
    async fn settle(&mut self, outcome: Outcome) -> shared::Result<bool> {
        let rows = |name: &str, count: usize| {
            self.metrics.rows.with_label_values(&[R::TABLE, name]).inc_by(count as u64);
        };
        let new = outcome.new.len();
        rows("written", new);
        rows("repeated", outcome.stored.len().saturating_sub(new));
        rows("refused", outcome.refused.len());
        let is_whole = outcome.left.is_empty();
        let result = if is_whole { "written" } else { "failed" };
        self.metrics.batches.with_label_values(&[R::TABLE, result]).inc();
        if let Some(error) = &outcome.error {
            let (refused, left) = (outcome.refused.len(), outcome.left.len());
            tracing::error!(table = R::TABLE, refused, left, error, "rows could not be written");
        }
        let mut keep = outcome.left.iter().copied().peekable();
        let (mut kept, mut done) = (Vec::new(), Vec::new());
        for (index, entry) in std::mem::take(&mut self.held).into_iter().enumerate() {
            if keep.next_if_eq(&index).is_some() {
                kept.push(entry);
            } else {
                done.push(entry.id);
            }
        }
        self.held = kept;
        // Rows that cannot be acknowledged now are read, and found stored, again.
        self.batches.acknowledge(&done).await?;
        self.metrics.backlog.with_label_values(&[R::TABLE]).set(self.batches.backlog().await?);
        Ok(is_whole)
    }
}
