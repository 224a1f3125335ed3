//! Whose turn a channel is among all processes.

use std::{sync::LazyLock, time::Duration};

use redis::Script;
use shared::{Result, redis::Redis};
use tokio::time::Instant;

use super::order::Channel;
use crate::lease;

/// A holder that dies keeps the turn for as long.
const LEASE: Duration = Duration::from_secs(3);
/// A turn that was taken so lately is not asked about.
const SURE: Duration = Duration::from_secs(1);

/// Also takes a turn that has run out and that nobody has taken since.
static KEEP: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local holder = redis.call('GET', KEYS[1])
        if holder and holder ~= ARGV[1] then return 0 end
        redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
        return 1",
    )
});

/// The right to handle what a channel tells, among all processes.
pub(super) struct Lease {
    redis: Redis,
    key: String,
    holder: String,
    /// The turn is held from then on, for [`LEASE`] at least.
    since: Instant,
}

impl Lease {
    /// Takes the turn of a channel; `None` while another process has it.
    ///
    /// # Errors
    /// When Redis cannot be reached.
    pub async fn take(redis: &Redis, (platform, channel_id): &Channel) -> Result<Option<Self>> {
        let key = redis.key(format_args!("turn:{platform}:{channel_id}"));
        let (holder, since) = (shared::id::new().to_string(), Instant::now());
        let is_taken = lease::take(redis, &key, &holder, LEASE).await?;
        Ok(is_taken.then(|| Self { redis: redis.clone(), key, holder, since }))
    }

    /// Whether the turn is held for two seconds at least: where it was taken a while ago, it is prolonged, unless another
    /// process has taken it since.
    ///
    /// # Errors
    /// When Redis cannot be reached.
    pub async fn keep(&mut self) -> Result<bool> {
        if self.since.elapsed() < SURE {
            return Ok(true);
        }
        let mut connection = self.redis.get().await?;
        let since = Instant::now();
        let mut call = KEEP.key(&self.key);
        call.arg(&self.holder).arg(lease::milliseconds(LEASE));
        let is_kept: bool = call.invoke_async(&mut *connection).await?;
        if is_kept {
            self.since = since;
        }
        Ok(is_kept)
    }

    /// Gives the turn up, so that another process need not wait.
    pub async fn release(self) {
        lease::release(&self.redis, &self.key, &self.holder).await;
    }
}
