//! How fast an account may write on a platform (specification C B13). Platforms mute who writes faster, so it is counted
//! exactly and over all processes.

use std::{sync::LazyLock, time::Duration};

use api_core::{Result, State};
use redis::Script;
use shared::platforms::Platform;
use uuid::Uuid;

use crate::chat::acting::Obstacle;

const WINDOW: Duration = Duration::from_secs(30);

/// Counts a message unless the window is full; answers how many milliseconds it stays so, or 0.
static TAKE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local now, window, most = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]) \
         redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window) \
         if redis.call('ZCARD', KEYS[1]) >= most then \
           local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES') \
           return math.max(1, math.floor(tonumber(oldest[2]) + window - now)) \
         end \
         redis.call('ZADD', KEYS[1], now, ARGV[4]) \
         redis.call('PEXPIRE', KEYS[1], window) \
         return 0",
    )
});

/// Counts a message that is about to be sent, unless there were as many as may be in the last 30 seconds.
///
/// # Errors
/// When Redis cannot be reached.
pub(super) async fn keep(state: &State, account: Uuid, platform: Platform) -> Result<Result<(), Obstacle>> {
    let limit = state.config.rate_limits.chat_send;
    let key = state.redis.key(format_args!("chat_sends:{platform}:{account}"));
    let wait: u64 = TAKE
        .key(key)
        .arg(state.clock.now().timestamp_millis())
        .arg(u64::try_from(WINDOW.as_millis()).unwrap_or(u64::MAX))
        .arg(limit)
        .arg(shared::id::new().to_string())
        .invoke_async(&mut *state.redis.get().await?)
        .await?;
    if wait == 0 {
        return Ok(Ok(()));
    }
    Ok(Err(Obstacle::TooMany { limit, retry_after: Duration::from_secs(wait.div_ceil(1000)) }))
}
