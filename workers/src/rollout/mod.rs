//! Roll-out of extension versions (reference/extensions.md#roll-out): moves unpinned installs to newer
//! versions and away from revoked ones, announces the moves, requests consent from accounts whose installs
//! stay behind, and notifies accounts whose installs stopped or run again.

use apalis::prelude::{BoxDynError, Data};
use diesel_async::AsyncConnection;
use extension_model::{MovedInstall, announce, notify_run_status, request_consent, roll_out};
use foundation::{invalidation, jobs::RollOutVersion};
use serde_json::json;
use shared::{Error, Result};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use worker_core::{Context, JOB_DRAIN_TIMEOUT};

/// Maximum number of batches of one job; its next attempt continues.
const MAX_BATCHES: usize = 1000;

/// Runs until `shutdown` is cancelled.
pub(crate) async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    let queue = context.queue::<RollOutVersion>()?;
    let monitor = queue::monitor()
        .shutdown_timeout(JOB_DRAIN_TIMEOUT)
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
            return Ok(notify_stopped(&context, job.extension_id).await?);
        }
        tracing::info!(extension_id = %job.extension_id, installs = moved.len(), "installs run another version");
        publish(&context, &moved).await;
    }
    Err("more installs are left than one job moves".into())
}

/// Requests consent where the current version needs it, once for each account and version.
async fn offer(context: &Context, extension_id: Uuid) -> Result<()> {
    for _ in 0..MAX_BATCHES {
        let now = context.clock.now();
        let asked = context
            .databases
            .postgres
            .get()
            .await?
            .transaction(async |connection| request_consent(connection, extension_id, now).await)
            .await?;
        if asked == 0 {
            return Ok(());
        }
        tracing::info!(%extension_id, installs = asked, "accounts were asked for their consent to a newer version");
    }
    Err(Error::Internal("more installs wait for consent than one job asks for".into()))
}

/// Notifies the accounts of installs that stopped or run again, once for each change.
async fn notify_stopped(context: &Context, extension_id: Uuid) -> Result<()> {
    for _ in 0..MAX_BATCHES {
        let now = context.clock.now();
        let notified = context
            .databases
            .postgres
            .get()
            .await?
            .transaction(async |connection| notify_run_status(connection, extension_id, now).await)
            .await?;
        if notified.accounts.is_empty() {
            return Ok(());
        }
        tracing::info!(%extension_id, accounts = notified.accounts.len(), "accounts were notified of the state of an extension");
        for what in &notified.invalidations {
            if let Err(error) = invalidation::announce(&context.redis, what).await {
                tracing::warn!(%error, "the end of a page's token could not be announced");
            }
        }
        refresh(context, notified.accounts).await;
    }
    Err(Error::Internal("more installs stopped than one job tells of".into()))
}

/// Announces moves to workers and sockets. Without Redis they read the change with their next poll.
async fn publish(context: &Context, moved: &[MovedInstall]) {
    for install in moved {
        let data = json!({ "id": install.id, "account_id": install.account_id });
        let published =
            announce::publish(&context.events, &context.clock, install.account_id, "install:updated", data)
                .await;
        if let Err(error) = published {
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
            tracing::warn!(%account_id, %error, "workers could not be notified of a change of installs");
        }
    }
}
