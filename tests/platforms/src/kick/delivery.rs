//! Signed webhooks.

use std::{fmt, sync::OnceLock};

use aws_lc_rs::{
    encoding::{AsDer, PublicKeyX509Der},
    rand::SystemRandom,
    rsa::{KeyPair, KeySize},
    signature::{KeyPair as _, RSA_PKCS1_SHA256},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use pem::{EncodeConfig, LineEnding, Pem};

use super::Event;
use crate::{DeliveryOptions, WebhookRequest, clock, identifier};

/// The key pair that signs webhooks. It is created on first use, which takes a moment.
#[derive(Default)]
pub struct SigningKey {
    own: OnceLock<KeyPair>,
    foreign: OnceLock<KeyPair>,
}

impl SigningKey {
    /// The public half as Kick publishes it.
    #[must_use]
    pub fn public_pem(&self) -> String {
        let key = self.own.get_or_init(new_key).public_key();
        let der: PublicKeyX509Der<'_> = key.as_der().expect("an RSA key has a DER form");
        let config = EncodeConfig::new().set_line_ending(LineEnding::LF);
        pem::encode_config(&Pem::new("PUBLIC KEY", der.as_ref()), config)
    }

    fn sign(&self, is_forged: bool, message: &[u8]) -> String {
        let key = if is_forged { &self.foreign } else { &self.own }.get_or_init(new_key);
        let mut signature = vec![0; key.public_modulus_len()];
        key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message, &mut signature).expect("an RSA key signs");
        STANDARD.encode(signature)
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey")
    }
}

fn new_key() -> KeyPair {
    KeyPair::generate(KeySize::Rsa2048).expect("the system gives random bytes")
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
        body: options.truncate_in_transit(body),
    }
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
    use serde_json::json;

    use super::*;

    fn is_valid(pem: &str, request: &WebhookRequest) -> bool {
        let id = request.header("kick-event-message-id").unwrap();
        let timestamp = request.header("kick-event-message-timestamp").unwrap();
        let signature = STANDARD.decode(request.header("kick-event-signature").unwrap()).unwrap();
        let signed = [id.as_bytes(), b".", timestamp.as_bytes(), b".", &request.body].concat();
        let key = pem::parse(pem).unwrap();
        let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key.contents());
        key.verify(&signed, &signature).is_ok()
    }

    #[test]
    fn delivery_is_verified_by_the_published_key_only_as_signed() {
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
