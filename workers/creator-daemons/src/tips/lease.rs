//! Lease on the socket of an account: a key in Redis that its holder renews and that expires when it dies
//! (reference/tips.md#sockets).

use std::time::Duration;

use foundation::{lease::Lease, redis::Redis};
use tokio::time::{MissedTickBehavior, timeout_at};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::SCAN_INTERVAL;

/// Lifetime of a lease without renewal.
const LEASE_TTL: Duration = Duration::from_secs(7);

/// Returns the lease of an account for the given copy. It is not taken yet.
pub(super) fn lease(redis: &Redis, account: Uuid, copy: Uuid) -> Lease {
    Lease::new(redis, redis.key(format_args!("tips:{account}")), &copy, LEASE_TTL)
}

/// Renews the lease until `stop` is cancelled. Cancels it when another copy has the lease, and when it cannot be
/// renewed before it expires, because another copy may have it then.
pub(super) async fn renew(lease: &mut Lease, account: Uuid, stop: &CancellationToken) {
    let mut ticks = tokio::time::interval(SCAN_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while !stop.is_cancelled() {
        let expires_at = lease.expires_at();
        let renewed = async {
            ticks.tick().await;
            lease.extend().await
        };
        let Some(renewed) = stop.run_until_cancelled(timeout_at(expires_at, renewed)).await else { return };
        match renewed {
            Ok(Ok(true)) => {}
            Ok(Ok(false)) => {
                tracing::info!(%account, "another copy receives the tips of an account");
                stop.cancel();
            }
            Ok(Err(error)) => tracing::warn!(%account, %error, "a lease cannot be renewed"),
            Err(_elapsed) => {
                tracing::warn!(%account, "a lease expired: tips arrive again when it is acquired again");
                stop.cancel();
            }
        }
    }
}
