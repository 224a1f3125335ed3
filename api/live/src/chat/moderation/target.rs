//! Facts about the target of a moderation from the account's own chat: author of a message, name of a
//! chatter. YouTube and Kick receive only the message id. Without this check a caller could delete in every
//! chat in which the channel is a moderator (reference/chat.md#targets).

use api_core::{Cx, Result, access::SystemReason};
use chrono::{DateTime, Utc};
use foundation::events::{Channel, Event};
use serde_json::{Value, json};
use shared::platform::Platform;
use uuid::Uuid;

use super::db;
use crate::chat::acting::Acting;

/// Author of a message of the account's own chat. The latest lines are read first: a message is published
/// before it is stored, and of some accounts it is never stored.
///
/// # Errors
/// An error when the message is not among the latest lines and the database fails.
pub(super) async fn author_in_own_chat(
    cx: &Cx,
    account: Uuid,
    acting: &Acting,
    message_id: &str,
) -> Result<Option<String>> {
    let of_channel = |(at, author): (DateTime<Utc>, String)| {
        acting.channel_since.is_none_or(|since| at >= since).then_some(author)
    };
    match latest_message(cx, account, Some(acting.platform), message_id).await {
        Ok(Some(line)) => return Ok(of_channel(line)),
        Ok(None) => {}
        Err(error) => tracing::warn!(%error, "the latest lines of a chat cannot be read"),
    }
    let mut timeseries = cx.state().system(SystemReason::Moderation).timeseries().await?;
    let stored = db::find_stored(&mut timeseries, account, acting.platform, message_id).await?;
    Ok(stored.and_then(of_channel))
}

/// Author of a message whose deletion failed, if the message is among the latest lines: an erasure of that
/// person then finds the reason. Without a platform the message may be of any.
pub(super) async fn author_among_the_latest(
    cx: &Cx,
    account: Uuid,
    platform: Option<Platform>,
    message_id: &str,
) -> Option<String> {
    match latest_message(cx, account, platform, message_id).await {
        Ok(line) => line.map(|(_, author)| author),
        Err(error) => {
            tracing::warn!(%error, "the latest lines of a chat cannot be read");
            None
        }
    }
}

/// Last name of a chatter. The latest lines are read first, as for a message.
///
/// # Errors
/// An error when the user is not among them and the database fails.
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
    let mut timeseries = cx.state().system(SystemReason::Moderation).timeseries().await?;
    db::username(&mut timeseries, account, platform, user_id).await
}

/// Time and author of a message, if it is among the latest lines.
async fn latest_message(
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

/// Latest line with this value of a field, if it is among the latest events. Lines of tests are on no
/// platform and do not count.
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
