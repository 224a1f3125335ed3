//! Kick's webhooks (D §4).

use api_core::{ApiError, Result};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::Value;
use shared::{
    ingest::inbox::Inbound,
    platforms::{Platform, Platforms},
};

use super::{
    bad_signature,
    delivery::{RawDelivery, Signed},
};

/// The version of all events that Lumio understands.
const VERSION: &str = "1";

/// Every documented event, and the places (JSON pointers) that are filled in its body and not all filled in any
/// other's. New and renewed subscriptions have one shape, and one meaning for Lumio.
const SHAPES: [(&str, &[&str]); 10] = [
    ("chat.message.sent", &["/message_id", "/sender", "/content"]),
    ("channel.followed", &["/follower"]),
    ("channel.subscription.new", &["/subscriber", "/duration"]),
    ("channel.subscription.renewal", &["/subscriber", "/duration"]),
    ("channel.subscription.gifts", &["/giftees"]),
    ("channel.reward.redemption.updated", &["/reward", "/redeemer"]),
    ("livestream.status.updated", &["/is_live"]),
    ("livestream.metadata.updated", &["/metadata/title"]),
    ("moderation.banned", &["/banned_user"]),
    ("kicks.gifted", &["/sender", "/gift"]),
];

/// Checks the RSA signature over `id.timestamp.body`.
pub(super) async fn verify(delivery: &RawDelivery, platforms: &Platforms) -> Result<Signed> {
    let id = delivery.signature_header("kick-event-message-id")?;
    let timestamp = delivery.signature_header("kick-event-message-timestamp")?;
    let signature = delivery.signature_header("kick-event-signature")?;
    let signature = STANDARD.decode(signature).map_err(|_error| bad_signature())?;
    let signed = [id.as_bytes(), b".", timestamp.as_bytes(), b".", &delivery.body].concat();
    let verifies = platforms.kick().verifies_webhook(&signed, &signature).await;
    if !verifies.map_err(|error| ApiError::internal(format!("the key of Kick's webhooks: {error}")))? {
        return Err(bad_signature());
    }
    Signed::new(id, timestamp)
}

/// Reads a verified delivery; `None` for events that Lumio does not know. The type stands in a header that is not
/// signed, so the body has to agree.
pub(super) fn read(delivery: &RawDelivery, signed: Signed) -> Result<Option<Inbound>> {
    let body = delivery.object()?;
    let event_type = delivery.header("kick-event-type").unwrap_or_default();
    let Some((_, places)) = SHAPES.iter().find(|(name, _)| *name == event_type) else { return Ok(None) };
    if delivery.header("kick-event-version") != Some(VERSION) {
        return Ok(None);
    }
    if !has_shape(&body, places) {
        return Err(ApiError::bad_request(format!("The body is not that of a {event_type}")));
    }
    let Signed { delivery_id, sent_at } = signed;
    Ok(Some(Inbound {
        platform: Platform::Kick,
        delivery_id,
        event_type: event_type.to_owned(),
        body,
        sent_at,
    }))
}

/// Every event names its channel.
fn has_shape(body: &Value, places: &[&str]) -> bool {
    let is_filled = |place: &&str| body.pointer(place).is_some_and(|value| !value.is_null());
    body["broadcaster"].is_object() && places.iter().all(is_filled)
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
    use serde_json::json;

    use super::*;

    fn delivery(event_type: &str, version: &str, body: &Value) -> RawDelivery {
        let mut headers = HeaderMap::new();
        for (name, value) in [("kick-event-type", event_type), ("kick-event-version", version)] {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        }
        RawDelivery { headers, body: body.to_string().into() }
    }

    fn read_as(event_type: &str, body: &Value) -> Result<Option<Inbound>> {
        read(&delivery(event_type, "1", body), Signed::new("id", "2020-01-01T00:00:00Z").unwrap())
    }

    #[test]
    fn a_body_is_believed_under_its_own_type_only() {
        let bodies = [
            ("chat.message.sent", json!({ "message_id": "m", "sender": {}, "content": "hi", "emotes": [] })),
            ("channel.followed", json!({ "follower": {} })),
            ("channel.subscription.new", json!({ "subscriber": {}, "duration": 1 })),
            ("channel.subscription.renewal", json!({ "subscriber": {}, "duration": 2 })),
            ("channel.subscription.gifts", json!({ "gifter": { "user_id": null }, "giftees": [] })),
            ("channel.reward.redemption.updated", json!({ "id": "r", "reward": {}, "redeemer": {} })),
            ("livestream.status.updated", json!({ "is_live": false, "title": "t" })),
            ("livestream.metadata.updated", json!({ "metadata": { "title": "t" } })),
            (
                "moderation.banned",
                json!({ "moderator": {}, "banned_user": {}, "metadata": { "reason": "r" } }),
            ),
            ("kicks.gifted", json!({ "sender": {}, "gift": { "message": "m" } })),
        ];
        assert_eq!(bodies.len(), SHAPES.len());
        for (own, mut body) in bodies {
            body["broadcaster"] = json!({ "user_id": 1 });
            for (claimed, _) in SHAPES {
                let renewable = ["channel.subscription.new", "channel.subscription.renewal"];
                let one_meaning = renewable.contains(&own) && renewable.contains(&claimed);
                let believed = read_as(claimed, &body).is_ok();
                assert_eq!(believed, own == claimed || one_meaning, "{own} as {claimed}");
            }
        }
        assert!(read_as("channel.followed", &json!({ "follower": {} })).is_err(), "names no channel");
    }

    #[test]
    fn unknown_events_are_of_no_interest() {
        let body = json!({ "broadcaster": {}, "follower": {} });
        assert_eq!(read_as("channel.renamed", &body), Ok(None));
        let newer = delivery("channel.followed", "2", &body);
        assert_eq!(read(&newer, Signed::new("id", "2020-01-01T00:00:00Z").unwrap()), Ok(None));
    }
}
