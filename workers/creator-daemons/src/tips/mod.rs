//! Daemon `tips`: sockets at StreamElements over which the tips of accounts arrive (reference/tips.md#sockets).
//!
//! Any number of copies run. An account has one socket, which carries the subscriptions of all its tokens. A lease
//! in Redis makes one copy hold it; when that copy dies, another connects within seconds. A tip goes through the
//! inbox, where its id is unique: receiving it twice has the effect of receiving it once.

mod channel;
mod lease;
mod metrics;
mod protocol;
mod receiver;
mod receivers;
mod refusal;
mod session;
mod store;
mod subscriptions;
mod tokens;

use std::time::Duration;

use shared::id;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use worker_core::Context;

use metrics::TipMetrics;
use receivers::Receivers;

/// Interval at which a copy scans for tokens, and renews the leases of the accounts whose sockets it holds.
const SCAN_INTERVAL: Duration = Duration::from_secs(1);

/// Receives tips until `shutdown` is cancelled.
///
/// # Errors
/// Metrics that cannot be registered.
pub async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    let metrics = TipMetrics::new(&context.metrics)?;
    let mut receivers = Receivers::new(context, metrics, id::new());
    let (mut ticks, mut after) = (tokio::time::interval(SCAN_INTERVAL), None);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        match receivers.scan(after).await {
            Ok(next) => after = next,
            Err(error) => tracing::warn!(%error, "tokens of StreamElements cannot be read"),
        }
    }
    receivers.end().await;
    Ok(())
}
