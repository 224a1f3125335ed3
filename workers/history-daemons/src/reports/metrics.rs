//! Metrics of reports. No label holds an id.

use std::time::Duration;

use foundation::telemetry::Metrics;
use prometheus::{HistogramVec, IntCounterVec, IntGaugeVec};
use shared::Result;

/// Buckets of durations in seconds; a report takes at most 480.
const DURATION_BUCKETS: [f64; 10] = [0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 180.0, 480.0];

/// Metrics of one copy. Cheap to clone.
#[derive(Clone)]
pub(super) struct ReportMetrics {
    reports: IntCounterVec,
    seconds: HistogramVec,
    overdue: IntGaugeVec,
}

/// Outcome of a claimed session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The report is stored.
    Made,
    /// There was nothing to make: the session is deleted, open again, or too old for late rows.
    Skipped,
    /// The report is made later.
    Failed,
}

impl ReportMetrics {
    /// Registers the metrics.
    ///
    /// # Errors
    /// A registered metric of the same name and another kind.
    pub fn new(metrics: &Metrics) -> Result<Self> {
        Ok(Self {
            reports: metrics.counters(
                "lumio_history_reports_total",
                "Reports of sessions by outcome: made, skipped or failed.",
                &["outcome"],
            )?,
            seconds: metrics.histograms(
                "lumio_history_report_seconds",
                "Duration of one report.",
                &[],
                &DURATION_BUCKETS,
            )?,
            overdue: metrics.gauges(
                "lumio_history_reports_overdue",
                "Sessions that ended an hour ago and have no report, in all processes; counted up to 10,000.",
                &[],
            )?,
        })
    }

    /// Counts an outcome.
    pub fn ended(&self, outcome: Outcome) {
        self.reports.with_label_values(&[outcome.as_str()]).inc();
    }

    /// Records the duration of a report.
    pub fn took(&self, duration: Duration) {
        self.seconds.with_label_values::<&str>(&[]).observe(duration.as_secs_f64());
    }

    /// Shows the number of overdue reports.
    pub fn overdue(&self, sessions: i64) {
        self.overdue.with_label_values::<&str>(&[]).set(sessions);
    }
}

impl Outcome {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Made => "made",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
        }
    }
}
