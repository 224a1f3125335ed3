//! Failed invocations, kept for seven days for a replay: input, answers of the host, clock and seed, without
//! secrets (reference/handlers.md#failures). They are sealed, because they hold data of chatters and of
//! services.

mod persons;
mod record;
pub mod replay;

use std::time::Duration;

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use foundation::{crypto::Keyring, db::Database};
use shared::schema::timeseries::extension_failed_runs as table;
use tokio::sync::mpsc;

pub use record::FailedRun;
pub(crate) use record::StoredRun;

use super::metrics::RuntimeMetrics;

/// Maximum number of runs that wait to be written; further ones are dropped and counted.
const MAX_WAITING: usize = 128;
/// Maximum number of runs that are written together.
const BATCH_SIZE: usize = 16;
/// Maximum time for which a stopping worker writes failed runs.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// Sender of failed runs to the writer. Cheap to clone.
#[derive(Clone)]
pub struct FailedRuns {
    waiting: mpsc::Sender<FailedRun>,
    metrics: RuntimeMetrics,
}

/// Writer of failed runs.
pub struct Writer {
    waiting: mpsc::Receiver<FailedRun>,
    timeseries: Database,
    keyring: Keyring,
    metrics: RuntimeMetrics,
}

impl FailedRuns {
    /// Returns the sender, and the writer at its end.
    pub fn new(timeseries: Database, keyring: Keyring, metrics: RuntimeMetrics) -> (Self, Writer) {
        let (sender, waiting) = mpsc::channel(MAX_WAITING);
        (Self { waiting: sender, metrics: metrics.clone() }, Writer { waiting, timeseries, keyring, metrics })
    }

    /// Sends a run to the writer. Never waits: without room the run is dropped and counted, and its error is
    /// recorded all the same.
    pub fn send(&self, run: FailedRun) {
        if self.waiting.try_send(run).is_err() {
            self.metrics.failed_runs_dropped(1);
        }
    }
}

impl Writer {
    /// Writes runs; never returns.
    pub async fn run(&mut self) {
        loop {
            let mut runs = Vec::with_capacity(BATCH_SIZE);
            if self.waiting.recv_many(&mut runs, BATCH_SIZE).await == 0 {
                return std::future::pending().await;
            }
            self.write(&runs).await;
        }
    }

    /// Writes the remaining runs before the process ends.
    pub async fn finish(mut self) {
        self.waiting.close();
        let mut left = Vec::new();
        while let Ok(run) = self.waiting.try_recv() {
            left.push(run);
        }
        if !left.is_empty() && tokio::time::timeout(SHUTDOWN_TIMEOUT, self.write(&left)).await.is_err() {
            tracing::warn!("failed runs that could not be written in time are lost");
        }
    }

    async fn write(&self, runs: &[FailedRun]) {
        if let Err(error) = self.insert(runs).await {
            tracing::warn!(%error, runs = runs.len(), "failed runs could not be stored");
            self.metrics.failed_runs_dropped(runs.len());
        }
    }

    async fn insert(&self, runs: &[FailedRun]) -> shared::Result<()> {
        let rows = runs.iter().map(|run| {
            Ok((
                table::id.eq(run.id),
                table::extension_id.eq(run.extension_id),
                table::install_id.eq(run.install_id),
                table::account_id.eq(run.account_id),
                table::version_id.eq(run.version_id),
                table::handler.eq(run.handler.to_string().replace('\0', "\u{fffd}")),
                table::platform.eq(&run.platform),
                table::platform_user_id.eq(&run.platform_user_id),
                table::user_id.eq(run.user_id),
                table::run.eq(run.sealed(&self.keyring)?),
                table::person_ids.eq(run.person_ids()?),
                table::failed_at.eq(run.failed_at),
            ))
        });
        let rows = rows.collect::<shared::Result<Vec<_>>>()?;
        let mut connection = self.timeseries.get().await?;
        insert_into(table::table).values(rows).on_conflict_do_nothing().execute(&mut connection).await?;
        Ok(())
    }
}
