//! Bodies of webhooks after the signature check, and their meaning.

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use api_core::ApiError;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use live::webhooks::{RawDelivery, read_verified, read_verified_order};
use live_model::{
    EventType,
    inbox::{Inbound, storable},
    tips::{TIP, Tip},
};
use platform_daemons::ingest::normalise::{Happening, Normalised, normalise};
use serde_json::Value;
use shared::platform::Platform;
use uuid::Uuid;

/// Unsigned parts of a delivery beside the body.
const CLAIMS: [(Platform, &[(&str, &str)]); 15] = [
    (Platform::Twitch, &[("twitch-eventsub-message-type", "notification")]),
    (Platform::Twitch, &[("twitch-eventsub-message-type", "revocation")]),
    (Platform::Twitch, &[("twitch-eventsub-message-type", "webhook_callback_verification")]),
    (Platform::Kick, &[("kick-event-type", "chat.message.sent"), ("kick-event-version", "1")]),
    (Platform::Kick, &[("kick-event-type", "channel.followed"), ("kick-event-version", "1")]),
    (Platform::Kick, &[("kick-event-type", "channel.subscription.new"), ("kick-event-version", "1")]),
    (Platform::Kick, &[("kick-event-type", "channel.subscription.renewal"), ("kick-event-version", "1")]),
    (Platform::Kick, &[("kick-event-type", "channel.subscription.gifts"), ("kick-event-version", "1")]),
    (
        Platform::Kick,
        &[("kick-event-type", "channel.reward.redemption.updated"), ("kick-event-version", "1")],
    ),
    (Platform::Kick, &[("kick-event-type", "livestream.status.updated"), ("kick-event-version", "1")]),
    (Platform::Kick, &[("kick-event-type", "livestream.metadata.updated"), ("kick-event-version", "1")]),
    (Platform::Kick, &[("kick-event-type", "moderation.banned"), ("kick-event-version", "1")]),
    (Platform::Kick, &[("kick-event-type", "kicks.gifted"), ("kick-event-version", "1")]),
    (Platform::Youtube, &[]),
    (Platform::Trovo, &[]),
];

/// Longest id that names a delivery.
const MAX_ID_LENGTH: usize = 200;

/// The first byte selects the platform and the claimed type; the rest is the body.
pub fn check(input: &[u8]) {
    let Some((&choice, body)) = input.split_first() else { return };
    let now = DateTime::from_timestamp(1_790_000_000, 0).expect("a time");
    let Some((platform, claims)) = CLAIMS.get(usize::from(choice) % (CLAIMS.len() + 1)) else {
        tip(body);
        return shop_order(body, now);
    };
    match read_verified(*platform, &delivery(claims, body), now) {
        Ok(deliveries) => {
            deliveries.iter().for_each(|delivery| is_storable_and_understood(*platform, delivery));
        }
        Err(refusal) => is_the_senders_fault(&refusal),
    }
}

fn shop_order(body: &[u8], now: DateTime<Utc>) {
    let claims = [("x-shopify-webhook-id", "w1"), ("x-shopify-topic", "orders/paid")];
    match read_verified_order(&delivery(&claims, body), now) {
        Ok(Some(order)) => {
            assert!(!order.order_id.is_empty(), "{order:?}");
            assert!(order.amount.is_none_or(|amount| amount >= 0), "{order:?}");
            let is_code = |code: &String| code.len() == 3 && code.bytes().all(|b| b.is_ascii_uppercase());
            assert!(order.currency.as_ref().is_none_or(is_code), "{order:?}");
            assert!(!has_nul(&serde_json::to_value(&order).expect("an order has a JSON form")));
        }
        Ok(None) => panic!("the topic is known"),
        Err(refusal) => is_the_senders_fault(&refusal),
    }
}

/// A tip comes over a socket that StreamElements has authorised, not in a delivery.
fn tip(body: &[u8]) {
    let Ok(payload) = serde_json::from_slice::<Value>(body) else { return };
    let Some(tip) = Tip::read(Uuid::nil(), &payload) else { return };
    assert!(tip.amount.is_none_or(|amount| amount >= 0), "{tip:?}");
    let stored = storable(serde_json::to_value(&tip).expect("a tip has a JSON form"));
    assert!(!has_nul(&stored), "PostgreSQL stores no NUL");
    let known = EventType::find(TIP).expect("a type of the catalogue");
    known.read(stored.as_object().expect("an object")).unwrap_or_else(|wrong| panic!("{wrong:?}"));
}

fn delivery(claims: &[(&'static str, &'static str)], body: &[u8]) -> RawDelivery {
    let header = |(name, value): &(&'static str, &'static str)| {
        (HeaderName::from_static(name), HeaderValue::from_static(value))
    };
    RawDelivery {
        headers: claims.iter().map(header).collect::<HeaderMap>(),
        body: Bytes::copy_from_slice(body),
    }
}

fn is_the_senders_fault(refusal: &ApiError) {
    assert!(refusal.code.status().is_client_error(), "{refusal}");
    assert!(refusal.message.len() <= 500, "{refusal}");
}

fn is_storable_and_understood(platform: Platform, delivery: &Inbound) {
    assert_eq!(delivery.platform, platform);
    assert!((1..=MAX_ID_LENGTH).contains(&delivery.delivery_id.len()), "{:?}", delivery.delivery_id);
    assert!(!delivery.delivery_id.contains('\0') && !delivery.event_type.contains('\0'));
    assert!(!has_nul(&delivery.body), "PostgreSQL stores no NUL");
    let read = || normalise(platform, &delivery.event_type, &delivery.body, delivery.sent_at);
    let meaning = read();
    assert_eq!(read(), meaning, "the same delivery means the same");
    if let Ok(Some(meaning)) = meaning {
        is_whole(platform, &meaning);
    }
}

fn is_whole(platform: Platform, meaning: &Normalised) {
    assert!(!meaning.channel_id.is_empty());
    for happening in &meaning.happenings {
        match happening {
            Happening::Chat(line) => {
                let whole: String = line.fragments.iter().map(|fragment| fragment.text.as_str()).collect();
                assert_eq!(whole, line.text, "the fragments are the line");
                assert!(!line.message_id.is_empty() && !line.user_id.is_empty(), "{line:?}");
            }
            Happening::Event(event) => {
                let known = EventType::find(event.event_type).expect("a type of the catalogue");
                assert_eq!(known.platform(), platform.slug());
                let data = event.data.as_object().expect("an object");
                let read = known.read(data).unwrap_or_else(|wrong| panic!("{}: {wrong:?}", event.event_type));
                assert_eq!(read, event.data, "exactly the keys of {}", event.event_type);
            }
            Happening::Removal(_)
            | Happening::Vote(_)
            | Happening::Revoked
            | Happening::Stopped { .. }
            | Happening::VideoPublished => {}
        }
    }
}

fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(fields) => fields.iter().any(|(name, value)| name.contains('\0') || has_nul(value)),
        _ => false,
    }
}
