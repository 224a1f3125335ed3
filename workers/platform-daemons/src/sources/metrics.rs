//! Metrics of sources. The labels are the platform and a word from a short list.

use foundation::telemetry::Metrics;
use prometheus::{IntCounterVec, IntGaugeVec};
use shared::{Result, platform::Platform};

/// Numbers of readers, interruptions, deliveries and quota units by platform. Cheap to clone.
#[derive(Clone)]
pub(super) struct SourceMetrics {
    readers: IntGaugeVec,
    pub interruptions: IntCounterVec,
    pub received: IntCounterVec,
    pub quota: IntCounterVec,
}

impl SourceMetrics {
    /// Registers the metrics.
    ///
    /// # Errors
    /// A registered metric of the same name and another kind.
    pub fn new(metrics: &Metrics) -> Result<Self> {
        Ok(Self {
            readers: metrics.gauges(
                "lumio_source_channels_reading",
                "Channels that this process reads now, over an open connection.",
                &["platform"],
            )?,
            interruptions: metrics.counters(
                "lumio_source_interruptions_total",
                "Interruptions of readers by reason: broken (retried soon), later (as the platform requested) or refused.",
                &["platform", "reason"],
            )?,
            received: metrics.counters(
                "lumio_source_received_total",
                "Deliveries of sources by outcome: accepted or known.",
                &["platform", "outcome"],
            )?,
            quota: metrics.counters(
                "lumio_youtube_quota_units_total",
                "Requested units of YouTube's quota by outcome: spent or refused.",
                &["outcome"],
            )?,
        })
    }

    /// Counts a reader that begins or ends to read.
    pub fn reading(&self, platform: Platform, was: bool, is: bool) {
        self.readers.with_label_values(&[platform.slug()]).add(i64::from(is) - i64::from(was));
    }
}
