//! Metrics of ingest.

use foundation::telemetry::Metrics;
use live_model::Pushed;
use prometheus::{HistogramVec, IntCounterVec, IntGaugeVec};
use shared::Result;

/// Buckets of the lag, in seconds.
const LAG_BUCKETS: [f64; 10] = [0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 30.0, 300.0, 3600.0];
/// Buckets of the write time, in seconds.
const WRITE_BUCKETS: [f64; 9] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 5.0];

/// Counts of deliveries by platform, and of rows and batches by table. Cheap to clone.
#[derive(Clone)]
pub struct IngestMetrics {
    pub(super) deliveries: IntCounterVec,
    pub(super) lag: HistogramVec,
    pub(super) rows: IntCounterVec,
    pub(super) batches: IntCounterVec,
    pub(super) write_seconds: HistogramVec,
    pub(super) backlog: IntGaugeVec,
}

impl IngestMetrics {
    /// Registers the metrics.
    ///
    /// # Errors
    /// A metric of the same name that is registered already.
    pub fn new(metrics: &Metrics) -> Result<Self> {
        Ok(Self {
            deliveries: metrics.counters(
                "lumio_ingest_deliveries_total",
                "Webhook deliveries by outcome: handled, unconnected, ignored or unreadable.",
                &["platform", "outcome"],
            )?,
            lag: metrics.histograms(
                "lumio_ingest_lag_seconds",
                "Time from the platform's delivery to its effect.",
                &["platform"],
                &LAG_BUCKETS,
            )?,
            rows: metrics.counters(
                "lumio_ingest_rows_total",
                "Rows by outcome: buffered, shed, written, repeated or refused.",
                &["table", "outcome"],
            )?,
            batches: metrics.counters(
                "lumio_ingest_batches_total",
                "Batches by outcome: written or failed.",
                &["table", "outcome"],
            )?,
            write_seconds: metrics.histograms(
                "lumio_ingest_write_seconds",
                "Time to write one batch.",
                &["table"],
                &WRITE_BUCKETS,
            )?,
            backlog: metrics.gauges(
                "lumio_ingest_backlog_rows",
                "Rows that wait to be written.",
                &["table"],
            )?,
        })
    }

    /// Counts rows that were buffered.
    pub(super) fn buffered(&self, pushed: Pushed, table: &str) {
        self.rows.with_label_values(&[table, "buffered"]).inc_by(pushed.kept as u64);
        if pushed.shed > 0 {
            self.rows.with_label_values(&[table, "shed"]).inc_by(pushed.shed as u64);
            tracing::error!(table, rows = pushed.shed, "rows were shed: the buffer is full");
        }
    }
}
