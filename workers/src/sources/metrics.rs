//! What sources report. The labels are the platform and a word out of a short list.

use prometheus::{IntCounterVec, IntGaugeVec};
use shared::{Result, platforms::Platform, telemetry::Metrics};

/// Readers by platform.
#[derive(Clone)]
pub(super) struct SourceMetrics {
    readers: IntGaugeVec,
    pub interruptions: IntCounterVec,
    pub received: IntCounterVec,
    pub quota: IntCounterVec,
}

impl SourceMetrics {
    /// # Errors
    /// When a metric of the same name and another kind is registered.
    pub fn new(metrics: &Metrics) -> Result<Self> {
        Ok(Self {
            readers: metrics.gauges(
                "lumio_source_channels_reading",
                "Channels that this process reads now: connected, and what happens arrives.",
                &["platform"],
            )?,
            interruptions: metrics.counters(
                "lumio_source_interruptions_total",
                "Readers that had to pause: broken (tried again soon), later (as the platform asked) or refused.",
                &["platform", "reason"],
            )?,
            received: metrics.counters(
                "lumio_source_received_total",
                "What sources told, by what became of it: accepted or known.",
                &["platform", "outcome"],
            )?,
            quota: metrics.counters(
                "lumio_youtube_quota_units_total",
                "Units of YouTube's quota, by what became of the wish for them: spent or refused.",
                &["outcome"],
            )?,
        })
    }

    /// A reader has begun or ended to read.
    pub fn reading(&self, platform: Platform, was: bool, is: bool) {
        self.readers.with_label_values(&[platform.slug()]).add(i64::from(is) - i64::from(was));
    }
}
