//! Twitch EventSub over webhooks (reference/platforms.md#eventsub).

use api_core::{ApiError, Result};
use hmac::{Hmac, KeyInit, Mac};
use live_model::inbox::Inbound;
use serde_json::Value;
use sha2::Sha256;
use shared::{platform::Platform, secret::Secret};

use super::{
    bad_signature,
    delivery::{RawDelivery, Signed},
};

/// Event type of the end of a subscription in the inbox.
const REVOCATION: &str = "revocation";
const MAX_CHALLENGE_LENGTH: usize = 1024;

/// Kind of a message of Twitch.
#[derive(Debug, PartialEq)]
pub(super) enum Message {
    /// Verification of the address; the challenge is returned.
    Verification { challenge: String },
    /// A delivery.
    Delivery(Inbound),
}

/// Checks `sha256=` + hex HMAC-SHA256 over id, timestamp and raw body, in constant time.
pub(super) fn verify(delivery: &RawDelivery, secret: Option<&Secret>) -> Result<Signed> {
    let id = delivery.signature_header("twitch-eventsub-message-id")?;
    let timestamp = delivery.signature_header("twitch-eventsub-message-timestamp")?;
    let signature = delivery.signature_header("twitch-eventsub-message-signature")?;
    let Some(secret) = secret else {
        tracing::warn!("LUMIO_TWITCH_EVENTSUB_SECRET is not set: deliveries of Twitch cannot be verified");
        return Err(bad_signature());
    };
    let signature = signature.strip_prefix("sha256=").and_then(|text| hex::decode(text).ok());
    let signature = signature.ok_or_else(bad_signature)?;
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.expose().as_bytes()).map_err(ApiError::internal)?;
    mac.update(id.as_bytes());
    mac.update(timestamp.as_bytes());
    mac.update(&delivery.body);
    mac.verify_slice(&signature).map_err(|_mismatch| bad_signature())?;
    Signed::new(id, timestamp)
}

/// Parses a verified message. Its kind is in a header that is not signed, so the body has to match.
pub(super) fn read(delivery: &RawDelivery, signed: Signed) -> Result<Message> {
    let body = delivery.object()?;
    let kind = delivery.header("twitch-eventsub-message-type").unwrap_or_default();
    match kind {
        "webhook_callback_verification" => {
            let challenge = body["challenge"].as_str().filter(|text| text.len() <= MAX_CHALLENGE_LENGTH);
            let challenge = challenge.ok_or_else(|| disagreement(kind))?.to_owned();
            Ok(Message::Verification { challenge })
        }
        "notification" if body["event"].is_object() => {
            let event_type =
                body["subscription"]["type"].as_str().ok_or_else(|| disagreement(kind))?.to_owned();
            Ok(Message::Delivery(stored(signed, event_type, body)))
        }
        "revocation" if body["event"].is_null() && body["challenge"].is_null() => {
            let status = body["subscription"]["status"].as_str().unwrap_or_default();
            if status.is_empty() || status == "enabled" {
                return Err(disagreement(kind));
            }
            Ok(Message::Delivery(stored(signed, REVOCATION.to_owned(), body)))
        }
        "notification" | "revocation" => Err(disagreement(kind)),
        _ => Err(ApiError::bad_request(
            "Twitch-Eventsub-Message-Type must be notification, webhook_callback_verification or revocation",
        )),
    }
}

fn stored(signed: Signed, event_type: String, body: Value) -> Inbound {
    let Signed { delivery_id, sent_at } = signed;
    Inbound { platform: Platform::Twitch, delivery_id, event_type, body, sent_at }
}

fn disagreement(kind: &str) -> ApiError {
    ApiError::bad_request(format!("The body is not that of a {kind}"))
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
    use serde_json::json;

    use super::*;

    // Computed with `printf %s 'id2020-01-01T00:00:00Z{}' | openssl dgst -sha256 -hmac s3cr3t-s3cr3t`.
    const SIGNATURE: &str = "sha256=5eb588f37803d795349a1e15959d89091897dea7f2caa8833f8f5624888ef787";

    fn delivery(headers: &[(&'static str, &str)], body: &str) -> RawDelivery {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap()))
            .collect();
        RawDelivery { headers, body: body.to_owned().into() }
    }

    fn signed_delivery(signature: &str, body: &str) -> RawDelivery {
        let headers = [
            ("twitch-eventsub-message-id", "id"),
            ("twitch-eventsub-message-timestamp", "2020-01-01T00:00:00Z"),
            ("twitch-eventsub-message-signature", signature),
        ];
        delivery(&headers, body)
    }

    #[test]
    fn verify_accepts_only_the_signature_of_the_body() {
        let secret = Secret::new("s3cr3t-s3cr3t");
        let verified = |signature: &str, body: &str| verify(&signed_delivery(signature, body), Some(&secret));
        assert_eq!(verified(SIGNATURE, "{}").unwrap().delivery_id, "id");
        let upper = format!("sha256={}", SIGNATURE[7..].to_uppercase());
        assert!(verified(&upper, "{}").is_ok());
        let cut = &SIGNATURE[..SIGNATURE.len() - 2];
        for (signature, body) in
            [(SIGNATURE, "{ }"), (cut, "{}"), ("sha256=", "{}"), ("sha1=00", "{}"), ("x", "{}")]
        {
            assert_eq!(
                verified(signature, body).unwrap_err().code,
                api_core::Code::Unauthorized,
                "{signature} {body}"
            );
        }
        assert!(verify(&signed_delivery(SIGNATURE, "{}"), None).is_err());
        assert!(verify(&delivery(&[], "{}"), Some(&secret)).is_err());
    }

    #[test]
    fn read_refuses_a_body_that_contradicts_its_header() {
        let read = |kind: &str, body: Value| {
            let signed = Signed::new("id", "2020-01-01T00:00:00Z").unwrap();
            read(&delivery(&[("twitch-eventsub-message-type", kind)], &body.to_string()), signed)
        };
        let notification =
            json!({ "subscription": { "type": "channel.follow", "status": "enabled" }, "event": {} });
        let verification = json!({ "subscription": { "type": "channel.follow" }, "challenge": "c" });
        let revocation =
            json!({ "subscription": { "type": "channel.follow", "status": "authorization_revoked" } });
        assert!(matches!(read("notification", notification.clone()),
            Ok(Message::Delivery(delivery)) if delivery.event_type == "channel.follow"));
        assert_eq!(
            read("webhook_callback_verification", verification.clone()).unwrap(),
            Message::Verification { challenge: "c".into() }
        );
        assert!(matches!(read("revocation", revocation.clone()),
            Ok(Message::Delivery(delivery)) if delivery.event_type == REVOCATION));
        for (kind, body) in [
            ("notification", &revocation),
            ("notification", &verification),
            ("webhook_callback_verification", &notification),
            ("revocation", &notification),
            ("revocation", &verification),
            ("other", &notification),
            ("", &notification),
        ] {
            assert!(read(kind, body.clone()).is_err(), "{kind} {body}");
        }
    }
}
