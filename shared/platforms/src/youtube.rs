//! YouTube, and the Google account behind a channel (reference/platforms.md#youtube).

mod broadcasts;
pub mod callback;
mod directory;
pub mod live;
mod moderation;
mod oauth;
mod profile;
mod videos;
mod viewers;

use std::time::Duration;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

pub use broadcasts::{Broadcast, BroadcastStatus};
pub use directory::MAX_LISTED;
pub(crate) use directory::read_streams;
pub use videos::MAX_VIDEOS;

use super::{
    Ban, Banned, ChatCredentials, ChatMessage, ModeratedChannel, PlatformClient, PlatformError, Result,
    SentMessage, TokenInspection, VerifiedIdentity,
    http::{Answer, Http, authorization},
};
use shared::secret::Secret;
use shared::{config::platforms::PlatformConfig, platform::Platform};

/// Reasons of a 403 that mean "later", not "no".
const RATE_LIMIT_REASONS: [&str; 4] =
    ["rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded", "dailyLimitExceeded"];

/// Client of Google and YouTube.
#[derive(Debug, Clone)]
pub struct YoutubeClient {
    config: PlatformConfig,
    http: Http,
}

/// Google writes numbers and booleans of this response as texts.
#[derive(Deserialize)]
struct TokenInfo {
    aud: String,
    sub: Option<String>,
    scope: Option<String>,
    expires_in: Option<String>,
    email: Option<String>,
    email_verified: Option<String>,
}

#[derive(Deserialize)]
struct InsertedMessage {
    id: String,
}

impl YoutubeClient {
    pub(super) fn new(config: PlatformConfig, client: reqwest::Client) -> Self {
        Self { config, http: Http::new(Platform::Youtube, client) }
    }

    async fn token_info(&self, access_token: &Secret) -> Result<TokenInfo> {
        let request = self
            .http
            .get(self.config.auth_url.endpoint(&["tokeninfo"]))
            .query(&[("access_token", access_token.expose())]);
        let answer = self.http.send("tokeninfo", request).await?;
        // Google responds with 400 `invalid_token` where others respond with 401.
        if answer.error_body()["error"] == "invalid_token" {
            return Err(PlatformError::Unauthorized);
        }
        answer.success(oauth_message)?.json()
    }
}

#[async_trait]
impl PlatformClient for YoutubeClient {
    fn platform(&self) -> Platform {
        Platform::Youtube
    }

    async fn user_profile(
        &self,
        access: &super::ProfileAccess<'_>,
        query: &super::ProfileQuery<'_>,
    ) -> Result<Option<super::UserProfile>> {
        self.profile(access, query).await
    }

    /// The address of Google that describes a token costs no units.
    async fn inspect_token(
        &self,
        _client_id: Option<&str>,
        access_token: &Secret,
    ) -> Result<TokenInspection> {
        let token = self.token_info(access_token).await?;
        let words = |scope: String| scope.split_whitespace().map(str::to_owned).collect();
        Ok(TokenInspection {
            scopes: token.scope.map(words),
            expires_in: token.expires_in.and_then(|text| text.parse().ok()).map(Duration::from_secs),
        })
    }

    /// `provider_user_id` is the Google account (`sub`), not the YouTube channel.
    async fn verify_login(
        &self,
        client_id: &str,
        provider_user_id: &str,
        access_token: &Secret,
    ) -> Result<VerifiedIdentity> {
        let token = self.token_info(access_token).await?;
        if token.aud != client_id {
            return Err(PlatformError::foreign_audience());
        }
        let subject = token.sub.filter(|subject| subject == provider_user_id);
        let subject = subject.ok_or_else(PlatformError::foreign_subject)?;
        let is_verified = token.email_verified.as_deref() == Some("true");
        Ok(VerifiedIdentity {
            email: token.email.filter(|_| is_verified),
            scopes: token.scope.unwrap_or_default().split_whitespace().map(str::to_owned).collect(),
            expires_in: token.expires_in.and_then(|text| text.parse().ok()).map(Duration::from_secs),
            ..VerifiedIdentity::new(Platform::Youtube, subject)
        })
    }

    async fn send_chat(&self, credentials: &ChatCredentials, message: &ChatMessage) -> Result<SentMessage> {
        let body = json!({
            "snippet": {
                "liveChatId": message.channel_id,
                "type": "textMessageEvent",
                "textMessageDetails": { "messageText": message.text },
            },
        });
        let request = self
            .http
            .post(self.config.api_url.endpoint(&["youtube", "v3", "liveChat", "messages"]))
            .query(&[("part", "snippet")])
            .header("Authorization", authorization("Bearer", &credentials.access_token)?)
            .json(&body);
        let answer = checked(self.http.send("send_chat", request).await?)?;
        Ok(SentMessage { message_id: Some(answer.json::<InsertedMessage>()?.id) })
    }

    async fn delete_message(
        &self,
        credentials: &ChatCredentials,
        _channel: &ModeratedChannel,
        message_id: &str,
    ) -> Result<()> {
        self.remove_message(credentials, message_id).await
    }

    async fn ban_user(
        &self,
        credentials: &ChatCredentials,
        channel: &ModeratedChannel,
        ban: &Ban,
    ) -> Result<Banned> {
        self.ban(credentials, channel, ban).await
    }
}

fn checked(answer: Answer) -> Result<Answer> {
    if is_limit(&answer) {
        return Err(answer.rate_limited());
    }
    answer.success(api_message)
}

fn is_limit(answer: &Answer) -> bool {
    if answer.status != reqwest::StatusCode::FORBIDDEN {
        return false;
    }
    let body = answer.error_body();
    let reason = body["error"]["errors"][0]["reason"].as_str().unwrap_or_default();
    RATE_LIMIT_REASONS.contains(&reason)
}

fn api_message(body: &Value) -> Option<&str> {
    body["error"]["message"].as_str()
}

fn oauth_message(body: &Value) -> Option<&str> {
    body["error_description"].as_str().or_else(|| body["error"].as_str())
}
