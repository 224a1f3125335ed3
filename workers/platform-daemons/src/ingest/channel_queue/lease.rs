//! Lease on a channel among all processes (reference/ingest.md#order).

use std::time::Duration;

use foundation::{lease::Lease, redis::Redis};
use shared::Result;
use tokio::time::Instant;

use crate::ingest::inbox::Channel;

/// Lifetime of the lease, also after its holder has died.
const LEASE_TTL: Duration = Duration::from_secs(3);
/// Time for which the lease must be held when a batch begins.
const MIN_REMAINING: Duration = Duration::from_secs(2);

/// Takes the lease of a channel; `None` while another process has it.
///
/// # Errors
/// `Redis` when Redis cannot be reached.
pub(super) async fn take(redis: &Redis, (platform, channel_id): &Channel) -> Result<Option<Lease>> {
    let key = redis.key(format_args!("turn:{platform}:{channel_id}"));
    Lease::take(redis, key, &shared::id::new(), LEASE_TTL).await
}

/// Extends a lease that was taken a while ago. True when it is held for a batch; false when another process
/// has taken it.
///
/// # Errors
/// `Redis` when Redis cannot be reached.
pub(super) async fn renew(lease: &mut Lease) -> Result<bool> {
    if lease.expires_at() > Instant::now() + MIN_REMAINING {
        return Ok(true);
    }
    lease.extend().await
}
