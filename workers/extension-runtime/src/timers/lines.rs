//! Claims of timers' slots, and counts of chat lines since a timer's last run (reference/bots.md#timers).

use std::{sync::LazyLock, time::Duration};

use foundation::redis::Redis;
use redis::Script;
use uuid::Uuid;

use crate::triggers::Timer;

static CLAIM: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("claim.lua")));
static COUNT: LazyLock<Script> = LazyLock::new(|| {
    Script::new("redis.call('INCR', KEYS[1]) return redis.call('EXPIRE', KEYS[1], ARGV[1])")
});

/// Lifetime of a count, in seconds. Longer than the longest interval.
const LINES_TTL_SECS: u32 = 3 * 24 * 3600;
/// Maximum wait for a count, which must not delay a chat line.
const REDIS_TIMEOUT: Duration = Duration::from_millis(250);

/// Counts of chat lines that timers wait for, in all processes together. Cheap to clone.
#[derive(Clone)]
pub struct ChatLines {
    redis: Redis,
}

impl ChatLines {
    /// Returns the counts in a Redis.
    pub const fn new(redis: Redis) -> Self {
        Self { redis }
    }

    /// Counts a line; while Redis is away or slow it is not counted.
    pub async fn count(&self, account_id: Uuid, platform: &str) {
        let counted = async {
            let mut connection = self.redis.get().await?;
            let key = self.line_count_key(account_id, platform);
            COUNT.key(key).arg(LINES_TTL_SECS).invoke_async::<()>(&mut *connection).await?;
            Ok::<_, shared::Error>(())
        };
        if let Ok(Err(error)) = tokio::time::timeout(REDIS_TIMEOUT, counted).await {
            tracing::debug!(%error, "a line of chat was not counted");
        }
    }

    /// Claims a slot of a timer; false when another process has it, or when too few lines were written since
    /// the last run.
    ///
    /// # Errors
    /// `Redis` when Redis cannot be reached.
    pub async fn claim(
        &self,
        account_id: Uuid,
        timer: &Timer,
        platform: &str,
        slot: i64,
    ) -> shared::Result<bool> {
        let name = format!("timer:{}:{}:{platform}", timer.install_id, timer.name);
        let claimed = self.redis.key(format_args!("{name}:slot:{slot}"));
        let last_line_count = self.redis.key(format_args!("{name}:said"));
        let mut connection = self.redis.get().await?;
        let key = self.line_count_key(account_id, platform);
        let line_count: Option<u64> = redis::cmd("GET").arg(key).query_async(&mut *connection).await?;
        Ok(CLAIM
            .key(claimed)
            .key(last_line_count)
            .arg(line_count.unwrap_or(0))
            .arg(timer.min_chat_lines)
            .arg(2 * timer.interval_secs)
            .arg(LINES_TTL_SECS)
            .invoke_async(&mut *connection)
            .await?)
    }

    fn line_count_key(&self, account_id: Uuid, platform: &str) -> String {
        self.redis.key(format_args!("chat_lines:{account_id}:{platform}"))
    }
}
