//! Who reads a channel: a key in Redis that its holder renews and that runs out when it dies.

use std::{sync::LazyLock, time::Duration};

use redis::Script;
use shared::{Result, platforms::Platform, redis::Redis};
use uuid::Uuid;

use crate::lease;

/// Three renewals may fail.
pub(super) const TTL: Duration = Duration::from_secs(7);
/// A nudge that nobody takes is forgotten.
const NUDGE_TTL: Duration = Duration::from_secs(600);

/// Takes or renews the lease and takes the nudge that waits for its holder.
static HOLD: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local holder = redis.call('GET', KEYS[1]) \
         if holder and holder ~= ARGV[1] then return 0 end \
         redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) \
         return 1 + redis.call('DEL', KEYS[2])",
    )
});

/// The right to read a channel.
pub(super) struct Lease {
    redis: Redis,
    key: String,
    nudge: String,
    holder: String,
}

/// Whether the lease is ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    Yes {
        /// Somebody has heard that there is something to see.
        is_nudged: bool,
    },
    ByAnother,
}

impl Lease {
    pub fn new(redis: &Redis, platform: Platform, channel_id: &str, copy: Uuid) -> Self {
        Self {
            redis: redis.clone(),
            key: redis.key(format_args!("reader:{platform}:{channel_id}")),
            nudge: nudge_key(redis, platform, channel_id),
            holder: copy.to_string(),
        }
    }

    /// Takes the lease, or renews it.
    ///
    /// # Errors
    /// When Redis cannot be reached.
    pub async fn hold(&self) -> Result<Held> {
        let mut connection = self.redis.get().await?;
        let held: u8 = HOLD
            .key(&self.key)
            .key(&self.nudge)
            .arg(&self.holder)
            .arg(lease::milliseconds(TTL))
            .invoke_async(&mut *connection)
            .await?;
        Ok(match held {
            0 => Held::ByAnother,
            held => Held::Yes { is_nudged: held > 1 },
        })
    }

    /// Gives the lease up, so that another copy need not wait.
    pub async fn release(&self) {
        lease::release(&self.redis, &self.key, &self.holder).await;
    }
}

/// Tells whoever reads a channel, or will, that there is something to see.
///
/// # Errors
/// When Redis cannot be reached.
pub(crate) async fn nudge(redis: &Redis, platform: Platform, channel_id: &str) -> Result<()> {
    redis::cmd("SET")
        .arg(nudge_key(redis, platform, channel_id))
        .arg(1)
        .arg("EX")
        .arg(NUDGE_TTL.as_secs())
        .query_async::<()>(&mut *redis.get().await?)
        .await?;
    Ok(())
}

fn nudge_key(redis: &Redis, platform: Platform, channel_id: &str) -> String {
    redis.key(format_args!("reader:nudge:{platform}:{channel_id}"))
}
