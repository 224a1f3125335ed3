//! Metrics of the roll-ups (reference/telemetry.md#metrics). No label holds an id.

use std::time::Duration;

use foundation::telemetry::Metrics;
use prometheus::{GaugeVec, HistogramVec, IntCounterVec, IntGaugeVec};
use shared::Result;
use stats_model::rollups::Backlog;

/// Buckets of durations in seconds; a statement ends after ten.
const DURATION_BUCKETS: [f64; 10] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 10.0];

/// Metrics of one copy. Cheap to clone.
#[derive(Clone)]
pub(crate) struct RollupMetrics {
    batches: HistogramVec,
    rows: IntCounterVec,
    failures: IntCounterVec,
    marks: IntGaugeVec,
    oldest: GaugeVec,
}

impl RollupMetrics {
    /// Registers the metrics.
    ///
    /// # Errors
    /// A registered metric of the same name and another kind.
    pub fn new(metrics: &Metrics) -> Result<Self> {
        Ok(Self {
            batches: metrics.histograms(
                "lumio_rollup_batch_seconds",
                "Duration of batches by pass.",
                &["pass"],
                &DURATION_BUCKETS,
            )?,
            rows: metrics.counters(
                "lumio_rollup_rows_total",
                "Channel-days, slots, ranges and states that were made anew, by pass.",
                &["pass"],
            )?,
            failures: metrics.counters(
                "lumio_rollup_failures_total",
                "Batches that failed and are repeated, by pass.",
                &["pass"],
            )?,
            marks: metrics.gauges(
                "lumio_rollup_marks",
                "Marks that wait by kind: channel_days or slots; counted up to 100,000.",
                &["kind"],
            )?,
            oldest: metrics.float_gauges(
                "lumio_rollup_oldest_mark_seconds",
                "Age of the oldest channel-day that waits.",
                &[],
            )?,
        })
    }

    /// Records a batch.
    pub fn batch(&self, pass: &str, rows: usize, took: Duration) {
        self.batches.with_label_values(&[pass]).observe(took.as_secs_f64());
        self.rows.with_label_values(&[pass]).inc_by(u64::try_from(rows).unwrap_or(u64::MAX));
    }

    /// Counts a batch that failed.
    pub fn failed(&self, pass: &str) {
        self.failures.with_label_values(&[pass]).inc();
    }

    /// Shows what waits.
    pub fn wait(&self, backlog: &Backlog) {
        self.marks.with_label_values(&["channel_days"]).set(backlog.channel_days);
        self.marks.with_label_values(&["slots"]).set(backlog.slots);
        self.oldest.with_label_values::<&str>(&[]).set(backlog.oldest_secs);
    }
}
