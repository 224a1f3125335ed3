//! Fixed windows: one count for each holder and window, which expires after the window.

use crate::redis::Redis;
use shared::Result;

/// Count of one holder in one window.
pub struct FixedWindow {
    /// Full name of the key, which names holder and window.
    pub key: String,
    /// Lifetime of the count, in seconds.
    pub ttl_secs: i64,
}

/// Number that is added to a count.
pub struct Addition {
    /// Full name of the key, which names holder and window.
    pub key: String,
    /// Number to add.
    pub number: u64,
    /// Unix seconds at which the count expires.
    pub expires_at: i64,
}

impl FixedWindow {
    /// Counts one; returns the count with it.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn count(&self, redis: &Redis) -> Result<u32> {
        let (count,): (u64,) = redis::pipe()
            .atomic()
            .cmd("INCR")
            .arg(&self.key)
            .cmd("EXPIRE")
            .arg(&self.key)
            .arg(self.ttl_secs)
            .ignore()
            .query_async(&mut *redis.get().await?)
            .await?;
        Ok(u32::try_from(count).unwrap_or(u32::MAX))
    }
}

/// Returns the count of a key without counting; 0 when there is none.
///
/// # Errors
/// A failure of Redis.
pub async fn counted(redis: &Redis, key: &str) -> Result<u64> {
    let count: Option<u64> = redis::cmd("GET").arg(key).query_async(&mut *redis.get().await?).await?;
    Ok(count.unwrap_or(0))
}

/// Adds numbers that a process has counted by itself; returns the counts with them, in the same order.
///
/// # Errors
/// A failure of Redis.
pub async fn add(redis: &Redis, additions: &[Addition]) -> Result<Vec<u64>> {
    let mut pipe = redis::pipe();
    for Addition { key, number, expires_at } in additions {
        pipe.cmd("INCRBY").arg(key).arg(*number).cmd("EXPIREAT").arg(key).arg(*expires_at).ignore();
    }
    Ok(pipe.query_async(&mut *redis.get().await?).await?)
}
