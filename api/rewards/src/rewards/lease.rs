//! Lease on a reward that changes at its platform: one change at a time, so that the platform and the row end up
//! the same, and none holds a connection to the database meanwhile (reference/rewards.md#rewards-at-twitch).

use std::time::Duration;

use api_core::{ApiError, Cx, Result};
use foundation::lease::Lease;
use shared::id;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

/// Lifetime of a lease: longer than the calls of a change, each of which ends after ten seconds
/// (reference/rewards.md#rewards-at-twitch).
const LEASE_TTL: Duration = Duration::from_secs(60);
/// Longest wait for another change of the reward (reference/rewards.md#rewards-at-twitch).
const LEASE_WAIT_TIMEOUT: Duration = Duration::from_secs(3);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Lease that ends with its owner.
struct RewardLease(Option<Lease>);

/// Runs a change of a reward while no other request changes it at its platform.
///
/// # Errors
/// 409 when another change takes too long; those of the change.
pub(super) async fn exclusively<T>(
    cx: &Cx,
    reward: Uuid,
    change: impl Future<Output = Result<T>>,
) -> Result<T> {
    let mut lease = RewardLease::take(cx, reward).await?;
    let changed = change.await;
    lease.release().await;
    changed
}

impl RewardLease {
    async fn take(cx: &Cx, reward: Uuid) -> Result<Self> {
        let redis = &cx.state().redis;
        let (holder, deadline) = (id::new(), Instant::now() + LEASE_WAIT_TIMEOUT);
        loop {
            let key = redis.key(format_args!("reward:{reward}"));
            if let Some(lease) = Lease::take(redis, key, &holder, LEASE_TTL).await? {
                return Ok(Self(Some(lease)));
            }
            if Instant::now() >= deadline {
                return Err(ApiError::conflict("Reward is being changed"));
            }
            sleep(POLL_INTERVAL).await;
        }
    }

    async fn release(&mut self) {
        if let Some(lease) = self.0.take() {
            lease.release().await;
        }
    }
}

impl Drop for RewardLease {
    /// Releases the lease of a request that ended early, so that others need not wait for its end.
    fn drop(&mut self) {
        if let Some(lease) = self.0.take() {
            tokio::spawn(async move { lease.release().await });
        }
    }
}
