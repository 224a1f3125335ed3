//! Lease on the polling of a platform, and the cursor of its last round: in Redis, for all copies.

use std::time::Duration;

use foundation::{lease::Lease, redis::Redis};
use redis::AsyncCommands;
use shared::{Result, platform::Platform};

/// Lifetime of a cursor that no round continues from, in seconds.
const CURSOR_TTL_SECS: u64 = 3600;

/// Right to poll a platform, until the time of the next round.
pub(super) struct PollLease {
    redis: Redis,
    lease: Lease,
    place: String,
    after: Option<String>,
}

impl PollLease {
    /// Takes the lease; `None` while another copy has it, or before the next round is due.
    pub async fn acquire(redis: &Redis, platform: Platform, every: Duration) -> Result<Option<Self>> {
        let key = redis.key(format_args!("channel_status:turn:{platform}"));
        let place = redis.key(format_args!("channel_status:place:{platform}"));
        // Copies need no name here: the lease is not released, it lasts until the next round.
        let Some(lease) = Lease::take(redis, key, &1, every).await? else { return Ok(None) };
        let after: Option<String> = redis.get().await?.get(&place).await?;
        Ok(Some(Self { redis: redis.clone(), lease, place, after }))
    }

    /// Returns the channel that the last round ended with; `None` when it reached all.
    pub fn after(&self) -> Option<&str> {
        self.after.as_deref()
    }

    /// Stores the position where the next round continues; `None` for the beginning.
    pub async fn save_cursor(&self, after: Option<&str>) -> Result<()> {
        let mut connection = self.redis.get().await?;
        let () = match after {
            Some(id) => connection.set_ex(&self.place, id, CURSOR_TTL_SECS).await?,
            None => connection.del(&self.place).await?,
        };
        Ok(())
    }

    /// Keeps every copy from polling for this time.
    pub async fn pause(&self, pause: Duration) -> Result<()> {
        self.lease.force(pause).await
    }
}
