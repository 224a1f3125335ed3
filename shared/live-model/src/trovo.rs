//! Chat of Trovo, from its socket and from deliveries of the same form
//! (reference/platforms.md#trovo-chat-socket).

use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::inbox::{Inbound, storable};
use shared::platform::Platform;

/// Chats of one message. The socket sends about a hundred at most when it opens.
const MAX_CHATS: usize = 1000;
const MAX_ID_LENGTH: usize = 128;
/// Age at the opening of the socket from which a chat is history. It gets no replies.
const HISTORY_AGE: Duration = Duration::seconds(60);

/// Chats under `data` of a message, each as a separate delivery with the body
/// `{ channel_id, chat, is_history }`. `None` when it is not the data of a `CHAT` message.
#[must_use]
pub fn chats(
    channel_id: &str,
    data: &Value,
    now: DateTime<Utc>,
    opened_at: Option<DateTime<Utc>>,
) -> Option<Vec<Inbound>> {
    let chats = data["chats"].as_array().filter(|chats| chats.len() <= MAX_CHATS)?;
    chats.iter().map(|chat| inbound(channel_id, chat, now, opened_at)).collect()
}

fn inbound(
    channel_id: &str,
    chat: &Value,
    now: DateTime<Utc>,
    opened_at: Option<DateTime<Utc>>,
) -> Option<Inbound> {
    let kind = chat["type"].as_i64()?;
    let sent_at = chat["send_time"].as_i64().and_then(|secs| DateTime::from_timestamp(secs, 0));
    let sent_at = sent_at.unwrap_or(now);
    let is_history = opened_at.is_some_and(|opened_at| sent_at < opened_at - HISTORY_AGE);
    let body = storable(json!({ "channel_id": channel_id, "chat": chat, "is_history": is_history }));
    Some(Inbound {
        platform: Platform::Trovo,
        delivery_id: delivery_id(channel_id, chat),
        event_type: format!("chat.{kind}"),
        body,
        sent_at,
    })
}

/// Id of the chat on Trovo, or a hash of text, writer and time where there is none.
fn delivery_id(channel_id: &str, chat: &Value) -> String {
    let given = chat["message_id"].as_str().filter(|id| (1..=MAX_ID_LENGTH).contains(&id.len()));
    given.map_or_else(
        || {
            let digest = Sha256::digest(format!("{channel_id}\n{chat}").as_bytes());
            hex::encode(&digest[..16])
        },
        str::to_owned,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chats_are_named_by_their_id_or_by_what_they_are() {
        let now = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
        let data = json!({ "eid": "e", "chats": [
            { "type": 0, "message_id": "m1", "content": "hi", "send_time": 1_699_999_999 },
            { "type": 5012, "content": "stream_on", "send_time": 1_600_000_000 },
        ] });
        let read = chats("7", &data, now, Some(now)).unwrap();
        assert_eq!((read[0].delivery_id.as_str(), read[0].event_type.as_str()), ("m1", "chat.0"));
        assert_eq!((read[1].delivery_id.len(), &read[1].body["is_history"]), (32, &json!(true)));
        assert_eq!(read[0].body["is_history"], json!(false));
        assert_eq!(chats("7", &data, now, None).unwrap()[1].delivery_id, read[1].delivery_id);
        for wrong in [json!({}), json!({ "chats": 1 }), json!({ "chats": [{}] }), json!(null)] {
            assert_eq!(chats("7", &wrong, now, None), None, "{wrong}");
        }
    }
}
