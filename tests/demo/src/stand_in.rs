//! The platforms' stand-in: creates users and delivers their actions as the platforms would.

use anyhow::{Context, Result};
use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use crate::api::{Api, text};

pub struct StandIn {
    api: Api,
}

/// A user of a platform.
#[derive(Debug, Clone)]
pub struct PlatformUser {
    pub id: String,
    pub login: String,
    pub access_token: String,
}

/// Addresses of webhooks, and the secret that signs Twitch's.
#[derive(Debug, Clone)]
pub struct Receiver {
    pub origin: String,
    pub twitch_secret: String,
}

impl StandIn {
    pub fn new(origin: &str) -> Result<Self> {
        Ok(Self { api: Api::new(origin)? })
    }

    pub async fn create_user(&self, platform: &str, login: &str) -> Result<PlatformUser> {
        let made = self.api.post("/_control/users", json!({ "platform": platform, "login": login })).await?;
        Ok(PlatformUser {
            id: text(&made, "/user/id")?.to_owned(),
            login: text(&made, "/user/login")?.to_owned(),
            access_token: text(&made, "/access_token")?.to_owned(),
        })
    }

    /// Secret that the stand-in's applications expect.
    pub async fn receiver(&self, origin: &str) -> Result<Receiver> {
        let environment = self.api.get("/_control/environment").await?;
        let secret =
            environment["LUMIO_TWITCH_EVENTSUB_SECRET"].as_str().context("the stand-in names no secret")?;
        Ok(Receiver { origin: origin.to_owned(), twitch_secret: secret.to_owned() })
    }

    /// Id and secret of an application that is registered on a platform.
    pub async fn application(&self, platform: &str) -> Result<(String, String)> {
        let environment = self.api.get("/_control/environment").await?;
        let upper = platform.to_uppercase();
        let id = text(&environment, &format!("/LUMIO_{upper}_CLIENT_ID"))?;
        let secret = text(&environment, &format!("/LUMIO_{upper}_CLIENT_SECRET"))?;
        Ok((id.to_owned(), secret.to_owned()))
    }

    /// Delivers an event over Twitch EventSub; returns the statuses of the deliveries.
    pub async fn twitch(&self, receiver: &Receiver, event: Value, options: Value) -> Result<Vec<u16>> {
        let to = json!({ "callback": format!("{}/v1/webhooks/twitch", receiver.origin), "secret": receiver.twitch_secret });
        self.deliver("/_control/twitch/deliver", json!({ "event": event, "to": to, "options": options }))
            .await
    }

    /// Delivers an event over Kick's webhooks; returns the statuses of the deliveries.
    pub async fn kick(&self, receiver: &Receiver, event: Value, options: Value) -> Result<Vec<u16>> {
        let to = json!({ "callback": format!("{}/v1/webhooks/kick", receiver.origin) });
        self.deliver("/_control/kick/deliver", json!({ "event": event, "to": to, "options": options })).await
    }

    /// Messages that were sent to a platform's chat, oldest first.
    pub async fn sent(&self, platform: &str) -> Result<Vec<Value>> {
        self.sent_since(platform, None).await
    }

    /// Messages that were sent at a time or later.
    ///
    /// # Errors
    /// An error when the stand-in does not reply.
    pub async fn sent_since(&self, platform: &str, since: Option<DateTime<Utc>>) -> Result<Vec<Value>> {
        let since =
            since.map(|since| format!("&since={}", since.to_rfc3339_opts(SecondsFormat::AutoSi, true)));
        let path = format!("/_control/sent?platform={platform}{}", since.unwrap_or_default());
        let sent = self.api.get(&path).await?;
        sent.as_array().cloned().with_context(|| format!("no list of messages in {sent}"))
    }

    /// Redemption of a reward at Twitch.
    pub async fn redemption_of(&self, reward: &str) -> Result<Value> {
        let redemptions = self.api.get("/_control/twitch/redemptions").await?;
        let found = redemptions.as_array().into_iter().flatten().find(|one| one["reward_id"] == reward);
        found.cloned().with_context(|| format!("no redemption of {reward} in {redemptions}"))
    }

    async fn deliver(&self, path: &str, body: Value) -> Result<Vec<u16>> {
        let answer = self.api.post(path, body).await?;
        let deliveries =
            answer["deliveries"].as_array().with_context(|| format!("no deliveries in {answer}"))?;
        let attempts = deliveries.iter().filter_map(|delivery| delivery["attempts"].as_array()).flatten();
        attempts
            .map(|attempt| {
                let status = attempt["status"]
                    .as_u64()
                    .with_context(|| format!("no answer to a delivery: {attempt}"))?;
                Ok(u16::try_from(status)?)
            })
            .collect()
    }
}
