//! Archives of accounts: the job that makes one, and the sweep of those whose time is over
//! (reference/archives.md#export).

use apalis::prelude::{BoxDynError, Data};
use archive_model::{
    export::Stores,
    stored::{self, Outcome, Settings},
};
use foundation::{jobs::ExportAccount, storage::Storage};
use shared::Result;

use super::budget::{Progress, TimeBudget};
use worker_core::Context;

/// Dependencies of an export.
#[derive(Clone)]
pub(super) struct Exporter {
    context: Context,
    storage: Storage,
}

impl Exporter {
    /// Opens the object storage that archives are written to.
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { context: context.clone(), storage: Storage::open(&context.config.storage_url)? })
    }
}

pub(super) async fn export_account(job: ExportAccount, exporter: Data<Exporter>) -> Result<(), BoxDynError> {
    let Exporter { context, storage } = &*exporter;
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
    match stored::make(stores, archive_id, settings).await? {
        Outcome::Ready(written) => {
            tracing::info!(%archive_id, size_bytes = written.size_bytes, "an account was exported");
        }
        Outcome::Failed(error) => tracing::warn!(%archive_id, error, "an export failed"),
        Outcome::Gone => tracing::info!(%archive_id, "an archive was deleted before it was made"),
    }
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
