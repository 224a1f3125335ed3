//! Leases in Redis: a key with its holder, which expires after the death of the holder.

use std::{fmt::Display, sync::LazyLock, time::Duration};

use crate::redis::{Redis, milliseconds};
use redis::Script;
use shared::{Error, Result};
use tokio::time::Instant;

/// Extends a lease, or takes one that has no holder. KEYS: the lease; a signal to its holder. ARGV: holder;
/// lifetime in milliseconds. Returns 0 when another has the lease, and 1 more when there was a signal.
static EXTEND: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local holder = redis.call('GET', KEYS[1])
        if holder and holder ~= ARGV[1] then return 0 end
        redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
        if not KEYS[2] then return 1 end
        return 1 + redis.call('DEL', KEYS[2])",
    )
});

/// Deletes a lease. KEYS: the lease. ARGV: holder.
static RELEASE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0",
    )
});

/// Right of one holder among all processes, for a time. Dropping it does not release it.
pub struct Lease {
    redis: Redis,
    key: String,
    holder: String,
    ttl: Duration,
    /// Time before which the lease cannot expire; passed until it is taken.
    expires_at: Instant,
}

impl Lease {
    /// Returns a lease that is not taken yet.
    #[must_use]
    pub fn new(redis: &Redis, key: String, holder: &impl Display, ttl: Duration) -> Self {
        Self { redis: redis.clone(), key, holder: holder.to_string(), ttl, expires_at: Instant::now() }
    }

    /// Takes a lease that has no holder; `None` while there is one, also when it has the same name.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn take(
        redis: &Redis,
        key: String,
        holder: &impl Display,
        ttl: Duration,
    ) -> Result<Option<Self>> {
        let mut lease = Self::new(redis, key, holder, ttl);
        let asked_at = Instant::now();
        let taken: Option<String> = redis::cmd("SET")
            .arg(&lease.key)
            .arg(&lease.holder)
            .arg("NX")
            .arg("PX")
            .arg(milliseconds(ttl))
            .query_async(&mut *redis.get().await?)
            .await?;
        lease.expires_at = asked_at + ttl;
        Ok(taken.map(|_ok| lease))
    }

    /// Extends the lease to its full lifetime. Also takes one that has expired or was not taken yet. False
    /// when another holder has it.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn extend(&mut self) -> Result<bool> {
        Ok(self.extend_with(None).await? > 0)
    }

    /// Extends the lease as [`extend`](Self::extend) does, and deletes the key `signal`. Returns true when
    /// that existed; `None` when another holder has the lease.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn extend_and_receive(&mut self, signal: &str) -> Result<Option<bool>> {
        Ok(match self.extend_with(Some(signal)).await? {
            0 => None,
            held => Some(held > 1),
        })
    }

    async fn extend_with(&mut self, signal: Option<&str>) -> Result<u8> {
        let asked_at = Instant::now();
        let mut connection = self.redis.get().await?;
        let mut call = EXTEND.key(&self.key);
        if let Some(signal) = signal {
            call.key(signal);
        }
        let held = call.arg(&self.holder).arg(milliseconds(self.ttl)).invoke_async(&mut *connection).await?;
        if held > 0 {
            self.expires_at = asked_at + self.ttl;
        }
        Ok(held)
    }

    /// Holds the lease for this time from now on, whoever has it.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn force(&self, ttl: Duration) -> Result<()> {
        let mut connection = self.redis.get().await?;
        redis::cmd("PSETEX")
            .arg(&self.key)
            .arg(milliseconds(ttl))
            .arg(&self.holder)
            .query_async::<()>(&mut *connection)
            .await?;
        Ok(())
    }

    /// Returns the time before which the lease cannot expire: Redis counts its lifetime from when it receives
    /// the command, which is not before it is sent.
    #[must_use]
    pub const fn expires_at(&self) -> Instant {
        self.expires_at
    }

    /// Releases the lease if the holder still has it, so that others need not wait.
    pub async fn release(&self) {
        let released: Result<()> = async {
            let mut connection = self.redis.get().await?;
            RELEASE.key(&self.key).arg(&self.holder).invoke_async::<()>(&mut *connection).await?;
            Ok::<(), Error>(())
        }
        .await;
        if let Err(error) = released {
            tracing::debug!(%error, key = self.key, "a lease runs out by itself");
        }
    }
}
