//! Brings unpinned installs to newer versions and away from revoked ones (specification C B1.3), tells everybody who shows
//! or runs them, asks the accounts of those that stay behind for their consent, and tells those whose installs stopped or
//! run again.

use apalis::prelude::{BoxDynError, Data};
use diesel_async::AsyncConnection;
use serde_json::json;
use shared::{
    Error, Result,
    extensions::{MovedInstall, announce, offer_update, roll_out, tell_standing},
    invalidation,
    jobs::RollOutVersion,
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{Context, supervisor::JOB_DRAIN};

/// Batches of one job; what is left then is moved by its next attempt.
const MAX_BATCHES: usize = 1000;

/// Runs until `shutdown` is cancelled.
pub(crate) async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    let queue = context.queue::<RollOutVersion>()?;
    let monitor = queue::monitor()
        .shutdown_timeout(JOB_DRAIN)
        .register(move |_| queue.worker().data(context.clone()).build(roll_out_version));
    let stop = async move {
        shutdown.cancelled_owned().await;
        Ok(())
    };
    monitor.run_with_signal(stop).await?;
    Ok(())
}

async fn roll_out_version(job: RollOutVersion, context: Data<Context>) -> Result<(), BoxDynError> {
    for _ in 0..MAX_BATCHES {
        let now = context.clock.now();
        let moved = context
            .databases
            .postgres
            .get()
            .await?
            .transaction(async |connection| roll_out(connection, job.extension_id, now).await)
            .await?;
        if moved.is_empty() {
            offer(&context, job.extension_id).await?;
            return Ok(tell_who_stopped(&context, job.extension_id).await?);
        }
        tracing::info!(extension_id = %job.extension_id, installs = moved.len(), "installs run another version");
        tell(&context, &moved).await;
    }
    Err("more installs are left than one job moves".into())
}

/// Asks for consent where the current version needs it. Who was asked for a version is not asked again.
async fn offer(context: &Context, extension_id: Uuid) -> Result<()> {
    for _ in 0..MAX_BATCHES {
        let now = context.clock.now();
        let asked = context
            .databases
            .postgres
            .get()
            .await?
            .transaction(async |connection| offer_update(connection, extension_id, now).await)
            .await?;
        if asked == 0 {
            return Ok(());
        }
        tracing::info!(%extension_id, installs = asked, "accounts were asked for their consent to a newer version");
    }
    Err(Error::Internal("more installs wait for consent than one job asks for".into()))
}

/// Tells the accounts of installs that stopped or run again. Who was told of a change is not told again.
async fn tell_who_stopped(context: &Context, extension_id: Uuid) -> Result<()> {
    for _ in 0..MAX_BATCHES {
        let now = context.clock.now();
        let told = context
            .databases
            .postgres
            .get()
            .await?
            .transaction(async |connection| tell_standing(connection, extension_id, now).await)
            .await?;
        if told.accounts.is_empty() {
            return Ok(());
        }
        tracing::info!(%extension_id, accounts = told.accounts.len(), "accounts were told whether an extension runs");
        for what in &told.invalidations {
            if let Err(error) = invalidation::announce(&context.redis, what).await {
                tracing::warn!(%error, "the end of a page's token could not be announced");
            }
        }
        refresh(context, told.accounts).await;
    }
    Err(Error::Internal("more installs stopped than one job tells of".into()))
}

/// Workers and sockets learn of it now; without Redis they do when they read again.
async fn tell(context: &Context, moved: &[MovedInstall]) {
    for install in moved {
        let data = json!({ "id": install.id, "account_id": install.account_id });
        let told =
            announce::tell(&context.events, &context.clock, install.account_id, "install:updated", data)
                .await;
        if let Err(error) = told {
            tracing::warn!(install_id = %install.id, %error, "a newer version could not be announced");
        }
    }
    let mut accounts: Vec<_> = moved.iter().map(|install| install.account_id).collect();
    accounts.sort_unstable();
    accounts.dedup();
    refresh(context, accounts).await;
}

async fn refresh(context: &Context, accounts: Vec<Uuid>) {
    for account_id in accounts {
        if let Err(error) = announce::refresh(&context.redis, account_id).await {
            tracing::warn!(%account_id, %error, "workers could not be told of a change of installs");
        }
    }
}
