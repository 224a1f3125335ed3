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
}

/// Entry of the log, or the bare pair that workers may publish.
#[derive(Deserialize)]
struct Published<'a> {
    #[serde(default)]
    position: Option<Position>,
    #[serde(default)]
    id: Option<Uuid>,
    #[serde(borrow)]
    event_type: &'a RawValue,
    #[serde(borrow)]
    data: &'a RawValue,
    #[serde(borrow, default)]
    timestamp: Option<&'a RawValue>,
}

impl Delivery {
    /// Makes the frame around `event_type` and `data` as they were written.
    ///
    /// # Errors
    /// An error when the message is not an event.
    pub fn read(channel: &str, message: &[u8], now: DateTime<Utc>) -> serde_json::Result<Self> {
        let published: Published<'_> = serde_json::from_slice(message)?;
        let id = match published.id {
            Some(id) => id,
            None => shared::id::new(),
        };
        let written;
        let timestamp = match published.timestamp {
            Some(timestamp) => timestamp,
            None => {
                written = serde_json::value::to_raw_value(&shared::clock::rfc3339(now))?;
                &*written
            }
        };
        let (event_type, data) = (published.event_type, published.data);
        let frame = ServerFrame::Event { channel, event_type, data, id, timestamp };
        Ok(Self { position: published.position, frame: frame.encode()? })
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
