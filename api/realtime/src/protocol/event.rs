//! Events as frames: from a published message to the frame that every socket gets
//! (reference/realtime.md#event-log).

use bytes::Bytes;
use chrono::{DateTime, Utc};
use foundation::events::Position;
use serde::Deserialize;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::ServerFrame;

/// An event, ready to be sent.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// Position in the log; `None` when the event was published past the log, so that a resume after it is
    /// not possible.
    pub position: Option<Position>,
    /// The frame as it goes over the wire.
    pub frame: Bytes,
    /// The message as it was published, for feeds, which make frames of their own; `None` without a feed.
    pub source: Option<Bytes>,
}

/// Entry of the log, or the bare pair that workers may publish.
#[derive(Deserialize)]
pub struct Published<'a> {
    /// Position in the log.
    #[serde(default)]
    pub position: Option<Position>,
    /// Id of the event.
    #[serde(default)]
    pub id: Option<Uuid>,
    /// Type of the event.
    #[serde(borrow)]
    pub event_type: &'a RawValue,
    /// Content of the event.
    #[serde(borrow)]
    pub data: &'a RawValue,
    /// Time of the event.
    #[serde(borrow, default)]
    pub timestamp: Option<&'a RawValue>,
}

impl Published<'_> {
    /// Id of the event, or a new one, and its frame on a channel with another type and content.
    ///
    /// # Errors
    /// None in practice: raw JSON can be written.
    pub fn frame_as(
        &self,
        channel: &str,
        event_type: &RawValue,
        data: &RawValue,
        now: DateTime<Utc>,
    ) -> serde_json::Result<(Uuid, Bytes)> {
        let id = match self.id {
            Some(id) => id,
            None => shared::id::new(),
        };
        let written;
        let timestamp = match self.timestamp {
            Some(timestamp) => timestamp,
            None => {
                written = serde_json::value::to_raw_value(&shared::clock::rfc3339(now))?;
                &*written
            }
        };
        let frame = ServerFrame::Event { channel, event_type, data, id, timestamp }.encode()?;
        Ok((id, frame))
    }
}

impl Delivery {
    /// Makes the frame around `event_type` and `data` as they were written.
    ///
    /// # Errors
    /// An error when the message is not an event.
    pub fn read(channel: &str, message: &[u8], now: DateTime<Utc>) -> serde_json::Result<Self> {
        let published: Published<'_> = serde_json::from_slice(message)?;
        let (_, frame) = published.frame_as(channel, published.event_type, published.data, now)?;
        Ok(Self { position: published.position, frame, source: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn body(delivery: &Delivery) -> Value {
        let start = delivery.frame.iter().position(|byte| *byte == b'{').unwrap();
        serde_json::from_slice(&delivery.frame[start..]).unwrap()
    }

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp_millis(1_700_000_000_000).unwrap()
    }

    #[test]
    fn event_from_the_log_keeps_its_text() {
        let id = Uuid::now_v7();
        let message = format!(
            r#"{{"position":"5-1","id":"{id}","channel":"chat:x","event_type":"chat:message","data":{{"n":1.10,"t":"\u00e9\"}}"}},"timestamp":"2026-01-01T00:00:00.000Z"}}"#
        );
        let delivery = Delivery::read("chat:x", message.as_bytes(), now()).unwrap();
        assert_eq!(delivery.position, Some("5-1".parse().unwrap()));
        assert!(String::from_utf8_lossy(&delivery.frame).contains(r#""data":{"n":1.10,"t":"\u00e9\"}"}"#));
        let body = body(&delivery);
        assert_eq!(body["type"], "event");
        assert_eq!(body["channel"], "chat:x");
        assert_eq!(body["event_type"], "chat:message");
        assert_eq!(body["id"], id.to_string());
        assert_eq!(body["timestamp"], "2026-01-01T00:00:00.000Z");
    }

    #[test]
    fn event_without_id_and_time_gets_both() {
        let delivery = Delivery::read("chat:x", br#"{"event_type":"a","data":{}}"#, now()).unwrap();
        assert_eq!(delivery.position, None);
        let body = body(&delivery);
        assert_eq!(body["data"], json!({}));
        assert_eq!(body["timestamp"], "2023-11-14T22:13:20.000Z");
        assert_eq!(body["id"].as_str().unwrap().parse::<Uuid>().unwrap().get_version_num(), 7);
    }

    #[test]
    fn event_refuses_other_messages() {
        for message in [&b"{}"[..], b"", b"[]", br#"{"type":"stop"}"#, b"\xff"] {
            assert!(Delivery::read("chat:x", message, now()).is_err());
        }
    }
}
