//! Twitch (reference/platforms.md#twitch).

mod channels;
mod directory;
mod emotes;
mod eventsub;
mod moderation;
mod oauth;
mod polls;
mod predictions;
mod profile;
mod raids;
mod rewards;
mod streams;
mod subscriptions;

use std::time::Duration;

use async_trait::async_trait;
use reqwest::RequestBuilder;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

pub use directory::MAX_LISTED;
pub(crate) use directory::read_streams;
pub use eventsub::{ChannelTopic, ChatTopic, EventSubSubscription, EventSubTopic, NewEventSubSubscription};
pub use streams::MAX_STREAMS;

use super::{
    AppToken, Ban, Banned, ChatCredentials, ChatMessage, Clip, ModeratedChannel, PlatformClient,
    PlatformError, Result, SentMessage, TokenInspection, VerifiedIdentity,
    http::{Http, authorization, client_id, client_secret, clip},
};
use shared::connection::OAuthApp;
use shared::secret::Secret;
use shared::{
    config::platforms::PlatformConfig,
    engagement::{
        NamedChannel, NewPoll, NewPrediction, NewReward, PlatformPoll, PlatformPrediction, PollEnd,
        PredictionChange, Redemption, RedemptionEnd, RewardChange,
    },
    platform::Platform,
};

/// Client of Twitch.
#[derive(Debug, Clone)]
pub struct TwitchClient {
    config: PlatformConfig,
    http: Http,
}

#[derive(Deserialize)]
struct Validation {
    client_id: String,
    login: Option<String>,
    user_id: Option<String>,
    scopes: Option<Vec<String>>,
    expires_in: Option<u64>,
}

#[derive(Deserialize)]
struct Token {
    access_token: String,
    expires_in: u64,
}

#[derive(Deserialize)]
struct SendChatAnswer {
    data: Vec<SendChatResult>,
}

#[derive(Deserialize)]
struct SendChatResult {
    message_id: Option<String>,
    is_sent: bool,
    drop_reason: Option<DropReason>,
}

#[derive(Deserialize)]
struct DropReason {
    message: String,
}

impl TwitchClient {
    pub(super) fn new(config: PlatformConfig, client: reqwest::Client) -> Self {
        Self { config, http: Http::new(Platform::Twitch, client) }
    }

    /// Requests a token of our application, for bot messages and webhook subscriptions.
    ///
    /// # Errors
    /// `NotConfigured` without client id and secret, `Rejected` when Twitch does not know them.
    pub async fn app_token(&self) -> Result<AppToken> {
        let client_secret = client_secret(Platform::Twitch, &self.config)?.clone();
        self.app_token_of(&OAuthApp { client_id: self.client_id()?.to_owned(), client_secret }).await
    }

    /// Requests a token of another application: an account's own, or one that staff entered.
    ///
    /// # Errors
    /// `Rejected` when Twitch does not know the application.
    pub async fn app_token_of(&self, app: &OAuthApp) -> Result<AppToken> {
        let form = [
            ("client_id", app.client_id.as_str()),
            ("client_secret", app.client_secret.expose()),
            ("grant_type", "client_credentials"),
        ];
        let request = self.http.post(self.config.auth_url.endpoint(&["oauth2", "token"])).form(&form);
        let token: Token = self.http.send("app_token", request).await?.success(message)?.json()?;
        Ok(AppToken {
            access_token: Secret::new(token.access_token),
            expires_in: Duration::from_secs(token.expires_in),
        })
    }

    async fn validate(&self, access_token: &Secret) -> Result<Validation> {
        let request = self
            .http
            .get(self.config.auth_url.endpoint(&["oauth2", "validate"]))
            .header("Authorization", authorization("OAuth", access_token)?);
        self.http.send("validate", request).await?.success(message)?.json()
    }

    fn client_id(&self) -> Result<&str> {
        client_id(Platform::Twitch, &self.config)
    }

    fn helix_url(&self, path: &[&str]) -> Url {
        let path: Vec<&str> = ["helix"].into_iter().chain(path.iter().copied()).collect();
        self.config.api_url.endpoint(&path)
    }

    /// Adds the credentials to a Helix call.
    fn acting(&self, request: RequestBuilder, credentials: &ChatCredentials) -> Result<RequestBuilder> {
        let client_id = match &credentials.client_id {
            Some(client_id) => client_id,
            None => self.client_id()?,
        };
        self.helix(request, &credentials.access_token, client_id)
    }

    /// Adds the token, and the application that the token was issued to, to a Helix call.
    fn helix(&self, request: RequestBuilder, token: &Secret, client_id: &str) -> Result<RequestBuilder> {
        Ok(request.header("Authorization", authorization("Bearer", token)?).header("Client-Id", client_id))
    }
}

#[async_trait]
impl PlatformClient for TwitchClient {
    fn platform(&self) -> Platform {
        Platform::Twitch
    }

    async fn user_profile(
        &self,
        access: &super::ProfileAccess<'_>,
        query: &super::ProfileQuery<'_>,
    ) -> Result<Option<super::UserProfile>> {
        self.profile(access, query).await
    }

