//! Roll-ups of samples (reference/public-stats.md#roll-ups): a round of all passes twice a minute. Passes are
//! in `stats_model::rollups`. Any number of copies work at the same time.

mod pass;

use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use shared::Result;
use stats_model::rollups;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use worker_core::Context;

use crate::metrics::RollupMetrics;
use pass::Pass;

/// Interval of the rounds.
const INTERVAL: Duration = Duration::from_secs(30);
/// Maximum number of batches of one pass before the next one has its share; the round is then repeated
/// immediately.
const MAX_BATCHES: usize = 50;

/// Runs until `shutdown` is cancelled, then finishes the batch in progress.
///
/// # Errors
/// A metric that is registered as another kind.
pub async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    let metrics = RollupMetrics::new(&context.metrics)?;
    let mut ticks = interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        while round(&context, &metrics, &shutdown).await && !shutdown.is_cancelled() {}
    }
    Ok(())
}

/// Runs every pass; true when work is left that is done immediately. A pass that fails is repeated with the
/// next tick and does not stop the others.
async fn round(context: &Context, metrics: &RollupMetrics, shutdown: &CancellationToken) -> bool {
    let now = context.clock.now();
    if let Err(error) = prepare(context, metrics, now).await {
        tracing::warn!(%error, "roll-ups cannot begin");
        return false;
    }
    let mut is_more_left = false;
    for pass in Pass::ALL {
        if shutdown.is_cancelled() {
            return false;
        }
        match run_pass(context, metrics, pass, shutdown).await {
            Ok(is_left) => is_more_left |= is_left,
            Err(error) => {
                metrics.failed(pass.name());
                tracing::warn!(pass = pass.name(), %error, "a batch of roll-ups failed");
            }
        }
    }
    is_more_left
}

/// Begins the UTC day and measures what waits.
async fn prepare(context: &Context, metrics: &RollupMetrics, now: DateTime<Utc>) -> Result<()> {
    rollups::sweeps::begin_day(&mut *context.databases.postgres.get().await?, now.date_naive()).await?;
    metrics.wait(&rollups::backlog(&mut *context.databases.timescaledb.get().await?).await?);
    Ok(())
}

/// Runs batches of a pass; true when more are left.
async fn run_pass(
    context: &Context,
    metrics: &RollupMetrics,
    pass: Pass,
    shutdown: &CancellationToken,
) -> Result<bool> {
    if !pass.is_due(context, context.clock.now()).await? {
        return Ok(false);
    }
    for _ in 0..MAX_BATCHES {
        let began = Instant::now();
        let (rows, is_more_left) = pass.batch(context, context.clock.now()).await?;
        metrics.batch(pass.name(), rows, began.elapsed());
        if !is_more_left {
            pass.end(context, context.clock.now()).await?;
            return Ok(false);
        }
        if shutdown.is_cancelled() {
            return Ok(false);
        }
    }
    Ok(true)
}
