//! Refreshes the tokens of connections before they end (specification A §2.8). Any number of copies may run: one
//! connection is refreshed by one of them.

use std::time::Duration;

use futures::{StreamExt, stream};
use prometheus::IntCounterVec;
use shared::tokens::{Due, Tokens};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::Context;

/// Well within the margin before the end.
const POLL_INTERVAL: Duration = Duration::from_secs(10);
/// Connections that one look takes up; more follow at once.
const BATCH: i64 = 200;
const CONCURRENCY: usize = 8;

/// Runs until `shutdown` is cancelled.
pub(crate) async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    let refreshes = context.metrics.counters(
        "lumio_token_refreshes_total",
        "Token refreshes by what came of them: refreshed, newer, busy, postponed, flagged, nothing or failed.",
        &["outcome"],
    )?;
    let mut ticks = tokio::time::interval(POLL_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        while refresh_due(&context.tokens, &refreshes, &shutdown).await && !shutdown.is_cancelled() {}
    }
    Ok(())
}

/// Refreshes one batch; whether more may be due.
async fn refresh_due(tokens: &Tokens, refreshes: &IntCounterVec, shutdown: &CancellationToken) -> bool {
    let due = match tokens.due(BATCH).await {
        Ok(due) => due,
        Err(error) => {
            tracing::warn!(%error, "the connections to be refreshed are not known");
            return false;
        }
    };
    let is_full = i64::try_from(due.len()).is_ok_and(|found| found == BATCH);
    let progress: usize = stream::iter(due)
        // What was begun is finished, what was not is left to others.
        .take_while(|_| std::future::ready(!shutdown.is_cancelled()))
        .map(|due| refresh(tokens, refreshes, due))
        .buffer_unordered(CONCURRENCY)
        .fold(0, async |progress, moved| progress + usize::from(moved))
        .await;
    // A batch of which nothing moved would be found again at once.
    is_full && progress > 0
}

/// Whether the connection is no longer due.
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
