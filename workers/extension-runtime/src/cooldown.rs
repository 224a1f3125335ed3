//! Cooldowns of commands (reference/bots.md#cooldowns).

use std::{sync::LazyLock, time::Duration};

use foundation::redis::Redis;
use redis::Script;
use uuid::Uuid;

use super::triggers::Cooldown;

static CLAIM: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("cooldown.lua")));

/// Maximum wait for a cooldown, which must not delay a chat line.
const REDIS_TIMEOUT: Duration = Duration::from_millis(250);

/// Use of a command by a chatter.
pub struct CommandUse<'a> {
    /// Account of the command.
    pub account_id: Uuid,
    /// Event that uses the command.
    pub event_id: Uuid,
    /// Platform of the chatter.
    pub platform: &'a str,
    /// Platform's id of the chatter.
    pub user_id: &'a str,
    /// Cooldown of the command.
    pub cooldown: &'a Cooldown,
}

/// Cooldowns of every command. Cheap to clone.
#[derive(Clone)]
pub struct Cooldowns {
    redis: Redis,
}

impl Cooldowns {
    /// Returns the cooldowns in a Redis.
    pub const fn new(redis: Redis) -> Self {
        Self { redis }
    }

    /// Claims a use; false during a cooldown. The same event may claim again: a job that runs a second time
    /// must not be stopped by its first run. While Redis is away or slow, commands have no cooldown.
    pub async fn claim(&self, of: &CommandUse<'_>) -> bool {
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

    async fn claim_in_redis(&self, of: &CommandUse<'_>) -> shared::Result<bool> {
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
