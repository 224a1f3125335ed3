//! What ingest reports.

use prometheus::{HistogramVec, IntCounterVec, IntGaugeVec};
use shared::{Result, telemetry::Metrics};

const LAGS: [f64; 10] = [0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 30.0, 300.0, 3600.0];
const WRITES: [f64; 9] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 5.0];

/// Deliveries by platform, rows and batches by table.
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
    /// # Errors
    /// When a metric of the same name is registered.
    pub fn new(metrics: &Metrics) -> Result<Self> {
        Ok(Self {
            deliveries: metrics.counters(
                "lumio_ingest_deliveries_total",
                "Webhook deliveries by what became of them: handled, unconnected, ignored or unreadable.",
                &["platform", "outcome"],
            )?,
            lag: metrics.histograms(
                "lumio_ingest_lag_seconds",
                "Time from the platform's delivery to its effect.",
                &["platform"],
                &LAGS,
            )?,
            rows: metrics.counters(
                "lumio_ingest_rows_total",
                "Rows by what became of them: buffered, shed, written, repeated or refused.",
                &["table", "outcome"],
            )?,
            batches: metrics.counters(
                "lumio_ingest_batches_total",
                "Batches by what became of them: written or failed.",
                &["table", "outcome"],
            )?,
            write_seconds: metrics.histograms(
                "lumio_ingest_write_seconds",
                "Time to write one batch.",
                &["table"],
                &WRITES,
            )?,
            backlog: metrics.gauges(
                "lumio_ingest_backlog_rows",
                "Rows that wait to be written.",
                &["table"],
            )?,
        })
    }
}
