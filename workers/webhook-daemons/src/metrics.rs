//! Metrics of the daemon. No label holds an id.

use std::time::Duration;

use foundation::telemetry::Metrics;
use prometheus::{HistogramVec, IntCounterVec, IntGaugeVec};
use shared::Result;

/// Buckets of durations in seconds; an attempt takes at most 15.
const DURATION_BUCKETS: [f64; 10] = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0];

/// Metrics of one copy. Cheap to clone.
#[derive(Clone)]
pub(crate) struct WebhookMetrics {
    attempts: IntCounterVec,
    seconds: HistogramVec,
    disabled: IntCounterVec,
    running: IntGaugeVec,
    waiting: IntGaugeVec,
    lateness: IntGaugeVec,
}

/// Endpoint that counts as served until it is dropped.
pub(crate) struct RunningEndpoint(WebhookMetrics);

impl WebhookMetrics {
    /// Registers the metrics.
    ///
    /// # Errors
    /// A registered metric of the same name and another kind.
    pub fn new(metrics: &Metrics) -> Result<Self> {
        Ok(Self {
            attempts: metrics.counters(
                "lumio_webhook_attempts_total",
                "Attempts to deliver by outcome: delivered, refused, gone or unreachable; without a request missing, \
                 unreadable, not_chosen or switched_off.",
                &["outcome"],
            )?,
            seconds: metrics.histograms(
                "lumio_webhook_attempt_seconds",
                "Duration of attempts that sent a request.",
                &[],
                &DURATION_BUCKETS,
            )?,
            disabled: metrics.counters(
                "lumio_webhook_endpoints_disabled_total",
                "Endpoints that were disabled by reason: gone or failing.",
                &["reason"],
            )?,
            running: metrics.gauges(
                "lumio_webhook_endpoints_running",
                "Endpoints that this process sends to now.",
                &[],
            )?,
            waiting: metrics.gauges(
                "lumio_webhook_deliveries_waiting",
                "Deliveries that wait, in all processes; counted up to 100,000.",
                &[],
            )?,
            lateness: metrics.gauges(
                "lumio_webhook_lateness_seconds",
                "Time for which the oldest endpoint is due that no process has taken; 0 without one.",
                &[],
            )?,
        })
    }

    /// Counts an endpoint while it is served.
    pub fn run(&self) -> RunningEndpoint {
        self.running.with_label_values::<&str>(&[]).inc();
        RunningEndpoint(self.clone())
    }

    /// Counts an attempt.
    pub fn attempted(&self, outcome: &str) {
        self.attempts.with_label_values(&[outcome]).inc();
    }

    /// Records the duration of a request.
    pub fn took(&self, duration: Duration) {
        self.seconds.with_label_values::<&str>(&[]).observe(duration.as_secs_f64());
    }

    /// Counts a disabled endpoint.
    pub fn disabled(&self, reason: &str) {
        self.disabled.with_label_values(&[reason]).inc();
    }

    /// Shows what waits.
    pub fn wait(&self, deliveries: i64, lateness_secs: i64) {
        self.waiting.with_label_values::<&str>(&[]).set(deliveries);
        self.lateness.with_label_values::<&str>(&[]).set(lateness_secs);
    }
}

impl Drop for RunningEndpoint {
    fn drop(&mut self) {
        self.0.running.with_label_values::<&str>(&[]).dec();
    }
}
