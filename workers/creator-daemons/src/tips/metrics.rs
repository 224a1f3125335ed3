//! Metrics of the sockets at StreamElements.

use foundation::telemetry::Metrics;
use prometheus::{IntCounterVec, IntGaugeVec};
use shared::Result;

/// Metrics of one copy. Cheap to clone.
#[derive(Clone)]
pub(super) struct TipMetrics {
    /// Sockets over which tips arrive now.
    sockets: IntGaugeVec,
    /// Interruptions of sockets and of subscriptions by reason.
    pub interruptions: IntCounterVec,
    /// Messages about tips by outcome.
    pub received: IntCounterVec,
}

/// Socket that counts as open until it is dropped.
pub(super) struct OpenSocket(TipMetrics);

impl TipMetrics {
    /// Registers the metrics.
    ///
    /// # Errors
    /// A registered metric of the same name and another kind.
    pub fn new(metrics: &Metrics) -> Result<Self> {
        Ok(Self {
            sockets: metrics.gauges(
                "lumio_tips_sockets",
                "Sockets at StreamElements over which this process receives tips now.",
                &[],
            )?,
            interruptions: metrics.counters(
                "lumio_tips_interruptions_total",
                "Interruptions of sockets and tokens by reason: broken (retried soon), later or refused.",
                &["reason"],
            )?,
            received: metrics.counters(
                "lumio_tips_received_total",
                "Messages about tips by outcome: accepted, known or ignored (not paid, not released, unreadable).",
                &["outcome"],
            )?,
        })
    }

    /// Counts a socket over which tips arrive.
    pub fn open_socket(&self) -> OpenSocket {
        self.sockets.with_label_values::<&str>(&[]).inc();
        OpenSocket(self.clone())
    }
}

impl Drop for OpenSocket {
    fn drop(&mut self) {
        self.0.sockets.with_label_values::<&str>(&[]).dec();
    }
}
