//! Cooldown of profile refreshes: one in ten minutes (reference/chat.md#profile-refresh).

use std::sync::LazyLock;

use api_core::{Result, State};
use redis::Script;

use super::subject::Subject;

const COOLDOWN_MS: i64 = 10 * 60 * 1000;

/// Begins the cooldown, or returns the milliseconds that are left of it.
static BEGIN: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local began = tonumber(redis.call('GET', KEYS[1]) or '')
         local left = began and began + tonumber(ARGV[2]) - tonumber(ARGV[1]) or 0
         if left > 0 then return left end
         redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
         return 0",
    )
});

/// Begins the cooldown of a user in an account. Returns the seconds that are left of a running one.
pub(super) async fn begin(state: &State, subject: &Subject) -> Result<Option<u64>> {
    let Subject { account, platform, user_id } = subject;
    let key = state.redis.key(format_args!("profile_refresh:{account}:{platform}:{user_id}"));
    let now = state.clock.now().timestamp_millis();
    let mut call = BEGIN.key(key);
    let mut redis = state.redis.get().await?;
    let left: u64 = call.arg(now).arg(COOLDOWN_MS).invoke_async(&mut *redis).await?;
    Ok((left > 0).then(|| left.div_ceil(1000)))
}
