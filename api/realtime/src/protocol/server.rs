//! Frames of the server.

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
    /// First frame of a session.
    Connected {
        session_id: Uuid,
        /// Interval of pings; a client without any frame for 75 seconds is disconnected.
        heartbeat_interval_ms: u64,
        #[serde(serialize_with = "shared::clock::serialize_rfc3339")]
        #[schema(schema_with = shapes::time)]
        server_time: DateTime<Utc>,
    },
    /// Event on a subscribed channel.
    Event {
        channel: &'a str,
        /// One of the channel's event types.
        #[schema(schema_with = shapes::text)]
        event_type: &'a RawValue,
        /// Payload of the event type.
        #[schema(schema_with = shapes::object)]
        data: &'a RawValue,
        /// UUID version 7; the value for `after`.
        id: Uuid,
        #[schema(schema_with = shapes::time)]
        timestamp: &'a RawValue,
    },
    /// The subscription exists from now on.
    Subscribed {
        channel: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(schema_with = shapes::request_id, required = false)]
        request_id: Option<&'a RawValue>,
        /// Present only when `after` was given: true when exactly the missed events follow.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        recovered: Option<bool>,
    },
    /// The subscription has ended.
    Unsubscribed {
        channel: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(schema_with = shapes::request_id, required = false)]
        request_id: Option<&'a RawValue>,
        /// Present only when the client did not ask for it.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        reason: Option<UnsubscribeReason>,
    },
    /// The published event was accepted.
    Ack {
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(schema_with = shapes::request_id, required = false)]
        request_id: Option<&'a RawValue>,
    },
    /// Result of a call.
    Result {
        #[schema(schema_with = shapes::request_id)]
        request_id: &'a RawValue,
        #[schema(schema_with = shapes::anything)]
        data: &'a RawValue,
    },
    /// Response to a ping.
    Pong {
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(schema_with = shapes::anything, required = false)]
        ts: Option<&'a RawValue>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(schema_with = shapes::request_id, required = false)]
        request_id: Option<&'a RawValue>,
    },
    /// A refused request, or the end of the session: the two `TOKEN_` codes precede the close of the socket,
    /// all others keep it open.
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

/// Reason why the server ended a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum UnsubscribeReason {
    /// The caller lost the permission.
    PermissionRevoked,
    /// The feature of the channel was turned off.
    FeatureDisabled,
    /// The account or install of the channel no longer exists.
    ResourceDeleted,
}

impl ServerFrame<'_> {
    /// Frame as it goes over the wire.
    ///
    /// # Errors
    /// None in practice: every field has a text form.
    pub fn encode(&self) -> serde_json::Result<Bytes> {
        serde_json::to_string(self).map(|text| text_frame(&text))
    }
}

/// Text frame of the wire. Frames of a server are not masked, so one serves every socket.
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
    fn server_frames_carry_the_fields_of_the_reference() {
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
    fn text_frame_header_states_the_length_of_the_text() {
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
