//! Refresh of tokens before they end (reference/connections.md#refresh). Any number of copies may run: one of
//! them refreshes a connection.

use std::time::Duration;

use futures::{StreamExt, stream};
use platform_credentials::tokens::{Due, Tokens};
use prometheus::IntCounterVec;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::PlatformContext;

/// Interval between checks, well within the margin before the end of a token.
const POLL_INTERVAL: Duration = Duration::from_secs(10);
/// Number of connections of one batch; more follow immediately.
const BATCH_SIZE: i64 = 200;
/// Maximum number of concurrent refreshes of one copy.
const MAX_CONCURRENT_REFRESHES: usize = 8;

/// Runs until `shutdown` is cancelled.
pub async fn run(context: PlatformContext, shutdown: CancellationToken) -> anyhow::Result<()> {
    let refreshes = context.metrics.counters(
        "lumio_token_refreshes_total",
        "Token refreshes by outcome: refreshed, newer, busy, postponed, flagged, nothing or failed.",
        &["outcome"],
    )?;
    let mut ticks = tokio::time::interval(POLL_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        while refresh_due(&context.tokens, &refreshes, &shutdown).await && !shutdown.is_cancelled() {}
    }
    Ok(())
}

/// Refreshes one batch; true when more may be due.
async fn refresh_due(tokens: &Tokens, refreshes: &IntCounterVec, shutdown: &CancellationToken) -> bool {
    let due = match tokens.due(BATCH_SIZE).await {
        Ok(due) => due,
        Err(error) => {
            tracing::warn!(%error, "the connections to refresh cannot be read");
            return false;
        }
    };
    let is_full = i64::try_from(due.len()).is_ok_and(|found| found == BATCH_SIZE);
    let progress: usize = stream::iter(due)
        // Refreshes in progress are finished, others are left to other copies.
        .take_while(|_| std::future::ready(!shutdown.is_cancelled()))
        .map(|due| refresh(tokens, refreshes, due))
        .buffer_unordered(MAX_CONCURRENT_REFRESHES)
        .fold(0, async |progress, moved| progress + usize::from(moved))
        .await;
    // A batch without progress would be found again immediately.
    is_full && progress > 0
}

/// Refreshes a connection; true when it is no longer due.
async fn refresh(tokens: &Tokens, refreshes: &IntCounterVec, due: Due) -> bool {
    match tokens.refresh(due.holder, due.version).await {
        Ok(outcome) => {
            refreshes.with_label_values(&[outcome.as_str()]).inc();
            true
        }
        Err(error) => {
            refreshes.with_label_values(&["failed"]).inc();
            tracing::warn!(connection_id = %due.holder.id(), %error, "tokens could not be refreshed");
            false
        }
    }
}
