//! Messages of the gateway of StreamElements (reference/tips.md#protocol).

use platform_daemons::sources::Interruption;
use serde_json::{Value, json};
use shared::secret::Secret;

use super::channel::TokenType;

/// Topic of paid tips. Its scope is `tips:read`.
pub(super) const TIPS: &str = "channel.tips";
/// Topic of tips that the moderation of the channel releases or rejects. Its scope is `tips:moderation`, which
/// a token may lack.
pub(super) const MODERATION: &str = "channel.tips.moderation";

/// Message of the gateway.
#[derive(Debug, PartialEq)]
pub(super) enum Frame {
    /// Begin of a connection.
    Welcome,
    /// Response to a request; the nonce of a request is its topic.
    Response { topic: String, error: Option<String>, message: String },
    /// Message of a topic.
    Message { topic: String, sent_at: Option<String>, payload: Value },
    /// The connection is about to end; the token opens another one with the same subscriptions.
    Reconnect { token: Secret },
    /// Message that Lumio does not need.
    Other,
}

/// Request for the messages of a topic.
pub(super) fn subscribe(topic: &str, room: &str, token: &Secret, token_type: TokenType) -> Value {
    json!({
        "type": "subscribe",
        "nonce": topic,
        "data": {
            "topic": topic,
            "room": room,
            "token": token.expose(),
            "token_type": token_type.as_str(),
        },
    })
}

/// Reads a message.
pub(super) fn read(mut message: Value) -> Frame {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let topic = |key: &str| text(&message[key]).unwrap_or_default();
    match message["type"].as_str() {
        Some("welcome") => Frame::Welcome,
        Some("response") => Frame::Response {
            topic: topic("nonce"),
            error: text(&message["error"]),
            message: text(&message["data"]["message"]).unwrap_or_default(),
        },
        Some("message") => Frame::Message {
            topic: topic("topic"),
            sent_at: text(&message["ts"]),
            payload: message["data"].take(),
        },
        Some("reconnect") => text(&message["data"]["reconnect_token"])
            .map_or(Frame::Other, |token| Frame::Reconnect { token: Secret::new(token) }),
        _ => Frame::Other,
    }
}

/// Reason why tips do not arrive after a refused subscription.
pub(super) fn refusal(error: &str, message: &str) -> Interruption {
    let why = format!("StreamElements refuses the tips of the channel: {error} {message}");
    match error {
        "err_unauthorized" | "err_bad_request" | "invalid_message_type" => Interruption::Refused(why),
        _ => Interruption::Broken(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subscribe_has_the_published_form() {
        let request = subscribe(TIPS, "603abc123", &Secret::new("eyJhbGc"), TokenType::Jwt);
        let expected = json!({ "type": "subscribe", "nonce": "channel.tips", "data": {
            "topic": "channel.tips", "room": "603abc123", "token": "eyJhbGc", "token_type": "jwt" } });
        assert_eq!(request, expected);
    }

    #[test]
    fn read_takes_the_published_messages() {
        let welcome = json!({ "id": "01J5", "ts": "2026-03-19T12:00:00Z", "type": "welcome",
            "data": { "message": "You are in a maze of dank memes, all alike.", "client_id": "01J5" } });
        assert_eq!(read(welcome), Frame::Welcome);
        let response = json!({ "id": "01J5", "type": "response", "nonce": "channel.tips",
            "error": "err_bad_request", "data": { "message": "human readable description" } });
        let (topic, message) = (TIPS.to_owned(), "human readable description".to_owned());
        let expected = Frame::Response { topic, error: Some("err_bad_request".to_owned()), message };
        assert_eq!(read(response), expected);
        let message = json!({ "id": "01J5", "ts": "2025-02-19T15:07:17Z", "type": "message", "topic": TIPS,
            "room": "5ad2", "data": { "_id": "1" } });
        let sent_at = Some("2025-02-19T15:07:17Z".to_owned());
        let expected = Frame::Message { topic: TIPS.to_owned(), sent_at, payload: json!({ "_id": "1" }) };
        assert_eq!(read(message), expected);
        let reconnect = json!({ "type": "reconnect",
            "data": { "message": "The server is shutting down.", "reconnect_token": "eyJ" } });
        assert_eq!(read(reconnect), Frame::Reconnect { token: Secret::new("eyJ") });
    }

    #[test]
    fn read_ignores_other_messages() {
        for other in [json!({ "type": "reconnect", "data": {} }), json!({ "type": "x" }), json!([]), json!(1)]
        {
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
