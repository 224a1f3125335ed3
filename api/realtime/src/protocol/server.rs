//! What the server says.

use actix_http::ws::{OpCode, Parser};
use bytes::{Bytes, BytesMut};
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{ErrorCode, shapes};

/// A frame that the server sends.
#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerFrame<'a> {
    /// The first one.
    Connected {
        session_id: Uuid,
        /// How often the server pings; a client that is not heard for 75 seconds is cut off.
        heartbeat_interval_ms: u64,
        #[serde(serialize_with = "shared::clock::serialize_rfc3339")]
        #[schema(schema_with = shapes::time)]
        server_time: DateTime<Utc>,
    },
    /// Something happened on a channel that the client listens to.
    Event {
        channel: &'a str,
        /// One of the channel's event types.
        #[schema(schema_with = shapes::text)]
        event_type: &'a RawValue,
        /// What the event type carries.
        #[schema(schema_with = shapes::object)]
        data: &'a RawValue,
        /// UUID version 7; names the event in `after`.
        id: Uuid,
        #[schema(schema_with = shapes::time)]
        timestamp: &'a RawValue,
    },
    /// The client listens from now on.
    Subscribed {
        channel: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(schema_with = shapes::request_id, required = false)]
        request_id: Option<&'a RawValue>,
        /// Only when `after` was given: whether exactly what was missed follows.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        recovered: Option<bool>,
    },
    /// The client listens no longer.
    Unsubscribed {
        channel: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(schema_with = shapes::request_id, required = false)]
        request_id: Option<&'a RawValue>,
        /// Only when it was not asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        reason: Option<UnsubscribeReason>,
    },
    /// What the client published was taken.
    Ack {
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(schema_with = shapes::request_id, required = false)]
        request_id: Option<&'a RawValue>,
    },
    /// What a call answered.
    Result {
        #[schema(schema_with = shapes::request_id)]
        request_id: &'a RawValue,
        #[schema(schema_with = shapes::anything)]
        data: &'a RawValue,
    },
    /// The answer to a sign of life.
    Pong {
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(schema_with = shapes::anything, required = false)]
        ts: Option<&'a RawValue>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(schema_with = shapes::request_id, required = false)]
        request_id: Option<&'a RawValue>,
    },
    /// A request is not done, or the end is near: the two `TOKEN_` codes come before the socket is closed, all others
    /// keep it open.
    Error {
        code: ErrorCode,
        message: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        channel: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(schema_with = shapes::request_id, required = false)]
        request_id: Option<&'a RawValue>,
    },
}

/// Why the server ended a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum UnsubscribeReason {
    PermissionRevoked,
    FeatureDisabled,
    /// What the channel is of is no more.
    ResourceDeleted,
}

impl ServerFrame<'_> {
    /// The frame as it goes over the wire.
    ///
    /// # Errors
    /// Never in practice: every field has a text form.
    pub fn encode(&self) -> serde_json::Result<Bytes> {
        serde_json::to_string(self).map(|text| text_frame(&text))
    }
}

/// A text frame of the wire. Frames of a server are not masked, so one serves every socket.
#[must_use]
pub fn text_frame(text: &str) -> Bytes {
    let mut frame = BytesMut::with_capacity(text.len() + 10);
    Parser::write_message(&mut frame, text, OpCode::Text, true, false);
    frame.freeze()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(frame: &ServerFrame<'_>) -> String {
        serde_json::to_string(frame).unwrap()
    }

    #[test]
    fn frames_carry_the_fields_of_the_specification() {
        let at = DateTime::from_timestamp_millis(1_700_000_000_000).unwrap();
        let hello = ServerFrame::Connected {
            session_id: Uuid::nil(),
            heartbeat_interval_ms: 30_000,
            server_time: at,
        };
        assert_eq!(
            text(&hello),
            r#"{"type":"connected","session_id":"00000000-0000-0000-0000-000000000000","heartbeat_interval_ms":30000,"server_time":"2023-11-14T22:13:20.000Z"}"#
        );
        let request_id = RawValue::from_string("\"r1\"".into()).unwrap();
        let subscribed = ServerFrame::Subscribed {
            channel: "chat:x",
            request_id: Some(&request_id),
            recovered: Some(false),
        };
        assert_eq!(
            text(&subscribed),
            r#"{"type":"subscribed","channel":"chat:x","request_id":"r1","recovered":false}"#
        );
        let plain = ServerFrame::Subscribed { channel: "chat:x", request_id: None, recovered: None };
        assert_eq!(text(&plain), r#"{"type":"subscribed","channel":"chat:x"}"#);
        let pushed = ServerFrame::Unsubscribed {
            channel: "chat:x",
            request_id: None,
            reason: Some(UnsubscribeReason::PermissionRevoked),
        };
        assert_eq!(
            text(&pushed),
            r#"{"type":"unsubscribed","channel":"chat:x","reason":"permission_revoked"}"#
        );
        let error = ServerFrame::Error {
            code: ErrorCode::InvalidChannel,
            message: "m",
            channel: None,
            request_id: None,
        };
        assert_eq!(text(&error), r#"{"type":"error","code":"INVALID_CHANNEL","message":"m"}"#);
    }

    #[test]
    fn text_frames_have_the_length_of_their_text() {
        for length in [0, 125, 126, 65_535, 65_536] {
            let frame = text_frame(&"x".repeat(length));
            let header = if length < 126 {
                2
            } else if length < 65_536 {
                4
            } else {
                10
            };
            assert_eq!(frame.len(), header + length);
            assert_eq!(frame[0], 0x81);
        }
    }
}
