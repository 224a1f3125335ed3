//! Lease on a trigger: calls that overlap would lose the trigger's state.

use std::time::Duration;

use foundation::{lease::Lease, redis::Redis};
use shared::Result;
use uuid::Uuid;

/// Lifetime of the lease. Longer than a job may take, so that a lease that was not released expires by
/// itself.
const LEASE_TTL: Duration = Duration::from_secs(95);

/// Takes the right to call a trigger; `None` while another process has it.
///
/// # Errors
/// `Redis` when Redis cannot be reached.
pub async fn take(redis: &Redis, registration_id: Uuid) -> Result<Option<Lease>> {
    let key = redis.key(format_args!("automation:turn:{registration_id}"));
    Lease::take(redis, key, &shared::id::new(), LEASE_TTL).await
}
