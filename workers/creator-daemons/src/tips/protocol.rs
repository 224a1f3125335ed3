//! Messages of the gateway of StreamElements (reference/tips.md#protocol).

use platform_daemons::sources::Interruption;
use serde_json::{Value, json};
use shared::secret::Secret;

use super::channel::Access;

/// Topic of paid tips. Its scope is `tips:read`.
pub(super) const TIPS: &str = "channel.tips";
/// Topic of tips that the moderation of the channel releases or rejects. Its scope is `tips:moderation`, which
/// a token may lack.
pub(super) const MODERATION: &str = "channel.tips.moderation";
/// Topics of a subscription.
pub(super) const TOPICS: [&str; 2] = [TIPS, MODERATION];
/// Error of a request that StreamElements does not take, whatever its token.
pub(super) const BAD_REQUEST: &str = "err_bad_request";

/// Message of the gateway.
#[derive(Debug, PartialEq)]
pub(super) enum Frame {
    /// Begin of a connection.
    Welcome,
    /// Response to a request for messages.
    Response(Response),
    /// Message of a topic.
    Message { topic: String, room: Option<String>, sent_at: Option<String>, payload: Value },
    /// The connection is about to end; the token opens another one with the same subscriptions.
    Reconnect { token: Secret },
    /// Message that Lumio does not need.
    Other,
}

/// Response to a request for messages.
#[derive(Debug, PartialEq)]
pub(super) struct Response {
    /// Number of the request.
    pub request: u64,
    /// Topic of the request.
    pub topic: String,
    /// Room as StreamElements names it: it may differ from the requested one.
    pub room: Option<String>,
    /// Code of a refusal.
    pub error: Option<String>,
    /// Outcome, for people.
    pub message: String,
}

/// Request for the messages of a topic. Its number and topic are the nonce.
pub(super) fn subscribe(request: u64, topic: &str, access: &Access) -> Value {
    json!({
        "type": "subscribe",
        "nonce": format!("{request}:{topic}"),
        "data": {
            "topic": topic,
            "room": access.room,
            "token": access.token.expose(),
            "token_type": access.token_type.as_str(),
        },
    })
}

/// Request for no further messages of a topic in a room. It has no nonce: its response is not needed.
pub(super) fn unsubscribe(topic: &str, room: &str) -> Value {
    json!({ "type": "unsubscribe", "data": { "topic": topic, "room": room } })
}

/// Reads a message.
pub(super) fn read(mut message: Value) -> Frame {
    match message["type"].as_str() {
        Some("welcome") => Frame::Welcome,
        Some("response") => response(&message).map_or(Frame::Other, Frame::Response),
        Some("message") => Frame::Message {
            topic: text(&message["topic"]).unwrap_or_default(),
            room: text(&message["room"]),
            sent_at: text(&message["ts"]),
            payload: message["data"].take(),
        },
        Some("reconnect") => text(&message["data"]["reconnect_token"])
            .map_or(Frame::Other, |token| Frame::Reconnect { token: Secret::new(token) }),
        _ => Frame::Other,
    }
}

/// Response to a request of [`subscribe`]; `None` for another one.
fn response(message: &Value) -> Option<Response> {
    let (request, topic) = message["nonce"].as_str()?.split_once(':')?;
    Some(Response {
        request: request.parse().ok()?,
        topic: topic.to_owned(),
        room: text(&message["data"]["room"]),
        error: text(&message["error"]),
        message: text(&message["data"]["message"]).unwrap_or_default(),
    })
}

fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Reason why tips do not arrive after a refused subscription.
pub(super) fn refusal(error: &str, message: &str) -> Interruption {
    let why = format!("StreamElements refuses the tips of the channel: {error} {message}");
    match error {
        "err_unauthorized" | BAD_REQUEST | "invalid_message_type" => Interruption::Refused(why),
        _ => Interruption::Broken(why),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::channel::TokenType, *};

    #[test]
    fn subscribe_and_unsubscribe_have_the_published_form() {
        let (token, token_type) = (Secret::new("eyJhbGc"), TokenType::Jwt);
        let request = subscribe(7, TIPS, &Access { token, token_type, room: "603abc123".to_owned() });
        let expected = json!({ "type": "subscribe", "nonce": "7:channel.tips", "data": {
            "topic": "channel.tips", "room": "603abc123", "token": "eyJhbGc", "token_type": "jwt" } });
        assert_eq!(request, expected);
        let expected =
            json!({ "type": "unsubscribe", "data": { "topic": "channel.tips", "room": "603abc123" } });
        assert_eq!(unsubscribe(TIPS, "603abc123"), expected);
    }

    #[test]
    fn read_takes_the_published_messages() {
        let welcome = json!({ "id": "01J5", "ts": "2026-03-19T12:00:00Z", "type": "welcome",
            "data": { "message": "You are in a maze of dank memes, all alike.", "client_id": "01J5" } });
        assert_eq!(read(welcome), Frame::Welcome);
        let refused = json!({ "id": "01J5", "type": "response", "nonce": "7:channel.tips",
            "error": "err_bad_request", "data": { "message": "human readable description" } });
        let (topic, message) = (TIPS.to_owned(), "human readable description".to_owned());
        let error = Some(BAD_REQUEST.to_owned());
        let expected = Response { request: 7, topic, room: None, error, message };
        assert_eq!(read(refused), Frame::Response(expected));
        let accepted = json!({ "id": "01J5", "type": "response", "nonce": "8:channel.tips.moderation",
            "data": { "message": "subscribed", "topic": MODERATION, "room": "603abc123" } });
        let (topic, message) = (MODERATION.to_owned(), "subscribed".to_owned());
        let expected =
            Response { request: 8, topic, room: Some("603abc123".to_owned()), error: None, message };
        assert_eq!(read(accepted), Frame::Response(expected));
        let message = json!({ "id": "01J5", "ts": "2025-02-19T15:07:17Z", "type": "message", "topic": TIPS,
            "room": "5ad2", "data": { "_id": "1" } });
        let (topic, room) = (TIPS.to_owned(), Some("5ad2".to_owned()));
        let (sent_at, payload) = (Some("2025-02-19T15:07:17Z".to_owned()), json!({ "_id": "1" }));
        assert_eq!(read(message), Frame::Message { topic, room, sent_at, payload });
        let reconnect = json!({ "type": "reconnect",
            "data": { "message": "The server is shutting down.", "reconnect_token": "eyJ" } });
        assert_eq!(read(reconnect), Frame::Reconnect { token: Secret::new("eyJ") });
    }

    #[test]
    fn read_ignores_other_messages() {
        let response = |nonce: Value| json!({ "type": "response", "nonce": nonce, "data": {} });
        for other in [
            json!({ "type": "reconnect", "data": {} }),
            response(Value::Null),
            response(json!("channel.tips")),
            response(json!("x:channel.tips")),
            json!({ "type": "x" }),
            json!([]),
            json!(1),
        ] {
            assert_eq!(read(other), Frame::Other);
        }
    }

    #[test]
    fn refusal_is_permanent_for_a_wrong_token_only() {
        assert!(matches!(refusal("err_unauthorized", ""), Interruption::Refused(_)));
        for error in ["err_internal_error", "err_deadline_exceeded", "rate_limit_exceeded", "else"] {
            assert!(matches!(refusal(error, ""), Interruption::Broken(_)), "{error}");
        }
    }
}
