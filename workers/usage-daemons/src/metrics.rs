//! Metrics of the daemon. No label holds an id.

use std::time::Duration;

use foundation::telemetry::Metrics;
use prometheus::{HistogramVec, IntCounterVec, IntGaugeVec};
use shared::Result;

/// Buckets of durations in seconds.
const DURATION_BUCKETS: [f64; 8] = [0.005, 0.02, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];

/// Metrics of one copy. Cheap to clone.
#[derive(Clone)]
pub(crate) struct UsageMetrics {
    entries: IntCounterVec,
    seconds: HistogramVec,
    failures: IntCounterVec,
    waiting: IntGaugeVec,
}

impl UsageMetrics {
    /// Registers the metrics.
    ///
    /// # Errors
    /// A registered metric of the same name and another kind.
    pub fn new(metrics: &Metrics) -> Result<Self> {
        Ok(Self {
            entries: metrics.counters(
                "lumio_usage_entries_total",
                "Hours of accounts, extensions and keys to which counts were added.",
                &[],
            )?,
            seconds: metrics.histograms(
                "lumio_usage_drain_seconds",
                "Duration of one move of counts from Redis to the database.",
                &[],
                &DURATION_BUCKETS,
            )?,
            failures: metrics.counters(
                "lumio_usage_step_failures_total",
                "Steps of a round that failed: drain, measure or compare.",
                &["step"],
            )?,
            waiting: metrics.gauges(
                "lumio_usage_waiting_seconds",
                "Time for which the oldest counts wait in Redis, of all processes.",
                &[],
            )?,
        })
    }

    /// Records a move.
    pub fn drained(&self, entries: usize, took: Duration) {
        self.entries.with_label_values::<&str>(&[]).inc_by(u64::try_from(entries).unwrap_or(u64::MAX));
        self.seconds.with_label_values::<&str>(&[]).observe(took.as_secs_f64());
    }

    /// Counts a failed step.
    pub fn failed(&self, step: &str) {
        self.failures.with_label_values(&[step]).inc();
    }

    /// Shows for how long counts wait.
    pub fn wait(&self, waiting: chrono::TimeDelta) {
        self.waiting.with_label_values::<&str>(&[]).set(waiting.num_seconds().max(0));
    }
}
