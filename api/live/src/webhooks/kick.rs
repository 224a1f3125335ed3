//! Webhooks of Kick (reference/platforms.md#kick-webhooks).

use api_core::{ApiError, Result};
use base64::{Engine, engine::general_purpose::STANDARD};
use live_model::inbox::Inbound;
use platforms::Platforms;
use serde_json::Value;
use shared::platform::Platform;

use super::{
    bad_signature,
    delivery::{RawDelivery, Signed},
};

/// Version of all events that Lumio supports.
const VERSION: &str = "1";

/// Documented events, each with the places (JSON pointers) that are set in its body and not all set in any
/// other. New and renewed subscriptions have one shape, and one meaning for Lumio.
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

/// Parses a verified delivery; `None` for events that Lumio does not support. The type is in a header that is
/// not signed, so the body has to match.
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

/// True when the places are set; every event names its channel.
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
    fn kick_bodies_are_accepted_under_their_own_type_only() {
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
    fn kick_events_of_unknown_type_or_version_are_ignored() {
        let body = json!({ "broadcaster": {}, "follower": {} });
        assert_eq!(read_as("channel.renamed", &body), Ok(None));
        let newer = delivery("channel.followed", "2", &body);
        assert_eq!(read(&newer, Signed::new("id", "2020-01-01T00:00:00Z").unwrap()), Ok(None));
    }
}
