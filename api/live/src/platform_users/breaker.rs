//! Keeps an account from asking a platform that does not answer (specification C B13): open after five failures in five
//! minutes, after a minute one call tries whether it answers again. All processes share what they learn.

use std::sync::LazyLock;

use api_core::State;
use redis::Script;

use super::profile::Subject;

const FAILURES: usize = 5;
const WINDOW_MS: i64 = 5 * 60 * 1000;
const OPEN_MS: i64 = 60 * 1000;
/// A trial whose process died is over after this long.
const TRIAL_MS: i64 = 30 * 1000;

/// KEYS: state, failures. ARGV: now, open, trial. Answers 1 when a call may be made.
static LETS_THROUGH: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local opened = tonumber(redis.call('HGET', KEYS[1], 'opened') or '')
         if not opened then return 1 end
         local now = tonumber(ARGV[1])
         if now - opened < tonumber(ARGV[2]) then return 0 end
         local trial = tonumber(redis.call('HGET', KEYS[1], 'trial') or '')
         if trial and now - trial < tonumber(ARGV[3]) then return 0 end
         redis.call('HSET', KEYS[1], 'trial', ARGV[1])
         return 1",
    )
});

/// KEYS: state, failures. ARGV: now, id of the failure, window, most failures.
static FAILED: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local now = tonumber(ARGV[1])
         redis.call('ZADD', KEYS[2], now, ARGV[2])
         redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - tonumber(ARGV[3]))
         redis.call('PEXPIRE', KEYS[2], ARGV[3])
         local is_open = redis.call('HEXISTS', KEYS[1], 'opened') == 1
         if is_open or redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[4]) then
             redis.call('HSET', KEYS[1], 'opened', ARGV[1])
             redis.call('HDEL', KEYS[1], 'trial')
             redis.call('PEXPIRE', KEYS[1], ARGV[3])
         end",
    )
});

/// The breaker of an account and a platform.
pub(super) struct Breaker<'a> {
    state: &'a State,
    keys: [String; 2],
}

impl<'a> Breaker<'a> {
    pub fn of(state: &'a State, subject: &Subject) -> Self {
        let Subject { account, platform, .. } = subject;
        let key = |name: &str| state.redis.key(format_args!("profile_breaker:{account}:{platform}:{name}"));
        Self { state, keys: [key("state"), key("failures")] }
    }

    /// Whether a call may be made. Without Redis nothing is known, and it may.
    pub async fn lets_through(&self) -> bool {
        self.ask().await.unwrap_or_else(|error| {
            tracing::warn!(%error, "a breaker cannot be read");
            true
        })
    }

    pub async fn succeeded(&self) {
        note(self.close().await);
    }

    pub async fn failed(&self) {
        note(self.count_failure().await);
    }

    async fn ask(&self) -> shared::Result<bool> {
        let mut call = LETS_THROUGH.prepare_invoke();
        call.key(&self.keys[..]).arg(self.now()).arg(OPEN_MS).arg(TRIAL_MS);
        Ok(call.invoke_async(&mut *self.state.redis.get().await?).await?)
    }

    async fn close(&self) -> shared::Result<()> {
        let mut redis = self.state.redis.get().await?;
        redis::cmd("DEL").arg(&self.keys[..]).query_async::<()>(&mut *redis).await?;
        Ok(())
    }

    async fn count_failure(&self) -> shared::Result<()> {
        let mut call = FAILED.prepare_invoke();
        call.key(&self.keys[..]).arg(self.now()).arg(shared::id::new().to_string());
        call.arg(WINDOW_MS).arg(FAILURES);
        call.invoke_async::<()>(&mut *self.state.redis.get().await?).await?;
        Ok(())
    }

    fn now(&self) -> i64 {
        self.state.clock.now().timestamp_millis()
    }
}

fn note(answer: shared::Result<()>) {
    if let Err(error) = answer {
        tracing::warn!(%error, "a breaker cannot be moved");
    }
}
