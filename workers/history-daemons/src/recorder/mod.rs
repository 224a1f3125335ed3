//! Recorder of sessions and samples (reference/history.md#samples). Any number of copies may run: an account is
//! locked while its transitions are applied, and everything else has keys.

mod counts;
mod public;
mod sessions;
mod viewers;

use std::time::Duration;

use chrono::{DateTime, Utc};
use history_model::minutes::begin;
use shared::{Error, Result};
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
            tracing::debug!(%error, "a step of the recorder is repeated");
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
    /// Minute in which this copy has counted last.
    counted: Option<DateTime<Utc>>,
}

impl Recorder {
    /// Creates a recorder that counts in the context's metrics.
    ///
    /// # Errors
    /// Metrics that cannot be registered.
    pub fn new(context: &Context) -> Result<Self> {
        let metrics = RecorderMetrics::new(&context.metrics)?;
        Ok(Self { context: context.clone(), metrics, sampled: None, counted: None })
    }

    /// Applies transitions and closes sessions. In another minute than at the last step also samples the viewers,
    /// and counts what was marked. A part that fails or dies is repeated by the next step and stops no other part:
    /// viewers above all, which cannot be read later.
    ///
    /// # Errors
    /// The first failure of a part.
    pub async fn step(&mut self) -> Result<()> {
        let minute = begin(self.context.clock.now());
        let (is_sampled, is_counted) = (self.sampled == Some(minute), self.counted == Some(minute));
        let mut parts = Parts::default();
        if !is_sampled {
            parts.add("reconciliation", self.reconcile().await);
        }
        parts.add("transitions", self.apply_transitions().await);
        if !is_sampled && parts.add("viewers", self.sample(minute).await).is_some() {
            self.sampled = Some(minute);
        }
        let has_grown = parts.add("recounts", self.mark_grown_sessions().await).unwrap_or_default();
        if has_grown || !is_counted {
            let counted = parts.add("counts", self.count_marks().await);
            let refreshed = parts.add("figures", self.refresh_open_sessions().await);
            if counted.is_some() && refreshed.is_some() {
                self.counted = Some(minute);
            }
        }
        parts.end()
    }
}

/// Results of the parts of a step.
#[derive(Default)]
struct Parts {
    failure: Option<Error>,
}

impl Parts {
    /// Adds the result of a part; `None` when it failed.
    fn add<T>(&mut self, part: &'static str, result: Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                tracing::warn!(part, %error, "a part of the history is not up to date");
                self.failure.get_or_insert(error);
                None
            }
        }
    }

    fn end(self) -> Result<()> {
        self.failure.map_or(Ok(()), Err)
    }
}
