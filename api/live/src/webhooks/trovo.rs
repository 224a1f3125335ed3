//! Deliveries of Trovo (reference/connections.md#inbound-webhooks): chat in the form of its socket
//! (reference/platforms.md#trovo-chat-socket), signed over the raw body.

use api_core::{ApiError, Result};
use chrono::{DateTime, Utc};
use hmac::Hmac;
use live_model::{inbox::Inbound, trovo::chats};
use sha2::Sha256;
use shared::secret::Secret;

use super::{
    bad_signature, check_hmac,
    delivery::{MAX_DELIVERY_AGE, RawDelivery},
};

/// Checks `X-Trovo-Signature`: hex HMAC-SHA256 over the raw body.
pub(super) fn verify(delivery: &RawDelivery, secret: Option<&Secret>) -> Result<()> {
    let signature = delivery.signature_header("x-trovo-signature")?;
    let Some(secret) = secret else {
        tracing::warn!("LUMIO_TROVO_WEBHOOK_SECRET is not set: deliveries of Trovo cannot be verified");
        return Err(bad_signature());
    };
    check_hmac::<Hmac<Sha256>>(secret, &delivery.body, signature)
}

/// Parses a verified delivery. A replay is refused by the time in its chats, which the signature covers.
pub(super) fn read(delivery: &RawDelivery, now: DateTime<Utc>) -> Result<Vec<Inbound>> {
    let body = delivery.object()?;
    let channel_id = body["channel_info"]["channel_id"].as_str().filter(|id| !id.is_empty());
    let channel_id = channel_id.ok_or_else(|| ApiError::bad_request("The delivery names no channel"))?;
    let chats = chats(channel_id, &body["data"], now, None);
    let chats = chats.ok_or_else(|| ApiError::bad_request("The body is not that of a chat"))?;
    let is_recent = |chat: &Inbound| (now - chat.sent_at).abs() <= MAX_DELIVERY_AGE;
    if chats.is_empty() || chats.iter().any(is_recent) {
        return Ok(chats);
    }
    Err(ApiError::unauthorized("The delivery is older than 10 minutes"))
}
