//! How fast something may be done, counted exactly and over all processes.

use std::{
    fmt::{self, Display},
    sync::LazyLock,
    time::Duration,
};

use api_core::{
    ApiError, Cx, Result, State,
    http::{Policy, Verdict},
};
use redis::Script;

const WINDOW: Duration = Duration::from_secs(30);
const WINDOW_SECONDS: i64 = 30;

/// Counts one unless the window is full; answers how many milliseconds it stays so, or 0, and whether none was refused in
/// the time of a window before. KEYS: what was counted, when one was refused.
static TAKE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local now, window, most = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]) \
         redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window) \
         if redis.call('ZCARD', KEYS[1]) >= most then \
           local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES') \
           local wait = math.max(1, math.floor(tonumber(oldest[2]) + window - now)) \
           local refused = tonumber(redis.call('GET', KEYS[2]) or '') \
           if refused and now - refused < window then return {wait, 0} end \
           redis.call('SET', KEYS[2], ARGV[1], 'PX', window) \
           return {wait, 1} \
         end \
         redis.call('ZADD', KEYS[1], now, ARGV[4]) \
         redis.call('PEXPIRE', KEYS[1], window) \
         return {0, 0}",
    )
});

/// What has a pace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paced {
    /// Chat messages of an account on a platform.
    Messages,
    /// Moderation actions of an account on a platform.
    Moderation,
    /// Events that an install emits.
    Emits,
}

/// As many were done as may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooFast {
    pub what: Paced,
    pub limit: u32,
    pub retry_after: Duration,
    /// Whether it is the first that is refused in 30 seconds.
    pub is_first: bool,
}

impl Paced {
    const fn name(self) -> &'static str {
        match self {
            Self::Messages => "chat_sends",
            Self::Moderation => "chat_moderation",
            Self::Emits => "events_emits",
        }
    }

    /// Counts one that is about to be done, of whoever `of` names, unless as many were done in the last 30 seconds as
    /// may be.
    ///
    /// # Errors
    /// When Redis cannot be reached.
    pub async fn take(self, state: &State, of: &str) -> Result<Result<(), TooFast>> {
        let limits = &state.config.rate_limits;
        let limit = match self {
            Self::Messages => limits.chat_send,
            Self::Moderation => limits.chat_moderate,
            Self::Emits => limits.events_emit,
        };
        let name = self.name();
        let (wait, is_first): (u64, bool) = TAKE
            .key(state.redis.key(format!("{name}:{of}")))
            .key(state.redis.key(format!("{name}:refused:{of}")))
            .arg(state.clock.now().timestamp_millis())
            .arg(u64::try_from(WINDOW.as_millis()).unwrap_or(u64::MAX))
            .arg(limit)
            .arg(shared::id::new().to_string())
            .invoke_async(&mut *state.redis.get().await?)
            .await?;
        if wait == 0 {
            return Ok(Ok(()));
        }
        let retry_after = Duration::from_secs(wait.div_ceil(1000));
        Ok(Err(TooFast { what: self, limit, retry_after, is_first }))
    }
}

impl Display for TooFast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.what {
            Paced::Messages => "messages in 30 seconds may be sent",
            Paced::Moderation => "moderation actions in 30 seconds may be taken",
            Paced::Emits => "events in 30 seconds may be emitted",
        };
        write!(f, "At most {} {what}", self.limit)
    }
}

impl TooFast {
    /// The refusal, with the headers of this limit instead of the caller's tier.
    pub fn refusal(&self, cx: &Cx) -> ApiError {
        let (now, wait) = (cx.state().clock.now().timestamp(), self.retry_after.as_secs());
        let reset = now.saturating_add(i64::try_from(wait).unwrap_or(i64::MAX));
        let policy = Policy { name: self.what.name(), limit: self.limit, seconds: WINDOW_SECONDS };
        let verdict = Verdict { policy, remaining: 0, reset, wait, retry_after: Some(wait) };
        match cx.refuse_over(&verdict) {
            Err(refusal) => refusal,
            Ok(()) => ApiError::internal("a passed limit was not refused"),
        }
    }
}
