//! Detection of a proxy that is not configured: without the setting every client has the proxy's address, and
//! all share its limits.

use std::sync::atomic::{AtomicI64, Ordering};

use actix_web::{dev::ServiceRequest, web::Data};
use foundation::telemetry::Metrics;
use prometheus::IntCounterVec;

use crate::State;

const HEADER: &str = "x-forwarded-for";
/// Seconds from one warning to the next.
const WARNING_INTERVAL_SECS: i64 = 60;

/// Counter of requests whose `X-Forwarded-For` is ignored.
pub(super) struct IgnoredForwarding {
    requests: IntCounterVec,
    warned_at: AtomicI64,
}

impl IgnoredForwarding {
    /// Registers the counter.
    pub fn new(metrics: &Metrics) -> shared::Result<Self> {
        let requests = metrics.counters(
            "lumio_forwarded_for_ignored_total",
            "Requests with X-Forwarded-For while LUMIO_TRUSTED_PROXY_HOPS is 0.",
            &[],
        )?;
        Ok(Self { requests, warned_at: AtomicI64::new(i64::MIN) })
    }

    /// Outside development, counts a request of a proxy while none is trusted, and logs a warning at most
    /// once a minute (reference/limits.md#client-address).
    pub fn observe(&self, request: &ServiceRequest) {
        let Some(state) = request.app_data::<Data<State>>() else { return };
        let config = &state.config;
        let is_expected = config.http.trusted_proxy_hops > 0 || !config.environment.is_deployment();
        if is_expected || !request.headers().contains_key(HEADER) {
            return;
        }
        self.requests.with_label_values::<&str>(&[]).inc();
        if self.is_warning_due(state.clock.now().timestamp()) {
            tracing::warn!(
                "X-Forwarded-For arrives while LUMIO_TRUSTED_PROXY_HOPS is 0: all clients behind the proxy count as \
                 one address. Set LUMIO_TRUSTED_PROXY_HOPS to the number of proxies in front of the API"
            );
        }
    }

    fn is_warning_due(&self, now: i64) -> bool {
        let last = self.warned_at.load(Ordering::Relaxed);
        now >= last.saturating_add(WARNING_INTERVAL_SECS)
            && self.warned_at.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use shared::config::Environment;

    use super::*;

    #[test]
    fn ignored_forwarding_warns_once_a_minute() {
        let metrics = Metrics::new("t", Environment::Development).unwrap();
        let forwarding = IgnoredForwarding::new(&metrics).unwrap();
        let due: Vec<bool> = [0, 1, 59, 60, 61, 119, 120].map(|now| forwarding.is_warning_due(now)).into();
        assert_eq!(due, [true, false, false, true, false, false, true]);
    }
}
