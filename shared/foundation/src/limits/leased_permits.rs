//! Leased permits: a bounded number of holders at the same time. A permit that is not renewed expires.

use std::{sync::LazyLock, time::Duration};

use crate::redis::{PendingReply, Redis, RoundTrip, milliseconds};
use redis::Script;
use shared::Result;
use uuid::Uuid;

static TAKE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("take_permit.lua")));
static RENEW: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("renew_permits.lua")));

/// Permits of one kind. Keys are full names of the permits of one group.
#[derive(Debug, Clone, Copy)]
pub struct LeasedPermits {
    /// Lifetime of a permit without renewal.
    pub ttl: Duration,
}

impl LeasedPermits {
    /// Takes a permit of a group; false when `limit` are taken.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn take(self, redis: &Redis, key: &str, holder: Uuid, limit: usize) -> Result<bool> {
        Ok(TAKE
            .key(key)
            .arg(holder.to_string())
            .arg(limit)
            .arg(milliseconds(self.ttl))
            .invoke_async(&mut *redis.get().await?)
            .await?)
    }

    /// Renews permits, each with its group and holder. An expired one is taken again, also above the limit.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn renew(self, redis: &Redis, permits: &[(String, Uuid)]) -> Result<()> {
        let mut trip = RoundTrip::default();
        for group in redis.by_slot(permits.iter().collect(), |(key, _)| key) {
            let _renewed: PendingReply<u64> = trip.script(&RENEW, |script| {
                script.arg(milliseconds(self.ttl));
                for (key, holder) in group {
                    script.key(key).arg(holder.to_string());
                }
            });
        }
        trip.send(redis).await.map(drop)
    }

    /// Releases a permit.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn release(self, redis: &Redis, key: &str, holder: Uuid) -> Result<()> {
        let mut connection = redis.get().await?;
        Ok(redis::cmd("ZREM").arg(key).arg(holder.to_string()).query_async(&mut *connection).await?)
    }
}
