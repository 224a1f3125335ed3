//! Gauge of the running copies of each daemon of the workers.

use std::time::Duration;

use api_core::State;
use foundation::daemons;
use prometheus::IntGaugeVec;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

const COUNT_INTERVAL: Duration = Duration::from_secs(5);

/// Registers the gauge. The returned future keeps it current until `stop` is cancelled; the caller spawns it.
///
/// # Errors
/// An error when its name is taken.
pub fn count(state: &State, stop: CancellationToken) -> shared::Result<impl Future<Output = ()> + use<>> {
    let gauge = state.metrics.gauges(
        "lumio_workers_working",
        "Running copies of a daemon whose key the API accepts.",
        &["daemon"],
    )?;
    let state = state.clone();
    Ok(async move {
        let mut ticks = tokio::time::interval(COUNT_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while stop.run_until_cancelled(ticks.tick()).await.is_some() {
            count_once(&state, &gauge).await;
        }
    })
}

async fn count_once(state: &State, gauge: &IntGaugeVec) {
    match daemons::working(&state.redis, state.clock.now()).await {
        Ok(counts) => {
            for (daemon, copies) in counts {
                gauge.with_label_values(&[daemon]).set(i64::try_from(copies).unwrap_or(i64::MAX));
            }
        }
        Err(error) => {
            // Nothing is known: no series is better than an outdated one.
            gauge.reset();
            tracing::debug!(%error, "the workers cannot be counted");
        }
    }
}
