//! Metrics of sessions and samples. No label holds an id.

use foundation::telemetry::Metrics;
use prometheus::{IntCounterVec, IntGaugeVec};
use shared::Result;

/// Metrics of one copy. Cheap to clone.
#[derive(Clone)]
pub(crate) struct RecorderMetrics {
    transitions: IntCounterVec,
    sessions: IntCounterVec,
    samples: IntCounterVec,
    open: IntGaugeVec,
    lag: IntGaugeVec,
}

impl RecorderMetrics {
    /// Registers the metrics.
    ///
    /// # Errors
    /// A registered metric of the same name and another kind.
    pub fn new(metrics: &Metrics) -> Result<Self> {
        Ok(Self {
            transitions: metrics.counters(
                "lumio_history_transitions_total",
                "Changes of the live state of channels that were applied to sessions.",
                &[],
            )?,
            sessions: metrics.counters(
                "lumio_history_sessions_total",
                "Sessions of streams by change: opened or closed.",
                &["change"],
            )?,
            samples: metrics.counters(
                "lumio_history_samples_total",
                "Samples that were written, by content: viewers or counts.",
                &["content"],
            )?,
            open: metrics.gauges(
                "lumio_history_sessions_open",
                "Open sessions of streams at the last minute.",
                &[],
            )?,
            lag: metrics.gauges(
                "lumio_history_lag_seconds",
                "Age of the oldest change of a live state that is not applied yet.",
                &[],
            )?,
        })
    }

    /// Counts applied transitions and changed sessions.
    pub fn applied(&self, transitions: usize, opened: usize, closed: usize) {
        self.transitions.with_label_values::<&str>(&[]).inc_by(transitions as u64);
        self.sessions.with_label_values(&["opened"]).inc_by(opened as u64);
        self.sessions.with_label_values(&["closed"]).inc_by(closed as u64);
    }

    /// Counts written samples.
    pub fn sampled(&self, content: &str, samples: usize) {
        self.samples.with_label_values(&[content]).inc_by(samples as u64);
    }

    /// Shows the number of open sessions.
    pub fn open(&self, sessions: usize) {
        self.open.with_label_values::<&str>(&[]).set(i64::try_from(sessions).unwrap_or(i64::MAX));
    }

    /// Shows the age of the oldest transition.
    pub fn lag(&self, seconds: i64) {
        self.lag.with_label_values::<&str>(&[]).set(seconds.max(0));
    }
}
