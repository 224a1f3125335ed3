//! Whether a message that is to be deleted was said in the account's own chat. YouTube and Kick are told only the message:
//! without this, whoever acts could delete in every chat in which they are a moderator.

use api_core::{Cx, Result};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use shared::{events::Channel, platforms::Platform};
use uuid::Uuid;

use super::db;
use crate::chat::acting::Acting;

/// Who said the message, if it was said in the account's own chat. Looks at the latest lines first: a message is told
/// before it is stored, and of some accounts it never is.
///
/// # Errors
/// When the message is not among the latest lines and the database fails.
pub(super) async fn author_in_own_chat(
    cx: &Cx,
    account: Uuid,
    acting: &Acting,
    message_id: &str,
) -> Result<Option<String>> {
    let of_channel = |(at, author): (DateTime<Utc>, String)| {
        acting.channel_since.is_none_or(|since| at >= since).then_some(author)
    };
    match told(cx, account, Some(acting.platform), message_id).await {
        Ok(Some(line)) => return Ok(of_channel(line)),
        Ok(None) => {}
        Err(error) => tracing::warn!(%error, "the latest lines of a chat cannot be read"),
    }
    let mut timeseries = cx.state().databases.timescaledb.get().await?;
    let stored = db::said(&mut timeseries, account, acting.platform, message_id).await?;
    Ok(stored.and_then(of_channel))
}

/// Who said a message that is not deleted, if it is among the latest lines: an erasure of that person finds what was said
/// about it. Without a platform it may be of any.
pub(super) async fn author_among_the_latest(
    cx: &Cx,
    account: Uuid,
    platform: Option<Platform>,
    message_id: &str,
) -> Option<String> {
    match told(cx, account, platform, message_id).await {
        Ok(line) => line.map(|(_, author)| author),
        Err(error) => {
            tracing::warn!(%error, "the latest lines of a chat cannot be read");
            None
        }
    }
}

/// When a message was said and by whom, if it is among the latest lines. A line of a test is on no platform.
async fn told(
    cx: &Cx,
    account: Uuid,
    platform: Option<Platform>,
    message_id: &str,
) -> shared::Result<Option<(DateTime<Utc>, String)>> {
    let named = format!("\"platform_message_id\":{}", json!(message_id));
    let found = cx.state().events.find(&Channel::Chat(account).to_string(), &named).await?;
    Ok(found
        .filter(|event| event.event_type == "chat:message")
        .filter(|event| platform.is_none_or(|platform| event.data["platform"] == platform.slug()))
        .filter(|event| event.data["is_test"] != Value::Bool(true))
        .map(|event| {
            let author = event.data["platform_user_id"].as_str().unwrap_or_default().to_owned();
            (event.timestamp, author)
        }))
}
