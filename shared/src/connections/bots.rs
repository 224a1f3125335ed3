//! How bots are told to come and go, and how they show that they are there (C §9, §10, B17).

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Result, redis::Redis};

/// What a bot is to do in an account's channel on a platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BotAction {
    #[serde(rename = "bot_join")]
    Join,
    #[serde(rename = "bot_leave")]
    Leave,
    /// Read again what is stored, and leave and join as it says.
    #[serde(rename = "bot_sync")]
    Sync,
}

/// The control frame on `bot:action:{platform}:{account_id}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotControl {
    #[serde(rename = "type")]
    pub action: BotAction,
    pub platform: String,
    pub account_id: Uuid,
}

/// Tells the bots of a platform, after the commit. Bots also read what is stored from time to time, so that a frame
/// that nobody heard delays and loses nothing.
///
/// # Errors
/// When Redis cannot be reached.
pub async fn tell(redis: &Redis, platform: &str, account_id: Uuid, action: BotAction) -> Result<()> {
    let frame = BotControl { action, platform: platform.to_owned(), account_id };
    let channel = redis.key(format_args!("bot:action:{platform}:{account_id}"));
    redis.publish(&channel, &serde_json::to_vec(&frame)?).await
}

/// Where a bot writes, every few seconds, when it was last in an account's channel: RFC 3339, forgotten after 30 s.
#[must_use]
pub fn heartbeat_key(redis: &Redis, platform: &str, account_id: Uuid) -> String {
    redis.key(format_args!("bot:heartbeat:{platform}:{account_id}"))
}

/// When bots last showed themselves, in the order asked; `None` for one that did not within 30 s. One command,
/// whatever the number.
///
/// # Errors
/// When Redis cannot be reached.
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
