//! Signed webhooks.

use std::{fmt, sync::OnceLock};

use base64::{Engine, engine::general_purpose::STANDARD};
use rsa::{
    RsaPrivateKey, pkcs1v15,
    pkcs8::{EncodePublicKey, LineEnding},
    rand_core::OsRng,
    sha2::Sha256,
    signature::{SignatureEncoding, Signer},
};

use super::Event;
use crate::{DeliveryOptions, WebhookRequest, clock, identifier};

const KEY_BITS: usize = 2048;

/// The key pair that signs webhooks. It is made when it is first needed, which takes a moment.
#[derive(Default)]
pub struct SigningKey {
    own: OnceLock<RsaPrivateKey>,
    foreign: OnceLock<RsaPrivateKey>,
}

impl SigningKey {
    /// The public half as Kick publishes it.
    #[must_use]
    pub fn public_pem(&self) -> String {
        let key = self.own.get_or_init(new_key).to_public_key();
        key.to_public_key_pem(LineEnding::LF).expect("an RSA key has a PEM form")
    }

    fn sign(&self, is_forged: bool, message: &[u8]) -> String {
        let key = if is_forged { &self.foreign } else { &self.own }.get_or_init(new_key);
        let signature = pkcs1v15::SigningKey::<Sha256>::new(key.clone()).sign(message);
        STANDARD.encode(signature.to_bytes())
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey")
    }
}

fn new_key() -> RsaPrivateKey {
    RsaPrivateKey::new(&mut OsRng, KEY_BITS).expect("the system gives random bytes")
}

/// An event as Kick delivers it for a subscription.
#[must_use]
pub fn notification(
    key: &SigningKey,
    subscription_id: &str,
    event: &Event,
    options: &DeliveryOptions,
) -> WebhookRequest {
    let message_id = options.message_id.clone().unwrap_or_else(identifier::ulid);
    let timestamp = clock::seconds(clock::ago(options.age()));
    let body = options.cut_before_signing(event.payload.to_string().into_bytes());
    let signed = [message_id.as_bytes(), b".", timestamp.as_bytes(), b".", &body].concat();
    let signature = key.sign(options.forge_signature, &signed);
    WebhookRequest {
        headers: vec![
            ("Content-Type", "application/json".into()),
            ("Kick-Event-Message-Id", message_id.clone()),
            ("Kick-Event-Subscription-Id", subscription_id.into()),
            ("Kick-Event-Signature", signature),
            ("Kick-Event-Message-Timestamp", timestamp),
            ("Kick-Event-Type", event.event_type.into()),
            ("Kick-Event-Version", "1".into()),
        ],
        message_id,
        body: options.cut_on_the_way(body),
    }
}

#[cfg(test)]
mod tests {
    use rsa::{RsaPublicKey, pkcs1v15::VerifyingKey, pkcs8::DecodePublicKey, signature::Verifier};
    use serde_json::json;

    use super::*;

    fn is_valid(pem: &str, request: &WebhookRequest) -> bool {
        let id = request.header("kick-event-message-id").unwrap();
        let timestamp = request.header("kick-event-message-timestamp").unwrap();
        let signature = STANDARD.decode(request.header("kick-event-signature").unwrap()).unwrap();
        let signed = [id.as_bytes(), b".", timestamp.as_bytes(), b".", &request.body].concat();
        let key = VerifyingKey::<Sha256>::new(RsaPublicKey::from_public_key_pem(pem).unwrap());
        key.verify(&signed, &signature.as_slice().try_into().unwrap()).is_ok()
    }

    #[test]
    fn the_published_key_verifies_what_was_signed_and_nothing_else() {
        let key = SigningKey::default();
        let event = Event {
            event_type: "channel.followed",
            broadcaster_user_id: "1".into(),
            payload: json!({ "broadcaster": {}, "follower": {} }),
        };
        let pem = key.public_pem();
        assert!(pem.starts_with("-----BEGIN PUBLIC KEY-----\n"));
        let sent = |options| notification(&key, "01SUB", &event, &options);
        assert!(is_valid(&pem, &sent(DeliveryOptions::default())));
        assert!(!is_valid(&pem, &sent(DeliveryOptions { forge_signature: true, ..Default::default() })));
        assert!(!is_valid(&pem, &sent(DeliveryOptions { truncate_to: Some(5), ..Default::default() })));
        let broken = sent(DeliveryOptions { truncate_before_signing_to: Some(5), ..Default::default() });
        assert!(is_valid(&pem, &broken) && broken.body.len() == 5);
    }
}
