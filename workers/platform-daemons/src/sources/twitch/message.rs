//! Messages of the EventSub WebSocket (reference/platforms.md#eventsub-websocket).

use std::time::Duration;

use chrono::DateTime;
use live_model::inbox::{Inbound, storable};
use serde_json::{Value, json};
use shared::platform::Platform;

/// Maximum length of a message's id, in bytes.
const MAX_ID_LENGTH: usize = 128;
/// Minimum keep-alive interval in seconds, whatever Twitch states.
const MIN_KEEPALIVE_SECS: u64 = 1;
/// Maximum keep-alive interval in seconds, whatever Twitch states.
const MAX_KEEPALIVE_SECS: u64 = 600;

/// Session of a welcome message.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Session {
    pub id: String,
    /// Maximum time of silence from Twitch.
    pub keepalive: Duration,
}

/// Message from Twitch.
#[derive(Debug, PartialEq)]
pub(super) enum Message {
    /// Notification or end of a subscription, in the form of a webhook.
    Delivery(Inbound),
    /// Address that the session moves to.
    Reconnect(String),
    Other,
}

/// Returns the session of a welcome; `None` for any other message.
pub(super) fn welcome(message: &Value, default: Duration) -> Option<Session> {
    if message["metadata"]["message_type"] != "session_welcome" {
        return None;
    }
    let session = &message["payload"]["session"];
    let stated = session["keepalive_timeout_seconds"].as_u64();
    let keepalive = stated
        .map_or(default, |secs| Duration::from_secs(secs.clamp(MIN_KEEPALIVE_SECS, MAX_KEEPALIVE_SECS)));
    Some(Session { id: session["id"].as_str()?.to_owned(), keepalive })
}

pub(super) fn read(mut message: Value) -> Message {
    // Fields can be taken out of objects only.
    if !message.is_object() {
        return Message::Other;
    }
    let metadata = message["metadata"].take();
    let payload = message["payload"].take();
    match metadata["message_type"].as_str() {
        Some("notification") if payload["event"].is_object() => delivery(&metadata, payload, None),
        Some("revocation") => delivery(&metadata, payload, Some("revocation")),
        Some("session_reconnect") => payload["session"]["reconnect_url"]
            .as_str()
            .map_or(Message::Other, |url| Message::Reconnect(url.to_owned())),
        _ => Message::Other,
    }
}

fn delivery(metadata: &Value, payload: Value, event_type: Option<&str>) -> Message {
    let read = || {
        let id = metadata["message_id"].as_str().filter(|id| (1..=MAX_ID_LENGTH).contains(&id.len()))?;
        let event_type = event_type.or_else(|| payload["subscription"]["type"].as_str())?;
        let sent_at = DateTime::parse_from_rfc3339(metadata["message_timestamp"].as_str()?).ok()?;
        Some((id.to_owned(), event_type.to_owned(), sent_at.to_utc()))
    };
    let Some((delivery_id, event_type, sent_at)) = read() else {
        tracing::warn!("a notification of Twitch is not readable");
        return Message::Other;
    };
    let body = json!({ "subscription": payload["subscription"], "event": payload["event"] });
    Message::Delivery(Inbound {
        platform: Platform::Twitch,
        delivery_id,
        event_type,
        body: storable(body),
        sent_at,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: &str, payload: Value) -> Value {
        json!({
            "metadata": { "message_id": "m", "message_type": kind, "message_timestamp": "2026-11-21T10:00:00.1Z" },
            "payload": payload,
        })
    }

    #[test]
    fn message_of_a_notification_is_a_webhook_delivery() {
        let payload = json!({ "subscription": { "type": "channel.follow" }, "event": { "user_id": "1" } });
        let Message::Delivery(delivery) = read(message("notification", payload.clone())) else { panic!() };
        assert_eq!((delivery.delivery_id.as_str(), delivery.event_type.as_str()), ("m", "channel.follow"));
        assert_eq!(delivery.body, payload);
    }

    #[test]
    fn message_that_is_incomplete_is_ignored() {
        let mut unnamed = message("notification", json!({ "subscription": {}, "event": {} }));
        assert_eq!(read(unnamed.clone()), Message::Other);
        unnamed["metadata"]["message_timestamp"] = json!("yesterday");
        for odd in
            [unnamed, message("notification", json!({})), message("session_reconnect", json!({})), json!(1)]
        {
            assert_eq!(read(odd), Message::Other);
        }
    }

    #[test]
    fn welcome_names_its_session() {
        let payload = json!({ "session": { "id": "s", "keepalive_timeout_seconds": 3 } });
        let session = welcome(&message("session_welcome", payload.clone()), Duration::from_secs(9)).unwrap();
        assert_eq!((session.id.as_str(), session.keepalive), ("s", Duration::from_secs(3)));
        assert!(welcome(&message("session_keepalive", payload), Duration::from_secs(9)).is_none());
    }
}
