//! Kick (reference/platforms.md#kick).

mod channels;
mod directory;
mod livestreams;
mod moderation;
mod oauth;
mod profile;
mod subscriptions;
mod webhook_key;

use std::{
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use async_trait::async_trait;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{
    AppToken, ChatCredentials, ChatMessage, ModeratedChannel, PlatformClient, PlatformError, Result, SendAs,
    SentMessage, TokenInspection, VerifiedIdentity,
    http::{Answer, Http, authorization, client_id, client_secret, clip},
    oauth::Seconds,
};
use shared::connection::OAuthApp;
use shared::secret::Secret;
use shared::{config::platforms::PlatformConfig, platform::Platform};
use webhook_key::WebhookKey;

pub use directory::MAX_LISTED;
pub(crate) use directory::read_streams;
pub use livestreams::MAX_STREAMS;
pub use subscriptions::ActiveSubscription;

/// Subscriptions that one call may end (reference/platforms.md#kick-subscriptions).
const MAX_DELETED: usize = 50;

/// Client of Kick.
#[derive(Debug, Clone)]
pub struct KickClient {
    config: PlatformConfig,
    http: Http,
    webhook_key: Arc<WebhookKey>,
}

/// One event type of a subscription call, and its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct KickSubscription {
    /// Name of the event type.
    pub name: String,
    /// Version of the event type.
    pub version: u32,
    /// `None` when this event could not be subscribed to.
    pub subscription_id: Option<String>,
    /// Reason of the refusal. Kick sends an empty text on success.
    pub error: Option<String>,
}

/// Envelope of every response of Kick's API.
#[derive(Deserialize)]
struct Envelope<T> {
    data: T,
}

#[derive(Deserialize)]
struct Introspection {
    active: bool,
    client_id: Option<String>,
    scope: Option<String>,
    exp: Option<u64>,
}

#[derive(Deserialize)]
struct User {
    user_id: u64,
    name: String,
    email: Option<String>,
    profile_picture: Option<String>,
}

#[derive(Deserialize)]
struct Token {
    access_token: String,
    expires_in: Seconds,
}

#[derive(Deserialize)]
struct SendChatResult {
    is_sent: bool,
    message_id: Option<String>,
}

#[derive(Deserialize)]
struct PublicKey {
    public_key: String,
}

impl KickClient {
    pub(super) fn new(config: PlatformConfig, client: reqwest::Client) -> Self {
        Self { config, http: Http::new(Platform::Kick, client), webhook_key: Arc::default() }
    }

    /// Requests a token of our application, for event subscriptions.
    ///
    /// # Errors
    /// `NotConfigured` without client id and secret, `Rejected` when Kick does not know them.
    pub async fn app_token(&self) -> Result<AppToken> {
        let client_id = client_id(Platform::Kick, &self.config)?.to_owned();
        let client_secret = client_secret(Platform::Kick, &self.config)?.clone();
        self.app_token_of(&OAuthApp { client_id, client_secret }).await
    }

    /// Requests a token of another application: an account's own, or one that staff entered.
    ///
    /// # Errors
    /// `Rejected` when Kick does not know the application.
    pub async fn app_token_of(&self, app: &OAuthApp) -> Result<AppToken> {
        let form = [
            ("client_id", app.client_id.as_str()),
            ("client_secret", app.client_secret.expose()),
            ("grant_type", "client_credentials"),
        ];
        let request = self.http.post(self.config.auth_url.endpoint(&["oauth", "token"])).form(&form);
        let token: Token = self.http.send("app_token", request).await?.success(message)?.json()?;
        Ok(AppToken {
            access_token: Secret::new(token.access_token),
            expires_in: token.expires_in.duration()?,
        })
    }

    /// Checks the signature of Kick on a webhook: RSA PKCS#1 v1.5 with SHA-256 over `id.timestamp.body`. The
    /// key is cached for an hour. It is requested again when a signature does not verify, at most once a
    /// minute (reference/platforms.md#kick-webhooks).
    ///
    /// # Errors
    /// No key is available, so the signature could not be checked.
    pub async fn verifies_webhook(&self, signed: &[u8], signature: &[u8]) -> Result<bool> {
        self.webhook_key.verifies(signed, signature, Instant::now(), async || self.public_key().await).await
    }

    /// PEM of the key that signs webhooks.
    ///
    /// # Errors
    /// Any [`PlatformError`] of an anonymous call.
    pub async fn public_key(&self) -> Result<String> {
        let request = self.http.get(self.config.api_url.endpoint(&["public", "v1", "public-key"]));
        let key: PublicKey = data(self.http.send("public_key", request).await?)?;
        Ok(key.public_key)
    }

    /// Subscribes to events of a channel. Kick delivers them to the webhook address in the settings of the
    /// Kick app. `events` are names of version 1, such as `chat.message.sent`. The result has one row for
    /// each event.
    ///
    /// # Errors
    /// Failures of the whole call. Refusals of single events are in the rows.
    pub async fn create_event_subscriptions(
        &self,
        token: &Secret,
        broadcaster_user_id: &str,
        events: &[&str],
    ) -> Result<Vec<KickSubscription>> {
        let events: Vec<Value> = events.iter().map(|name| json!({ "name": name, "version": 1 })).collect();
        let body = json!({
            "broadcaster_user_id": numeric_id("broadcaster_user_id", broadcaster_user_id)?,
            "method": "webhook",
            "events": events,
        });
        let request = self
            .http
            .post(self.config.api_url.endpoint(&["public", "v1", "events", "subscriptions"]))
            .header("Authorization", authorization("Bearer", token)?)
            .json(&body);
        let mut rows: Vec<KickSubscription> =
            data(self.http.send("create_event_subscriptions", request).await?)?;
        for row in &mut rows {
            row.subscription_id = row.subscription_id.take().filter(|id| !id.is_empty());
            row.error = row.error.take().filter(|error| !error.is_empty());
        }
        Ok(rows)
    }

