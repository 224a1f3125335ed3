//! Recorder of sessions and samples (reference/history.md#samples). Any number of copies may run: an account is
//! locked while its transitions are applied, and everything else has keys.

mod counts;
mod public;
mod sessions;
mod viewers;

use std::time::Duration;

use chrono::{DateTime, Utc};
use history_model::minutes::begin;
use shared::Result;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use worker_core::Context;

use crate::metrics::RecorderMetrics;

/// Interval at which transitions are applied and the minute is checked.
const POLL_INTERVAL: Duration = Duration::from_secs(5);

/// Records until `shutdown` is cancelled.
///
/// # Errors
/// Metrics that cannot be registered.
pub async fn run(context: &Context, shutdown: &CancellationToken) -> Result<()> {
    let mut recorder = Recorder::new(context)?;
    let mut ticks = interval(POLL_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        if let Err(error) = recorder.step().await {
            tracing::warn!(%error, "sessions and samples of streams are not up to date");
        }
    }
    Ok(())
}

/// Recorder of one process.
pub struct Recorder {
    context: Context,
    metrics: RecorderMetrics,
    /// Minute whose viewers this copy has sampled last.
    sampled: Option<DateTime<Utc>>,
}

impl Recorder {
    /// Creates a recorder that counts in the context's metrics.
    ///
    /// # Errors
    /// Metrics that cannot be registered.
    pub fn new(context: &Context) -> Result<Self> {
        let metrics = RecorderMetrics::new(&context.metrics)?;
        Ok(Self { context: context.clone(), metrics, sampled: None })
    }

    /// Applies transitions and closes sessions. In another minute than at the last step also samples the viewers,
    /// and counts what was marked. A step that fails or dies is repeated by the next one.
    ///
    /// # Errors
    /// A failure of one of the databases.
    pub async fn step(&mut self) -> Result<()> {
        let minute = begin(self.context.clock.now());
        let is_new = self.sampled != Some(minute);
        if is_new {
            self.reconcile().await?;
        }
        self.apply_transitions().await?;
        if self.mark_grown_sessions().await? || is_new {
            self.count_marks().await?;
        }
        if is_new {
            self.sample(minute).await?;
            self.sampled = Some(minute);
        }
        Ok(())
    }
}
