//! Budget of calls to a platform, which all copies share in Redis (reference/public-stats.md#budgets). A pause
//! stops every copy: the platform requested it, or failed.

use std::{sync::LazyLock, time::Duration};

use foundation::redis::{Redis, milliseconds};
use redis::{AsyncCommands, Script};
use shared::{Result, platform::Platform};

static TAKE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("take.lua")));
static PAUSE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("pause.lua")));
static FAIL: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("fail.lua")));

/// Pause after the first of several failures.
const MIN_FAILURE_PAUSE: Duration = Duration::from_secs(1);
/// Longest pause after failures.
const MAX_FAILURE_PAUSE: Duration = Duration::from_secs(300);
/// Part of a pause that is random, in thousandths.
const JITTER: u32 = 500;

/// Rate of calls with one application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Calls that may follow each other without a pause.
    pub burst: u32,
    /// Calls of a minute beside them. No minute has more calls than both together.
    pub per_minute: u32,
}

/// Rate of a platform. The published limits are 800 calls a minute on Twitch and 1,200 on Trovo, of which the
/// crawler takes half. Kick publishes none. The quota of YouTube is counted by the day
/// (reference/platforms.md#public-directories).
#[must_use]
pub const fn rate(platform: Platform) -> Rate {
    match platform {
        Platform::Twitch => Rate { burst: 40, per_minute: 360 },
        Platform::Trovo => Rate { burst: 60, per_minute: 540 },
        _ => Rate { burst: 20, per_minute: 100 },
    }
}

/// Urgency of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Priority {
    /// Figures of channels.
    Samples,
    /// Profiles and catalogues, which leave half of a burst to the others.
    Background,
}

/// Budget of one platform.
pub(super) struct Budget {
    redis: Redis,
    platform: Platform,
}

/// Result of taking a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Taken {
    /// Time until a token may be taken; zero when it was taken.
    pub wait: Duration,
    /// True when the last call failed.
    pub follows_failure: bool,
}

impl Budget {
    /// Budget of a platform that all copies share.
    pub fn new(redis: &Redis, platform: Platform) -> Self {
        Self { redis: redis.clone(), platform }
    }

    /// Takes a token of an application.
    pub async fn take(&self, client_id: &str, priority: Priority) -> Result<Taken> {
        let Rate { burst, per_minute } = rate(self.platform);
        let remaining = match priority {
            Priority::Samples => 0,
            Priority::Background => burst / 2,
        };
        let key = self.key(format!("budget:{client_id}"));
        let (wait, failures): (u64, u64) = TAKE
            .key(key)
            .key(self.key("pause"))
            .key(self.key("failures"))
            .arg(burst)
            .arg(per_minute)
            .arg(remaining)
            .invoke_async(&mut *self.redis.get().await?)
            .await?;
        Ok(Taken { wait: Duration::from_millis(wait), follows_failure: failures > 0 })
    }

    /// Keeps every copy from calling the platform for this time.
    pub async fn pause(&self, pause: Duration) -> Result<()> {
        let pause = milliseconds(pause).max(1);
        PAUSE.key(self.key("pause")).arg(pause).invoke_async::<()>(&mut *self.redis.get().await?).await?;
        Ok(())
    }

    /// Counts a failure of the platform, which pauses every copy. Returns the pause.
    pub async fn fail(&self) -> Result<Duration> {
        let pause: u64 = FAIL
            .key(self.key("pause"))
            .key(self.key("failures"))
            .arg(milliseconds(MIN_FAILURE_PAUSE))
            .arg(milliseconds(MAX_FAILURE_PAUSE))
            .arg(rand::random_range(0..JITTER))
            .invoke_async(&mut *self.redis.get().await?)
            .await?;
        Ok(Duration::from_millis(pause))
    }

    /// Ends a row of failures after a success.
    pub async fn recover(&self) -> Result<()> {
        let () = self.redis.get().await?.del(self.key("failures")).await?;
        Ok(())
    }

    fn key(&self, name: impl std::fmt::Display) -> String {
        self.redis.key(format_args!("crawler:{}:{name}", self.platform))
    }
}
