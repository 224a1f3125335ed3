//! Metrics of the connections to OBS.

use foundation::telemetry::Metrics;
use prometheus::{IntCounterVec, IntGaugeVec};
use shared::Result;

/// Metrics of one copy. Cheap to clone.
#[derive(Clone)]
pub(super) struct ObsMetrics {
    /// Accounts that this copy attends to, connected or not.
    pub accounts: IntGaugeVec,
    /// Connections that ended or did not begin, by reason.
    pub interruptions: IntCounterVec,
}

impl ObsMetrics {
    /// Registers the metrics.
    ///
    /// # Errors
    /// A name that is registered otherwise.
    pub fn new(metrics: &Metrics) -> Result<Self> {
        Ok(Self {
            accounts: metrics.gauges(
                "lumio_obs_accounts",
                "Accounts whose OBS this copy holds or tries to reach.",
                &[],
            )?,
            interruptions: metrics.counters(
                "lumio_obs_interruptions_total",
                "Connections to OBS that ended or did not begin, by reason.",
                &["reason"],
            )?,
        })
    }
}
