//! Who runs a timer in a slot, and whether enough was said since it last ran.

use std::{sync::LazyLock, time::Duration};

use redis::Script;
use shared::redis::Redis;
use uuid::Uuid;

use crate::runtime::triggers::Timer;

static CLAIM: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("claim.lua")));
static COUNT: LazyLock<Script> = LazyLock::new(|| {
    Script::new("redis.call('INCR', KEYS[1]) return redis.call('EXPIRE', KEYS[1], ARGV[1])")
});

/// Longer than the longest interval.
const LINES_TTL_SECS: u32 = 3 * 24 * 3600;
/// A count must not hold up a chat line.
const REDIS_TIMEOUT: Duration = Duration::from_millis(250);

/// The lines of chat that timers wait for, in all processes together. Cheap to clone.
#[derive(Clone)]
pub struct ChatLines {
    redis: Redis,
}

impl ChatLines {
    pub const fn new(redis: Redis) -> Self {
        Self { redis }
    }

    /// Counts a line; while Redis is away or slow it counts for nothing.
    pub async fn count(&self, account_id: Uuid, platform: &str) {
        let counted = async {
            let mut connection = self.redis.get().await?;
            let key = self.said_key(account_id, platform);
            COUNT.key(key).arg(LINES_TTL_SECS).invoke_async::<()>(&mut *connection).await?;
            Ok::<_, shared::Error>(())
        };
        if let Ok(Err(error)) = tokio::time::timeout(REDIS_TIMEOUT, counted).await {
            tracing::debug!(%error, "a line of chat was not counted");
        }
    }

    /// Claims a slot of a timer; false when another process has it or too little was said since the last run.
    ///
    /// # Errors
    /// When Redis cannot be reached.
    pub async fn claim(
        &self,
        account_id: Uuid,
        timer: &Timer,
        platform: &str,
        slot: i64,
    ) -> shared::Result<bool> {
        let name = format!("timer:{}:{}:{platform}", timer.install_id, timer.name);
        let claimed = self.redis.key(format_args!("{name}:slot:{slot}"));
        let said_before = self.redis.key(format_args!("{name}:said"));
        let mut connection = self.redis.get().await?;
        Ok(CLAIM
            .key(claimed)
            .key(self.said_key(account_id, platform))
            .key(said_before)
            .arg(timer.min_chat_lines)
            .arg(2 * timer.interval_secs)
            .arg(LINES_TTL_SECS)
            .invoke_async(&mut *connection)
            .await?)
    }

    fn said_key(&self, account_id: Uuid, platform: &str) -> String {
        self.redis.key(format_args!("chat_lines:{account_id}:{platform}"))
    }
}
