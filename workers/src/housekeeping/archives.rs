//! Archives of accounts: the job that makes one, its metrics, and the sweep of those whose time is over
//! (reference/archives.md#export).

use apalis::prelude::{BoxDynError, Data};
use archive_model::{
    export::Stores,
    stored::{self, Outcome, Settings},
};
use foundation::{jobs::ExportAccount, storage::Storage, telemetry::Metrics};
use prometheus::{IntCounterVec, IntGaugeVec};
use shared::Result;

use super::budget::{Progress, TimeBudget};
use worker_core::Context;

/// Dependencies of an export.
#[derive(Clone)]
pub(super) struct Exporter {
    context: Context,
    storage: Storage,
    exports: IntCounterVec,
}

/// Gauge of the exports that have not ended.
pub(super) struct ExportGauges {
    waiting: IntGaugeVec,
}

impl Exporter {
    /// Opens the object storage that archives are written to, and registers the counter of exports.
    pub fn new(context: &Context) -> Result<Self> {
        let help = "Exports of accounts by outcome: ready, failed or gone.";
        let exports = context.metrics.counters("lumio_account_exports_total", help, &["outcome"])?;
        for outcome in ["ready", "failed", "gone"] {
            exports.with_label_values(&[outcome]).inc_by(0);
        }
        let storage = Storage::open(&context.config.storage_url)?;
        Ok(Self { context: context.clone(), storage, exports })
    }
}

impl ExportGauges {
    /// Registers the gauge.
    pub fn new(metrics: &Metrics) -> Result<Self> {
        let help = "Time since the oldest export was requested that has not ended; 0 without one.";
        Ok(Self { waiting: metrics.gauges("lumio_account_exports_waiting_seconds", help, &[])? })
    }

    /// Reads the archives into the gauge.
    pub async fn measure(&self, context: &Context) {
        match waiting_seconds(context).await {
            Ok(seconds) => self.waiting.with_label_values::<&str>(&[]).set(seconds),
            Err(error) => tracing::warn!(%error, "the exports of accounts cannot be read"),
        }
    }
}

async fn waiting_seconds(context: &Context) -> Result<i64> {
    let oldest = stored::oldest_open(&mut *context.databases.postgres.get().await?).await?;
    Ok(oldest.map_or(0, |requested_at| (context.clock.now() - requested_at).num_seconds().max(0)))
}

pub(super) async fn export_account(job: ExportAccount, exporter: Data<Exporter>) -> Result<(), BoxDynError> {
    let Exporter { context, storage, exports } = &*exporter;
    let stores = Stores {
        postgres: &context.databases.postgres,
        timescaledb: &context.databases.timescaledb,
        storage,
        keyring: &context.keyring,
    };
    let settings = Settings {
        now: context.clock.now(),
        deployment: context.config.http.public_url.as_str(),
        program_version: env!("CARGO_PKG_VERSION"),
        max_bytes: context.config.archives.max_bytes,
    };
    let archive_id = job.archive_id;
    let outcome = match stored::make(stores, archive_id, settings).await? {
        Outcome::Ready(written) => {
            tracing::info!(%archive_id, size_bytes = written.size_bytes, "an account was exported");
            "ready"
        }
        Outcome::Failed(error) => {
            tracing::warn!(%archive_id, error, "an export failed");
            "failed"
        }
        Outcome::Gone => {
            tracing::info!(%archive_id, "an archive was deleted before it was made");
            "gone"
        }
    };
    exports.with_label_values(&[outcome]).inc();
    Ok(())
}

/// Removes archives whose time is over, within the budget.
pub(super) async fn sweep(context: &Context, budget: &mut TimeBudget) -> Result<Progress> {
    let storage = Storage::open(&context.config.storage_url)?;
    let mut ended = 0;
    while budget.allows_step() {
        let archives = stored::sweep(&context.databases.postgres, &storage, context.clock.now()).await?;
        if archives == 0 {
            tracing::info!(archives = ended, "archives of accounts ended");
            return Ok(Progress::Completed);
        }
        ended += archives;
    }
    Ok(Progress::Pending)
}
