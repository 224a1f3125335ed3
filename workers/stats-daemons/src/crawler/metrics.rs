//! Metrics of the crawler (reference/telemetry.md#metrics).

use foundation::telemetry::Metrics;
use prometheus::{GaugeVec, IntCounterVec};
use shared::{Result, platform::Platform};

/// Counters of one process.
#[derive(Clone)]
pub(super) struct CrawlerMetrics {
    calls: IntCounterVec,
    channels: IntCounterVec,
    lateness: GaugeVec,
}

impl CrawlerMetrics {
    /// Registers the metrics.
    pub fn new(metrics: &Metrics) -> Result<Self> {
        Ok(Self {
            calls: metrics.counters(
                "lumio_crawler_calls_total",
                "Calls of the crawler by platform and outcome: answered, refused, limited, failed or unspent.",
                &["platform", "outcome"],
            )?,
            channels: metrics.counters(
                "lumio_crawler_channels_total",
                "Channels that the crawler read, by platform and kind: listed, visited or profile.",
                &["platform", "kind"],
            )?,
            lateness: metrics.float_gauges(
                "lumio_crawler_lateness_seconds",
                "Time since the oldest visit that is due.",
                &["platform"],
            )?,
        })
    }

    /// Counts a call with its outcome.
    pub fn call(&self, platform: Platform, outcome: &str) {
        self.calls.with_label_values(&[platform.slug(), outcome]).inc();
    }

    /// Counts channels that were read in one way.
    pub fn channels(&self, platform: Platform, kind: &str, number: usize) {
        let number = u64::try_from(number).unwrap_or(u64::MAX);
        self.channels.with_label_values(&[platform.slug(), kind]).inc_by(number);
    }

    /// Sets the time since the oldest visit of a platform that is due, in seconds.
    pub fn lateness(&self, platform: Platform, seconds: f64) {
        self.lateness.with_label_values(&[platform.slug()]).set(seconds);
    }
}
