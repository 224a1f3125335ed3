//! Failed invocations, kept for seven days so that they can be run again: input, answers of the host, clock and seed,
//! without secrets, and sealed, because people who chat and services that answer are in them.

mod persons;
mod record;
pub mod replay;

use std::time::Duration;

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use shared::{crypto::Keyring, db::Database, db::schema::timeseries::extension_failed_runs as table};
use tokio::sync::mpsc;

pub use record::FailedRun;
use record::StoredRun;

use super::metrics::RuntimeMetrics;

/// Runs that may wait to be written; further ones are dropped and counted.
const MAX_WAITING: usize = 128;
/// Written together at most.
const BATCH: usize = 16;
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// The way into the store of failed runs. Cheap to clone.
#[derive(Clone)]
pub struct FailedRuns {
    waiting: mpsc::Sender<FailedRun>,
    metrics: RuntimeMetrics,
}

/// Writes them.
pub struct Writer {
    waiting: mpsc::Receiver<FailedRun>,
    timeseries: Database,
    keyring: Keyring,
    metrics: RuntimeMetrics,
}

impl FailedRuns {
    /// The way in, and the writer at its end.
    pub fn new(timeseries: Database, keyring: Keyring, metrics: RuntimeMetrics) -> (Self, Writer) {
        let (sender, waiting) = mpsc::channel(MAX_WAITING);
        (Self { waiting: sender, metrics: metrics.clone() }, Writer { waiting, timeseries, keyring, metrics })
    }

    /// Keeps a run. Never waits: a run that finds no place is lost and counted, and its error is told all the same.
    pub fn keep(&self, run: FailedRun) {
        if self.waiting.try_send(run).is_err() {
            self.metrics.failed_runs_dropped(1);
        }
    }
}

impl Writer {
    /// Writes what comes; never ends.
    pub async fn run(&mut self) {
        loop {
            let mut runs = Vec::with_capacity(BATCH);
            if self.waiting.recv_many(&mut runs, BATCH).await == 0 {
                return std::future::pending().await;
            }
            self.write(&runs).await;
        }
    }

    /// Writes what is left, before the process ends.
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
            tracing::warn!(%error, runs = runs.len(), "failed runs could not be kept");
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