    async fn verify_login(
        &self,
        client_id: &str,
        provider_user_id: &str,
        access_token: &Secret,
    ) -> Result<VerifiedIdentity> {
        let token = self.validate(access_token).await?;
        if token.client_id != client_id {
            return Err(PlatformError::foreign_audience());
        }
        let user_id = token.user_id.filter(|id| id == provider_user_id);
        let user_id = user_id.ok_or_else(PlatformError::foreign_subject)?;
        Ok(VerifiedIdentity {
            username: token.login,
            scopes: token.scopes.unwrap_or_default(),
            expires_in: token.expires_in.map(Duration::from_secs),
            ..VerifiedIdentity::new(Platform::Twitch, user_id)
        })
    }

    async fn inspect_token(
        &self,
        _client_id: Option<&str>,
        access_token: &Secret,
    ) -> Result<TokenInspection> {
        let token = self.validate(access_token).await?;
        Ok(TokenInspection {
            scopes: Some(token.scopes.unwrap_or_default()),
            expires_in: token.expires_in.map(Duration::from_secs),
        })
    }

    async fn send_chat(&self, credentials: &ChatCredentials, message: &ChatMessage) -> Result<SentMessage> {
        let mut body = json!({
            "broadcaster_id": message.channel_id,
            "sender_id": message.sender_id,
            "message": message.text,
        });
        if let Some(reply_to) = &message.reply_to {
            body["reply_parent_message_id"] = json!(reply_to);
        }
        let request = self.http.post(self.helix_url(&["chat", "messages"])).json(&body);
        let request = self.acting(request, credentials)?;
        let answer = self.http.send("send_chat", request).await?.success(self::message)?;
        let result = answer.json::<SendChatAnswer>()?.data.into_iter().next();
        let result = result.ok_or_else(|| PlatformError::invalid("no result for the message"))?;
        if result.is_sent {
            return Ok(SentMessage { message_id: result.message_id });
        }
        let reason = result.drop_reason.map(|reason| clip(&reason.message));
        Err(PlatformError::rejected(reason.unwrap_or_else(|| "the message was not sent".into())))
    }

    async fn delete_message(
        &self,
        credentials: &ChatCredentials,
        channel: &ModeratedChannel,
        message_id: &str,
    ) -> Result<()> {
        self.remove_message(credentials, channel, message_id).await
    }

    async fn ban_user(
        &self,
        credentials: &ChatCredentials,
        channel: &ModeratedChannel,
        ban: &Ban,
    ) -> Result<Banned> {
        self.ban(credentials, channel, ban).await?;
        Ok(Banned::default())
    }

    async fn unban_user(
        &self,
        credentials: &ChatCredentials,
        channel: &ModeratedChannel,
        user_id: &str,
    ) -> Result<()> {
        self.lift_ban(credentials, channel, user_id).await
    }

    async fn set_title(&self, credentials: &ChatCredentials, channel_id: &str, title: &str) -> Result<()> {
        self.change_title(credentials, channel_id, title).await
    }

    async fn create_clip(&self, credentials: &ChatCredentials, channel_id: &str) -> Result<Clip> {
        self.clip(credentials, channel_id).await
    }

    async fn find_channel(&self, credentials: &ChatCredentials, name: &str) -> Result<Option<NamedChannel>> {
        self.user_by_login(credentials, name).await
    }

    async fn start_raid(&self, credentials: &ChatCredentials, from: &str, to: &str) -> Result<()> {
        self.raid(credentials, from, to).await
    }

    async fn cancel_raid(&self, credentials: &ChatCredentials, channel_id: &str) -> Result<()> {
        self.call_raid_off(credentials, channel_id).await
    }

    async fn create_poll(&self, credentials: &ChatCredentials, poll: &NewPoll) -> Result<PlatformPoll> {
        self.begin_poll(credentials, poll).await
    }

    async fn end_poll(
        &self,
        credentials: &ChatCredentials,
        channel_id: &str,
        poll_id: &str,
        end: PollEnd,
    ) -> Result<PlatformPoll> {
        self.finish_poll(credentials, channel_id, poll_id, end).await
    }

    async fn create_prediction(
        &self,
        credentials: &ChatCredentials,
        prediction: &NewPrediction,
    ) -> Result<PlatformPrediction> {
        self.begin_prediction(credentials, prediction).await
    }

    async fn end_prediction(
        &self,
        credentials: &ChatCredentials,
        channel_id: &str,
        prediction_id: &str,
        change: &PredictionChange,
    ) -> Result<PlatformPrediction> {
        self.change_prediction(credentials, channel_id, prediction_id, change).await
    }

    async fn create_reward(&self, credentials: &ChatCredentials, reward: &NewReward) -> Result<String> {
        self.add_reward(credentials, reward).await
    }

    async fn update_reward(
        &self,
        credentials: &ChatCredentials,
        channel_id: &str,
        reward_id: &str,
        change: &RewardChange,
    ) -> Result<()> {
        self.change_reward(credentials, channel_id, reward_id, change).await
    }

    async fn delete_reward(
        &self,
        credentials: &ChatCredentials,
        channel_id: &str,
        reward_id: &str,
    ) -> Result<()> {
        self.remove_reward(credentials, channel_id, reward_id).await
    }

    async fn update_redemption(
        &self,
        credentials: &ChatCredentials,
        redemption: &Redemption,
        end: RedemptionEnd,
    ) -> Result<()> {
        self.end_redemption(credentials, redemption, end).await
    }
}

/// Message in an error body of Twitch.
fn message(body: &Value) -> Option<&str> {
    body["message"].as_str()
}
