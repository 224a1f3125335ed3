//! Leases in Redis: a key with its holder, which runs out when the holder dies.

use std::{sync::LazyLock, time::Duration};

use redis::Script;
use shared::{Error, Result, redis::Redis};

/// KEYS: the lease. ARGV: holder.
static RELEASE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0",
    )
});

/// Takes a lease for a time; false while somebody else has it.
///
/// # Errors
/// When Redis cannot be reached.
pub(crate) async fn take(redis: &Redis, key: &str, holder: &str, lasts: Duration) -> Result<bool> {
    let taken: Option<String> = redis::cmd("SET")
        .arg(key)
        .arg(holder)
        .arg("NX")
        .arg("PX")
        .arg(milliseconds(lasts))
        .query_async(&mut *redis.get().await?)
        .await?;
    Ok(taken.is_some())
}

/// Gives a lease up if its holder still has it, so that others need not wait.
pub(crate) async fn release(redis: &Redis, key: &str, holder: &str) {
    let released: Result<()> = async {
        let mut connection = redis.get().await?;
        RELEASE.key(key).arg(holder).invoke_async::<()>(&mut *connection).await?;
        Ok::<(), Error>(())
    }
    .await;
    if let Err(error) = released {
        tracing::debug!(%error, key, "a lease runs out by itself");
    }
}

/// As Redis takes a time.
pub(crate) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
