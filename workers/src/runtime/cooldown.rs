//! Cooldowns of commands (specification C B11.2 for the names of the keys).

use std::{sync::LazyLock, time::Duration};

use redis::Script;
use shared::redis::Redis;
use uuid::Uuid;

use super::triggers::Cooldown;

static CLAIM: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("cooldown.lua")));

/// A cooldown must not hold up a chat line.
const REDIS_TIMEOUT: Duration = Duration::from_millis(250);

/// Whose use of which command it is.
pub struct Use<'a> {
    pub account_id: Uuid,
    pub event_id: Uuid,
    /// Where the chatter is; ids of users are those of the platform.
    pub platform: &'a str,
    pub user_id: &'a str,
    pub cooldown: &'a Cooldown,
}

/// The cooldowns of every command. Cheap to clone.
#[derive(Clone)]
pub struct Cooldowns {
    redis: Redis,
}

impl Cooldowns {
    pub const fn new(redis: Redis) -> Self {
        Self { redis }
    }

    /// Claims a use; false while the command rests. The same event may claim again: a job that runs a second time
    /// must not be stopped by its first run. While Redis is away or
    /// slow commands do not rest.
    pub async fn claim(&self, of: &Use<'_>) -> bool {
        match tokio::time::timeout(REDIS_TIMEOUT, self.claim_in_redis(of)).await {
            Ok(Ok(claimed)) => claimed,
            Err(_elapsed) => {
                tracing::debug!("a cooldown cannot be looked up: Redis is slow");
                true
            }
            Ok(Err(error)) => {
                tracing::debug!(%error, "a cooldown cannot be looked up");
                true
            }
        }
    }

    async fn claim_in_redis(&self, of: &Use<'_>) -> shared::Result<bool> {
        let command = self.redis.key(format_args!("cmd_cd:{}:{}", of.account_id, of.cooldown.command));
        let mut connection = self.redis.get().await?;
        Ok(CLAIM
            .key(format!("{command}:global"))
            .key(format!("{command}:user:{}:{}", of.platform, of.user_id))
            .arg(of.event_id.to_string())
            .arg(of.cooldown.global_secs)
            .arg(of.cooldown.user_secs)
            .invoke_async(&mut *connection)
            .await?)
    }
}
