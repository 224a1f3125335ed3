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
/// Pause between two attempts to take the lease.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Runs a change of a reward while no other request changes it at its platform. Must be called in
/// [`Cx::detached`]: a request that ended early would change one side only, and leave its lease.
///
/// # Errors
/// 409 when another change takes too long; those of the change.
pub(super) async fn exclusively<T>(
    cx: &Cx,
    reward: Uuid,
    change: impl Future<Output = Result<T>>,
) -> Result<T> {
    let lease = take(cx, reward).await?;
    let changed = change.await;
    lease.release().await;
    changed
}

async fn take(cx: &Cx, reward: Uuid) -> Result<Lease> {
    let redis = &cx.state().redis;
    let (holder, deadline) = (id::new(), Instant::now() + LEASE_WAIT_TIMEOUT);
    loop {
        let key = redis.key(format_args!("reward:{reward}"));
        if let Some(lease) = Lease::take(redis, key, &holder, LEASE_TTL).await? {
            return Ok(lease);
        }
        if Instant::now() >= deadline {
            return Err(ApiError::conflict("Reward is being changed"));
        }
        sleep(POLL_INTERVAL).await;
    }
}