    /// Ends event subscriptions of the application. Missing ones are no error.
    ///
    /// # Errors
    /// Any [`PlatformError`].
    pub async fn delete_event_subscriptions(&self, app_token: &Secret, ids: &[String]) -> Result<()> {
        for ids in ids.chunks(MAX_DELETED) {
            let query: Vec<(&str, &str)> = ids.iter().map(|id| ("id", id.as_str())).collect();
            let request = self
                .http
                .delete(self.config.api_url.endpoint(&["public", "v1", "events", "subscriptions"]))
                .header("Authorization", authorization("Bearer", app_token)?)
                .query(&query);
            self.http.send("delete_event_subscriptions", request).await?.success(message)?;
        }
        Ok(())
    }

    async fn introspect(&self, access_token: &Secret) -> Result<Introspection> {
        let request = self
            .http
            .post(self.config.auth_url.endpoint(&["oauth", "token", "introspect"]))
            .header("Authorization", authorization("Bearer", access_token)?);
        let token: Introspection = data(self.http.send("introspect", request).await?)?;
        if token.active { Ok(token) } else { Err(PlatformError::Unauthorized) }
    }

    /// Without ids, the users address returns the owner of the token.
    async fn token_user(&self, access_token: &Secret) -> Result<User> {
        let request = self
            .http
            .get(self.config.api_url.endpoint(&["public", "v1", "users"]))
            .header("Authorization", authorization("Bearer", access_token)?);
        let users: Vec<User> = data(self.http.send("users", request).await?)?;
        users.into_iter().next().ok_or_else(PlatformError::foreign_subject)
    }
}

#[async_trait]
impl PlatformClient for KickClient {
    fn platform(&self) -> Platform {
        Platform::Kick
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
        let token = self.introspect(access_token).await?;
        if token.client_id.as_deref() != Some(client_id) {
            return Err(PlatformError::foreign_audience());
        }
        let user = self.token_user(access_token).await?;
        if user.user_id.to_string() != provider_user_id {
            return Err(PlatformError::foreign_subject());
        }
        Ok(VerifiedIdentity {
            display_name: Some(user.name.clone()),
            username: Some(user.name),
            avatar_url: user.profile_picture.filter(|url| !url.is_empty()),
            email: user.email.filter(|email| !email.is_empty()),
            scopes: words(token.scope.as_deref()),
            expires_in: token.exp.map(until),
            ..VerifiedIdentity::new(Platform::Kick, provider_user_id.to_owned())
        })
    }

    async fn inspect_token(
        &self,
        _client_id: Option<&str>,
        access_token: &Secret,
    ) -> Result<TokenInspection> {
        let token = self.introspect(access_token).await?;
        Ok(TokenInspection {
            scopes: token.scope.as_deref().map(|scope| words(Some(scope))),
            expires_in: token.exp.map(until),
        })
    }

    async fn send_chat(&self, credentials: &ChatCredentials, message: &ChatMessage) -> Result<SentMessage> {
        let sender_type = match credentials.send_as {
            SendAs::User => "user",
            SendAs::Bot => "bot",
        };
        let mut body = json!({
            "broadcaster_user_id": numeric_id("channel id", &message.channel_id)?,
            "content": message.text,
            "type": sender_type,
        });
        if let Some(reply_to) = &message.reply_to {
            body["reply_to_message_id"] = json!(reply_to);
        }
        let request = self
            .http
            .post(self.config.api_url.endpoint(&["public", "v1", "chat"]))
            .header("Authorization", authorization("Bearer", &credentials.access_token)?)
            .json(&body);
        let result: SendChatResult = data(self.http.send("send_chat", request).await?)?;
        if result.is_sent {
            return Ok(SentMessage { message_id: result.message_id });
        }
        Err(PlatformError::rejected("the message was not sent"))
    }

    async fn delete_message(
        &self,
        credentials: &ChatCredentials,
        _channel: &ModeratedChannel,
        message_id: &str,
    ) -> Result<()> {
        self.remove_message(credentials, message_id).await
    }

    /// The channel is that of the token.
    async fn set_title(&self, credentials: &ChatCredentials, _channel_id: &str, title: &str) -> Result<()> {
        self.change_title(credentials, title).await
    }
}

fn data<T: DeserializeOwned>(answer: Answer) -> Result<T> {
    Ok(answer.success(message)?.json::<Envelope<T>>()?.data)
}

/// Message in an error body of Kick. The OAuth server uses another key than the API.
fn message(body: &Value) -> Option<&str> {
    body["message"].as_str().or_else(|| body["error"].as_str())
}

fn numeric_id(what: &str, text: &str) -> Result<u64> {
    text.parse()
        .map_err(|_error| PlatformError::rejected(format!("{what} `{}` is not a Kick id", clip(text))))
}

fn words(text: Option<&str>) -> Vec<String> {
    text.unwrap_or_default().split_whitespace().map(str::to_owned).collect()
}

/// Time from now to a Unix timestamp; zero when it is past.
fn until(unix_seconds: u64) -> Duration {
    let at = UNIX_EPOCH + Duration::from_secs(unix_seconds);
    at.duration_since(SystemTime::now()).unwrap_or(Duration::ZERO)
}
