//! Signed EventSub messages.

use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use super::{Event, Subscription};
use crate::{DeliveryOptions, WebhookRequest, clock, identifier};

/// Signs messages in the name of Twitch.
const FOREIGN_SECRET: &str = "not-the-secret-of-the-subscription";

/// An event for a subscription.
#[must_use]
pub fn notification(subscription: &Subscription, event: &Event, options: &DeliveryOptions) -> WebhookRequest {
    let body = json!({ "subscription": subscription.json(), "event": event.event });
    signed(subscription, "notification", &body, options)
}

/// The challenge to the callback.
#[must_use]
pub fn verification(
    subscription: &Subscription,
    challenge: &str,
    options: &DeliveryOptions,
) -> WebhookRequest {
    let body = json!({ "challenge": challenge, "subscription": subscription.json() });
    signed(subscription, "webhook_callback_verification", &body, options)
}

/// The end of a subscription; the reason is its status.
#[must_use]
pub fn revocation(subscription: &Subscription, options: &DeliveryOptions) -> WebhookRequest {
    signed(subscription, "revocation", &json!({ "subscription": subscription.json() }), options)
}

fn signed(
    subscription: &Subscription,
    message_type: &str,
    body: &Value,
    options: &DeliveryOptions,
) -> WebhookRequest {
    let message_id = options.message_id.clone().unwrap_or_else(identifier::uuid);
    let timestamp = clock::nanoseconds(clock::ago(options.age()));
    let body = options.cut_before_signing(body.to_string().into_bytes());
    let secret = if options.forge_signature { FOREIGN_SECRET } else { &subscription.secret };
    let signature = signature(secret, &message_id, &timestamp, &body);
    WebhookRequest {
        headers: vec![
            ("Content-Type", "application/json".into()),
            ("Twitch-Eventsub-Message-Id", message_id.clone()),
            ("Twitch-Eventsub-Message-Retry", "0".into()),
            ("Twitch-Eventsub-Message-Type", message_type.into()),
            ("Twitch-Eventsub-Message-Signature", signature),
            ("Twitch-Eventsub-Message-Timestamp", timestamp),
            ("Twitch-Eventsub-Subscription-Type", subscription.subscription_type.clone()),
            ("Twitch-Eventsub-Subscription-Version", subscription.version.clone()),
        ],
        message_id,
        body: options.truncate_in_transit(body),
    }
}

fn signature(secret: &str, message_id: &str, timestamp: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes keys of any length");
    mac.update(message_id.as_bytes());
    mac.update(timestamp.as_bytes());
    mac.update(body);
    format!("sha256={}", hex::encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delivery_is_signed_by_an_hmac_over_id_timestamp_and_body() {
        // Computed with `printf %s 'id2020-01-01T00:00:00Z{}' | openssl dgst -sha256 -hmac s3cr3t-s3cr3t`.
        assert_eq!(
            signature("s3cr3t-s3cr3t", "id", "2020-01-01T00:00:00Z", b"{}"),
            "sha256=5eb588f37803d795349a1e15959d89091897dea7f2caa8833f8f5624888ef787"
        );
    }
}
