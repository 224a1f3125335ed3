//! Counters of the hub. Labels are bounded: none names a channel or a person.

use foundation::telemetry::Metrics;
use prometheus::{IntCounter, IntCounterVec};

use crate::protocol::Closing;

/// Counters of a process.
pub struct HubMetrics {
    /// Events that arrived for sockets.
    pub events: IntCounter,
    /// Events that were queued for a socket.
    pub deliveries: IntCounter,
    /// New connections to Redis after one was lost.
    pub reconnects: IntCounter,
    /// Published messages that are no events.
    pub unreadable: IntCounter,
    closings: IntCounterVec,
    resumes: IntCounterVec,
    refusals: IntCounterVec,
}

/// Outcome of a resume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResumeOutcome {
    /// Every missed event was sent.
    Recovered,
    /// The log does not reach back to the client's last event.
    TooOld,
    /// The client could not take the events, or the log could not be read to its end.
    Broken,
}

impl HubMetrics {
    /// Registers the counters.
    ///
    /// # Errors
    /// An error when a name is taken.
    pub fn new(metrics: &Metrics) -> shared::Result<Self> {
        let one = |name, help| {
            Ok::<_, shared::Error>(metrics.counters(name, help, &[])?.with_label_values::<&str>(&[]))
        };
        Ok(Self {
            events: one("lumio_websocket_events_total", "Events that arrived for sockets.")?,
            deliveries: one("lumio_websocket_deliveries_total", "Events that were queued for a socket.")?,
            reconnects: one(
                "lumio_websocket_redis_reconnects_total",
                "Times that the subscription to Redis was lost.",
            )?,
            unreadable: one(
                "lumio_websocket_unreadable_events_total",
                "Published messages that are not events.",
            )?,
            closings: metrics.counters(
                "lumio_websocket_closes_total",
                "Sockets that the server closed, by close code; 4003 are slow consumers.",
                &["code"],
            )?,
            resumes: metrics.counters(
                "lumio_websocket_resumes_total",
                "Subscriptions that requested missed events, by outcome.",
                &["outcome"],
            )?,
            refusals: metrics.counters(
                "lumio_websocket_refused_upgrades_total",
                "Upgrades that were refused, by HTTP status.",
                &["status"],
            )?,
        })
    }

    /// Counts a closed socket.
    pub fn closed(&self, closing: Closing) {
        self.closings.with_label_values(&[&closing.code().to_string()]).inc();
    }

    /// Counts a resume.
    pub fn resumed(&self, outcome: ResumeOutcome) {
        let outcome = match outcome {
            ResumeOutcome::Recovered => "recovered",
            ResumeOutcome::TooOld => "too_old",
            ResumeOutcome::Broken => "broken",
        };
        self.resumes.with_label_values(&[outcome]).inc();
    }

    /// Counts a refused upgrade by its HTTP status.
    pub fn refused(&self, status: u16) {
        self.refusals.with_label_values(&[&status.to_string()]).inc();
    }
}
