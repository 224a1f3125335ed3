//! What is known of the target of a moderation from the account's own chat: whether a message was said there, and what a
//! chatter is called. YouTube and Kick are told only the message: without this, whoever acts could delete in every chat in
//! which they are a moderator.

use api_core::{Cx, Result};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use shared::{
    events::{Channel, Event},
    platforms::Platform,
};
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

/// What a chatter was called last. Looks at the latest lines first, as for a message.
///
/// # Errors
/// When nobody of that id is among them and the database fails.
pub(super) async fn name_of_chatter(
    cx: &Cx,
    account: Uuid,
    platform: Platform,
    user_id: &str,
) -> Result<Option<String>> {
    match line(cx, account, Some(platform), "platform_user_id", user_id).await {
        Ok(Some(line)) => return Ok(line.data["username"].as_str().map(str::to_owned)),
        Ok(None) => {}
        Err(error) => tracing::warn!(%error, "the latest lines of a chat cannot be read"),
    }
    let mut timeseries = cx.state().databases.timescaledb.get().await?;
    db::username(&mut timeseries, account, platform, user_id).await
}

/// When a message was said and by whom, if it is among the latest lines.
async fn told(
    cx: &Cx,
    account: Uuid,
    platform: Option<Platform>,
    message_id: &str,
) -> shared::Result<Option<(DateTime<Utc>, String)>> {
    let line = line(cx, account, platform, "platform_message_id", message_id).await?;
    Ok(line.map(|event| {
        let author = event.data["platform_user_id"].as_str().unwrap_or_default().to_owned();
        (event.timestamp, author)
    }))
}

/// The latest line with that value of a field, if it is among the latest events. A line of a test is on no platform.
async fn line(
    cx: &Cx,
    account: Uuid,
    platform: Option<Platform>,
    field: &str,
    value: &str,
) -> shared::Result<Option<Event>> {
    let named = |field: &str, value: &str| format!("\"{field}\":{}", json!(value));
    let mut texts = vec![named("event_type", "chat:message"), named(field, value)];
    texts.extend(platform.map(|platform| named("platform", platform.slug())));
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let found = cx.state().events.find(&Channel::Chat(account).to_string(), &texts).await?;
    Ok(found.filter(|event| event.event_type == "chat:message" && event.data["is_test"] != Value::Bool(true)))
}
