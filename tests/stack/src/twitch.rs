//! Chat lines as Twitch EventSub delivers them to a webhook.

use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::json;
use sha2::Sha256;

/// Twitch, with the secret of its subscriptions.
#[derive(Clone)]
pub struct Twitch {
    client: reqwest::Client,
    secret: String,
}

impl Twitch {
    /// # Errors
    /// An error when no client can be created.
    pub fn new(secret: &str) -> Result<Self> {
        let client = reqwest::Client::builder()
            .no_proxy()
            .timeout(Duration::from_secs(10))
            .build()
            .context("a client")?;
        Ok(Self { client, secret: secret.to_owned() })
    }

    /// The delivery of a chat line: signed, and not yet sent. `id` is the line's and the delivery's.
    ///
    /// # Errors
    /// An error when the secret cannot be used.
    pub fn chat_line(
        &self,
        origin: &str,
        channel: &str,
        text: &str,
        id: &str,
    ) -> Result<reqwest::RequestBuilder> {
        let body = json!({
            "subscription": { "id": "bench", "status": "enabled", "type": "channel.chat.message", "version": "1",
                              "condition": { "broadcaster_user_id": channel, "user_id": channel },
                              "transport": { "method": "webhook", "callback": "https://localhost" },
                              "created_at": "2026-01-01T00:00:00Z", "cost": 0 },
            "event": {
                "broadcaster_user_id": channel, "broadcaster_user_login": "bench", "broadcaster_user_name": "bench",
                "chatter_user_id": "4242", "chatter_user_login": "viewer", "chatter_user_name": "viewer",
                "message_id": id, "message": { "text": text, "fragments": [{ "type": "text", "text": text }] },
                "message_type": "text", "badges": [], "color": "#00FF7F",
            },
        })
        .to_string();
        let timestamp = DateTime::<Utc>::from(SystemTime::now()).to_rfc3339();
        let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(self.secret.as_bytes())?;
        mac.update(format!("{id}{timestamp}{body}").as_bytes());
        let signature = format!("sha256={}", hex::encode(mac.finalize().into_bytes()));
        Ok(self
            .client
            .post(format!("{origin}/v1/webhooks/twitch"))
            .header("Content-Type", "application/json")
            .header("Twitch-Eventsub-Message-Id", id)
            .header("Twitch-Eventsub-Message-Timestamp", timestamp)
            .header("Twitch-Eventsub-Message-Signature", signature)
            .header("Twitch-Eventsub-Message-Type", "notification")
            .header("Twitch-Eventsub-Subscription-Type", "channel.chat.message")
            .header("Twitch-Eventsub-Subscription-Version", "1")
            .body(body))
    }
}
