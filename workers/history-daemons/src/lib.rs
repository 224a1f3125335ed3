//! Daemon that makes sessions, samples and reports of streams (reference/history.md).

mod deletions;
mod metrics;
pub mod recorder;
pub mod reports;

use tokio_util::sync::CancellationToken;
use worker_core::Context;

/// Runs until `shutdown` is cancelled, then ends after the step in progress.
///
/// # Errors
/// Metrics that cannot be registered, or a queue that cannot be opened.
pub async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    tokio::try_join!(
        recorder::run(&context, &shutdown),
        reports::run(&context, shutdown.clone()),
        deletions::run(context.clone(), shutdown.clone()),
    )?;
    Ok(())
}
