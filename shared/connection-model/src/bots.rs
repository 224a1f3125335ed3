//! Control frames and heartbeats of bots (reference/connections.md#bot-frames).

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use foundation::redis::Redis;
use shared::Result;

/// Action of a bot in an account's channel on a platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BotAction {
    /// Joins the channel.
    #[serde(rename = "bot_join")]
    Join,
    /// Leaves the channel.
    #[serde(rename = "bot_leave")]
    Leave,
    /// Reads the stored state again, and leaves or joins accordingly.
    #[serde(rename = "bot_sync")]
    Sync,
}

/// Control frame on `bot:action:{platform}:{account_id}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotControl {
    /// Action of the bot.
    #[serde(rename = "type")]
    pub action: BotAction,
    /// Slug of the platform.
    pub platform: String,
    /// Account of the channel.
    pub account_id: Uuid,
}

/// Publishes a control frame to the bots of a platform. Call it after the commit. Bots also read the stored
/// state from time to time, so that a lost frame delays the action and loses nothing.
///
/// # Errors
/// A failure of Redis.
pub async fn publish(redis: &Redis, platform: &str, account_id: Uuid, action: BotAction) -> Result<()> {
    let frame = BotControl { action, platform: platform.to_owned(), account_id };
    let channel = redis.key(format_args!("bot:action:{platform}:{account_id}"));
    redis.publish(&channel, &serde_json::to_vec(&frame)?).await
}

/// Key to which a bot writes, every few seconds, the time of its last presence in an account's channel: RFC
/// 3339, expires after 30 s.
#[must_use]
pub fn heartbeat_key(redis: &Redis, platform: &str, account_id: Uuid) -> String {
    redis.key(format_args!("bot:heartbeat:{platform}:{account_id}"))
}

/// Times of the last presence of bots, in the order of `asked`; `None` for one without a heartbeat within 30
/// s. One command for all of them.
///
/// # Errors
/// A failure of Redis.
pub async fn heartbeats(redis: &Redis, asked: &[(&str, Uuid)]) -> Result<Vec<Option<DateTime<Utc>>>> {
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let mut command = redis::cmd("MGET");
    for (platform, account_id) in asked {
        command.arg(heartbeat_key(redis, platform, *account_id));
    }
    let texts: Vec<Option<String>> = command.query_async(&mut *redis.get().await?).await?;
    let time = |text: String| DateTime::parse_from_rfc3339(&text).ok().map(|at| at.to_utc());
    Ok(texts.into_iter().map(|text| text.and_then(time)).collect())
}
